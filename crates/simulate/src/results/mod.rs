//! What a run produces: rows of values, events, and the files and pictures made of them.
//!
//! A run tells an [`Observer`] what happens while it happens, so that a run that fails or is interrupted leaves what
//! it has found so far. Everything here is such an observer: a table in memory, result files, the event log, the count
//! of events per guard, a plot.
//!
//! | file | purpose |
//! |---|---|
//! | `chosen` | of a run, some columns only |
//! | `columns` | which values a row has, in which order |
//! | `cost` | what events cost, for benchmarks |
//! | `observer` | who is told what, and when |
//! | `trajectory` | all rows in memory |
//! | `events` | one event, and the event log as JSON |
//! | `period` | means, ripples and harmonics of a period |
//! | `stored` | files that are valid at any time, however the run ends |
//! | `csv`, `mat` | the two kinds of result files |
//! | `tally` | which guard caused how many events |
//! | [`plot`] | a picture |

mod chosen;
mod columns;
mod cost;
mod csv;
mod events;
mod mat;
mod observer;
mod period;
pub mod plot;
mod stored;
mod tally;
mod trajectory;

pub use chosen::Chosen;
pub use columns::{Column, ColumnKind, ColumnSource, Columns, Constant, Existence, NEXT_OF_INPUTS};
pub(crate) use cost::CostMeter;
pub use cost::{CostPart, EventCost};
pub use csv::CsvFile;
pub use events::{EventFile, EventRecord, Impulse, Jump, event_to_json};
pub use mat::MatFile;
pub use observer::{ABSENT, Observer, Progress, is_absent};
pub use period::{Harmonic, PeriodStatistics, VariableStatistics};
pub use stored::Storage;
pub use tally::Tally;
pub use trajectory::Trajectory;

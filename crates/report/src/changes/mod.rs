//! What `changes` says: every kind of mode changes with what it erases, what jumps and what is impulsive.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from the analysis of all mode changes to the report |
//! | `dot` | the report in the language of Graphviz |
//! | `graph` | the report as a picture |
//! | `machines` | changes in the words of state machines |
//! | `matrix` | the changes between some modes as a matrix |
//! | `report` | the report as data |
//! | `text` | the report as text, in the words of E22 |
//! | `verdicts` | what is not determined or contradicts itself, as diagnostics |

mod build;
mod dot;
mod graph;
mod machines;
mod matrix;
mod report;
mod text;
mod verdicts;

pub use build::{Selection, Wording, selected_pairs};
pub use report::{
    ArrayComparison, ChangesReport, ChangesSummary, Continuous, ErasedShift, ImpulseOrder, ItemInChanges, KindOfChange,
    ModeArrow, ModeGraph, OrderInChanges, OrderRule, RestartLevel,
};
pub use verdicts::{note_instants_of_laws, say_verdicts};

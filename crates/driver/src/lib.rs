//! The pipeline: one function per user question, each line a stage.
//!
//! Every function takes a [`Question`] and returns an [`Answer`]: a report of `modeshift_report`, the diagnostics, the
//! sources to show them with, and the timings. `flatten` and `analyze` return the result of their stage, from which
//! `report()` makes the report: in large models, words take longer than the analysis.
//!
//! | module | purpose |
//! |---|---|
//! | [`changes`] | `changes`: every mode change of a model |
//! | [`init`] | `init`: the start of a model, and what `check` says about it |
//! | `other_tools` | `analyze --method`: what other methods make of a model, and when an ordinary tool's run fails |
//! | `parse` | `parse`: syntax errors only |
//! | `pipeline` | `flatten`, `analyze`, `check`, and the stages that all questions share |
//! | `question` | questions and answers as data |
//! | `repairs` | edits that make a model right, tested by applying them |
//! | `rimis` | `rimis`: an equivalent model for ordinary tools |
//! | [`semantics`] | `semantics`: the constructive semantics |
//! | [`simulate`] | `simulate`: runs a model |
//! | `some_modes` | what is asked of a mode, where all modes are too many |
//! | `timings` | how long each phase takes |
//! | `valuation` | partial valuations of mode variables, as in `--at` |

pub mod changes;
pub mod init;
mod other_tools;
mod parse;
mod pipeline;
mod question;
mod repairs;
mod rimis;
pub mod semantics;
pub mod simulate;
mod some_modes;
mod timings;
mod valuation;

pub use modeshift_modes::use_stack;
pub use modeshift_report as report;
pub use modeshift_report::Analyzed;
pub use other_tools::{as_other_tools, pantelides};
pub use parse::parse;
pub use pipeline::{CheckOptions, analyze, check, flatten};
pub use question::{Answer, Dialect, Limits, Question, Source};
pub use rimis::{RimisOptions, rimis};
pub use timings::{Phase, Progress, Timings};
pub use valuation::{Valuation, parse_valuation};

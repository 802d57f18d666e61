//! What `init` says: is the start of a model determined, in which modes, and what is missing or too many.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from assessed scenarios to the report |
//! | `report` | the report as data |
//! | `text` | the report as text |
//! | `verdicts` | the verdicts as diagnostics |

mod build;
mod report;
mod text;
mod verdicts;

pub use build::report;
pub use report::{CaseReport, ConditionPlace, ConditionReport, InitReport, ScenarioReport, StartReport};
pub use verdicts::{check_verdicts, say_verdicts};

//! What `init` says: is the start of a model determined, in which modes, and what is missing or too many.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from judged scenarios to the report |
//! | `judge` | numbers for the verdicts |
//! | `report` | the report as data |
//! | `text` | the report as text |
//! | `verdicts` | the verdicts as diagnostics |

mod build;
mod judge;
mod report;
mod text;
mod verdicts;

pub use build::report;
pub use judge::{JudgedCase, JudgedScenario, Search, judge, start_of_run};
pub use report::{CaseReport, ConditionPlace, ConditionReport, InitReport, ScenarioReport, StartReport};
pub use verdicts::{check_verdicts, say_verdicts};

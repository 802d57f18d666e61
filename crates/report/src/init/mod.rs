//! What `init` says: is the start of a model determined, in which modes, and what is missing or too many.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from judged scenarios to the report |
//! | `json` | the report as JSON |
//! | `judge` | numbers for the verdicts |
//! | `report` | the report as data |
//! | `text` | the report as text |
//! | `verdicts` | the verdicts as diagnostics |

mod build;
mod json;
mod judge;
mod report;
mod text;
mod verdicts;

pub use build::report;
pub use json::init_to_json;
pub use judge::{JudgedCase, JudgedScenario, judge, start_of_run};
pub use report::{CaseReport, ConditionReport, InitReport, ItemWhen, ScenarioReport, StartReport};
pub use text::init_to_text;
pub use verdicts::{check_verdicts, say_verdicts};

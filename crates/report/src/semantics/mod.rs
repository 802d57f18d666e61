//! What `semantics` says: contexts, runs and their classes, the dynamics of modes and the resets between them.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from the graph of the constructive semantics to the report |
//! | `dot` | the report in the language of Graphviz |
//! | `graph` | the report as a picture |
//! | `report` | the report as data |
//! | `second_opinion` | where `changes` says something else of a mode change, and why |
//! | `standard` | standardisation: what modes and changes mean in real numbers |
//! | `text` | the report as text, in the notation of RR8933 Fig. 3 |
//! | `verdicts` | runs that fail and cycles that do not end, as diagnostics |

mod build;
mod dot;
mod graph;
mod report;
mod second_opinion;
mod standard;
mod text;
mod verdicts;

pub use build::Wording;
pub use report::{
    ChoiceReport, ContextReport, LeftOut, ModeDynamics, OutcomeReport, ResetReport, RunReport, SemanticsReport,
    StepReport,
};
pub use verdicts::{combined_equations, refuse_unfounded, say_verdicts};

//! What `analyze --method approximate` and `check --as-other-tools` say: which equation an ordinary tool solves for what,
//! in which modes that divides by zero, when a run gets there, and what is solved instead (E22 §2, RR9459 §3.1).
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from the approximate analysis to the report |
//! | `diagnosis` | the same as a diagnostic |
//! | `graph` | the dependency graph in the language of Graphviz and as a picture |
//! | `text` | the report as text |

mod build;
mod diagnosis;
mod graph;
mod text;

pub use build::{Failures, Reached, Scope, report};
pub use diagnosis::diagnose;

use serde_json::Value;

use crate::analyze::PartReport;
use crate::json::{Json, Version};
use crate::place::Place;

crate::report! {
    /// What Modeshift solves in modes in which the ordinary tool cannot.
    pub struct InsteadReport {
        /// The modes.
        when: String => always "when",
        /// The equations, such as `eh2'`.
        equations: Vec<String> => always "equations",
        /// The variables that they are solved for there.
        writes: Vec<String> => always "writes",
    }

    /// Equations that an ordinary tool solves together, in all modes alike.
    pub struct ApproximateBlock {
        /// Its number: the position in the list.
        id: usize => always "id",
        /// Its equations, such as `eh2`; branches of one equation have bars between them.
        equations: Vec<String> => always "equations",
        /// The variables that must be known before.
        reads: Vec<String> => always "reads",
        /// The variables that it is solved for.
        writes: Vec<String> => always "writes",
        /// The modes in which it cannot be solved; left out where there are none.
        fails: Option<String> => optional "fails_when",
        /// One of them.
        example: Option<String> => optional "example",
        /// The partial derivative by the variable that one equation is solved for: zero in those modes.
        pivot: Option<String> => optional "pivot",
        /// The equation solved for its variable, where it is affine.
        solved: Option<String> => optional "solved",
        /// When a run first gets into such a mode.
        time: Option<f64> => optional "time",
        /// What is solved instead.
        instead: Vec<InsteadReport> => optional "instead",
        /// Where the equation was written.
        place: Option<Place> => optional "span",
    }

    /// That one block must be solved before another.
    pub struct BlockOrder {
        /// The block that is solved first.
        from: usize => always "from",
        /// The block that reads what it writes.
        to: usize => always "to",
    }

    /// The structure of a model as if all its modes were one.
    pub struct ApproximateReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was analyzed.
        model: String => always "model",
        /// `approximate`
        method: &'static str => always "method",
        /// The modes this is restricted to, where it is.
        at: Option<String> => optional "at",
        /// `right`: every block can be solved in every mode; `fails`: some cannot; `singular`: there are no blocks.
        verdict: &'static str => always "verdict",
        /// All modes in which some block fails; `false` where none does.
        fails: String => always "fails_when",
        /// When a run first gets there.
        time: Option<f64> => optional "time",
        /// Why there is no such time.
        no_time: Option<String> => optional "no_time",
        /// The blocks in an order in which they can be solved.
        blocks: Vec<ApproximateBlock> => always "blocks",
        /// Which block needs which.
        dependencies: Vec<BlockOrder> => always "dependencies",
        /// Of a united system without blocks: too many equations for these variables.
        overdetermined: Option<PartReport> => optional "overdetermined",
        /// Of a united system without blocks: too few equations for these variables.
        underdetermined: Option<PartReport> => optional "underdetermined",
    }
}

impl ApproximateReport {
    /// For people, in the notation of the papers.
    pub fn text(&self) -> String {
        text::to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }

    /// In the language of Graphviz.
    pub fn dot(&self) -> String {
        graph::to_dot(self)
    }

    /// The picture.
    pub fn svg(&self) -> String {
        graph::to_svg(self)
    }
}

//! What `analyze --method pantelides` says: the iterations of multi-mode Pantelides (MOE15 §4), what it differentiates in all
//! modes, and beside it the exact offsets, which depend on the mode.
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from the analysis to the report |
//! | `text` | the report as text |

mod build;
mod text;

pub use build::report;

use serde_json::Value;

use crate::analyze::Case;
use crate::json::{Json, Version};

crate::report! {
    /// A block that is singular in some mode, and what is done about it.
    pub struct SingularLoopReport {
        /// Its equations; those of connections to states have bars between them.
        equations: Vec<String> => always "equations",
        /// Its unknowns.
        unknowns: Vec<String> => always "unknowns",
        /// The first modes found in which it has no assignment.
        when: String => always "when",
        /// Whether it is one equation, outside all loops.
        is_single: bool => always "single",
        /// The connections that are too many there, and are differentiated therefore.
        differentiated: Vec<String> => always "differentiated",
        /// The derivatives that are new in the variable association list.
        introduced: Vec<String> => always "introduced",
    }

    /// An equation and how often it is differentiated.
    pub struct TimesReport {
        /// The equation.
        equation: String => always "equation",
        /// How often.
        times: u32 => always "times",
    }

    /// One iteration.
    pub struct IterationReport {
        /// From 1.
        number: usize => always "number",
        /// What the standard algorithm differentiates before it.
        differentiated: Vec<TimesReport> => always "differentiated",
        /// How many blocks have several equations.
        loops: usize => always "loops",
        /// Blocks with connections that are singular in some mode; none in the last iteration.
        singular: Vec<SingularLoopReport> => always "singular",
    }

    /// The exact offsets of an equation.
    pub struct ExactReport {
        /// The equation.
        equation: String => always "equation",
        /// How often it is differentiated.
        offsets: Vec<Case> => always "offsets",
        /// The modes in which that is less often; left out where there are none.
        spared: Option<String> => optional "less_when",
    }

    /// An equation that is differentiated in all modes.
    pub struct DifferentiatedReport {
        /// The equation, or the branches of one.
        equation: String => always "equation",
        /// How often.
        times: u32 => always "times",
        /// What the exact analysis does.
        exact: Vec<ExactReport> => always "exact",
    }

    /// Equations that are solved together.
    pub struct LoopReport {
        /// The equations.
        equations: Vec<String> => always "equations",
        /// The unknowns.
        unknowns: Vec<String> => always "unknowns",
    }

    /// A state.
    pub struct StateReport {
        /// The variable or derivative.
        name: String => always "name",
        /// The modes in which it is a state.
        when: String => always "when",
        /// Whether these are all modes in which it exists.
        is_always: bool => always "always",
    }

    /// What multi-mode Pantelides makes of a model.
    pub struct PantelidesReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was analyzed.
        model: String => always "model",
        /// `pantelides`
        method: &'static str => always "method",
        /// The modes this is restricted to, where it is.
        at: Option<String> => optional "at",
        /// `regular`; `inconsistent`: no assignment as if all modes were one; `stuck`: singular, and no connection is too many there;
        /// `stopped`: does not converge within the bound.
        verdict: &'static str => always "verdict",
        /// Why it is not regular, in words.
        reason: Option<String> => optional "reason",
        /// What the method was not made for.
        note: Option<String> => optional "note",
        /// The modes in which the exact analysis finds the model singular; left out where there are none.
        exact_singular: Option<String> => optional "exact_singular_when",
        /// Equations of the system it works on, without dummies.
        equation_count: usize => always "equations",
        /// Its variables.
        variable_count: usize => always "variables",
        /// Variables that are known functions of time.
        known: Vec<String> => always "known",
        /// How many variables another one stands for.
        alias_count: usize => always "aliases",
        /// Dummy equations, for states that are not active.
        dummies: usize => always "dummies",
        /// Equations whose content depends on the mode: connections to states, branches.
        connections: Vec<String> => always "connections",
        /// In order.
        iterations: Vec<IterationReport> => always "iterations",
        /// What is differentiated in all modes, beside the exact offsets.
        differentiated: Vec<DifferentiatedReport> => always "differentiated",
        /// The loops at the end.
        loops: Vec<LoopReport> => always "loops",
        /// The states at the end, where it ends; left out where the modes are too many to tell.
        states: Option<Vec<StateReport>> => optional "states",
    }
}

impl PantelidesReport {
    /// For people.
    pub fn text(&self) -> String {
        text::to_text(self)
    }

    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

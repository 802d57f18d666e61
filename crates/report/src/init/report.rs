//! What `init` says, in words: text and JSON are two ways to write one [`InitReport`].

use crate::analyze::{BlockReport, Place};

/// The start of a model.
#[derive(Clone, Debug)]
pub struct InitReport {
    /// The class.
    pub model: String,
    /// The modes it was restricted to.
    pub at: Option<String>,
    /// The scenarios.
    pub scenarios: Vec<ScenarioReport>,
}

/// One scenario.
#[derive(Clone, Debug)]
pub struct ScenarioReport {
    /// Its name; `default` where the model has none.
    pub name: String,
    /// Whether the model declares it.
    pub declared: bool,
    /// Its initial modes.
    pub when: String,
    /// `determined`, `underdetermined` or `overdetermined`, over all its possible modes; `inconsistent` where values
    /// were looked for and there are none.
    pub verdict: &'static str,
    /// Disjoint cases of modes.
    pub cases: Vec<CaseReport>,
    /// Modes that are left out, because the model is singular there.
    pub singular: Option<String>,
    /// The start values, where they were found.
    pub start: Option<StartReport>,
}

/// A name, with modes of its own where it does not belong to a case in all modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemWhen {
    /// The name.
    pub name: String,
    /// In which modes of the case; `None` for all.
    pub when: Option<String>,
}

/// An initial equation, a fixed start value, or an equation of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionReport {
    /// Its text, or the name of the equation.
    pub text: String,
    /// `start`, `initial equation` or `equation`.
    pub kind: &'static str,
    /// Where it was written.
    pub place: Option<Place>,
    /// In which modes of the case; `None` for all.
    pub when: Option<String>,
}

/// Modes with one verdict for one reason.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// The modes.
    pub when: String,
    /// Whether time and parameters allow them at the start.
    pub possible: bool,
    /// `determined`, `underdetermined` or `overdetermined`.
    pub verdict: &'static str,
    /// States that still need a value.
    pub free: Vec<ItemWhen>,
    /// A smallest set to fix.
    pub proposal: Vec<ItemWhen>,
    /// Conditions that are too many but agree with the others.
    pub redundant: Vec<ConditionReport>,
    /// Conditions that are too many and contradict the others.
    pub conflicting: Vec<ConditionReport>,
    /// The smallest conflicting subset.
    pub conflict: Vec<ConditionReport>,
    /// One mode of the case.
    pub example: String,
    /// The blocks of the square part, in the order of solution.
    pub blocks: Vec<BlockReport>,
    /// Whether blocks were left out.
    pub truncated: bool,
}

/// Start values.
#[derive(Clone, Debug)]
pub struct StartReport {
    /// The mode.
    pub mode: Vec<(String, bool)>,
    /// Variables and derivatives with their values, in order of declaration.
    pub values: Vec<(String, f64)>,
}

//! What the search for the next mode tried at an instant, where somebody wants to know.

use modeshift_dae::{EquationId, IndexVec, Mode, RelationId, VariableId};
use modeshift_mode_changes::Term;

use crate::run::values::Side;

/// What was tried at an instant, micro-step by micro-step.
#[derive(Default)]
pub(crate) struct Trace {
    pub micro_steps: Vec<Vec<Attempt>>,
    /// What each of them led to.
    pub reached: Vec<Reached>,
    /// Whether anything but one search was needed: parts, sliding, other levels of noise.
    pub is_intricate: bool,
}

/// The values of the side that a micro-step led to.
pub(crate) struct Reached {
    pub mode: Mode,
    pub jet: Vec<f64>,
    pub discrete: IndexVec<VariableId, f64>,
}

/// Truths that were tried.
pub(crate) struct Attempt {
    pub discrete: IndexVec<VariableId, f64>,
    pub result: Judged,
}

/// What came of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judged {
    /// They stand; whether anything continuous is new, and whether anything but assignments happens.
    Accepted { is_new: bool, is_plain: bool },
    /// They are refused for these reasons, each with the value that says so.
    Refused(Vec<(Reason, f64)>),
    /// They are refused for reasons that are not such.
    Otherwise,
}

/// What is decisive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// This term of the series of a relation.
    Relation(RelationId, Term),
    /// This term of the residual of an equation that the others contradict.
    Equation(EquationId, Term),
    /// The structure of the mode.
    Structure,
}

impl Trace {
    /// Another micro-step begins.
    pub fn begin_micro_step(&mut self) {
        self.micro_steps.push(Vec::new());
    }

    /// The micro-step has led to a side.
    pub fn end_micro_step(&mut self, side: &Side<'_>) {
        let Side { mode, jet, discrete, .. } = side;
        self.reached.push(Reached { mode: mode.values.clone(), jet: jet.clone(), discrete: discrete.clone() });
    }

    /// Truths were tried.
    pub fn add(&mut self, discrete: IndexVec<VariableId, f64>, result: Judged) {
        if let Some(attempts) = self.micro_steps.last_mut() {
            attempts.push(Attempt { discrete, result });
        }
    }
}

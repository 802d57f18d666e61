//! What `flatten` says to programs: the guarded equation system that was understood, as data in words. (For people, a
//! multimode DAE prints itself.)

mod build;
mod json;

pub use build::{flat_report, mode_variable_report};
pub use json::flat_to_json;

use crate::analyze::{ModeVariableReport, Place};

/// A parameter or constant.
#[derive(Clone, Debug)]
pub struct ParameterReport {
    /// Its name.
    pub name: String,
    /// `Real`, `Integer`, …
    pub ty: String,
    /// Its value.
    pub value: Option<String>,
    /// Whether it can no longer be changed.
    pub is_final: bool,
    /// Its declaration.
    pub place: Option<Place>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VariableReport {
    /// Its name.
    pub name: String,
    /// `Real`, `Integer`, …
    pub ty: String,
    /// The modes in which it exists.
    pub when: String,
    /// Its start value.
    pub start: Option<String>,
    /// Whether the start value is meant.
    pub fixed: bool,
    /// Whether it comes from outside.
    pub input: bool,
    /// Its declaration.
    pub place: Option<Place>,
}

/// An equation.
#[derive(Clone, Debug)]
pub struct EquationReport {
    /// Its name; of an initial equation none.
    pub name: Option<String>,
    /// The modes in which it holds.
    pub when: String,
    /// `der(x) = -x`
    pub text: String,
    /// Whether it defines a variable that changes at events only.
    pub discrete: bool,
    /// Where it was written.
    pub place: Option<Place>,
}

/// A branch of a `when` clause.
#[derive(Clone, Debug)]
pub struct WhenBranchReport {
    /// What has to become true.
    pub condition: String,
    /// What then happens.
    pub actions: Vec<String>,
}

/// A `when` clause with its `elsewhen` branches.
#[derive(Clone, Debug)]
pub struct WhenReport {
    /// The modes in which it is there.
    pub when: String,
    /// First match first.
    pub branches: Vec<WhenBranchReport>,
    /// Where it was written.
    pub place: Option<Place>,
}

/// The whole system.
#[derive(Clone, Debug)]
pub struct FlatReport {
    /// The class that was flattened.
    pub model: String,
    /// The mode variables.
    pub mode_variables: Vec<ModeVariableReport>,
    /// Booleans that are formulas over mode variables: name and formula.
    pub named_formulas: Vec<(String, String)>,
    /// What all modes satisfy.
    pub invariant: String,
    /// How many modes there are.
    pub mode_count: String,
    /// Parameters and constants.
    pub parameters: Vec<ParameterReport>,
    /// Variables in declaration order.
    pub variables: Vec<VariableReport>,
    /// Equations in source order, without the definitions of mode variables.
    pub equations: Vec<EquationReport>,
    /// Initial equations.
    pub initial_equations: Vec<EquationReport>,
    /// `when` clauses.
    pub when_clauses: Vec<WhenReport>,
    /// Assertions: condition and modes.
    pub assertions: Vec<EquationReport>,
}

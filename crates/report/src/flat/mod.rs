//! What `flatten` says to programs: the guarded equation system that was understood, as data in words. (For people, a
//! multimode DAE prints itself.)
//!
//! | module | purpose |
//! |---|---|
//! | `build` | from a multimode DAE to the report |
//! | `machines` | state machines in words |

mod build;
mod machines;

pub use build::{flat_report, mode_variable_report};

use serde_json::Value;

use crate::analyze::ModeVariableReport;
use crate::json::{Json, Version};
use crate::place::Place;

crate::report! {
    /// A parameter or constant.
    pub struct ParameterReport {
        /// Its name.
        name: String => always "name",
        /// `Real`, `Integer`, …
        ty: String => always "type",
        /// Its value.
        value: Option<String> => always "value",
        /// Whether it can no longer be changed.
        is_final: bool => always "final",
        /// Its declaration.
        place: Option<Place> => optional "span",
    }

    /// A variable.
    pub struct VariableReport {
        /// Its name.
        name: String => always "name",
        /// `Real`, `Integer`, …
        ty: String => always "type",
        /// The modes in which it exists.
        when: String => always "when",
        /// Its start value.
        start: Option<String> => always "start",
        /// Whether the start value is meant.
        fixed: bool => always "fixed",
        /// Whether it comes from outside.
        input: bool => always "input",
        /// Its declaration.
        place: Option<Place> => optional "span",
    }

    /// An equation.
    pub struct EquationReport {
        /// Its name; an initial equation and an assertion have none.
        name: Option<String> => optional "name",
        /// The modes in which it holds.
        when: String => always "when",
        /// Its text, such as `der(x) = -x`; of an assertion the condition.
        text: String => always "text",
        /// Whether it defines a variable that changes at events only.
        discrete: bool => optional "discrete",
        /// Where it was written.
        place: Option<Place> => optional "span",
    }

    /// A branch of a `when` clause.
    pub struct WhenBranchReport {
        /// The condition that has to become true.
        condition: String => always "condition",
        /// The equations and statements that hold then.
        actions: Vec<String> => always "actions",
    }

    /// A `when` clause with its `elsewhen` branches.
    pub struct WhenReport {
        /// The modes in which it is there.
        when: String => always "when",
        /// First match first.
        branches: Vec<WhenBranchReport> => always "branches",
        /// Where it was written.
        place: Option<Place> => optional "span",
    }

    /// A Boolean that is a formula over mode variables.
    pub struct NamedFormulaReport {
        /// The name of the Boolean.
        name: String => always "name",
        /// The formula.
        formula: String => always "formula",
    }

    /// A state of a machine.
    pub struct MachineStateReport {
        /// The component.
        name: String => always "name",
        /// The mode variable that says whether it is active.
        active: String => always "active",
        /// The variables that exist while it is active, without those of states inside it.
        variables: Vec<String> => always "variables",
        /// Its declaration.
        place: Option<Place> => optional "span",
    }

    /// A transition between two states of a machine.
    pub struct TransitionReport {
        /// The state it leaves.
        from: String => always "from",
        /// The state it enters.
        to: String => always "to",
        /// Its condition as it is written.
        condition: String => always "condition",
        /// Whether the condition is asked at the instant itself, or at its left limit.
        immediate: bool => always "immediate",
        /// Whether the entered state begins anew.
        reset: bool => always "reset",
        /// Whether it waits for the machines inside the state it leaves.
        synchronize: bool => always "synchronize",
        /// Of several that could fire, the one with the smallest number does.
        priority: i64 => always "priority",
        /// Where it is written.
        place: Option<Place> => optional "span",
    }

    /// States of which exactly one is active, or none while the state around them is not.
    pub struct MachineReport {
        /// The component whose equations draw it; empty for the model itself.
        name: String => always "name",
        /// The state that it is inside of.
        inside: Option<String> => optional "inside",
        /// The state that it begins with.
        initial: String => always "initial",
        /// Its states.
        states: Vec<MachineStateReport> => always "states",
        /// Its transitions, by state and priority.
        transitions: Vec<TransitionReport> => always "transitions",
    }

    /// The whole equation system of a model.
    pub struct FlatReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was flattened.
        model: String => always "model",
        /// The mode variables.
        mode_variables: Vec<ModeVariableReport> => always "mode_variables",
        /// Booleans that are formulas over mode variables.
        named_formulas: Vec<NamedFormulaReport> => always "named_formulas",
        /// A formula that all modes satisfy.
        invariant: String => always "invariant",
        /// How many modes there are, in decimal.
        mode_count: String => always "mode_count",
        /// State machines, those around others first.
        machines: Vec<MachineReport> => optional "machines",
        /// Parameters and constants.
        parameters: Vec<ParameterReport> => always "parameters",
        /// Variables in declaration order.
        variables: Vec<VariableReport> => always "variables",
        /// Equations in source order, without the definitions of mode variables.
        equations: Vec<EquationReport> => always "equations",
        /// Initial equations.
        initial_equations: Vec<EquationReport> => always "initial_equations",
        /// `when` clauses.
        when_clauses: Vec<WhenReport> => always "when_clauses",
        /// Assertions: condition and modes.
        assertions: Vec<EquationReport> => always "assertions",
    }
}

impl FlatReport {
    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

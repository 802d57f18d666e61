//! Which mode variables have which values at the start, before anything is solved.
//!
//! Where the structure of all modes is too large for sets of modes, that of the modes in which a run begins is not: breakers that
//! open at given times are closed or open at the start, whatever potentials are.

use std::collections::BTreeSet;

use modeshift_dae::{Builtin, ExpressionId, ModeVariableId, MultimodeDae, Node, Type, Variability, VariableId};
use modeshift_numerics::{Compiler, Input, NativeFunctions, Parameters};
use modeshift_structure::initialization::fixed_values;

use super::problem::is_known;

/// Values of mode variables at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstModes {
    /// What follows from time, parameters and fixed start values: the start has these.
    pub known: Vec<(ModeVariableId, bool)>,
    /// What nothing but a start value says anything about, and states of machines: the start has these where it can.
    pub kept: Vec<(ModeVariableId, bool)>,
}

/// What is known of the mode in which a model starts at a time.
pub fn first_modes(
    dae: &MultimodeDae,
    natives: &NativeFunctions,
    parameters: &mut Parameters<'_>,
    time: f64,
) -> FirstModes {
    let fixed = fixed_values(dae);
    let is_fixed: BTreeSet<ModeVariableId> = fixed.iter().map(|it| it.0).collect();
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    let of_machines: BTreeSet<VariableId> = states.map(|state| state.active).collect();
    let mut found = FirstModes { known: fixed, kept: Vec::new() };
    let (mut ids, mut definitions) = (Vec::new(), Vec::new());
    for (id, mode) in dae.mode_variables.iter_enumerated().filter(|(id, _)| !is_fixed.contains(id)) {
        let is_state = mode.variable.is_some_and(|it| of_machines.contains(&it));
        let parameter = mode.variable.filter(|&it| dae.model.variables[it].variability <= Variability::Parameter);
        if let Some(value) = parameter.and_then(|it| parameters.of(it)) {
            found.known.push((id, value != 0.0));
        } else if let Some(definition) = mode.definition.filter(|&it| has_value(dae, parameters, it)) {
            ids.push(id);
            definitions.push(definition);
        } else if mode.definition.is_none() || is_state {
            let declared = mode.variable.and_then(|it| dae.model.variables[it].start);
            let start = declared.and_then(|start| parameters.value(start)).is_some_and(|value| value != 0.0);
            found.kept.push((id, mode.initial.unwrap_or(start)));
        }
    }
    let values = values_of(dae, natives, parameters, &definitions, time);
    let values = ids.into_iter().zip(values).filter(|(_, value)| !value.is_nan());
    found.known.extend(values.map(|(id, value)| (id, value != 0.0)));
    found
}

/// Whether an expression depends on time and on parameters that have values, and on nothing that only a run can tell.
fn has_value(dae: &MultimodeDae, parameters: &Parameters<'_>, expression: ExpressionId) -> bool {
    let unknown = |node| match node {
        Node::Variable(id, _) => dae.model.variables[id].ty == Type::String || parameters.of(id).is_none(),
        Node::Call(Builtin::Sample | Builtin::Terminal | Builtin::Delay | Builtin::DelayMax, _) => true,
        _ => false,
    };
    is_known(&dae.model, expression) && !dae.model.expressions.contains(expression, unknown)
}

/// The values of expressions of time and parameters; "not a number" for those that have none.
fn values_of(
    dae: &MultimodeDae,
    natives: &NativeFunctions,
    parameters: &Parameters<'_>,
    expressions: &[ExpressionId],
    time: f64,
) -> Vec<f64> {
    let mut values = vec![f64::NAN; expressions.len()];
    if let Ok(tape) = Compiler::new(&dae.model, natives).at_start().tape(expressions) {
        let input = |&input: &Input| match input {
            Input::Time => time,
            Input::Variable(id, 0) => parameters.of(id).unwrap_or(f64::NAN),
            Input::Homotopy => 1.0,
            _ => f64::NAN,
        };
        let inputs: Vec<f64> = tape.inputs().iter().map(input).collect();
        tape.evaluate(&inputs, &mut tape.workspace(), &mut values);
    }
    values
}

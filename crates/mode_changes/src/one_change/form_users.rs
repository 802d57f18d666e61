//! Which equations have another form after a change, found by who could: those that mention a mode variable or a
//! discrete variable that changes.

use modeshift_dae::{EquationId, EquationKind, IndexVec, Mode, ModeVariableId, MultimodeDae, Node, VariableId};
use rustc_hash::FxHashMap;

use super::new_forms::has_new_form;

/// Continuous equations by the mode variables and discrete variables in them.
pub struct FormUsers {
    of_mode: IndexVec<ModeVariableId, Vec<EquationId>>,
    of_variable: FxHashMap<VariableId, Vec<EquationId>>,
}

impl FormUsers {
    /// Reads the equations of a model.
    pub fn new(dae: &MultimodeDae) -> Self {
        let mut users = FormUsers {
            of_mode: dae.mode_variables.iter().map(|_| Vec::new()).collect(),
            of_variable: FxHashMap::default(),
        };
        let equations = dae.model.equations.iter_enumerated();
        for (id, equation) in equations.filter(|(_, equation)| equation.kind == EquationKind::Continuous) {
            for side in [equation.left, equation.right] {
                dae.model.expressions.for_each(side, |_, node| {
                    match node {
                        Node::Mode(mode) => add(&mut users.of_mode[mode], id),
                        Node::Variable(variable, 0) if is_discrete(dae, variable) => {
                            add(users.of_variable.entry(variable).or_default(), id)
                        }
                        _ => {}
                    }
                    true
                });
            }
        }
        users
    }

    /// The equations that take another form, ascending; those that only begin or cease to hold are not among them.
    pub fn changed(&self, dae: &MultimodeDae, before: &Mode, after: &Mode, changed: &[VariableId]) -> Vec<EquationId> {
        let by_mode = before.differing(after).flat_map(|mode| self.of_mode[mode].iter().copied());
        let by_variable = changed.iter().filter_map(|variable| self.of_variable.get(variable)).flatten().copied();
        let mut equations: Vec<EquationId> = by_mode.chain(by_variable).collect();
        equations.sort_unstable();
        equations.dedup();
        let is_changed = |variable: VariableId| changed.contains(&variable);
        equations.retain(|&equation| has_new_form(&dae.model, equation, before, after, &is_changed));
        equations
    }
}

/// Whether a variable changes at events only: a discrete one, or a top-level input.
fn is_discrete(dae: &MultimodeDae, variable: VariableId) -> bool {
    let variable = &dae.model.variables[variable];
    variable.is_discrete_unknown() || variable.input
}

fn add(list: &mut Vec<EquationId>, equation: EquationId) {
    if list.last() != Some(&equation) {
        list.push(equation);
    }
}

//! Tells restart laws from assignments: an equation in a `when` on a variable that also occurs under `der` is a
//! law for the restart (E22 §8.4), on any other variable an assignment that makes the variable discrete.

use modeshift_dae::{FlatModel, Node, Type, Variability, VariableId, Walk, WhenActionKind};
use rustc_hash::FxHashSet;

pub(crate) fn separate(model: &mut FlatModel) {
    if model.when_clauses.is_empty() {
        return;
    }
    let differentiated = differentiated_variables(model);
    let expressions = &mut model.expressions;
    let actions = model.when_clauses.iter_mut().flat_map(|clause| &mut clause.branches);
    for action in actions.flat_map(|branch| &mut branch.actions) {
        let WhenActionKind::Assign(variable, value) = action.kind else { continue };
        if differentiated.contains(&variable) {
            action.kind = WhenActionKind::Law(expressions.add(Node::Variable(variable, 0)), value);
            model.variables[variable].variability = Variability::Continuous;
        } else if model.variables[variable].ty == Type::Real {
            model.variables[variable].variability = Variability::Discrete;
        }
    }
}

fn differentiated_variables(model: &FlatModel) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    let mut walk = Walk::new();
    for equation in model.equations.iter() {
        for side in [equation.left, equation.right] {
            walk.visit(&model.expressions, side, |_, node, _| {
                if let Node::Variable(variable, 1..) = node {
                    found.insert(variable);
                }
                true
            });
        }
    }
    found
}

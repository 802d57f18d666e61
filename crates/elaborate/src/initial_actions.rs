//! What a `when` with `initial()` among its conditions does holds at the start: its actions are initial equations too.
//!
//! Modelica specification, section 8.6: `v = e` and `reinit(x, e)` in such a `when` are equations of initialization.
//! Of the branches only the first with `initial()` is active then.

use modeshift_dae::{Builtin, FlatModel, InitialEquation, Node, WhenActionKind, WhenBranch};

/// Adds the initial equations of all such branches, in source order, behind those that the model states.
pub(crate) fn add(model: &mut FlatModel) {
    let clauses = std::mem::take(&mut model.when_clauses);
    for clause in &clauses {
        let starting = |branch: &&WhenBranch| {
            let is_initial = |&condition| matches!(model.expressions.node(condition), Node::Call(Builtin::Initial, _));
            branch.conditions.iter().any(is_initial)
        };
        let Some(branch) = clause.branches.iter().find(starting) else { continue };
        for action in &branch.actions {
            let (left, right) = match action.kind {
                WhenActionKind::Assign(variable, value) | WhenActionKind::Reinit(variable, value) => {
                    (model.expressions.variable(variable, 0), value)
                }
                WhenActionKind::Law(left, right) => (left, right),
                WhenActionKind::Assert(_) | WhenActionKind::Terminate(_) => continue,
            };
            let guard = model.expressions.and(clause.guard, action.guard);
            model.initial_equations.push(InitialEquation { left, right, guard, scenario: None, span: action.span });
        }
    }
    model.when_clauses = clauses;
}

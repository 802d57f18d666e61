//! Discrete variables that a `when` assigns in some states of a machine and an equation defines in others.
//!
//! Each variable has one definition. What the clauses assign goes to a variable of its own, with a Boolean that changes whenever
//! they do, and the variable follows it in the instants in which that is so:
//!
//! ```text
//!  in state a:  when c then y = 3;       when c then assigned(y) = 3; assigns(y) = not pre(assigns(y));
//!  in state b:  y = 7;                   y = if activeState(b) then 7
//!                                            else if assigns(y) <> pre(assigns(y)) then assigned(y) else pre(y);
//! ```

use std::collections::BTreeMap;

use modeshift_dae::{
    Builtin, Equation, EquationId, EquationKind, ExpressionId, FlatModel, Node, Type, Variability, Variable,
    VariableId, WhenAction, WhenActionKind, WhenClause,
};

use crate::orientation::States;

/// Gives what clauses assign variables of its own, where equations define the same in states in which the clauses never fire.
pub(crate) fn separate(model: &mut FlatModel) {
    if model.machines.is_empty() {
        return;
    }
    let states = States::of(model);
    for (variable, equations) in defined_by_both(model) {
        let clauses: Vec<ExpressionId> =
            model.when_clauses.iter().filter(|it| assigns(it, variable)).map(|it| it.guard).collect();
        let guards: Vec<ExpressionId> = equations.iter().map(|&id| model.equations[id].guard).collect();
        let mut are_exclusive = |a: ExpressionId| clauses.iter().all(|&clause| states.are_exclusive(model, a, clause));
        if guards.iter().all(|&guard| are_exclusive(guard)) {
            separate_one(model, variable, (&equations, &guards));
        }
    }
}

/// Variables that clauses assign, none at the start, with the equations that define them.
fn defined_by_both(model: &FlatModel) -> BTreeMap<VariableId, Vec<EquationId>> {
    let by_when = crate::orientation::assigned_by_when(model);
    let mut found: BTreeMap<VariableId, Vec<EquationId>> = BTreeMap::new();
    for (id, equation) in model.equations.iter_enumerated() {
        let whole = |side: ExpressionId| match model.expressions.node(side) {
            Node::Variable(variable, 0) => Some(variable),
            _ => None,
        };
        let defined = whole(equation.left).filter(|&it| by_when[it] && model.variables[it].is_discrete_unknown());
        defined.into_iter().for_each(|variable| found.entry(variable).or_default().push(id));
    }
    let begins = |variable| model.when_clauses.iter().any(|it| assigns(it, variable) && is_initial(model, it));
    found.retain(|&variable, _| !begins(variable));
    found
}

fn assigns(clause: &WhenClause, variable: VariableId) -> bool {
    let mut actions = clause.branches.iter().flat_map(|branch| &branch.actions);
    actions.any(|it| matches!(it.kind, WhenActionKind::Assign(assigned, _) if assigned == variable))
}

/// Whether a clause acts at the start.
fn is_initial(model: &FlatModel, clause: &WhenClause) -> bool {
    let is_call = |node| matches!(node, Node::Call(Builtin::Initial, _));
    let mut conditions = clause.branches.iter().flat_map(|branch| &branch.conditions);
    conditions.any(|&condition| model.expressions.contains(condition, is_call))
}

fn separate_one(model: &mut FlatModel, variable: VariableId, (equations, guards): (&[EquationId], &[ExpressionId])) {
    let declared = model.variables[variable].clone();
    let (name, truth, no) = (declared.name.clone(), model.expressions.boolean(true), model.expressions.boolean(false));
    let own = Variable { guard: truth, fixed: Some(true), protected: true, binding: None, ..declared.clone() };
    let assigned = model.variables.push(Variable { name: format!("assigned({name})").into(), ..own.clone() });
    let toggle = Variable::new(format!("assigns({name})"), Type::Boolean, Variability::Discrete, truth);
    let toggle = Variable { span: declared.span, start: Some(no), fixed: Some(true), protected: true, ..toggle };
    let toggle = model.variables.push(toggle);
    redirect(model, variable, (assigned, toggle));

    let left = model.expressions.variable(variable, 0);
    let expressions = &mut model.expressions;
    let (now, value) = (expressions.variable(toggle, 0), expressions.variable(assigned, 0));
    let (was, before) = (expressions.pre(now), expressions.pre(left));
    let has_changed = expressions.relation(modeshift_dae::RelationOperator::NotEqual, now, was);
    let right = expressions.if_then_else(has_changed, value, before);
    let elsewhere = guards.iter().fold(truth, |elsewhere, &guard| {
        let not = expressions.not(guard);
        expressions.and(elsewhere, not)
    });
    let Equation { name, span, .. } = model.equations[equations[0]].clone();
    model.equations.push(Equation { name, kind: EquationKind::Discrete, guard: elsewhere, left, right, span });
}

/// Clauses assign one variable in place of another, and turn over the Boolean that says so.
fn redirect(model: &mut FlatModel, from: VariableId, (to, toggle): (VariableId, VariableId)) {
    let FlatModel { when_clauses, expressions, .. } = model;
    let now = expressions.variable(toggle, 0);
    let was = expressions.pre(now);
    let other = expressions.not(was);
    for branch in when_clauses.iter_mut().flat_map(|clause| &mut clause.branches) {
        let mut turned = Vec::new();
        for action in &mut branch.actions {
            if let WhenActionKind::Assign(variable, _) = &mut action.kind
                && *variable == from
            {
                *variable = to;
                turned.push(WhenAction { kind: WhenActionKind::Assign(toggle, other), ..action.clone() });
            }
        }
        branch.actions.extend(turned);
    }
}

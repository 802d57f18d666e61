//! `when` clauses as equations.
//!
//! A condition `c` of a `when` becomes a Boolean of its own, `w = c`, and its branch *fires* where `edge(w)`, which is
//! `w and not pre(w)`, unless an earlier branch does. A discrete variable that the clause assigns is defined by an equation
//! like any other:
//!
//! ```text
//! when c1 then v = e1; elsewhen c2 then v = e2; end when;
//!
//! w1 = c1                                  fires1 = edge(w1)
//! w2 = c2                                  fires2 = edge(w2) and not fires1
//! v  = if fires2 then e2 else if fires1 then e1 else pre(v)
//! ```
//!
//! So clauses are ordered by what they read: definitions are put into one another, and one evaluation gives all of them.
//! Where they lead back to themselves, some variables are iterated (`relations`). What a micro-step did is redone with
//! every evaluation and never accumulates, and `pre` of a condition is part of the left side like any other left limit.
//!
//! At the start a `when` fires only by `initial()` or a `sample` that is due. The condition of a clause inside a state of a machine is a
//! discrete variable of that state: it begins with `false` where the state begins anew, whether or not it has been active before.

use std::collections::BTreeMap;

use modeshift_dae::{
    Builtin, Context, ExpressionId, FlatModel, IndexVec, MultimodeDae, Node, Type, Variable, VariableId, Walk,
    WhenAction, WhenActionKind, WhenBranch,
};
use modeshift_diagnostics::Span;

use crate::run::prepare::event_functions::auxiliary;

/// By variable: what it is defined to be, where an equation says so.
pub(crate) type Definitions = IndexVec<VariableId, Option<ExpressionId>>;

/// A branch of a `when`.
pub(crate) struct Firing {
    /// Where its clause is at all.
    pub guard: ExpressionId,
    /// Whether it fires.
    pub fires: ExpressionId,
    /// The Booleans that stand for its conditions.
    pub conditions: Vec<VariableId>,
    /// What else it does than to assign discrete variables.
    pub actions: Vec<WhenAction>,
    /// Its condition as it is written, or the first of several.
    pub condition: Option<ExpressionId>,
    /// Whether it does nothing at all.
    pub is_empty: bool,
    /// The condition in the source.
    pub span: Span,
}

/// Turns the `when` clauses of a model into equations, which are added to the definitions.
pub(crate) fn when_equations(model: &mut FlatModel, definitions: &mut Definitions) -> Vec<Firing> {
    // What clauses assign is no part of a condition, but what an earlier micro-step left.
    let equations = definitions.clone();
    let mut firings = Vec::new();
    for clause in model.when_clauses.clone() {
        let mut earlier = Vec::new();
        for branch in clause.branches {
            let conditions: Vec<VariableId> =
                branch.conditions.iter().map(|&it| own_boolean(model, definitions, it, branch.span)).collect();
            let pairs = conditions.iter().zip(&branch.conditions);
            let edges: Vec<ExpressionId> = pairs
                .map(|(&id, &condition)| {
                    let momentary = is_momentary(model, &equations, condition);
                    edge(model, id, momentary)
                })
                .collect();
            let expressions = &mut model.expressions;
            let no = expressions.boolean(false);
            let any = edges.into_iter().fold(no, |any, edge| expressions.or(any, edge));
            let guarded = expressions.and(clause.guard, any);
            let fires = earlier.iter().fold(guarded, |fires, &other| {
                let not_other = expressions.not(other);
                expressions.and(fires, not_other)
            });
            earlier.push(fires);
            firings.push(Firing { guard: clause.guard, ..assigned(model, definitions, fires, conditions, branch) });
        }
    }
    firings
}

/// By the Boolean that says whether a state of a machine is active: the conditions of clauses inside it.
pub(crate) type ConditionsOfStates = BTreeMap<VariableId, Vec<VariableId>>;

/// Which conditions belong to states of machines.
pub(crate) fn conditions_of_states(dae: &MultimodeDae, firings: &[Firing]) -> ConditionsOfStates {
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    let mut conditions: ConditionsOfStates = states.map(|state| (state.active, Vec::new())).collect();
    for firing in firings.iter() {
        dae.model.expressions.for_each(firing.guard, |_, node| {
            let active = match node {
                Node::Variable(variable, 0) => Some(variable),
                Node::Mode(mode) => dae.mode_variables[mode].variable,
                _ => None,
            };
            if let Some(own) = active.and_then(|active| conditions.get_mut(&active)) {
                own.extend(&firing.conditions);
            }
            true
        });
    }
    conditions
}

/// The Boolean that stands for a condition, where that is written.
fn own_boolean(
    model: &mut FlatModel,
    definitions: &mut Definitions,
    condition: ExpressionId,
    span: Span,
) -> VariableId {
    let declared = auxiliary(model, format!("$when{}", model.variables.len()), Type::Boolean);
    let variable = model.variables.push(Variable { span, ..declared });
    definitions.push(Some(condition));
    variable
}

/// Whether a condition becomes true; at the start, only one that says `initial()` or `sample`.
fn edge(model: &mut FlatModel, condition: VariableId, is_momentary: bool) -> ExpressionId {
    let expressions = &mut model.expressions;
    let now = expressions.variable(condition, 0);
    let before = expressions.pre(now);
    let not_before = expressions.not(before);
    let rises = expressions.and(now, not_before);
    if is_momentary {
        return rises;
    }
    let initial = expressions.call(Builtin::Initial, &[]);
    let later = expressions.not(initial);
    expressions.and(later, rises)
}

/// Whether a condition contains `initial()`, `terminal()` or `sample`, itself or by equations.
fn is_momentary(model: &FlatModel, definitions: &Definitions, condition: ExpressionId) -> bool {
    let mut walk = Walk::new();
    walk.add(condition, Context::NOW);
    while let Some((id, context)) = walk.next() {
        match model.expressions.node(id) {
            Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample, _) => return true,
            Node::Pre(_) => {}
            Node::Variable(variable, 0) => {
                if let Some(definition) = definitions.get(variable).copied().flatten() {
                    walk.add(definition, context);
                }
            }
            _ => walk.add_operands(&model.expressions, id, context),
        }
    }
    false
}

/// Defines the variables that a branch assigns; what else it does is left.
fn assigned(
    model: &mut FlatModel,
    definitions: &mut Definitions,
    fires: ExpressionId,
    conditions: Vec<VariableId>,
    branch: WhenBranch,
) -> Firing {
    let WhenBranch { actions, span, conditions: written, .. } = branch;
    let is_empty = actions.is_empty();
    let mut others = Vec::new();
    for action in actions {
        let WhenActionKind::Assign(variable, value) = action.kind else {
            others.push(action);
            continue;
        };
        if model.variables[variable].ty == Type::String {
            continue;
        }
        let otherwise = definitions[variable].unwrap_or_else(|| {
            let now = model.expressions.variable(variable, 0);
            model.expressions.pre(now)
        });
        let condition = model.expressions.and(fires, action.guard);
        definitions[variable] = Some(model.expressions.if_then_else(condition, value, otherwise));
    }
    Firing { guard: fires, fires, conditions, actions: others, condition: written.first().copied(), is_empty, span }
}

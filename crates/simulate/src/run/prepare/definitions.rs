//! Which equation defines which discrete variable.
//!
//! A discrete variable stands alone on one side of the equation that defines it. Between two such variables, as
//! connections make them, the one that is known from elsewhere defines the other.

use modeshift_dae::{
    EquationId, EquationKind, ExpressionId, FlatModel, IndexVec, Node, Type, Variability, VariableId, WhenActionKind,
};
use rustc_hash::FxHashMap;

/// The defining expression of every discrete variable that an equation defines; where the equation has a guard, the
/// variable keeps its value in other modes.
pub(crate) fn definitions(model: &mut FlatModel) -> IndexVec<VariableId, Option<ExpressionId>> {
    let oriented = oriented(model);
    let mut definitions: IndexVec<VariableId, Option<ExpressionId>> = model.variables.iter().map(|_| None).collect();
    for (id, variable) in oriented {
        let equation = &model.equations[id];
        let (guard, left, right) = (equation.guard, equation.left, equation.right);
        let is_left = model.expressions.node(left) == Node::Variable(variable, 0);
        let value = if is_left { right } else { left };
        definitions[variable] = Some(match model.expressions.literal_boolean(guard) {
            Some(true) => value,
            _ => {
                let itself = model.expressions.variable(variable, 0);
                let kept = model.expressions.pre(itself);
                model.expressions.if_then_else(guard, value, kept)
            }
        });
    }
    definitions
}

fn oriented(model: &FlatModel) -> Vec<(EquationId, VariableId)> {
    let mut known = given(model);
    let mut found = Vec::new();
    let mut between: Vec<(EquationId, VariableId, VariableId)> = Vec::new();
    for (id, equation) in model.equations.iter_enumerated() {
        if equation.kind == EquationKind::Continuous {
            continue;
        }
        match (discrete_variable(model, equation.left), discrete_variable(model, equation.right)) {
            (Some(left), Some(right)) => between.push((id, left, right)),
            (Some(variable), None) | (None, Some(variable)) => {
                known[variable] = true;
                found.push((id, variable));
            }
            (None, None) => {}
        }
    }
    orient_between(&between, &mut known, &mut found);
    found
}

/// Variables that something else than an equation decides.
fn given(model: &FlatModel) -> IndexVec<VariableId, bool> {
    let mut given: IndexVec<VariableId, bool> = model.variables.iter().map(|variable| !variable.is_unknown()).collect();
    let branches = model.when_clauses.iter().flat_map(|clause| &clause.branches);
    for action in branches.flat_map(|branch| &branch.actions) {
        if let WhenActionKind::Assign(variable, _) = action.kind {
            given[variable] = true;
        }
    }
    given
}

fn orient_between(
    between: &[(EquationId, VariableId, VariableId)],
    known: &mut IndexVec<VariableId, bool>,
    found: &mut Vec<(EquationId, VariableId)>,
) {
    let mut incident: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
    for (index, &(_, left, right)) in between.iter().enumerate() {
        incident.entry(left).or_default().push(index);
        incident.entry(right).or_default().push(index);
    }
    let mut oriented = vec![false; between.len()];
    let mut pending: Vec<VariableId> = known.ids().filter(|id| known[*id] && incident.contains_key(id)).collect();
    pending.reverse();
    let mut next = 0;
    loop {
        while let Some(from) = pending.pop() {
            for &index in incident.get(&from).into_iter().flatten() {
                let (equation, left, right) = between[index];
                let other = if left == from { right } else { left };
                if !oriented[index] && !known[other] {
                    (oriented[index], known[other]) = (true, true);
                    found.push((equation, other));
                    pending.push(other);
                }
            }
        }
        // Where nothing is known the left side is defined.
        let Some(open) = (next..between.len()).find(|&index| !oriented[index] && !known[between[index].1]) else {
            return;
        };
        let (equation, left, _) = between[open];
        (oriented[open], known[left], next) = (true, true, open + 1);
        found.push((equation, left));
        pending.push(left);
    }
}

fn discrete_variable(model: &FlatModel, expression: ExpressionId) -> Option<VariableId> {
    match model.expressions.node(expression) {
        Node::Variable(variable, 0) => {
            let declared = &model.variables[variable];
            let discrete = declared.ty != Type::Real || declared.variability == Variability::Discrete;
            (declared.is_unknown() && discrete).then_some(variable)
        }
        _ => None,
    }
}

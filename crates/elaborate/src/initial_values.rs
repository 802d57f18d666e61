//! Initial equations about discrete variables: `n = 3`, `pre(b) = true`, and what can be solved for such a variable.
//!
//! A condition that a continuous unknown takes part in is one on the continuous unknowns: `x = n` with a Real `x` and an
//! Integer `n`. A discrete Real that neither an equation nor a fixed start value determines gets its value even from
//! such a condition: `z = x`.

use modeshift_dae::{ExpressionId, FlatModel, InitialEquation, InitialValue, Node, Type, Variability, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use rustc_hash::FxHashSet;

use crate::definitions::Definitions;
use crate::isolate::{Candidate, Wanted, candidates, follows_continuous_unknown, is_real, solved};

/// By initial equation: the discrete variable that gets its value from it; nothing for a continuous condition. Behind those
/// that are `stated` stand the actions of `when initial()`: a fixed start of what they assign is its left limit.
pub(crate) fn initial_values(
    model: &mut FlatModel,
    definitions: &Definitions,
    stated: usize,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Option<InitialValue>>, Stop> {
    let mut values = Vec::with_capacity(model.initial_equations.len());
    let mut failed = false;
    let actions = model.initial_equations[stated.min(model.initial_equations.len())..].iter();
    let mut assigned: FxHashSet<VariableId> = actions.filter_map(|it| variable(model, it.left)).collect();
    let said: Vec<VariableId> =
        said_alone(model, definitions, &model.initial_equations[..stated.min(model.initial_equations.len())]);
    assigned.extend(said);
    for number in 0..model.initial_equations.len() {
        let InitialEquation { left, right, .. } = model.initial_equations[number];
        let by_action = if number < stated { None } else { Candidate::on_the_left(model, [left, right]) };
        let candidate = match by_action {
            Some(candidate) => Ok(Some(candidate)),
            None => candidate(model, definitions, [left, right], number >= stated, &assigned),
        };
        let candidate = match candidate {
            Ok(candidate) => candidate,
            Err(Unsolved) => {
                diagnostics.push(unsolved(&model.initial_equations[number]));
                failed = true;
                None
            }
        };
        values.push(candidate.map(|candidate| InitialValue {
            variable: candidate.variable,
            is_left_limit: candidate.is_left_limit,
            value: solved(&mut model.expressions, [left, right], candidate),
        }));
    }
    if failed { Err(Stop) } else { Ok(values) }
}

/// Discrete Reals that an equation without continuous unknowns gives their values: beside `d = 2`, `x = d` is about `x`.
fn said_alone(model: &FlatModel, definitions: &Definitions, equations: &[InitialEquation]) -> Vec<VariableId> {
    let said = equations.iter().filter_map(|&InitialEquation { left, right, .. }| {
        let sides = [left, right];
        let is_about_others = sides.iter().any(|&side| follows_continuous_unknown(model, side));
        if is_about_others || !sides.iter().any(|&side| is_real(model, side, true)) {
            return None;
        }
        let found = candidate(model, definitions, sides, false, &FxHashSet::default()).ok().flatten();
        found.filter(|it| it.is_alone && !it.is_left_limit).map(|it| it.variable)
    });
    said.collect()
}

/// An equation between discrete expressions that cannot be solved for a variable.
struct Unsolved;

fn candidate(
    model: &FlatModel,
    definitions: &Definitions,
    sides: [ExpressionId; 2],
    is_action: bool,
    assigned: &FxHashSet<VariableId>,
) -> Result<Option<Candidate>, Unsolved> {
    let is_real = sides.iter().any(|&side| is_real(model, side, true));
    let is_whole = |it: VariableId| model.variables[it].ty != Type::Real;
    // The type of a function's result is not known here; it was checked when the equation was made.
    let calls = |side: &ExpressionId| {
        model.expressions.contains(*side, |node| matches!(node, Node::Function(..) | Node::Output(..)))
    };
    let may_be_whole = !is_real || sides.iter().any(calls);
    let is_unknown = |it: VariableId| is_unknown(model, it) && (may_be_whole || !is_whole(it));
    let found = candidates(model, sides, is_real, &Wanted { is_unknown: &is_unknown, left_limits: true });
    // What an action assigns has its value from there: an equation that is stated is about what else it contains.
    let is_open = |it: &Candidate| {
        let is_assigned = !is_action && assigned.contains(&it.variable);
        it.is_left_limit || definitions.value(it.variable).is_none() && !is_assigned
    };
    if is_real && sides.iter().any(|&side| follows_continuous_unknown(model, side)) {
        let is_free = |it: &&Candidate| {
            let is_free = is_action || model.variables[it.variable].fixed != Some(true);
            // What an action assigns is no condition on what it reads, whole or not.
            let is_assigned =
                is_action && matches!(model.expressions.node(sides[0]), Node::Variable(of, 0) if of == it.variable);
            it.is_alone && is_open(it) && (is_assigned || !is_whole(it.variable)) && is_free
        };
        return Ok(found.iter().find(is_free).copied());
    }
    let alone_first = |wanted: &dyn Fn(&Candidate) -> bool| {
        let wanted = || found.iter().filter(|it| wanted(it));
        wanted().find(|it| it.is_alone).or(wanted().next()).copied()
    };
    match alone_first(&is_open).or(alone_first(&|_| true)) {
        None if !is_real => Err(Unsolved),
        // `d + e = 5` says nothing about one of them alone: it is solved with the others.
        Some(it) if is_real && !is_action && !it.is_alone && is_sought(model, definitions, &it) => Ok(None),
        candidate => Ok(candidate),
    }
}

/// Whether the start can find the value of a discrete Real together with others.
fn is_sought(model: &FlatModel, definitions: &Definitions, it: &Candidate) -> bool {
    let declared = &model.variables[it.variable];
    let is_said = declared.fixed == Some(true) || definitions.value(it.variable).is_some();
    !it.is_left_limit && declared.ty == Type::Real && !is_said
}

/// The variable that an expression is.
fn variable(model: &FlatModel, expression: ExpressionId) -> Option<VariableId> {
    match model.expressions.node(expression) {
        Node::Variable(variable, 0) => Some(variable),
        _ => None,
    }
}

/// Whether the start can decide it: a discrete variable, or a whole parameter that is to be found.
fn is_unknown(model: &FlatModel, variable: VariableId) -> bool {
    let declared = &model.variables[variable];
    let is_searched = declared.variability == Variability::Parameter && declared.fixed == Some(false);
    declared.is_discrete_unknown() || is_searched && declared.ty != Type::Real
}

fn unsolved(equation: &InitialEquation) -> Diagnostic {
    Diagnostic::error(
        Code::E0506,
        "an initial equation between Booleans, Integers or Strings must give a variable its value",
    )
    .label(equation.span, "it cannot be solved for a discrete variable")
    .help("write it as `variable = expression`")
}

//! Which equation defines which discrete variable.
//!
//! A discrete variable (Boolean, Integer, enumeration, String, or a Real that changes at events only) stands alone
//! on one side of the equation that defines it. Between two such variables, as connections make them, the side
//! that is known from elsewhere defines the other. Definitions in the branches of an if-equation are merged into
//! one with an if-expression, so that their conditions need not be modes.

use std::collections::BTreeMap;

use modeshift_dae::{
    Equation, EquationId, ExpressionId, FlatModel, IndexVec, Node, Type, Variability, VariableId, WhenActionKind,
};
use modeshift_diagnostics::{Diagnostic, Diagnostics, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::cover_everything;

/// The definitions of a model.
pub(crate) struct Definitions {
    value: IndexVec<VariableId, Option<ExpressionId>>,
    by_when: IndexVec<VariableId, bool>,
    defined_by: IndexVec<EquationId, Option<VariableId>>,
}

impl Definitions {
    /// Finds them, and merges those that are spread over branches.
    pub(crate) fn collect(model: &mut FlatModel, diagnostics: &mut Diagnostics) -> Result<Self, Stop> {
        let by_when = assigned_by_when(model);
        let defined = oriented(model, &by_when, diagnostics)?;
        merge_branches(model, defined, by_when, diagnostics)
    }

    /// What the variable equals, where an equation says so.
    pub(crate) fn value(&self, variable: VariableId) -> Option<ExpressionId> {
        self.value[variable]
    }

    /// Whether a `when` assigns it.
    pub(crate) fn is_assigned_by_when(&self, variable: VariableId) -> bool {
        self.by_when[variable]
    }

    /// The discrete variable that the equation defines; `None` for an equation of the continuous system.
    pub(crate) fn defined_by(&self, equation: EquationId) -> Option<VariableId> {
        self.defined_by[equation]
    }
}

fn assigned_by_when(model: &FlatModel) -> IndexVec<VariableId, bool> {
    let mut assigned: IndexVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    let branches = model.when_clauses.iter().flat_map(|clause| &clause.branches);
    for action in branches.flat_map(|branch| &branch.actions) {
        if let WhenActionKind::Assign(variable, _) = action.kind {
            assigned[variable] = true;
        }
    }
    assigned
}

/// The discrete variables that an equation could define.
enum Candidates {
    None,
    One(VariableId),
    /// Two variables, one on each side.
    Either(VariableId, VariableId),
    /// An equation between discrete expressions, neither of which is a variable.
    Unsolved,
}

/// Which variable each equation defines.
fn oriented(
    model: &FlatModel,
    by_when: &IndexVec<VariableId, bool>,
    diagnostics: &mut Diagnostics,
) -> Result<IndexVec<EquationId, Option<VariableId>>, Stop> {
    let mut defined: IndexVec<EquationId, Option<VariableId>> = model.equations.iter().map(|_| None).collect();
    let mut known: IndexVec<VariableId, bool> = by_when.iter().copied().collect();
    let mut between: Vec<(EquationId, VariableId, VariableId)> = Vec::new();
    let mut failed = false;
    for (id, equation) in model.equations.iter_enumerated() {
        match candidates(model, by_when, equation) {
            Candidates::None => {}
            Candidates::One(variable) => {
                defined[id] = Some(variable);
                known[variable] = true;
            }
            Candidates::Either(left, right) => between.push((id, left, right)),
            Candidates::Unsolved => {
                diagnostics.push(unsolved(equation));
                failed = true;
            }
        }
    }
    orient_between(&between, &mut known, &mut defined);
    if failed { Err(Stop) } else { Ok(defined) }
}

/// Orients equations between two variables away from what is known; where nothing is, the left side is defined.
fn orient_between(
    between: &[(EquationId, VariableId, VariableId)],
    known: &mut IndexVec<VariableId, bool>,
    defined: &mut IndexVec<EquationId, Option<VariableId>>,
) {
    let mut incident: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
    let mut pending: Vec<VariableId> = Vec::new();
    for (index, &(_, left, right)) in between.iter().enumerate() {
        for side in [left, right] {
            incident.entry(side).or_default().push(index);
            if known[side] {
                pending.push(side);
            }
        }
    }
    while let Some(from) = pending.pop() {
        for &index in &incident[&from] {
            let (equation, left, right) = between[index];
            let other = if left == from { right } else { left };
            if defined[equation].is_none() && !known[other] {
                known[other] = true;
                defined[equation] = Some(other);
                pending.push(other);
            }
        }
    }
    for &(equation, left, right) in between {
        if defined[equation].is_none() {
            let variable = if known[left] && !known[right] { right } else { left };
            known[variable] = true;
            defined[equation] = Some(variable);
        }
    }
}

fn candidates(model: &FlatModel, by_when: &IndexVec<VariableId, bool>, equation: &Equation) -> Candidates {
    let discrete = |side| discrete_variable(model, side);
    let is_real = |variable: VariableId| model.variables[variable].ty == Type::Real;
    match (discrete(equation.left), discrete(equation.right)) {
        (Some(left), Some(right)) if left != right => Candidates::Either(left, right),
        (Some(variable), _) | (None, Some(variable)) if !is_real(variable) => Candidates::One(variable),
        (Some(variable), _) if !by_when[variable] => Candidates::One(variable),
        (None, Some(variable)) if !by_when[variable] && !reads_continuous_unknown(model, equation.left) => {
            Candidates::One(variable)
        }
        (None, None) if is_discrete_expression(model, equation.left) => Candidates::Unsolved,
        _ => Candidates::None,
    }
}

/// The variable, where the expression is one that changes at events only.
fn discrete_variable(model: &FlatModel, expression: ExpressionId) -> Option<VariableId> {
    match model.expressions.node(expression) {
        Node::Variable(variable, 0) => {
            let declaration = &model.variables[variable];
            let discrete = declaration.ty != Type::Real || declaration.variability == Variability::Discrete;
            (declaration.is_unknown() && discrete).then_some(variable)
        }
        _ => None,
    }
}

fn is_discrete_expression(model: &FlatModel, expression: ExpressionId) -> bool {
    match model.expressions.node(expression) {
        Node::Boolean(_) | Node::String(_) | Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Relation(..) => true,
        Node::Variable(variable, _) => {
            model.variables[variable].ty != Type::Real && model.variables[variable].ty != Type::Integer
        }
        _ => false,
    }
}

fn reads_continuous_unknown(model: &FlatModel, expression: ExpressionId) -> bool {
    crate::traverse::contains(
        &model.expressions,
        expression,
        |node| matches!(node, Node::Variable(variable, _) if model.variables[variable].is_continuous_unknown()),
    )
}

/// Several definitions of one variable become one where they are in different branches.
fn merge_branches(
    model: &mut FlatModel,
    mut defined: IndexVec<EquationId, Option<VariableId>>,
    by_when: IndexVec<VariableId, bool>,
    diagnostics: &mut Diagnostics,
) -> Result<Definitions, Stop> {
    let mut first: IndexVec<VariableId, Option<EquationId>> = by_when.iter().map(|_| None).collect();
    let mut branches: BTreeMap<VariableId, Vec<EquationId>> = BTreeMap::new();
    for id in model.equations.ids() {
        let Some(variable) = defined[id] else { continue };
        match first[variable] {
            None => first[variable] = Some(id),
            Some(before) => branches.entry(variable).or_insert_with(|| vec![before]).push(id),
        }
    }
    let mut failed = false;
    for variable in first.ids().filter(|&variable| by_when[variable]) {
        if let Some(equation) = first[variable] {
            diagnostics.push(also_by_when(model, variable, equation));
            failed = true;
        }
    }
    let mut superfluous: FxHashSet<EquationId> = FxHashSet::default();
    for (variable, equations) in branches {
        match merged(model, variable, &equations) {
            Some((guard, value)) => {
                let left = model.expressions.add(Node::Variable(variable, 0));
                let equation = &mut model.equations[equations[0]];
                (equation.guard, equation.left, equation.right) = (guard, left, value);
                superfluous.extend(&equations[1..]);
            }
            None => {
                diagnostics.push(several(model, variable, &equations));
                failed = true;
            }
        }
    }
    if failed {
        return Err(Stop);
    }
    if !superfluous.is_empty() {
        let kept = |id: &EquationId| !superfluous.contains(id);
        defined = defined.ids().filter(kept).map(|id| defined[id]).collect();
        model.equations = model.equations.ids().filter(kept).map(|id| model.equations[id].clone()).collect();
    }
    Ok(with_values(model, defined, by_when))
}

fn with_values(
    model: &FlatModel,
    defined_by: IndexVec<EquationId, Option<VariableId>>,
    by_when: IndexVec<VariableId, bool>,
) -> Definitions {
    let mut value: IndexVec<VariableId, Option<ExpressionId>> = by_when.iter().map(|_| None).collect();
    for id in model.equations.ids() {
        if let Some(variable) = defined_by[id] {
            value[variable] = Some(value_of(model, &model.equations[id], variable));
        }
    }
    Definitions { value, by_when, defined_by }
}

fn value_of(model: &FlatModel, equation: &Equation, variable: VariableId) -> ExpressionId {
    match model.expressions.node(equation.left) {
        Node::Variable(left, 0) if left == variable => equation.right,
        _ => equation.left,
    }
}

/// Guard and value of definitions with different guards; `None` where they may hold at once.
fn merged(
    model: &mut FlatModel,
    variable: VariableId,
    equations: &[EquationId],
) -> Option<(ExpressionId, ExpressionId)> {
    let guards: Vec<ExpressionId> = equations.iter().map(|&id| model.equations[id].guard).collect();
    if guards.iter().any(|&guard| model.expressions.literal_boolean(guard).is_some()) || !exclusive(model, &guards) {
        return None;
    }
    let value_at = |model: &FlatModel, id: EquationId| value_of(model, &model.equations[id], variable);
    let exhaustive = cover_everything(&model.expressions, &guards).unwrap_or(true);
    let (&last, others) = equations.split_last().expect("several definitions are merged");
    let mut value = value_at(model, last);
    for (&id, &guard) in others.iter().zip(&guards).rev() {
        let here = value_at(model, id);
        value = model.expressions.if_then_else(guard, here, value);
    }
    let mut guard = model.expressions.boolean(exhaustive);
    if !exhaustive {
        for &branch in &guards {
            guard = model.expressions.or(guard, branch);
        }
    }
    Some((guard, value))
}

/// Whether no two guards can hold at once, as far as their form shows it.
fn exclusive(model: &mut FlatModel, guards: &[ExpressionId]) -> bool {
    let opposite: Vec<ExpressionId> = guards.iter().map(|&guard| model.expressions.not(guard)).collect();
    (0..guards.len()).all(|second| {
        (0..second)
            .all(|first| cover_everything(&model.expressions, &[opposite[first], opposite[second]]).unwrap_or(true))
    })
}

fn unsolved(equation: &Equation) -> Diagnostic {
    Diagnostic::error("E0506", "an equation between Booleans, Integers or Strings must define a variable")
        .label(equation.span, "neither side is a variable that can be defined")
        .help("write it as `variable = expression`")
}

fn several(model: &FlatModel, variable: VariableId, equations: &[EquationId]) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error("E0501", format!("`{name}` is defined more than once"))
        .label(model.equations[equations[1]].span, "defined again here")
        .label(model.equations[equations[0]].span, "first defined here")
        .label(model.variables[variable].span, "declared here")
        .help("a Boolean, Integer or enumeration has one defining equation, or one in each branch of an `if`")
}

fn also_by_when(model: &FlatModel, variable: VariableId, equation: EquationId) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error("E0501", format!("`{name}` is defined by an equation and by a `when`"))
        .label(model.equations[equation].span, "defined here")
        .label(model.variables[variable].span, "declared here")
        .help("remove one of the two")
}

//! The definitions of discrete variables: what each of them equals, from the equation that was solved for it.
//!
//! Definitions in the branches of an if-equation are merged into one with an if-expression, so that their conditions
//! need not be modes.

use std::collections::BTreeMap;

use modeshift_dae::{
    Context, Definition, EquationId, ExpressionId, FlatModel, IndexVec, ModeVariable, ModeVariableId, Node, Type,
    VariableId, Walk, short_text,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use rustc_hash::FxHashSet;

use crate::coverage::{Coverage, conditions_cover_everything};
use crate::invariants::among::AmongInvariants;
use crate::isolate::solved;
use crate::orientation::{States, assigned_by_when, oriented};

/// The definitions of a model.
pub(crate) struct Definitions {
    /// By variable: the equation that defines it, and what it then equals.
    of_variable: IndexVec<VariableId, Option<(EquationId, ExpressionId)>>,
    by_when: IndexVec<VariableId, bool>,
    defined_by: IndexVec<EquationId, Option<VariableId>>,
}

/// By equation: the variable that it defines, and what the variable then equals.
type Solved = IndexVec<EquationId, Option<(VariableId, ExpressionId)>>;

impl Definitions {
    /// Finds them, and merges those that are spread over branches.
    pub(crate) fn collect(model: &mut FlatModel, diagnostics: &mut Diagnostics) -> Result<Self, Stop> {
        let by_when = assigned_by_when(model);
        let oriented = oriented(model, &by_when, diagnostics)?;
        let mut solved_for: Solved = IndexVec::new();
        for (id, candidate) in oriented.iter_enumerated() {
            let sides = [model.equations[id].left, model.equations[id].right];
            solved_for.push(candidate.map(|it| (it.variable, solved(&mut model.expressions, sides, it))));
        }
        let solved_for = merge_branches(model, solved_for, diagnostics)?;
        let mut of_variable: IndexVec<VariableId, _> = by_when.iter().map(|_| None).collect();
        for (id, solved) in solved_for.iter_enumerated() {
            if let Some((variable, value)) = *solved {
                of_variable[variable] = Some((id, value));
            }
        }
        let defined_by = solved_for.iter().map(|solved| solved.map(|(variable, _)| variable)).collect();
        Ok(Definitions { of_variable, by_when, defined_by })
    }

    /// What the variable equals, where an equation says so.
    pub(crate) fn value(&self, variable: VariableId) -> Option<ExpressionId> {
        self.of_variable[variable].map(|(_, value)| value)
    }

    /// The equation that says what the variable equals.
    pub(crate) fn equation(&self, variable: VariableId) -> Option<EquationId> {
        self.of_variable[variable].map(|(equation, _)| equation)
    }

    /// Whether a `when` assigns it.
    pub(crate) fn is_assigned_by_when(&self, variable: VariableId) -> bool {
        self.by_when[variable]
    }

    /// The discrete variable that the equation defines; `None` for an equation of the continuous system.
    pub(crate) fn defined_by(&self, equation: EquationId) -> Option<VariableId> {
        self.defined_by[equation]
    }

    /// The definitions by variable, once the guards of equations are formulas over modes.
    pub(crate) fn table(&self, model: &mut FlatModel) -> IndexVec<VariableId, Option<Definition>> {
        model.variables.ids().collect::<Vec<_>>().into_iter().map(|id| self.definition(model, id)).collect()
    }

    fn definition(&self, model: &mut FlatModel, variable: VariableId) -> Option<Definition> {
        let declared = &model.variables[variable];
        match self.of_variable[variable] {
            Some((equation, value)) => {
                let guard = model.equations[equation].guard;
                let itself = model.expressions.variable(variable, 0);
                let before = model.expressions.pre(itself);
                let in_all_modes = model.expressions.if_then_else(guard, value, before);
                Some(Definition::Equation { equation, guard, value, in_all_modes })
            }
            None if declared.input => Some(Definition::Input),
            None if self.by_when[variable] => Some(Definition::When),
            None => declared.is_discrete_unknown().then_some(Definition::Start),
        }
    }

    /// Says which discrete variables nothing defines.
    pub(crate) fn check_defined(&self, model: &FlatModel, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
        let mut failed = false;
        for (id, declared) in model.variables.iter_enumerated() {
            let is_defined = self.of_variable[id].is_some() || self.by_when[id];
            if declared.is_discrete_unknown() && !is_defined {
                diagnostics.push(undefined(model, id));
                failed = true;
            }
        }
        if failed { Err(Stop) } else { Ok(()) }
    }

    /// Says which discrete variables are defined in some modes in which they exist, and not in others: one of them is told.
    pub(crate) fn check_everywhere(
        &self,
        model: &mut FlatModel,
        modes: &IndexVec<ModeVariableId, ModeVariable>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let partly: Vec<(VariableId, EquationId)> = self
            .of_variable
            .iter_enumerated()
            .filter_map(|(variable, it)| Some((variable, it.as_ref()?.0)))
            .filter(|&(_, equation)| model.expressions.literal_boolean(model.equations[equation].guard) != Some(true))
            .collect();
        if partly.is_empty() {
            return Ok(());
        }
        let invariants = AmongInvariants::of(model);
        let mut failed = false;
        for (variable, equation) in partly {
            let elsewhere = model.expressions.not(model.variables[variable].guard);
            match invariants.coverage(&model.expressions, &[model.equations[equation].guard, elsewhere]) {
                Coverage::Everything => continue,
                Coverage::AllBut(values) => {
                    let yes = model.expressions.boolean(true);
                    let there = values.into_iter().fold(yes, |there, (atom, value)| {
                        let literal = literal(model, modes, atom, value);
                        model.expressions.and(there, literal)
                    });
                    let there = short_text(model, Some(modes), there);
                    diagnostics.push(defined_elsewhere(model, variable, equation, Some(&there)));
                }
                Coverage::Unknown => diagnostics.push(defined_elsewhere(model, variable, equation, None)),
            }
            failed = true;
        }
        if failed { Err(Stop) } else { Ok(()) }
    }

    /// Says of which variables the definitions lead back to themselves at one instant.
    pub(crate) fn check_cycles(
        &self,
        model: &FlatModel,
        modes: &IndexVec<ModeVariableId, ModeVariable>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let mut states: IndexVec<VariableId, State> = self.by_when.iter().map(|_| State::New).collect();
        let (mut failed, mut pending) = (false, Vec::new());
        for root in states.ids() {
            pending.push((root, false));
            while let Some((variable, is_done)) = pending.pop() {
                if is_done {
                    states[variable] = State::Closed;
                    continue;
                }
                match (states[variable], self.of_variable[variable]) {
                    (State::Closed, _) | (_, None) => {}
                    (State::Open, Some((equation, _))) => {
                        diagnostics.push(cyclic(model, variable, equation));
                        (states[variable], failed) = (State::Closed, true);
                    }
                    (State::New, Some((equation, value))) => {
                        states[variable] = State::Open;
                        pending.push((variable, true));
                        let read = reads_now(model, modes, &[value, model.equations[equation].guard]);
                        pending.extend(read.into_iter().map(|other| (other, false)));
                    }
                }
            }
        }
        if failed { Err(Stop) } else { Ok(()) }
    }
}

/// Whether the definitions below a variable have been followed.
#[derive(Clone, Copy)]
enum State {
    New,
    Open,
    Closed,
}

/// The discrete variables whose present values are needed. A relation that changes continuously has a truth of its own
/// and is not followed.
fn reads_now(
    model: &FlatModel,
    modes: &IndexVec<ModeVariableId, ModeVariable>,
    roots: &[ExpressionId],
) -> Vec<VariableId> {
    let mut found = Vec::new();
    let mut walk = Walk::telling(Context::LEFT_LIMIT);
    roots.iter().for_each(|&root| walk.add(root, Context::NOW));
    while let Some((id, context)) = walk.next() {
        match model.expressions.node(id) {
            _ if context.is(Context::LEFT_LIMIT) => {}
            Node::Variable(variable, _) => found.push(variable),
            Node::Mode(mode) => match (modes[mode].variable, modes[mode].definition) {
                (Some(variable), _) => found.push(variable),
                (None, definition) => definition.into_iter().for_each(|id| walk.add(id, context)),
            },
            Node::Relation(..) if changes_continuously(model, id) => {}
            _ => walk.add_operands(&model.expressions, id, context),
        }
    }
    found
}

fn changes_continuously(model: &FlatModel, relation: ExpressionId) -> bool {
    model.expressions.contains(relation, |node| match node {
        Node::Variable(variable, _) => model.variables[variable].is_continuous_unknown(),
        node => node == Node::Time,
    })
}

/// Several definitions of one variable become one where they are in different branches.
fn merge_branches(
    model: &mut FlatModel,
    mut solved_for: Solved,
    diagnostics: &mut Diagnostics,
) -> Result<Solved, Stop> {
    let mut first: IndexVec<VariableId, Option<EquationId>> = model.variables.iter().map(|_| None).collect();
    let mut branches: BTreeMap<VariableId, Vec<EquationId>> = BTreeMap::new();
    for (id, solved) in solved_for.iter_enumerated() {
        let Some((variable, _)) = *solved else { continue };
        match first[variable] {
            None => first[variable] = Some(id),
            Some(before) => branches.entry(variable).or_insert_with(|| vec![before]).push(id),
        }
    }
    let states = States::of(model);
    let mut failed = false;
    let mut superfluous: FxHashSet<EquationId> = FxHashSet::default();
    for (variable, equations) in branches {
        match merged(model, &states, &solved_for, &equations) {
            Some((guard, value)) => {
                let left = model.expressions.add(Node::Variable(variable, 0));
                let equation = &mut model.equations[equations[0]];
                (equation.guard, equation.left, equation.right) = (guard, left, value);
                solved_for[equations[0]] = Some((variable, value));
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
        solved_for = solved_for.ids().filter(kept).map(|id| solved_for[id]).collect();
        model.equations = model.equations.ids().filter(kept).map(|id| model.equations[id].clone()).collect();
    }
    Ok(solved_for)
}

/// Guard and value of definitions with different guards; `None` where they may hold at once.
fn merged(
    model: &mut FlatModel,
    states: &States,
    solved_for: &Solved,
    equations: &[EquationId],
) -> Option<(ExpressionId, ExpressionId)> {
    let guards: Vec<ExpressionId> = equations.iter().map(|&id| model.equations[id].guard).collect();
    if guards.iter().any(|&guard| model.expressions.literal_boolean(guard).is_some())
        || !exclusive(model, states, &guards)
    {
        return None;
    }
    let values: Vec<ExpressionId> = equations.iter().filter_map(|&id| solved_for[id]).map(|(_, value)| value).collect();
    let exhaustive = conditions_cover_everything(model, &guards).unwrap_or(false);
    let (&last, others) = values.split_last().expect("several definitions are merged");
    let mut value = last;
    for (&here, &guard) in others.iter().zip(&guards).rev() {
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
fn exclusive(model: &mut FlatModel, states: &States, guards: &[ExpressionId]) -> bool {
    let mut are_exclusive = |a: usize, b: usize| states.are_exclusive(model, guards[a], guards[b]);
    (0..guards.len()).all(|second| (0..second).all(|first| are_exclusive(first, second)))
}

fn several(model: &FlatModel, variable: VariableId, equations: &[EquationId]) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error(Code::E0501, format!("`{name}` is defined more than once"))
        .label(model.equations[equations[1]].span, "defined again here")
        .label(model.equations[equations[0]].span, "first defined here")
        .label(model.variables[variable].span, "declared here")
        .help("a Boolean, Integer or enumeration has one defining equation, or one in each branch of an `if`")
}

fn kind(model: &FlatModel, variable: VariableId) -> String {
    match model.variables[variable].ty {
        Type::Real => "discrete Real".to_string(),
        Type::Integer => "Integer".to_string(),
        Type::Boolean => "Boolean".to_string(),
        Type::String => "String".to_string(),
        Type::Enumeration(id) => model.enumerations[id].name.to_string(),
    }
}

/// `x <= 1` rather than `not (x > 1)`, of a mode variable that is a relation.
fn literal(
    model: &mut FlatModel,
    modes: &IndexVec<ModeVariableId, ModeVariable>,
    atom: ExpressionId,
    value: bool,
) -> ExpressionId {
    let expressions = &mut model.expressions;
    let relation = match expressions.node(atom) {
        Node::Mode(mode) if modes[mode].variable.is_none() => modes[mode].definition.map(|it| expressions.node(it)),
        _ => None,
    };
    match relation {
        _ if value => atom,
        Some(Node::Relation(operator, a, b)) => expressions.relation(operator.negated(), a, b),
        _ => expressions.not(atom),
    }
}

/// A variable that has an equation in some modes only; in which it has none, where that is known.
fn defined_elsewhere(model: &FlatModel, variable: VariableId, equation: EquationId, when: Option<&str>) -> Diagnostic {
    let (name, kind) = (&model.variables[variable].name, kind(model, variable));
    let message = match when {
        Some(when) => format!("nothing defines the {kind} `{name}` when `{when}`"),
        None => format!("it is too much to find out whether the {kind} `{name}` is defined in all modes"),
    };
    let problem = Diagnostic::error(Code::E0502, message);
    let problem = when.into_iter().fold(problem, |problem, when| problem.when(when));
    problem
        .label(model.equations[equation].span, "defined in other modes, here")
        .label(model.variables[variable].span, "declared here")
        .help(format!(
            "give it an equation in an `else` too: `{name} = …`, or `{name} = pre({name})` where it keeps its value"
        ))
}

fn undefined(model: &FlatModel, variable: VariableId) -> Diagnostic {
    let declared = &model.variables[variable];
    let (name, kind) = (&declared.name, kind(model, variable));
    if declared.component_input {
        return Diagnostic::error(Code::E0502, format!("`{name}` is an input that nothing gives a value"))
            .label(declared.span, "this input")
            .help(format!("connect `{name}`, or write an equation `{name} = …`"));
    }
    let problem = Diagnostic::error(Code::E0502, format!("nothing defines the {kind} `{name}`"))
        .label(declared.span, "declared here, without an equation")
        .help(format!("add an equation `{name} = …`, assign it in a `when`, or make it an `input`"));
    let is_alone = |side: ExpressionId| model.expressions.node(side) == Node::Variable(variable, 0);
    match model.equations.iter().find(|it| is_alone(it.left) || is_alone(it.right)) {
        Some(equation) => problem.label(equation.span, "this equation is for what changes between events"),
        None => problem,
    }
}

fn cyclic(model: &FlatModel, variable: VariableId, equation: EquationId) -> Diagnostic {
    let name = &model.variables[variable].name;
    Diagnostic::error(Code::E0503, format!("the definition of `{name}` leads back to itself"))
        .label(model.equations[equation].span, "defined here")
        .label(model.variables[variable].span, "declared here")
        .help("break the cycle with `pre(…)`")
}

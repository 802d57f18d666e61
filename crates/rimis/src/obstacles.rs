//! What stands in the way of a transformation, said in terms of the source (`E09xx`).

use std::collections::BTreeMap;

use modeshift_dae::{
    Derivative, Equation, EquationId, ExpressionId, FunctionId, IndexVec, Memo, MultimodeDae, Node, VariableId,
    WhenActionKind,
};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_mode_changes::{AllChanges, InPairs};
use modeshift_modes::{Invariant, Limit, ModeSet};
use modeshift_structure::{Analysis, Dependency, GraphText, name};

use crate::blocks::KeptConstraints;
use crate::restarts::Jumps;

/// Places that are shown in the source.
const MOST_LABELS: usize = 5;

/// Why there is no transformed model.
#[derive(Debug)]
pub enum Failure {
    /// A limit was reached.
    Limit(Limit),
    /// The model cannot be transformed.
    Diagnosed(Box<Diagnostic>),
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Failure::Diagnosed(diagnostic)
    }
}

/// Blocks that are not listed, circles over several modes, functions without a body.
pub(crate) fn structural(dae: &MultimodeDae, analysis: &Analysis, names: &[String]) -> Result<(), Box<Diagnostic>> {
    if analysis.graph.is_truncated() {
        return Err(Box::new(too_many_blocks(dae, analysis)));
    }
    machines(dae)?;
    let waits = |dependency: &&Dependency| dependency.from >= dependency.to;
    if let Some(circle) = analysis.graph.dependencies().iter().find(waits) {
        let formulas = analysis.formulas(names);
        let text = GraphText { incidence: &analysis.incidence, formulas: &formulas, graph: &analysis.graph };
        let (from, to) = (analysis.graph.block(circle.from), analysis.graph.block(circle.to));
        let message = "blocks wait for each other in a circle that no single mode has";
        let diagnostic = Diagnostic::error(Code::E0904, message)
            .with_note(format!("`{}` waits for `{}`", text.block(to), text.block(from)))
            .when(formulas.print(circle.modes).text);
        let blocks = [(to, "waits for the other"), (from, "waits for this one, over blocks of other modes")];
        let diagnostic = blocks.into_iter().fold(diagnostic, |diagnostic, (block, label)| {
            diagnostic.label(dae.model.equations[block.equations[0].of].span, label)
        });
        return Err(Box::new(diagnostic));
    }
    functions(dae)
}

/// States of machines begin with left limits of their own, of which ordinary tools know nothing.
fn machines(dae: &MultimodeDae) -> Result<(), Box<Diagnostic>> {
    let machines = dae.model.machines.iter();
    let entered = machines.flat_map(|machine| {
        let is_entered =
            move |at: &usize| machine.parent.is_some() || machine.transitions.iter().any(|it| it.to == *at);
        (0..machine.states.len()).filter(is_entered).map(move |at| &machine.states[at])
    });
    for state in entered {
        let remembers = |id: &&VariableId| is_differentiated(dae, **id);
        if let Some(&id) = state.variables.iter().find(remembers) {
            let name = &dae.model.variables[id].name;
            let message = format!("`{name}` begins anew whenever the state `{}` is entered", state.name);
            let diagnostic = Diagnostic::error(Code::E0917, message).label(state.span, "this state");
            return Err(Box::new(diagnostic.label(dae.model.variables[id].span, "begins with left limits of its own")));
        }
    }
    Ok(())
}

/// Whether equations contain a derivative of a variable.
fn is_differentiated(dae: &MultimodeDae, variable: VariableId) -> bool {
    let contains = |side: ExpressionId| {
        dae.model.expressions.contains(side, |node| matches!(node, Node::Variable(id, 1..) if id == variable))
    };
    dae.model.equations.iter().any(|equation| contains(equation.left) || contains(equation.right))
}

fn too_many_blocks(dae: &MultimodeDae, analysis: &Analysis) -> Diagnostic {
    let message = "the blocks of different modes are too many to be written one by one";
    let equations = analysis.graph.not_listed().iter().copied();
    labelled(dae, Diagnostic::error(Code::E0902, message), equations, "is in too many different blocks")
        .help("a smaller part of the model can be transformed")
}

/// An expression that cannot be written, however it is taken apart; the longest equations of the source are shown.
pub(crate) fn too_long(dae: &MultimodeDae) -> Box<Diagnostic> {
    let (model, mut known) = (&dae.model, Memo::new());
    let mut size = |root| {
        model.expressions.fold_up(&mut known, root, |id, _, known| {
            model.expressions.children(id).fold(1, |sum: u64, child| sum.saturating_add(known[child]))
        })
    };
    let sizes: IndexVec<EquationId, u64> =
        model.equations.iter().map(|equation| size(equation.left).saturating_add(size(equation.right))).collect();
    let longest = sizes.iter().copied().max();
    let equations = sizes.ids().filter(|&equation| Some(sizes[equation]) == longest);
    let message = "an expression of the transformed model is too long to be written";
    let diagnostic =
        labelled(dae, Diagnostic::error(Code::E0915, message), equations, "is long, or what follows from it");
    Box::new(diagnostic.help("give its parts variables of their own"))
}

/// A diagnostic with labels at some equations, one for each place.
fn labelled(
    dae: &MultimodeDae,
    diagnostic: Diagnostic,
    equations: impl Iterator<Item = EquationId>,
    what: &str,
) -> Diagnostic {
    let mut equations: Vec<&Equation> = equations.map(|equation| &dae.model.equations[equation]).collect();
    equations.dedup_by_key(|equation| equation.span);
    equations.truncate(MOST_LABELS);
    equations
        .into_iter()
        .fold(diagnostic, |diagnostic, equation| diagnostic.label(equation.span, format!("`{}` {what}", equation.name)))
}

/// Functions are known by name only, wherever they are called.
fn functions(dae: &MultimodeDae) -> Result<(), Box<Diagnostic>> {
    let model = &dae.model;
    let equations = model.equations.iter().flat_map(|it| [(it.left, it.span), (it.right, it.span)]);
    let initial = model.initial_equations.iter().flat_map(|it| [(it.left, it.span), (it.right, it.span)]);
    let bindings = model.variables.iter().filter_map(|it| Some((it.binding?, it.span)));
    let modes = dae.mode_variables.iter().filter_map(|it| Some((it.definition?, it.span)));
    for (expression, span) in equations.chain(initial).chain(bindings).chain(modes) {
        if let Some(function) = called_function(dae, expression) {
            let message = format!("function `{}` cannot be written along", model.functions[function].name);
            return Err(Box::new(Diagnostic::error(Code::E0903, message).label(span, "calls it")));
        }
    }
    Ok(())
}

/// The function that is not built in and that an expression calls, if any.
fn called_function(dae: &MultimodeDae, expression: ExpressionId) -> Option<FunctionId> {
    let mut called = None;
    dae.model.expressions.for_each(expression, |_, node| {
        if let Node::Function(function, _) = node {
            called.get_or_insert(function);
        }
        called.is_none()
    });
    called
}

/// Changes after which the model does not say where a state starts.
pub(crate) fn undetermined(
    dae: &MultimodeDae,
    analysis: &Analysis,
    changes: &AllChanges,
    feasible: &Invariant,
) -> Result<(), Box<Diagnostic>> {
    let happens = |set: ModeSet| feasible.allows(&changes.pairs.space, set);
    let Some(item) = changes.memory.undetermined.iter().find(|item| happens(item.pairs)) else { return Ok(()) };
    let state = name(analysis.incidence.variables(), Derivative { of: item.of, order: item.order });
    let message = format!("after a mode change, nothing says where {state} starts");
    let diagnostic = Diagnostic::error(Code::E0906, message)
        .when(changes.words(dae, item.pairs))
        .label(dae.model.variables[item.of].span, "")
        .help("give a start value, or a `reinit` in a `when`");
    Err(Box::new(diagnostic))
}

/// Changes after which constraints of the new mode alone say where a state starts, and no jump says it as a formula.
pub(crate) fn determined_by_constraints(
    dae: &MultimodeDae,
    analysis: &Analysis,
    changes: &AllChanges,
    feasible: &Invariant,
    jumps: &Jumps,
) -> Result<(), Box<Diagnostic>> {
    let (pairs, space) = (&changes.pairs, &changes.pairs.space);
    for item in &changes.memory.born {
        let exists = analysis.incidence.variables()[item.of].guard;
        let known = analysis.space.and(exists, analysis.offsets.variables[item.of].at_least(item.order));
        let unknown = space.difference(item.pairs, pairs.before(known));
        let edges = analysis.incidence.edges_of_variable(item.of).iter();
        let equations = edges.map(|&edge| analysis.incidence.equation(edge));
        let constraints = equations.map(|equation| {
            let hidden = pairs.after(analysis.offsets.equations[equation].at_least(1));
            space.and(hidden, changes.is_new[equation])
        });
        let new_constraint = space.and(space.union(constraints), item.pairs);
        let own = jumps.states.iter().filter(|jump| jump.of == item.derivative());
        let said = space.union(own.map(|jump| jump.pairs));
        let open = space.difference(space.or(unknown, new_constraint), said);
        if feasible.allows(space, open) {
            let state = name(analysis.incidence.variables(), Derivative { of: item.of, order: item.order });
            let message = format!("after a mode change, {state} starts where constraints of the new mode put it");
            let diagnostic = Diagnostic::error(Code::E0908, message)
                .when(changes.words(dae, open))
                .label(dae.model.variables[item.of].span, "")
                .with_note("there is no formula for it")
                .help("say it by a `reinit` in a `when`");
            return Err(Box::new(diagnostic));
        }
    }
    Ok(())
}

/// Events that set what a differentiated equation constrains: nothing would make the other variables in it follow.
pub(crate) fn set_by_events(
    dae: &MultimodeDae,
    analysis: &Analysis,
    names: &[String],
    kept: &KeptConstraints,
) -> Result<(), Box<Diagnostic>> {
    let branches = dae.model.when_clauses.iter().flat_map(|clause| &clause.branches);
    let mut set: BTreeMap<VariableId, Span> = BTreeMap::new();
    for action in branches.flat_map(|branch| &branch.actions) {
        match action.kind {
            WhenActionKind::Reinit(state, _) if analysis.offsets.variables[state].maximum() == 0 => {
                let message =
                    format!("`{}` is set by a `reinit`, but is a state in no mode", dae.model.variables[state].name);
                return Err(Box::new(Diagnostic::error(Code::E0914, message).label(action.span, "")));
            }
            WhenActionKind::Reinit(variable, _) | WhenActionKind::Assign(variable, _) => {
                set.entry(variable).or_insert(action.span);
            }
            _ => {}
        }
    }
    if set.is_empty() {
        return Ok(());
    }
    let differentiated = |equation: &EquationId| {
        analysis.offsets.equations[*equation].maximum() > 0 && !kept.contains_equation(*equation)
    };
    for id in dae.model.equations.ids().filter(differentiated) {
        let equation = &dae.model.equations[id];
        let contained = [equation.left, equation.right].into_iter().find_map(|side| contained(dae, side, &set));
        if let Some((variable, span)) = contained {
            let name = &dae.model.variables[variable].name;
            let message =
                format!("`{name}` is set at an event, and nothing makes the rest of `{}` follow", equation.name);
            let diagnostic = Diagnostic::error(Code::E0914, message)
                .label(equation.span, "a constraint that is differentiated")
                .label(span, "sets it");
            let modes = analysis.offsets.equations[id].at_least(1);
            let diagnostic = match modes.is_all() {
                true => diagnostic,
                false => diagnostic.when(analysis.formulas(names).print(modes).text),
            };
            return Err(Box::new(diagnostic));
        }
    }
    Ok(())
}

/// The first of some variables that an expression contains itself, not by its derivatives.
fn contained(
    dae: &MultimodeDae,
    expression: ExpressionId,
    wanted: &BTreeMap<VariableId, Span>,
) -> Option<(VariableId, Span)> {
    let mut found = None;
    dae.model.expressions.for_each(expression, |_, node| {
        if let Node::Variable(variable, 0) = node {
            found = found.or_else(|| Some((variable, *wanted.get(&variable)?)));
        }
        found.is_none()
    });
    found
}

/// A diagnostic that shows the constraints that states may violate in some mode changes.
pub(crate) fn violated(dae: &MultimodeDae, changes: &AllChanges, pairs: ModeSet, diagnostic: Diagnostic) -> Diagnostic {
    let concerned = |constraint: &&InPairs<EquationId>| changes.pairs.space.intersects(constraint.pairs, pairs);
    let constraints: Vec<_> = changes.defects.iter().filter(concerned).collect();
    let equations = constraints.iter().filter(|constraint| constraint.order == 0).map(|constraint| constraint.of);
    let text = |constraint: &&InPairs<EquationId>| {
        dae.model.name_of_equation(Derivative { of: constraint.of, order: constraint.order }).to_string()
    };
    let mut texts: Vec<String> = constraints.iter().map(text).collect();
    texts.dedup();
    labelled(dae, diagnostic, equations, "may be violated then")
        .with_note(format!("constraints that the states violate then: {}", texts.join(", ")))
        .when(changes.words(dae, pairs))
}

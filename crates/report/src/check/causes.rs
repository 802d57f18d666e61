//! Causes of a singular model that stand in the source: inputs of components that nothing gives a value, equations for parameters,
//! unknowns that cancel, equations that stand twice.

use modeshift_dae::{
    ArithmeticOperator, EquationId, ExpressionId, FlatModel, Node, Variability, VariableId, short_text,
};
use modeshift_diagnostics::{Diagnostic, Kind};
use modeshift_drawing::shortened;
use modeshift_structure::Combination;

use super::structure::name_span;
use crate::singular::Subset;
use crate::wording::{Names, listed};

/// Longer expressions are cut.
const LONGEST_EXPRESSION: usize = 60;
/// How far bindings of parameters are followed.
const DEEPEST: usize = 50;

/// What was found about one way of being singular.
pub(super) struct Found<'a> {
    pub(super) over: Option<&'a Subset>,
    pub(super) under: Option<&'a Subset>,
    /// Equations that depend on each other, where the combination of equations showed it.
    pub(super) dependent: Option<&'a Subset>,
    pub(super) combinations: &'a [Combination],
    pub(super) names: &'a Names<'a>,
}

/// The diagnostic with its cause, where that is known, in place of what the shape of the equations says; whether it is.
pub(super) fn with_cause(diagnostic: &mut Diagnostic, found: &Found<'_>) -> bool {
    with_inputs(diagnostic, found)
        || with_parameter(diagnostic, found).is_some()
        || with_cancelling(diagnostic, found).is_some()
}

/// Names the inputs that nothing gives a value. Where they are as many as equations are missing, they are all that is wrong.
fn with_inputs(diagnostic: &mut Diagnostic, found: &Found<'_>) -> bool {
    let (Some(under), None) = (found.under, found.over) else { return false };
    let model = &found.names.dae.model;
    let is_unset = |id: &VariableId| model.variables[*id].component_input && is_unset(found.names, under, *id);
    let inputs: Vec<VariableId> = under.variables.iter().copied().filter(is_unset).collect();
    if inputs.is_empty() || inputs.len() > under.variables.len() - under.equations.len() {
        return false;
    }
    let names = listed(inputs.iter().map(|id| found.names.variable(*id)));
    let (are, first) = match inputs.as_slice() {
        [only] => ("is an input", found.names.variable(*only)),
        [first, ..] => ("are inputs", found.names.variable(*first)),
        [] => return false,
    };
    let what = diagnostic.message.split_once(": ").map_or("the model is singular", |(what, _)| what).to_string();
    if inputs.len() == under.variables.len() - under.equations.len() {
        diagnostic.labels.clear();
        diagnostic.notes.clear();
    }
    for (at, id) in inputs.iter().enumerate() {
        let label = modeshift_diagnostics::Label {
            span: name_span(&model.variables[*id]),
            text: format!("`{}` has no value", found.names.variable(*id)),
        };
        if diagnostic.labels.iter().all(|it| it.span != label.span) {
            diagnostic.labels.insert(at.min(diagnostic.labels.len()), label);
        }
    }
    diagnostic.message = format!("{what}: {names} {are} that nothing gives a value");
    let names = inputs.iter().map(|id| found.names.variable(*id).to_string());
    diagnostic.kind = Some(Kind::InputsWithoutValue(names.collect()));
    diagnostic.help = Some(format!("connect `{first}`, or write an equation `{first} = …`"));
    true
}

/// Whether an input stands only in equations of its own component, none of which says what it is.
fn is_unset(names: &Names<'_>, under: &Subset, input: VariableId) -> bool {
    let model = &names.dae.model;
    let Some((component, _)) = names.variable(input).rsplit_once('.') else { return false };
    let is_inside = |id: EquationId| {
        let rest = names.equation(id).strip_prefix(component);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let is_alone = |side: ExpressionId| model.expressions.node(side) == Node::Variable(input, 0);
    let reads = |id: &&EquationId| names.unknowns(**id).contains(&input);
    under.equations.iter().filter(reads).all(|id| {
        let equation = &model.equations[*id];
        is_inside(*id) && !is_alone(equation.left)
    })
}

/// An equation for what only its declaration gives a value.
fn with_parameter(diagnostic: &mut Diagnostic, found: &Found<'_>) -> Option<()> {
    let over = found.over.filter(|_| found.dependent.is_none() && found.under.is_none())?;
    let (&[id], []) = (over.equations.as_slice(), over.variables.as_slice()) else { return None };
    let model = &found.names.dae.model;
    let equation = &model.equations[id];
    let parameter = |side: ExpressionId| match model.expressions.node(side) {
        Node::Variable(variable, 0) if model.variables[variable].variability <= Variability::Parameter => {
            Some(variable)
        }
        _ => None,
    };
    let variable = &model.variables[parameter(equation.left).or_else(|| parameter(equation.right))?];
    let (name, what) = match variable.variability {
        Variability::Constant => (&variable.name, "constant"),
        _ => (&variable.name, "parameter"),
    };
    diagnostic.message = format!("`{name}` is a {what}: its declaration gives it a value, not an equation");
    diagnostic.notes.clear();
    diagnostic.labels.clear();
    for (span, text) in [(equation.span, "this equation"), (name_span(variable), "declared here")] {
        diagnostic.labels.push(modeshift_diagnostics::Label { span, text: text.to_string() });
    }
    diagnostic.help =
        Some(format!("write the value into the declaration of `{name}`, or declare `{name}` without `{what}`"));
    Some(())
}

/// An unknown that is no longer there when its equation is solved for it: its coefficient is 0, or it stands on both sides.
fn with_cancelling(diagnostic: &mut Diagnostic, found: &Found<'_>) -> Option<()> {
    let dependent = found.dependent?;
    let (&[id], &[unknown]) = (dependent.equations.as_slice(), dependent.variables.as_slice()) else { return None };
    let model = &found.names.dae.model;
    let (name, equation) = (found.names.variable(unknown), found.names.equation(id));
    let left = found.combinations.iter().find(|it| it.of.as_slice() == [id])?.by;
    let left = shortened(&short_text(model, None, model.equations[left].right), LONGEST_EXPRESSION);
    let sides = [model.equations[id].left, model.equations[id].right];
    let (why, help) = match sides.iter().find_map(|side| zero_factor(model, *side, unknown)) {
        Some(factor) => {
            let factor = shortened(&short_text(model, None, factor), LONGEST_EXPRESSION);
            (format!("`{name}` is multiplied by `{factor}`, which is 0"), format!("give `{factor}` another value"))
        }
        None => (
            format!("`{name}` cancels in `{equation}`"),
            format!("write an equation that says what `{name}` is, without itself on the other side"),
        ),
    };
    let what = diagnostic.message.split_once(": ").map_or("the model is singular", |(what, _)| what);
    diagnostic.message = format!("{what}: {why}");
    diagnostic.notes = vec![format!("what is left of `{equation}` is `0 = {left}`")];
    diagnostic.help = Some(help);
    Some(())
}

/// A factor of an unknown that is 0.
fn zero_factor(model: &FlatModel, side: ExpressionId, unknown: VariableId) -> Option<ExpressionId> {
    let holds = |id| model.expressions.contains(id, |node| node == Node::Variable(unknown, 0));
    let mut found = None;
    model.expressions.for_each(side, |_, node| {
        if let Node::Arithmetic(ArithmeticOperator::Multiply, a, b) = node {
            for (factor, other) in [(a, b), (b, a)] {
                if found.is_none() && is_zero(model, factor, DEEPEST) && holds(other) {
                    found = Some(factor);
                }
            }
        }
        found.is_none()
    });
    found
}

/// Whether an expression of parameters is 0.
fn is_zero(model: &FlatModel, id: ExpressionId, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    match model.expressions.node(id) {
        Node::Variable(variable, 0) => {
            let variable = &model.variables[variable];
            let binding = variable.binding.filter(|_| variable.variability <= Variability::Parameter);
            binding.is_some_and(|binding| is_zero(model, binding, below))
        }
        Node::Negate(of) => is_zero(model, of, below),
        Node::Arithmetic(ArithmeticOperator::Multiply, a, b) => is_zero(model, a, below) || is_zero(model, b, below),
        _ => model.expressions.literal(id) == Some(0.0),
    }
}

/// Two equations that say the same.
pub(super) fn said_twice(model: &FlatModel, equations: &[EquationId]) -> Option<[EquationId; 2]> {
    let &[one, other] = equations else { return None };
    let sides = |id: EquationId| {
        let equation = &model.equations[id];
        (equation.left.min(equation.right), equation.left.max(equation.right))
    };
    (sides(one) == sides(other)).then_some([one, other])
}

//! Calls of `delay` as calls of functions that read a history.
//!
//! `delay(e, T)` becomes `past(time - T, piece)`, where `piece` is a discrete variable of the run's own: the number of the piece of
//! the history that is being read. So between events it is smooth, and at an instant it has two sides. Where the time that is
//! read is not affine in time between events, as with `T` a continuous variable, `piece` is -1, and the history is read as it
//! comes: steps become short where it jumps.

use std::sync::Arc;

use modeshift_dae::{
    Builtin, Definition, ExpressionId, Expressions, FlatModel, Function, FunctionId, Id, Implementation, MultimodeDae,
    Node, Rewritten, Type, VariableId, WhenActionKind, short_text,
};
use modeshift_diagnostics::Span;
use modeshift_numerics::NativeFunctions;

use super::history::History;
use crate::run::prepare::event_functions::auxiliary;

/// The name by which functions of the past are told from others.
const PAST: &str = "$past";

/// A call of `delay`.
pub(crate) struct Delay {
    /// What is remembered.
    pub argument: ExpressionId,
    /// The time that is read: `time - T`.
    pub past: ExpressionId,
    /// The piece of the history that is read.
    pub piece: VariableId,
    pub history: Arc<History>,
}

/// Replaces all calls of `delay` in a model; those over no time at all, by the values of parameters, by what they delay.
pub(crate) fn replace_delays(
    dae: &mut MultimodeDae,
    natives: &mut NativeFunctions,
    parameter: &dyn Fn(VariableId) -> Option<f64>,
) -> Vec<Delay> {
    if !has_delays(&dae.model) {
        return Vec::new();
    }
    let (first_variable, first_function) = (dae.model.variables.len(), dae.model.functions.len());
    let mut found: Vec<(ExpressionId, ExpressionId, ExpressionId)> = Vec::new();
    let mut memo = Rewritten::new();
    for_each_root(dae, |expressions, root| {
        *root = expressions.rewrite(*root, &mut memo, |expressions, id| {
            let Node::Call(Builtin::Delay | Builtin::DelayMax, arguments) = expressions.node(id) else { return id };
            let [argument, length, ..] = *expressions.argument_list(arguments) else { return id };
            if is_zero(expressions, length, parameter) {
                return argument;
            }
            let now = expressions.time();
            let past = expressions.difference(now, length);
            let number =
                found.iter().position(|&(known, read, _)| (known, read) == (argument, past)).unwrap_or_else(|| {
                    found.push((argument, past, length));
                    found.len() - 1
                });
            let piece = expressions.variable(VariableId::from_index(first_variable + number), 0);
            expressions.function(FunctionId::from_index(first_function + 3 * number), &[past, piece])
        });
    });
    let mut delays = Vec::with_capacity(found.len());
    for (number, (argument, past, length)) in found.into_iter().enumerate() {
        let declared = auxiliary(&mut dae.model, format!("$piece{number}"), Type::Integer);
        let piece = dae.model.variables.push(declared);
        let history = Arc::new(History::default());
        let texts = [argument, length].map(|part| short_text(&dae.model, None, part));
        declare(&mut dae.model, natives, &history, (number, texts));
        delays.push(Delay { argument, past, piece, history });
    }
    delays
}

/// Declares the function that reads a history, and its derivatives: the orders of jets that need more are refused where they are
/// needed, as those of any function.
fn declare(
    model: &mut FlatModel,
    natives: &mut NativeFunctions,
    history: &Arc<History>,
    (number, [argument, length]): (usize, [String; 2]),
) {
    let readers = [history.reader(0), history.rate(), history.second_rate()];
    let arguments = [&["time", "piece"][..], &["time", "piece", "rate"], &["time", "piece", "rate", "rate1", "rate2"]];
    for (order, (native, inputs)) in readers.into_iter().zip(arguments).enumerate() {
        // Texts may be short and alike; names may not.
        let which = if argument.contains('…') { format!(", {}", number + 1) } else { String::new() };
        let name = format!("delay{}({argument}, {length}{which})", "'".repeat(order));
        let id = model.functions.len();
        let derivative = (order < 2).then(|| (FunctionId::from_index(id + 1), vec![1]));
        model.functions.push(Function {
            name: name.clone().into(),
            inputs: inputs.iter().map(|&input| input.into()).collect(),
            outputs: vec!["value".into()],
            arguments: inputs.len() as u32,
            results: 1,
            differentiable: u32::MAX,
            derivative,
            implementation: Implementation::External(PAST.into()),
            span: Span::default(),
        });
        natives.add(name, native);
    }
}

/// Whether a function reads a history: its value jumps at events although its arguments do not.
pub(crate) fn is_of_the_past(model: &FlatModel, function: FunctionId) -> bool {
    // Elements of arrays are read by a function that no model declares.
    let declared = model.functions.get(function);
    declared.is_some_and(|it| matches!(&it.implementation, Implementation::External(name) if &**name == PAST))
}

fn has_delays(model: &FlatModel) -> bool {
    let mut nodes = (0..model.expressions.len()).map(|index| model.expressions.node(ExpressionId::from_index(index)));
    nodes.any(|node| matches!(node, Node::Call(Builtin::Delay | Builtin::DelayMax, _)))
}

fn is_zero(expressions: &Expressions, length: ExpressionId, parameter: &dyn Fn(VariableId) -> Option<f64>) -> bool {
    match expressions.node(length) {
        Node::Variable(id, 0) => parameter(id) == Some(0.0),
        _ => expressions.literal(length) == Some(0.0),
    }
}

/// All expressions that a run evaluates.
fn for_each_root(dae: &mut MultimodeDae, mut each: impl FnMut(&mut Expressions, &mut ExpressionId)) {
    let MultimodeDae { model, mode_variables, discrete, .. } = dae;
    let expressions = &mut model.expressions;
    for equation in model.equations.iter_mut() {
        [&mut equation.guard, &mut equation.left, &mut equation.right]
            .into_iter()
            .for_each(|root| each(expressions, root));
    }
    for definition in discrete.definitions.iter_mut().flatten() {
        if let Definition::Equation { value, in_all_modes, .. } = definition {
            [value, in_all_modes].into_iter().for_each(|root| each(expressions, root));
        }
    }
    for definition in mode_variables.iter_mut().filter_map(|mode| mode.definition.as_mut()) {
        each(expressions, definition);
    }
    for it in &mut model.assertions {
        [&mut it.guard, &mut it.condition].into_iter().for_each(|root| each(expressions, root));
    }
    for branch in model.when_clauses.iter_mut().flat_map(|clause| &mut clause.branches) {
        branch.conditions.iter_mut().for_each(|condition| each(expressions, condition));
        for action in &mut branch.actions {
            each(expressions, &mut action.guard);
            match &mut action.kind {
                WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => each(expressions, value),
                WhenActionKind::Law(left, right) => {
                    [left, right].into_iter().for_each(|root| each(expressions, root));
                }
                WhenActionKind::Assert(it) => {
                    [&mut it.guard, &mut it.condition].into_iter().for_each(|root| each(expressions, root));
                }
                WhenActionKind::Terminate(_) => {}
            }
        }
    }
    for invariant in &mut model.invariants {
        [&mut invariant.guard, &mut invariant.condition].into_iter().for_each(|root| each(expressions, root));
    }
    for state in model.machines.iter_mut().flat_map(|machine| &mut machine.states) {
        [&mut state.enters, &mut state.restarts].into_iter().for_each(|root| each(expressions, root));
    }
}

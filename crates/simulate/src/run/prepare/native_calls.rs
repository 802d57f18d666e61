//! Calls of functions that cannot be run: external ones without an implementation here.
//!
//! A value that nobody can compute is refused where it is asked for, before the run begins, whatever mode it is asked for in.

use modeshift_dae::{ExpressionId, FlatModel, FunctionId, Implementation, Node, Walk, WhenActionKind};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_numerics::NativeFunctions;

/// What is to be said about each function that is called and has no implementation: the first call of each.
pub(crate) fn missing_functions(model: &FlatModel, natives: &NativeFunctions) -> Vec<Diagnostic> {
    let mut missing: Vec<(FunctionId, Span)> = Vec::new();
    let mut walk = Walk::new();
    for (expression, span) in asked_for(model) {
        walk.visit(&model.expressions, expression, |_, node, _| {
            if let Node::Function(id, _) = node
                && natives.of_function(model, id).is_none()
                && !missing.iter().any(|it| it.0 == id)
            {
                missing.push((id, span));
            }
            true
        });
    }
    let functions = missing.into_iter().map(|(id, span)| said(model, id, span));
    functions.chain(objects_that_cannot_be_made(model, natives)).collect()
}

fn objects_that_cannot_be_made<'m>(
    model: &'m FlatModel,
    natives: &'m NativeFunctions,
) -> impl Iterator<Item = Diagnostic> + 'm {
    model.objects.iter().enumerate().filter_map(|(number, object)| {
        let problem = natives.object_problem(number)?;
        let message = format!("the external object `{}` cannot be made: {problem}", object.name);
        Some(Diagnostic::error(Code::E0376, message).label(object.span, ""))
    })
}

fn said(model: &FlatModel, id: FunctionId, call: Span) -> Diagnostic {
    let function = &model.functions[id];
    let message = format!("function `{}` has no implementation here", function.name);
    let said = Diagnostic::error(Code::E0372, message).label(call, "its value is needed here");
    match &function.implementation {
        Implementation::Refused(reason, place) => said.label(*place, reason.to_string()),
        _ => said
            .label(function.span, "declared here, without an algorithm that can be run")
            .help("give it an `algorithm`: what is external cannot be called"),
    }
}

/// All expressions that a run evaluates, with where they are written.
pub(crate) fn asked_for(model: &FlatModel) -> Vec<(ExpressionId, Span)> {
    let mut found = Vec::new();
    for equation in model.equations.iter() {
        found.extend([equation.guard, equation.left, equation.right].map(|it| (it, equation.span)));
    }
    for equation in &model.initial_equations {
        found.extend([equation.guard, equation.left, equation.right].map(|it| (it, equation.span)));
    }
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        found.extend(branch.conditions.iter().map(|&it| (it, branch.span)));
        for action in &branch.actions {
            match &action.kind {
                WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => {
                    found.push((*value, action.span));
                }
                WhenActionKind::Law(left, right) => found.extend([(*left, action.span), (*right, action.span)]),
                WhenActionKind::Assert(assertion) => found.push((assertion.condition, action.span)),
                WhenActionKind::Terminate(_) => {}
            }
        }
    }
    found.extend(model.assertions.iter().map(|it| (it.condition, it.span)));
    found
}

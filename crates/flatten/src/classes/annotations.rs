//! What annotations say that matters for the meaning of a model.

use std::sync::Arc;

use modeshift_dae::Experiment;
use modeshift_syntax::ast::{ArgumentKind, Expression, ExpressionKind, Modification, Path, UnaryOperator};

/// The modification of an annotation of this name.
pub(crate) fn entry<'a>(annotation: Option<&'a Modification>, name: &str) -> Option<&'a Modification> {
    annotation?.arguments.iter().find_map(|argument| match &argument.kind {
        ArgumentKind::Modify { name: path, modification: Some(modification) }
            if path.parts.len() == 1 && &*path.parts[0].name == name =>
        {
            Some(modification)
        }
        _ => None,
    })
}

/// The value of an annotation of this name.
pub(crate) fn value<'a>(annotation: Option<&'a Modification>, name: &str) -> Option<&'a Expression> {
    entry(annotation, name)?.value.as_ref()
}

/// Whether `name = true` is written.
pub(crate) fn is_true(annotation: Option<&Modification>, name: &str) -> bool {
    matches!(value(annotation, name).map(|value| &value.kind), Some(ExpressionKind::Boolean(true)))
}

/// `smoothOrder = 2`: how often a function may be differentiated.
pub(crate) fn smooth_order(annotation: Option<&Modification>) -> Option<u32> {
    match value(annotation, "smoothOrder")?.kind {
        ExpressionKind::Integer(order) => u32::try_from(order).ok(),
        _ => None,
    }
}

/// `derivative(noDerivative = a) = f_der`: the name of the derivative and the inputs that are not differentiated.
pub(crate) fn derivative(annotation: Option<&Modification>) -> Option<(Path, Vec<Arc<str>>)> {
    let derivative = entry(annotation, "derivative")?;
    let path = path_of(derivative.value.as_ref()?)?;
    let fixed = derivative.arguments.iter().filter_map(|argument| match &argument.kind {
        ArgumentKind::Modify { name, modification: Some(modification) }
            if matches!(&*name.parts[0].name, "noDerivative" | "zeroDerivative") =>
        {
            path_of(modification.value.as_ref()?).map(|path| path.parts[0].name.clone())
        }
        _ => None,
    });
    Some((path, fixed.collect()))
}

fn path_of(expression: &Expression) -> Option<Path> {
    let ExpressionKind::Reference(reference) = &expression.kind else { return None };
    let parts = reference.parts.iter().map(|part| part.name.clone()).collect();
    Some(Path { global: reference.global, parts, span: reference.span })
}

/// `experiment(StartTime = …, StopTime = …)`
pub(crate) fn experiment(annotation: Option<&Modification>) -> Experiment {
    let experiment = entry(annotation, "experiment");
    let number = |name: &str| value(experiment, name).and_then(literal);
    Experiment {
        start: number("StartTime"),
        stop: number("StopTime"),
        interval: number("Interval"),
        tolerance: number("Tolerance"),
        impulsive_start: is_true(entry(annotation, "modeshift"), "impulsiveStart"),
    }
}

/// `Documentation(info = "…")`
pub(crate) fn documentation(annotation: Option<&Modification>) -> Option<Arc<str>> {
    match &value(entry(annotation, "Documentation"), "info")?.kind {
        ExpressionKind::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn literal(expression: &Expression) -> Option<f64> {
    match &expression.kind {
        ExpressionKind::Real(value) => Some(*value),
        ExpressionKind::Integer(value) => Some(*value as f64),
        ExpressionKind::Unary(UnaryOperator::Minus, operand) => literal(operand).map(|value| -value),
        _ => None,
    }
}

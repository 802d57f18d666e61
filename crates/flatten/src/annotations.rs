//! What annotations say that matters for the meaning of a model.

use modeshift_dae::Experiment;
use modeshift_syntax::ast::{ArgumentKind, Expression, ExpressionKind, Modification, UnaryOperator};

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

/// `experiment(StartTime = …, StopTime = …)`
pub(crate) fn experiment(annotation: Option<&Modification>) -> Experiment {
    let experiment = entry(annotation, "experiment");
    let number = |name: &str| value(experiment, name).and_then(literal);
    Experiment {
        start: number("StartTime"),
        stop: number("StopTime"),
        interval: number("Interval"),
        tolerance: number("Tolerance"),
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

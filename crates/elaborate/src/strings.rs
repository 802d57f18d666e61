//! Strings that are compared during a run: a run computes with numbers and Booleans, and Strings that vary are for messages.

use modeshift_dae::{ExpressionId, FlatModel, Node, RelationOperator, Type, Variability, WhenActionKind, short_text};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span, Stop};
use rustc_hash::FxHashSet;

/// Refuses comparisons of Strings that vary, each once.
pub(crate) fn refuse_comparisons(model: &FlatModel, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let has_varying = model.variables.iter().any(|it| it.ty == Type::String && it.variability > Variability::Parameter);
    if !has_varying {
        return Ok(());
    }
    let mut said = FxHashSet::default();
    for (root, span) in conditions(model) {
        model.expressions.for_each(root, |id, node| {
            if let Node::Relation(operator, a, b) = node
                && (varies(model, a) || varies(model, b))
                && said.insert(id)
            {
                diagnostics.push(refusal(model, (id, operator), span));
            }
            true
        });
    }
    if said.is_empty() { Ok(()) } else { Err(Stop) }
}

/// Everything that may hold a comparison, with its place.
fn conditions(model: &FlatModel) -> Vec<(ExpressionId, Span)> {
    let mut all: Vec<(ExpressionId, Span)> = Vec::new();
    let equations = model.equations.iter().flat_map(|it| [it.guard, it.left, it.right].map(|side| (side, it.span)));
    all.extend(equations);
    let initial = model.initial_equations.iter();
    all.extend(initial.flat_map(|it| [it.guard, it.left, it.right].map(|side| (side, it.span))));
    all.extend(model.assertions.iter().flat_map(|it| [it.guard, it.condition].map(|side| (side, it.span))));
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        all.extend(branch.conditions.iter().map(|condition| (*condition, branch.span)));
        for action in &branch.actions {
            all.push((action.guard, action.span));
            all.extend(parts(&action.kind).into_iter().map(|part| (part, action.span)));
        }
    }
    all
}

/// What an action computes; what it says is no matter.
fn parts(action: &WhenActionKind) -> Vec<ExpressionId> {
    match action {
        WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => vec![*value],
        WhenActionKind::Law(left, right) => vec![*left, *right],
        WhenActionKind::Assert(assertion) => vec![assertion.guard, assertion.condition],
        WhenActionKind::Terminate(_) => Vec::new(),
    }
}

/// Whether an expression is a String that is made of one that varies.
fn varies(model: &FlatModel, id: ExpressionId) -> bool {
    model.expressions.contains(id, |node| match node {
        Node::Variable(variable, _) => {
            let variable = &model.variables[variable];
            variable.ty == Type::String && variable.variability > Variability::Parameter
        }
        _ => false,
    })
}

fn refusal(model: &FlatModel, (id, operator): (ExpressionId, RelationOperator), span: Span) -> Diagnostic {
    let what = match operator {
        RelationOperator::Equal | RelationOperator::NotEqual => "compared",
        _ => "put in order",
    };
    let message = format!("Strings that vary cannot be {what} during a run: `{}`", short_text(model, None, id));
    let help =
        "compare what the String is made of, or use an enumeration, whose literals are ordered as they are declared";
    Diagnostic::error(Code::E0505, message).label(span, "this depends on it").help(help)
}

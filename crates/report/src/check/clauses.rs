//! What is wrong with `reinit` in clauses, whatever the values: of something that is a state in no mode, or twice in one clause.

use modeshift_dae::{ExpressionId, Expressions, MultimodeDae, Node, VariableId, WhenActionKind, WhenBranch};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};

use crate::Analyzed;

/// A `reinit` of a branch.
struct Reset {
    variable: VariableId,
    guard: ExpressionId,
    span: Span,
}

/// Says which `reinit` cannot be.
pub fn check_clauses(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let Analyzed { dae, analysis, .. } = analyzed;
    for branch in dae.model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        let resets = resets(branch);
        for (at, reset) in resets.iter().enumerate() {
            if analysis.offsets.variables[reset.variable].maximum() == 0 {
                diagnostics.push(no_state(dae, reset));
            }
            let together = |other: &&Reset| {
                other.variable == reset.variable && !exclude(&dae.model.expressions, other.guard, reset.guard)
            };
            if let Some(earlier) = resets[..at].iter().find(together) {
                diagnostics.push(twice(dae, earlier, reset));
            }
        }
    }
}

fn resets(branch: &WhenBranch) -> Vec<Reset> {
    let reset = |action: &modeshift_dae::WhenAction| match action.kind {
        WhenActionKind::Reinit(variable, _) => Some(Reset { variable, guard: action.guard, span: action.span }),
        _ => None,
    };
    branch.actions.iter().filter_map(reset).collect()
}

/// Whether two guards are of different branches of one `if`: one contains a condition, the other its negation.
fn exclude(expressions: &Expressions, one: ExpressionId, other: ExpressionId) -> bool {
    let (one, other) = (conjuncts(expressions, one), conjuncts(expressions, other));
    let negates = |a: ExpressionId, b: ExpressionId| expressions.node(a) == Node::Not(b);
    one.iter().any(|&a| other.iter().any(|&b| negates(a, b) || negates(b, a)))
}

/// What a guard is the conjunction of.
fn conjuncts(expressions: &Expressions, guard: ExpressionId) -> Vec<ExpressionId> {
    let (mut pending, mut found) = (vec![guard], Vec::new());
    while let Some(id) = pending.pop() {
        match expressions.node(id) {
            Node::And(a, b) => pending.extend([a, b]),
            _ => found.push(id),
        }
    }
    found
}

fn no_state(dae: &MultimodeDae, reset: &Reset) -> Diagnostic {
    let declared = &dae.model.variables[reset.variable];
    Diagnostic::error(Code::E0830, format!("`reinit` of `{}`, which is a state in no mode", declared.name))
        .label(reset.span, "here")
        .label(declared.span, "not differentiated")
        .help("only a state can be given a value: a variable that is differentiated and that no constraint determines")
}

fn twice(dae: &MultimodeDae, earlier: &Reset, reset: &Reset) -> Diagnostic {
    let name = &dae.model.variables[reset.variable].name;
    Diagnostic::error(Code::E0829, format!("two `reinit` of `{name}` in one clause"))
        .label(reset.span, "another value for it here")
        .label(earlier.span, "one value for it here")
        .help("put them into different branches of one `if`")
}

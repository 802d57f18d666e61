//! What is wrong with clauses, whatever the values: `reinit` of something that is a state in no mode, or twice in one clause or in
//! two; and variables without an equation at an instant that laws complete.

use modeshift_dae::{
    ArithmeticOperator, ExpressionId, Expressions, MultimodeDae, Node, VariableId, WhenActionKind, WhenBranch,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_modes::{FormulaPrinter, ModeSet};

use crate::Analyzed;
use crate::singular::passing_modes;
use crate::wording::mode_names;

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
    check_own_values(dae, diagnostics);
    check_two_clauses(dae, diagnostics);
    check_instants(analyzed, diagnostics);
}

/// Says which discrete variables are more, less or other than themselves: `n = n + 1`.
fn check_own_values(dae: &MultimodeDae, diagnostics: &mut Diagnostics) {
    let e = &dae.model.expressions;
    let actions = dae.model.when_clauses.iter().flat_map(|clause| &clause.branches).flat_map(|branch| &branch.actions);
    for action in actions {
        let WhenActionKind::Assign(variable, value) = &action.kind else { continue };
        let is_own = |id: ExpressionId| e.node(id) == Node::Variable(*variable, 0);
        let other = match e.node(*value) {
            Node::Arithmetic(ArithmeticOperator::Add, a, b) if is_own(a) => Some(b),
            Node::Arithmetic(ArithmeticOperator::Add, a, b) if is_own(b) => Some(a),
            Node::Arithmetic(ArithmeticOperator::Subtract, a, b) if is_own(a) => Some(b),
            Node::Not(a) if is_own(a) => Some(a),
            _ => None,
        };
        if other.is_none_or(|other| e.literal(other) == Some(0.0)) {
            continue;
        }
        let name = &dae.model.variables[*variable].name;
        let error = Diagnostic::error(
            Code::E0824,
            format!("`{name}` is to be another than itself: its equation has no solution"),
        );
        let error = error.label(action.span, format!("`{name}` stands on both sides"));
        diagnostics.push(error.help(format!("write `pre({name})` on the right: its value before the event")));
    }
}

/// Warns of states that two clauses give a value, once for each.
fn check_two_clauses(dae: &MultimodeDae, diagnostics: &mut Diagnostics) {
    let mut known: Vec<(VariableId, usize, Span)> = Vec::new();
    let mut told: Vec<VariableId> = Vec::new();
    for (number, clause) in dae.model.when_clauses.iter().enumerate() {
        for Reset { variable, span, .. } in clause.branches.iter().flat_map(resets) {
            let other = known.iter().find(|it| it.0 == variable && it.1 != number);
            if let Some(&(_, _, earlier)) = other
                && !told.contains(&variable)
            {
                told.push(variable);
                diagnostics.push(in_two_clauses(dae, variable, [earlier, span]));
            }
            known.push((variable, number, span));
        }
    }
}

/// Warns of variables that neither an equation nor a law contains at instants that only laws complete.
fn check_instants(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let Analyzed { dae, analysis, .. } = analyzed;
    let space = &analysis.space;
    let instants = instants_of_laws(analyzed);
    if instants.is_empty() {
        return;
    }
    let names = mode_names(dae);
    let printer = FormulaPrinter::new(space, &analysis.invariant, &names);
    for (id, variable) in analysis.incidence.variables().iter_enumerated() {
        let edges = analysis.incidence.edges_of_variable(id).iter();
        let occurs = space.union(edges.map(|&edge| analysis.incidence.active(edge)));
        let idle = space.difference(space.and(instants, variable.guard), occurs);
        if !idle.is_empty() && !is_in_law(dae, id) {
            let message = format!("`{}` has no equation at the instant of a `when`", dae.model.variables[id].name);
            let warning = Diagnostic::warning(Code::W0837, message)
                .label(dae.model.variables[id].span, "keeps its last value there")
                .when(printer.print(idle).text)
                .help("give it an equation in all modes, if something reads it right after the instant");
            diagnostics.push(warning);
        }
    }
}

/// The modes of zero duration that are singular without the laws of a `when`.
pub(crate) fn instants_of_laws(analyzed: &Analyzed) -> ModeSet {
    let Analyzed { dae, analysis, .. } = analyzed;
    let passing = passing_modes(dae, analysis);
    analysis.space.and(passing, analysis.lasting_singular_modes(ModeSet::EMPTY))
}

fn is_in_law(dae: &MultimodeDae, variable: VariableId) -> bool {
    let branches = dae.model.when_clauses.iter().flat_map(|clause| &clause.branches);
    let mut laws = branches.flat_map(|branch| &branch.actions).filter_map(|action| match action.kind {
        WhenActionKind::Law(left, right) => Some([left, right]),
        _ => None,
    });
    laws.any(|sides| {
        sides.into_iter().any(|side| {
            let mut found = false;
            dae.model.expressions.for_each(side, |_, node| {
                found |= matches!(node, Node::Variable(it, _) if it == variable);
                !matches!(node, Node::Pre(_))
            });
            found
        })
    })
}

fn in_two_clauses(dae: &MultimodeDae, variable: VariableId, [earlier, span]: [Span; 2]) -> Diagnostic {
    let name = &dae.model.variables[variable].name;
    Diagnostic::warning(Code::W0829, format!("two clauses have a `reinit` of `{name}`, which Modelica does not allow"))
        .label(span, "and here")
        .label(earlier, "here")
        .with_note("a run goes on where they fire one after the other, and stops where both fire at once")
        .help("put both into one clause: `when a then … elsewhen b then … end when`")
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

//! Why a run stopped, in the words of the model: where, when, in which mode, what to try.
//!
//! | file | purpose |
//! |---|---|
//! | `circles` | instants that do not come to an end, variables that decide about themselves |

pub(crate) mod circles;

use std::fmt;

use modeshift_dae::{Derivative, ExpressionId, InitialEquation, Mode, Node, RelationId, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics, Span};
use modeshift_mode_changes::{MOST_TRIED, Term};
use modeshift_structure::one_mode::NoPins;

use crate::integrate::{FailureReason, IntegrationFailure};
use crate::program::BlockFailure;
use crate::run::instant::candidate::Objection;
use crate::run::instant::event_iteration::{Fired, NoOutcome};
use crate::run::instant::next_mode::Ambiguity;
use crate::run::instant::restart::{Contradiction, NoRestart};
use crate::run::modes::{NoMode, Singular};
use crate::run::output::mode_text;
use crate::run::phase::integrate_until::NoPhase;
use crate::run::phase::zero_crossings::Guard;
use crate::run::prepare::Prepared;
use crate::run::sliding::entry::NoSliding;
use crate::run::sliding::flow::NoFlow;
use crate::run::values::Side;
use crate::run::zeno::detection::Accumulation;
use crate::run::{Machinery, Stuck};

/// More modes, atoms or variables than this are not listed.
const MOST_LISTED: usize = 8;
/// More mode variables than this are not spelled out.
const MOST_MODE_VARIABLES: usize = 12;

/// A number with all its digits, in powers of ten where it is very small or large.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            0.0 | 1e-4..1e16 => write!(f, "{}", self.0),
            _ => write!(f, "{:e}", self.0),
        }
    }
}

/// Why there is no beginning although there is a start.
pub(super) enum NoBeginning {
    Mode(NoMode),
    Block(Box<BlockFailure>),
    /// No mode follows from the start values as left limits; what initialization says.
    Instant(Vec<Diagnostic>),
    /// The start values contradict the constraints of the mode that follows from them: what would jump, from where to where.
    Jump(Vec<(VariableId, f64, f64)>),
}

/// `g1 and not g2`
pub(super) fn whole_mode_text(machinery: &Machinery<'_>, values: &Mode) -> String {
    let literals = values.iter().take(MOST_MODE_VARIABLES).map(|(id, value)| {
        let name = &machinery.prepared.dae.mode_variables[id].name;
        if value { name.to_string() } else { format!("not {name}") }
    });
    let mut literals: Vec<String> = literals.collect();
    if values.len() > MOST_MODE_VARIABLES {
        literals.push("…".to_string());
    }
    if literals.is_empty() { "true".to_string() } else { literals.join(" and ") }
}

pub(super) fn explain_no_mode(
    machinery: &Machinery<'_>,
    reason: &NoBeginning,
    time: f64,
    diagnostics: &mut Diagnostics,
) {
    diagnostics.push(match reason {
        NoBeginning::Mode(reason) => no_mode(machinery, reason, time),
        NoBeginning::Block(block) => block.explain(&machinery.visited.programs),
        NoBeginning::Jump(jumps) => inconsistent_start(machinery, jumps),
        NoBeginning::Instant(refusal) => return refusal.iter().for_each(|it| diagnostics.push(it.clone())),
    });
}

fn inconsistent_start(machinery: &Machinery<'_>, jumps: &[(VariableId, f64, f64)]) -> Diagnostic {
    let message = "the start values contradict the constraints of every mode".to_string();
    let mut diagnostic = Diagnostic::error("E0709", message);
    for &(id, left, right) in jumps.iter().take(MOST_LISTED) {
        let declared = &machinery.prepared.dae.model.variables[id];
        let text = format!("`{}` is to start at {}, but would jump to {}", declared.name, Number(left), Number(right));
        diagnostic = diagnostic.label(declared.span, text);
    }
    diagnostic.help("change start values; or, if they are the values before the start, run with `--impulsive-start`")
}

fn no_mode(machinery: &Machinery<'_>, reason: &NoMode, time: f64) -> Diagnostic {
    match reason {
        NoMode::NotBuilt(reason) => reason.explain(&machinery.prepared.dae),
        NoMode::Singular(Singular { mode: values, .. }) => {
            let message = format!("the mode at time = {} is structurally singular", Number(time));
            Diagnostic::error("E0820", message)
                .when(whole_mode_text(machinery, values))
                .help("`modeshift check` shows which equations are too many and which unknowns are not determined")
        }
    }
}

/// Why a phase could not go on.
pub(super) fn explain_stuck(machinery: &Machinery<'_>, stuck: &Stuck<'_>, diagnostics: &mut Diagnostics) {
    let side = &stuck.side;
    diagnostics.push(match &stuck.reason {
        NoPhase::Block(block) => block.explain(&machinery.visited.programs),
        NoPhase::NotBuilt(reason) => reason.explain(&machinery.prepared.dae),
        NoPhase::Integration(failure) => integration(machinery, side, failure),
        NoPhase::Sliding(NoFlow::Block(block)) => block.explain(&machinery.visited.programs),
        NoPhase::Sliding(NoFlow::NotTransversal | NoFlow::OffSurface) => {
            let message = format!("the surface that the run slides along ends at time = {}", Number(side.time));
            Diagnostic::error("E0834", message)
                .when(whole_mode_text(machinery, &side.mode.values))
                .help("the sides of the condition do not differ any more there, or its derivative has no value")
        }
        NoPhase::Assertion(number) => {
            let assertion = &machinery.prepared.discrete.assertions[*number];
            let text = assertion.message.map(|message| machinery.prepared.message(message)).unwrap_or_default();
            let message = format!("assertion violated at time = {}: {text}", Number(side.time));
            Diagnostic::error("E0821", message)
                .label(assertion.span, format!("`{}` is false", machinery.prepared.text(assertion.expression)))
                .when(whole_mode_text(machinery, &side.mode.values))
        }
    });
}

fn integration(machinery: &Machinery<'_>, side: &Side<'_>, failure: &IntegrationFailure) -> Diagnostic {
    let block =
        failure.evaluation.as_ref().and_then(|it| it.details.as_ref()).and_then(|it| it.downcast_ref::<BlockFailure>());
    if let Some(block) = block {
        let note = format!("the integration stopped at time = {}: {}", Number(failure.time), short_reason(failure));
        return block.explain(&machinery.visited.programs).with_note(note);
    }
    let message = format!("the integration stopped at time = {}: {}", Number(failure.time), short_reason(failure));
    let mut diagnostic = Diagnostic::error("E0822", message).when(whole_mode_text(machinery, &side.mode.values));
    for (name, value, span) in largest_states(machinery, side, &failure.state) {
        diagnostic = diagnostic.label(span, format!("`{name}` = {}", Number(value)));
    }
    diagnostic.help("look for a singularity of the model near this time, or try another `--tolerance` or `--solver`")
}

fn short_reason(failure: &IntegrationFailure) -> String {
    match failure.reason {
        FailureReason::NoDerivative => "the derivatives of the states have no values".to_string(),
        FailureReason::StepTooShort => format!("no step succeeds, not even of length {:.1e}", failure.step),
        FailureReason::TooManySteps => "too many steps".to_string(),
        FailureReason::NotFinite => "the states grow beyond all bounds".to_string(),
    }
}

/// The states that are largest compared with their nominal values.
fn largest_states(
    machinery: &Machinery<'_>,
    side: &Side<'_>,
    values: &[f64],
) -> Vec<(String, f64, modeshift_diagnostics::Span)> {
    let program = side.mode.program.borrow();
    let mut states: Vec<(VariableId, f64)> =
        program.state_quantities().map(|state| state.of).zip(values.iter().copied()).collect();
    let size = |&(id, value): &(VariableId, f64)| -(value / machinery.prepared.nominal(id)).abs();
    states.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let named = |(id, value): (VariableId, f64)| {
        let declared = &machinery.prepared.dae.model.variables[id];
        (declared.name.to_string(), value, declared.span)
    };
    states.into_iter().take(3).map(named).collect()
}

/// Why there are no right limits at an instant.
pub(super) fn explain_instant(
    machinery: &Machinery<'_>,
    left: &Side<'_>,
    fired: &Fired,
    reason: &NoOutcome,
    diagnostics: &mut Diagnostics,
) {
    let time = Number(left.time);
    let diagnostic = match reason {
        NoOutcome::NoMode(tried, no_sliding) => none_accepted(machinery, left, tried, no_sliding),
        NoOutcome::Unsettled(variables) => {
            let names: Vec<&str> = variables
                .iter()
                .take(MOST_LISTED)
                .map(|&id| &*machinery.prepared.dae.model.variables[id].name)
                .collect();
            let message = format!("the discrete equations do not settle at time = {time}: {}", names.join(", "));
            let mut diagnostic = Diagnostic::error("E0824", message);
            for &id in variables.iter().take(MOST_LISTED) {
                diagnostic = diagnostic.label(machinery.prepared.dae.model.variables[id].span, "changes for ever");
            }
            diagnostic.help(circles::advice_for_unsettled(machinery, variables))
        }
        NoOutcome::Endless(circle) => circles::endless(machinery, left, circle),
        NoOutcome::Invariant(number, values) => {
            let invariant = &machinery.prepared.discrete.invariants[*number];
            Diagnostic::error("E0826", format!("an invariant is violated at time = {time}"))
                .label(invariant.span, format!("`{}` is false", machinery.prepared.text(invariant.expression)))
                .when(whole_mode_text(machinery, values))
        }
        NoOutcome::TwoResets(variable, [first, second]) => {
            let name = &machinery.prepared.dae.model.variables[*variable].name;
            let message = format!("two `reinit` of `{name}` fire at once at time = {time}");
            Diagnostic::error("E0829", message)
                .label(*first, "one value for it here")
                .label(*second, "another one here")
                .help("put both into one `when` with `elsewhen`, so that one of them comes first")
        }
        NoOutcome::NoReset(spans, reason) => {
            let message = format!("`reinit` at time = {time}: {}", restart_text(machinery, reason));
            let diagnostic = Diagnostic::error("E0830", message).when(whole_mode_text(machinery, &left.mode.values));
            let diagnostic =
                spans.iter().take(MOST_LISTED).fold(diagnostic, |diagnostic, &span| diagnostic.label(span, "here"));
            diagnostic.help("only a state can be given a value: a variable that is differentiated and that no constraint of the mode determines")
        }
        NoOutcome::NotANumber(variable, value, span) => {
            let declared = &machinery.prepared.dae.model.variables[*variable];
            let message = format!("`{}` becomes {} at time = {time}", declared.name, number_word(*value));
            Diagnostic::error("E0831", message).label(span.unwrap_or(declared.span), "here").help(
                match value.is_finite() {
                    true => "declare it as Real, or keep it small, as with `mod`",
                    false => "look at what its equation divides by, takes roots of, or calls",
                },
            )
        }
        NoOutcome::Assertion(message, span) => {
            let text = machinery.prepared.message(*message);
            Diagnostic::error("E0821", format!("assertion violated at time = {time}: {text}"))
                .label(*span, "this assertion in a `when`")
        }
    };
    diagnostics.push(with_causes(machinery, diagnostic, left, fired));
}

/// That impulses of some variables have no weight; once for each.
pub(super) fn explain_undefined(
    machinery: &mut Machinery<'_>,
    time: f64,
    impulses: &[(VariableId, Vec<f64>)],
    diagnostics: &mut Diagnostics,
) {
    for (id, _) in impulses.iter().filter(|(_, weights)| weights.iter().any(|weight| weight.is_nan())) {
        if machinery.memory.undefined.insert(*id) {
            let declared = &machinery.prepared.dae.model.variables[*id];
            let message = format!(
                "`{}` is a nonlinear function of an impulse at time = {}: its weight is not defined",
                declared.name,
                Number(time)
            );
            diagnostics.push(
                Diagnostic::warning("W0832", message)
                    .label(declared.span, "its limits before and after are right")
                    .help("nothing else depends on it; if the impulse itself is wanted, look at the variable it is made of"),
            );
        }
    }
}

/// That a mode leaves variables open; once in a run.
pub(super) fn explain_undetermined(machinery: &mut Machinery<'_>, side: &Side<'_>, diagnostics: &mut Diagnostics) {
    let Some(pins) = &side.mode.pins else { return };
    if std::mem::replace(&mut machinery.memory.told_of_undetermined, true) {
        return;
    }
    let model = &machinery.prepared.dae.model;
    let names = pins.undetermined.iter().take(MOST_LISTED).map(|&id| format!("`{}`", model.variables[id].name));
    let mut list = names.collect::<Vec<_>>().join(", ");
    if pins.undetermined.len() > MOST_LISTED {
        list.push_str(&format!(" and {} more", pins.undetermined.len() - MOST_LISTED));
    }
    let message = format!("from time = {} on, the mode does not determine {list}", Number(side.time));
    let mut diagnostic = Diagnostic::warning("W0835", message).when(whole_mode_text(machinery, &side.mode.values));
    for &id in pins.undetermined.iter().take(3) {
        diagnostic = diagnostic.label(machinery.prepared.dae.model.variables[id].span, "has no value there");
    }
    diagnostics.push(diagnostic.help(
        "states do not depend on it: where a variable has no value its cells are empty, and the event log says until when; later ones are not reported again",
    ));
}

/// That nothing says where variables of entered states begin; once for each.
pub(super) fn explain_begun_at_zero(
    machinery: &mut Machinery<'_>,
    time: f64,
    begun: &[VariableId],
    diagnostics: &mut Diagnostics,
) {
    for id in begun {
        if machinery.memory.begun_at_zero.insert(*id) {
            let declared = &machinery.prepared.dae.model.variables[*id];
            let name = &declared.name;
            let message =
                format!("nothing says where `{name}` begins when its state is entered at time = {}", Number(time));
            let mut warning = Diagnostic::warning("W0836", message).label(declared.span, "begins with 0");
            let model = &machinery.prepared.dae.model;
            let is_of = |node: Node| matches!(node, Node::Variable(of, _) if of == *id);
            let says =
                |it: &&InitialEquation| [it.left, it.right].iter().any(|&it| model.expressions.contains(it, is_of));
            if let Some(initial) = model.initial_equations.iter().find(says) {
                warning = warning.label(initial.span, "holds at the start of the run only");
            }
            diagnostics.push(warning.help(format!("give `{name}` a `start` value")));
        }
    }
}

/// That other modes could have followed as well.
pub(super) fn explain_ambiguities(
    machinery: &Machinery<'_>,
    left: &Side<'_>,
    ambiguities: &[Ambiguity],
    diagnostics: &mut Diagnostics,
) {
    for Ambiguity { atoms, modes } in ambiguities {
        let message = format!("several modes can follow at time = {}: the model is ambiguous there", Number(left.time));
        let mut diagnostic = Diagnostic::warning("W0828", message);
        for (number, mode) in modes.iter().take(MOST_LISTED).enumerate() {
            let verb = if number == 0 { "chosen" } else { "possible" };
            diagnostic = diagnostic.with_note(format!("{verb}: {}", change_text(machinery, mode, left)));
        }
        for &atom in atoms.iter().take(MOST_LISTED) {
            let it = &machinery.prepared.discrete.atoms[atom];
            diagnostic = diagnostic
                .label(it.span, format!("`{}` may be true or false", machinery.prepared.atom_text(atom, true)));
        }
        diagnostics.push(
            diagnostic.help("add a condition that tells these modes apart; the same guards are not reported again"),
        );
    }
}

/// Why events that accumulate end a run.
pub(super) fn explain_accumulation(
    machinery: &Machinery<'_>,
    left: &Side<'_>,
    fired: &Fired,
    accumulation: &Accumulation<'_>,
    diagnostics: &mut Diagnostics,
) {
    let (message, help) = match accumulation {
        Accumulation::Limit(limit) => (
            format!("events follow each other ever faster and accumulate at time = {}", Number(limit.time)),
            "give the model a mode in which it rests, or an impact law that ends it",
        ),
        Accumulation::Chattering => (
            format!("events repeat without end at time = {}", Number(left.time)),
            "a condition is undone by its own effect: add hysteresis, or a mode for what happens in between",
        ),
    };
    let diagnostic = Diagnostic::error("E0827", message).when(whole_mode_text(machinery, &left.mode.values)).help(help);
    diagnostics.push(with_causes(machinery, diagnostic, left, fired));
}

/// Places of what fired.
fn with_causes(machinery: &Machinery<'_>, mut diagnostic: Diagnostic, left: &Side<'_>, fired: &Fired) -> Diagnostic {
    for &atom in fired.atoms.iter().take(MOST_LISTED) {
        let it = &machinery.prepared.discrete.atoms[atom];
        let becomes = left.discrete[it.variable] == 0.0;
        diagnostic = diagnostic.label(it.span, format!("`{}` here", machinery.prepared.atom_text(atom, becomes)));
    }
    diagnostic
}

/// Why no mode follows, in one word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KindOfFailure {
    /// An expression of a mode that would follow has no value.
    NoValue,
    /// An equation of a mode that would follow has no root.
    NoRoot,
    /// Both sides of a condition lead to the other, and the run cannot slide along it.
    BothSides,
    /// All modes contradict themselves otherwise.
    Contradiction,
}

impl KindOfFailure {
    fn of(tried: &[(Mode, Objection)], no_sliding: &NoSliding) -> Self {
        let any = |is: fn(&Objection) -> bool| tried.iter().any(|(_, objection)| is(objection));
        if any(|it| matches!(it, Objection::NoValue(_))) {
            KindOfFailure::NoValue
        } else if any(|it| matches!(it, Objection::NoRoot(_))) {
            KindOfFailure::NoRoot
        } else if matches!(no_sliding, NoSliding::NoSurface | NoSliding::OneWay(_)) {
            KindOfFailure::Contradiction
        } else {
            KindOfFailure::BothSides
        }
    }

    fn text(self) -> &'static str {
        match self {
            KindOfFailure::NoValue => "an expression has no value",
            KindOfFailure::NoRoot => "an equation has no root",
            KindOfFailure::BothSides => "both sides of a condition lead to the other",
            KindOfFailure::Contradiction => "the conditions of all modes contradict",
        }
    }
}

fn none_accepted(
    machinery: &Machinery<'_>,
    left: &Side<'_>,
    tried: &[(Mode, Objection)],
    no_sliding: &NoSliding,
) -> Diagnostic {
    let kind = KindOfFailure::of(tried, no_sliding);
    let message = format!("no mode can follow at time = {}: {}", Number(left.time), kind.text());
    let mut diagnostic = Diagnostic::error("E0823", message).when(whole_mode_text(machinery, &left.mode.values));
    let mut told: Vec<String> = Vec::new();
    for (values, objection) in tried {
        let line = format!("{}: {}", change_text(machinery, values, left), objection_text(machinery, objection));
        if !told.contains(&line) {
            told.push(line);
        }
    }
    let count = told.len();
    for line in told.into_iter().take(MOST_LISTED) {
        diagnostic = diagnostic.with_note(line);
    }
    if count > MOST_LISTED {
        diagnostic = diagnostic.with_note(format!("… and {} more", count - MOST_LISTED));
    }
    if tried.len() >= MOST_TRIED {
        let end =
            format!("the search ended after {} modes, the nearest ones: others may be able to follow", tried.len());
        diagnostic = diagnostic.with_note(end);
    }
    let atoms = tried.iter().filter_map(|(_, objection)| match objection {
        Objection::Atom(atom, _) => Some(*atom),
        _ => None,
    });
    if let Some(variable) = circles::forgotten_pre(machinery, atoms) {
        let declared = &machinery.prepared.dae.model.variables[variable];
        let name = &declared.name;
        return diagnostic.label(declared.span, format!("`{name}` is set by a `when`, and a condition reads it")).help(
            format!("if the condition is to read what `{name}` was before this instant, write `pre({name})` there"),
        );
    }
    match no_sliding_text(machinery, no_sliding) {
        _ if kind == KindOfFailure::NoValue => diagnostic
            .help("ask for the expression only where it has a value, or let the condition change before it has none"),
        _ if kind == KindOfFailure::NoRoot => diagnostic.help(
            "look at the equation with the values given here; where it has a root, a `start` value near it helps the iteration",
        ),
        None => {
            diagnostic.help("the conditions of the modes exclude each other here; is a sign wrong, or a case missing?")
        }
        Some(reason) if matches!(no_sliding, NoSliding::OneWay(_)) => diagnostic.with_note(reason).help(
            "a condition that turns back as soon as its transition is taken decides something else here, too: let that follow the \
             states instead, or let the state that is entered wait, as `timeInState() > 0.1` does",
        ),
        Some(reason) => diagnostic
            .with_note(format!("both sides of a condition lead to the other, and the run cannot slide along: {reason}"))
            .help("write what happens in between: a hysteresis, a mode for rest, or a law that is continuous there"),
    }
}

/// Why a run cannot slide where both sides of a condition lead to the other; nothing where they do not.
fn no_sliding_text(machinery: &Machinery<'_>, reason: &NoSliding) -> Option<String> {
    let condition = |atom: &RelationId| format!("`{}`", machinery.prepared.atom_text(*atom, true));
    let conditions = |atoms: &[RelationId]| atoms.iter().map(condition).collect::<Vec<_>>().join(", ");
    let name = |id: &VariableId| &machinery.prepared.dae.model.variables[*id].name;
    Some(match reason {
        NoSliding::NoSurface => return None,
        NoSliding::Jump(id) => format!("`{}` jumps", name(id)),
        NoSliding::Clause(atom) => format!("a `when` would fire without end, by {}", condition(atom)),
        NoSliding::OneWay(atom) => {
            format!(
                "what happens at {} is not undone where it turns back, so that there is nothing to slide along",
                condition(atom)
            )
        }
        NoSliding::NoField(atom) => format!("one side of {} has no values", condition(atom)),
        NoSliding::States(state) => format!("{} is a state on one side only", names(machinery, &[*state])),
        NoSliding::Guard(atom) => format!("{} depends on what is different on its sides", condition(atom)),
        NoSliding::Along(atom) => format!("{} changes with the side", condition(atom)),
        NoSliding::Mixed(atoms) => format!("the sides of {} act on each other", conditions(atoms)),
        NoSliding::Several(atoms) => format!("there are several ways to, by {}", conditions(atoms)),
        NoSliding::Unsolved(atoms) => format!("no combination of the sides stays there, by {}", conditions(atoms)),
    })
}

/// That crossings of guards were taken for noise although they may be more; once each.
pub(super) fn tell_unresolved(machinery: &mut Machinery<'_>, diagnostics: &mut Diagnostics) {
    for (guard, time) in std::mem::take(&mut machinery.memory.unresolved) {
        let Guard::Atom(atom) = guard else { continue };
        if !machinery.memory.told_unresolved.insert(atom) {
            continue;
        }
        let it = &machinery.prepared.discrete.atoms[atom];
        let text = machinery.prepared.atom_text(atom, true);
        let message = format!("the tolerance does not resolve `{text}` at time = {}: no event", Number(time));
        diagnostics.push(
            Diagnostic::warning("W0839", message)
                .label(it.span, "small beside what the errors of states may make of it")
                .help("run with a smaller tolerance to see whether that changes anything"),
        );
    }
}

/// That a clause stops what carries its condition right there, and the run goes on through; once for each condition.
pub(super) fn tell_passage(
    machinery: &mut Machinery<'_>,
    left: &Side<'_>,
    fired: &Fired,
    diagnostics: &mut Diagnostics,
) {
    let prepared = machinery.prepared;
    for &atom in &fired.atoms {
        let it = &prepared.discrete.atoms[atom];
        if !machinery.memory.warned.insert(it.span) {
            continue;
        }
        let text = prepared.atom_text(atom, left.discrete[it.variable] == 0.0);
        let message =
            format!("what `{text}` stops at time = {} is not held there, and goes on beyond", Number(left.time));
        diagnostics.push(
            Diagnostic::warning("W0843", message)
                .label(it.span, "stays true from here on, so that the clause does not fire again; said once")
                .help("give the model a mode in which it rests there, as `Modeshift.Translational.HardStop` has one"),
        );
    }
}

/// That an assertion that only warns is violated.
pub(super) fn tell_warning(
    prepared: &Prepared,
    time: f64,
    (message, span): (Option<ExpressionId>, Span),
    diagnostics: &mut Diagnostics,
) {
    let text = message.map(|message| prepared.message(message)).unwrap_or_default();
    let warning = Diagnostic::warning("W0838", format!("assertion violated at time = {}: {text}", Number(time)));
    diagnostics
        .push(warning.label(span, "false from here on; said once").with_note("it only warns, and the run goes on"));
}

/// That the run slides along surfaces; once for the same ones.
pub(super) fn explain_sliding(
    machinery: &mut Machinery<'_>,
    left: &Side<'_>,
    right: &Side<'_>,
    diagnostics: &mut Diagnostics,
) {
    let Some(slide) = &right.sliding else { return };
    let said = &mut machinery.memory.slid;
    let atoms: Vec<RelationId> = slide.system.atoms.iter().copied().filter(|&atom| said.insert(atom)).collect();
    if atoms.is_empty() {
        return;
    }
    let message =
        format!("the run slides from time = {} on: both sides of a condition lead to the other", Number(left.time));
    let mut diagnostic = Diagnostic::warning("W0833", message);
    for &atom in atoms.iter().take(MOST_LISTED) {
        let it = &machinery.prepared.discrete.atoms[atom];
        let text = machinery.prepared.atom_text(atom, true);
        diagnostic = diagnostic.label(it.span, format!("`{text}` stays where it changes"));
    }
    diagnostics.push(
        diagnostic
            .with_note("derivatives are a combination of those on both sides (Filippov), and so are variables that differ there")
            .help("if a switch was meant, write a hysteresis, `on = if pre(on) then x > low else x > high`; if friction, a mode for sticking"),
    );
}

/// A mode by what differs from the mode before.
fn change_text(machinery: &Machinery<'_>, values: &Mode, left: &Side<'_>) -> String {
    match *values == left.mode.values {
        true => "the mode as it was".to_string(),
        false => mode_text(&machinery.prepared.dae, values, &left.mode.values),
    }
}

fn restart_text(machinery: &Machinery<'_>, reason: &NoRestart) -> String {
    match reason {
        NoRestart::Unsolved(text) | NoRestart::Singular(text) | NoRestart::Conflicting(text) => text.clone(),
        NoRestart::Contradiction(Contradiction { equation, term, value, .. }) => {
            let name = &machinery.prepared.dae.model.equations[*equation].name;
            let what = match term {
                Term::Weight(p) => format!("an impulse of order {} is left over, with weight", p + 1),
                Term::Derivative(0) => "its sides differ by".to_string(),
                Term::Derivative(k) => format!("derivative {k} of its sides differs by"),
            };
            format!("impossible: the other equations contradict {name}, where {what} {value:.6e}")
        }
        NoRestart::Undetermined(list) => format!("the change does not determine {}", names(machinery, list)),
    }
}

/// What a value is that is no finite number.
fn number_word(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "not a number",
        value if value.is_finite() => "an Integer of more than 53 bits",
        _ => "infinite",
    }
}

fn singular_text(reason: NoPins) -> &'static str {
    match reason {
        NoPins::Impossible => "impossible: its equations contradict each other",
        NoPins::Wrong | NoPins::Regular => "it is structurally singular: what it leaves free decides about states",
        NoPins::Differentiated => "it is structurally singular, and all that it leaves free is differentiated",
    }
}

fn objection_text(machinery: &Machinery<'_>, objection: &Objection) -> String {
    match objection {
        Objection::Mode(NoMode::Singular(singular)) => singular_text(singular.reason).to_string(),
        Objection::Mode(NoMode::NotBuilt(reason)) => reason.explain(&machinery.prepared.dae).message,
        Objection::Restart(reason) => restart_text(machinery, reason),
        Objection::Atom(atom, (term, value)) => {
            let text = machinery.prepared.atom_text(*atom, true);
            match term {
                Term::Weight(p) => {
                    format!("contradicts `{text}`: an impulse of order {} has weight {value:.6e}", p + 1)
                }
                Term::Derivative(0) => format!("contradicts `{text}`: the difference is {value:.6e}"),
                Term::Derivative(k) => format!("contradicts `{text}`: derivative {k} of the difference is {value:.6e}"),
            }
        }
        Objection::NoValue(text) | Objection::Words(text) => text.clone(),
        Objection::NoRoot(lines) => lines.join("; "),
    }
}

fn names(machinery: &Machinery<'_>, list: &[Derivative<VariableId>]) -> String {
    let model = &machinery.prepared.dae.model;
    let names = list.iter().take(MOST_LISTED).map(|&it| model.name_of_variable(it).to_string());
    names.collect::<Vec<_>>().join(", ")
}

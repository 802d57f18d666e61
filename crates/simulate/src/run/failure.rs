//! Why a run stopped, in the words of the model: where, when, in which mode, what to try.

use std::fmt;

use modeshift_dae::{ExpressionId, Id, ModeVariableId, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_mode_changes::Term;

use crate::integrate::{FailureReason, IntegrationFailure};
use crate::program::BlockFailure;
use crate::run::engine::Engine;
use crate::run::instant::candidate::Objection;
use crate::run::instant::event_iteration::{Fired, NoOutcome};
use crate::run::instant::next_mode::Ambiguity;
use crate::run::instant::restart::NoRestart;
use crate::run::modes::NoMode;
use crate::run::output::mode_text;
use crate::run::phase::integrate_until::{NoStay, Stuck};
use crate::run::values::Side;
use crate::run::zeno::detection::Accumulation;

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
}

/// `g1 and not g2`
pub(super) fn whole_mode_text(engine: &Engine<'_>, values: &[bool]) -> String {
    let literal = |(id, value): (ModeVariableId, &bool)| {
        let name = &engine.dae.mode_variables[id].name;
        if *value { name.to_string() } else { format!("not {name}") }
    };
    let ids = engine.dae.mode_variables.ids();
    let mut literals: Vec<String> = ids.zip(values).take(MOST_MODE_VARIABLES).map(literal).collect();
    if values.len() > MOST_MODE_VARIABLES {
        literals.push("…".to_string());
    }
    if literals.is_empty() { "true".to_string() } else { literals.join(" and ") }
}

pub(super) fn explain_no_mode(engine: &Engine<'_>, reason: &NoBeginning, time: f64, diagnostics: &mut Diagnostics) {
    diagnostics.push(match reason {
        NoBeginning::Mode(reason) => no_mode(engine, reason, time),
        NoBeginning::Block(block) => block.explain(&engine.modes.programs),
    });
}

fn no_mode(engine: &Engine<'_>, reason: &NoMode, time: f64) -> Diagnostic {
    match reason {
        NoMode::NotBuilt(reason) => reason.explain(engine.dae),
        NoMode::Singular(values) => {
            let message = format!("the mode at time = {} is structurally singular", Number(time));
            Diagnostic::error("E0820", message)
                .when(whole_mode_text(engine, values))
                .help("`modeshift check` shows which equations are too many and which unknowns are not determined")
        }
    }
}

/// Why a stay could not go on.
pub(super) fn explain_stuck(engine: &Engine<'_>, stuck: &Stuck<'_>, diagnostics: &mut Diagnostics) {
    let side = &stuck.side;
    diagnostics.push(match &stuck.reason {
        NoStay::Block(block) => block.explain(&engine.modes.programs),
        NoStay::NotBuilt(reason) => reason.explain(engine.dae),
        NoStay::Integration(failure) => integration(engine, side, failure),
        NoStay::Assertion(number) => {
            let assertion = &engine.system.assertions[*number];
            let text = assertion.message.map(|message| engine.message(message)).unwrap_or_default();
            let message = format!("assertion violated at time = {}: {text}", Number(side.time));
            Diagnostic::error("E0821", message)
                .label(assertion.span, format!("`{}` is false", engine.text(assertion.expression)))
                .when(whole_mode_text(engine, &side.mode.values))
        }
    });
}

fn integration(engine: &Engine<'_>, side: &Side<'_>, failure: &IntegrationFailure) -> Diagnostic {
    let block =
        failure.evaluation.as_ref().and_then(|it| it.details.as_ref()).and_then(|it| it.downcast_ref::<BlockFailure>());
    if let Some(block) = block {
        let note = format!("the integration stopped at time = {}: {}", Number(failure.time), short_reason(failure));
        return block.explain(&engine.modes.programs).with_note(note);
    }
    let message = format!("the integration stopped at time = {}: {}", Number(failure.time), short_reason(failure));
    let mut diagnostic = Diagnostic::error("E0822", message).when(whole_mode_text(engine, &side.mode.values));
    for (name, value, span) in largest_states(engine, side, &failure.state) {
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
    engine: &Engine<'_>,
    side: &Side<'_>,
    values: &[f64],
) -> Vec<(String, f64, modeshift_diagnostics::Span)> {
    let program = side.mode.program.borrow();
    let mut states: Vec<(VariableId, f64)> =
        program.state_quantities().map(|(id, _)| id).zip(values.iter().copied()).collect();
    let size = |&(id, value): &(VariableId, f64)| -(value / engine.nominal[id.index()]).abs();
    states.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let named = |(id, value): (VariableId, f64)| {
        let declared = &engine.dae.model.variables[id];
        (declared.name.to_string(), value, declared.span)
    };
    states.into_iter().take(3).map(named).collect()
}

/// Why there are no right limits at an instant.
pub(super) fn explain_instant(
    engine: &Engine<'_>,
    left: &Side<'_>,
    fired: &Fired,
    reason: &NoOutcome,
    diagnostics: &mut Diagnostics,
) {
    let time = Number(left.time);
    let diagnostic = match reason {
        NoOutcome::NoMode(tried) => none_accepted(engine, left, tried),
        NoOutcome::Unsettled(variables) => {
            let names: Vec<&str> =
                variables.iter().take(MOST_LISTED).map(|&id| &*engine.dae.model.variables[id].name).collect();
            let message = format!("the discrete equations do not settle at time = {time}: {}", names.join(", "));
            let mut diagnostic = Diagnostic::error("E0824", message);
            for &id in variables.iter().take(MOST_LISTED) {
                diagnostic = diagnostic.label(engine.dae.model.variables[id].span, "changes for ever");
            }
            diagnostic.help("break the circle with `pre(…)`")
        }
        NoOutcome::Endless(modes) => {
            let message = format!("the events at time = {time} do not come to an end");
            let passed = modes.iter().rev().take(4).rev().map(|mode| mode_text(engine.dae, mode, &left.mode.values));
            Diagnostic::error("E0825", message)
                .with_note(format!("modes passed through: …, {}", passed.collect::<Vec<_>>().join(" -> ")))
                .help("a condition of a `when` or a mode definition is undone by its own effect")
        }
        NoOutcome::Invariant(number, values) => {
            let invariant = &engine.system.invariants[*number];
            Diagnostic::error("E0826", format!("an invariant is violated at time = {time}"))
                .label(invariant.span, format!("`{}` is false", engine.text(invariant.expression)))
                .when(whole_mode_text(engine, values))
        }
        NoOutcome::Assertion(message, span) => {
            let text = engine.message(*message);
            Diagnostic::error("E0821", format!("assertion violated at time = {time}: {text}"))
                .label(*span, "this assertion in a `when`")
        }
    };
    diagnostics.push(with_causes(engine, diagnostic, left, fired));
}

/// That other modes could have followed as well.
pub(super) fn explain_ambiguities(
    engine: &Engine<'_>,
    left: &Side<'_>,
    ambiguities: &[Ambiguity],
    diagnostics: &mut Diagnostics,
) {
    for Ambiguity { atoms, modes } in ambiguities {
        let message = format!("several modes can follow at time = {}: the model is ambiguous there", Number(left.time));
        let mut diagnostic = Diagnostic::warning("W0828", message);
        for (number, mode) in modes.iter().take(MOST_LISTED).enumerate() {
            let verb = if number == 0 { "chosen" } else { "possible" };
            diagnostic = diagnostic.with_note(format!("{verb}: {}", change_text(engine, mode, left)));
        }
        for &atom in atoms.iter().take(MOST_LISTED) {
            let it = &engine.system.atoms[atom];
            diagnostic = diagnostic.label(it.span, format!("`{}` may be true or false", engine.atom_text(atom, true)));
        }
        diagnostics.push(
            diagnostic.help("add a condition that tells these modes apart; the same guards are not reported again"),
        );
    }
}

/// Why events that accumulate end a run.
pub(super) fn explain_accumulation(
    engine: &Engine<'_>,
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
    let diagnostic = Diagnostic::error("E0827", message).when(whole_mode_text(engine, &left.mode.values)).help(help);
    diagnostics.push(with_causes(engine, diagnostic, left, fired));
}

/// Places of what fired.
fn with_causes(engine: &Engine<'_>, mut diagnostic: Diagnostic, left: &Side<'_>, fired: &Fired) -> Diagnostic {
    for &atom in fired.atoms.iter().take(MOST_LISTED) {
        let it = &engine.system.atoms[atom];
        let becomes = left.discrete[it.variable] == 0.0;
        diagnostic = diagnostic.label(it.span, format!("`{}` here", engine.atom_text(atom, becomes)));
    }
    diagnostic
}

fn none_accepted(engine: &Engine<'_>, left: &Side<'_>, tried: &[(Vec<bool>, Objection)]) -> Diagnostic {
    let message = format!("no mode can follow at time = {}", Number(left.time));
    let mut diagnostic = Diagnostic::error("E0823", message).when(whole_mode_text(engine, &left.mode.values));
    let mut told: Vec<String> = Vec::new();
    for (values, objection) in tried {
        let line = format!("{}: {}", change_text(engine, values, left), objection_text(engine, objection));
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
    diagnostic.help("the conditions of the modes exclude each other here; is a sign wrong, or a case missing?")
}

/// A mode by what differs from the mode before.
fn change_text(engine: &Engine<'_>, values: &[bool], left: &Side<'_>) -> String {
    match values == left.mode.values {
        true => "the mode as it was".to_string(),
        false => mode_text(engine.dae, values, &left.mode.values),
    }
}

fn objection_text(engine: &Engine<'_>, objection: &Objection) -> String {
    match objection {
        Objection::Mode(NoMode::Singular(_)) => "it is structurally singular".to_string(),
        Objection::Mode(NoMode::NotBuilt(reason)) => reason.explain(engine.dae).message,
        Objection::Restart(NoRestart::Unsolved(text)) | Objection::Restart(NoRestart::Conflicting(text)) => {
            text.clone()
        }
        Objection::Restart(NoRestart::Undetermined(list)) => {
            format!("the change does not determine {}", names(engine, list))
        }
        Objection::Atom(atom, (term, value)) => {
            let text = engine.atom_text(*atom, true);
            match term {
                Term::Weight(p) => {
                    format!("contradicts `{text}`: an impulse of order {} has weight {value:.6e}", p + 1)
                }
                Term::Derivative(0) => format!("contradicts `{text}`: the difference is {value:.6e}"),
                Term::Derivative(k) => format!("contradicts `{text}`: derivative {k} of the difference is {value:.6e}"),
            }
        }
        Objection::Words(text) => text.clone(),
    }
}

fn names(engine: &Engine<'_>, list: &[(VariableId, u32)]) -> String {
    let name = |&(id, order): &(VariableId, u32)| {
        format!("{}{}", engine.dae.model.variables[id].name, "'".repeat(order as usize))
    };
    list.iter().take(MOST_LISTED).map(name).collect::<Vec<_>>().join(", ")
}

impl Engine<'_> {
    /// The text of a message: literals as they are, the rest as written.
    pub fn message(&self, expression: ExpressionId) -> String {
        match self.dae.model.expressions.node(expression) {
            modeshift_dae::Node::String(text) => self.dae.model.expressions.text(text).to_string(),
            _ => self.text(expression),
        }
    }
}

//! Parameters without a value, as the cause of what is wrong with a model.
//!
//! Such a parameter counts as the default of its type, 0, and a mass or a resistance of 0 makes another model of a right one. Whether
//! that is what is wrong is tried: with other numbers in its place the model is checked once more, and where nothing is wrong then, the
//! missing value is the error, and nothing else is.

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Kind, Severity, Stage};
use modeshift_report::check::Verdict;

use crate::check::CheckOptions;
use crate::pipeline::Run;
use crate::question::Question;
use crate::repairs::Examined;
use crate::timings::Timings;

/// What was found out about a model: the verdict, what was said, and how long it took.
type Found = (Option<Verdict>, Examined, Timings);

/// More parameters than this are not looked at one by one.
const MOST_TOLD_APART: usize = 8;

/// What was found, with the parameters without a value as its cause where they are.
pub(crate) fn blame_unset(question: &Question, options: CheckOptions, found: Found) -> Found {
    let unset: Vec<Diagnostic> = found.1.diagnostics.iter().filter(|it| counts_as_default(it)).cloned().collect();
    if unset.is_empty() || !found.1.diagnostics.has_errors() || says_so_already(&found.1.diagnostics) {
        return found;
    }
    let valued = |values: &[&Diagnostic]| Run::new(&with_values(question, values)).examined_as_it_is(options);
    let all: Vec<&Diagnostic> = unset.iter().collect();
    let (verdict, examined, timings) = valued(&all);
    if examined.diagnostics.has_errors() {
        return found;
    }
    let is_needed = |at: &usize| {
        let others: Vec<&Diagnostic> =
            all.iter().copied().enumerate().filter(|it| it.0 != *at).map(|it| it.1).collect();
        all.len() <= MOST_TOLD_APART && valued(&others).1.diagnostics.has_errors()
    };
    let needed: Vec<usize> = (0..all.len()).filter(is_needed).collect();
    if let Some(note) = examined.diagnostics.iter().find(|it| it.code == Code::N0604) {
        // Whoever uses a component gives it its values. Places are those of other sources.
        let note = Diagnostic { labels: Vec::new(), ..note.clone() };
        return (verdict, in_place_of(found.1, |it| !is_consequence(it), vec![note]), timings);
    }
    let consequence = found.1.diagnostics.iter().find(|it| it.severity == Severity::Error).map(|it| it.message.clone());
    let is_to_blame = |at: usize| needed.is_empty() || needed.contains(&at);
    let blamed = all.iter().enumerate().filter(|(at, _)| is_to_blame(*at));
    let errors: Vec<Diagnostic> =
        blamed.map(|(_, it)| missing(it, consequence.as_deref().unwrap_or_default())).collect();
    let is_said = |it: &Diagnostic| errors.iter().any(|error| named(error) == named(it));
    let is_replaced = |it: &Diagnostic| is_consequence(it) || counts_as_default(it) && is_said(it);
    let told = in_place_of(found.1, |it| !is_replaced(it), errors.clone());
    (verdict, told, timings)
}

/// What is said of a structure, a start or a run with values that are none.
fn is_consequence(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error || diagnostic.code.stage() >= Stage::Structure
}

/// What was found, with the diagnostics that are to be kept, and more: places stay those of the sources that were read.
fn in_place_of(mut found: Examined, kept: impl Fn(&Diagnostic) -> bool, more: Vec<Diagnostic>) -> Examined {
    found.diagnostics.retain(kept);
    more.into_iter().for_each(|it| found.diagnostics.push(it));
    found
}

fn says_so_already(diagnostics: &Diagnostics) -> bool {
    diagnostics.iter().any(|it| it.code == Code::E0312)
}

/// Whether a diagnostic says that the default of its type stands in for a parameter.
fn counts_as_default(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == Code::W0312 && named(diagnostic).is_some()
}

/// The parameter without a value that a diagnostic is about.
fn named(diagnostic: &Diagnostic) -> Option<&str> {
    match &diagnostic.kind {
        Some(Kind::WithoutValue(parameter)) => Some(parameter),
        _ => None,
    }
}

/// The question with numbers for these parameters, one for each, lest something cancels.
fn with_values(question: &Question, unset: &[&Diagnostic]) -> Question {
    let names = unset.iter().filter_map(|it| named(it));
    let values = names.enumerate().map(|(at, name)| (name.to_string(), (at + 2).to_string()));
    let overrides = question.overrides.iter().cloned().chain(values).collect();
    Question { overrides, ..question.clone() }
}

fn missing(parameter: &Diagnostic, consequence: &str) -> Diagnostic {
    let name = named(parameter).unwrap_or_default();
    let error =
        Diagnostic::error(Code::E0378, format!("parameter `{name}` has no value; as 0 it makes the model wrong"))
            .of_kind(Kind::WithoutValue(name.to_string()));
    let labelled = parameter.labels.iter().fold(error, |it, label| it.label(label.span, "no value is given here"));
    labelled.with_note(format!("with 0 for it: {consequence}")).help(format!(
        "give `{name}` a value, where it is declared or where its component is used; or, for one run, `--set {name}=…`"
    ))
}

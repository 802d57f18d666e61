//! What `check` prints: one line for people, JSON for programs.

use modeshift_diagnostics::{Diagnostic, Diagnostics, SourceMap};
use serde_json::{Value, json};

use crate::Analyzed;
use crate::analyze::{Place, mode_count_text, place_to_json};
use crate::singular::singular_modes;
use crate::wording::counted;

/// What `check` found where nothing is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The class that was checked.
    pub model: String,
    /// How many modes there are, in decimal.
    pub mode_count: String,
    /// How many continuous equations there are, in all modes together.
    pub equations: usize,
    /// How many continuous unknowns there are, in all modes together.
    pub variables: usize,
    /// Whether every mode is regular.
    pub regular: bool,
}

/// The numbers of an analyzed model.
pub fn verdict_of(analyzed: &Analyzed) -> Verdict {
    let Analyzed { dae, analysis, .. } = analyzed;
    Verdict {
        model: dae.model.name.to_string(),
        mode_count: analysis.invariant.mode_count(&analysis.space).to_string(),
        equations: analysis.incidence.equations().iter().filter(|it| !it.guard.is_empty()).count(),
        variables: analysis.incidence.variables().iter().filter(|it| !it.guard.is_empty()).count(),
        regular: singular_modes(dae, analysis).is_empty(),
    }
}

/// One line; `asked_for` names the model where nothing else does.
pub fn verdict_to_text(verdict: Option<&Verdict>, diagnostics: &Diagnostics, asked_for: &str) -> String {
    let errors = diagnostics.error_count();
    let suppressed: usize = diagnostics.suppressed().iter().map(|(_, count)| count).sum();
    let more = if suppressed > 0 { " and more" } else { "" };
    let errors_text = if errors == 1 { format!("1 error{more}") } else { format!("{errors} errors{more}") };
    match verdict {
        Some(verdict) if errors == 0 => {
            let modes = mode_count_text(&verdict.mode_count);
            let regular = if verdict.mode_count == "1" { "regular" } else { "all of them regular" };
            let Verdict { model, equations, variables, .. } = verdict;
            let equations = counted(*equations, "guarded equation");
            format!("{model}: all well; {modes}, {regular}; {equations}, {}\n", counted(*variables, "unknown"))
        }
        Some(verdict) => format!("{}: {errors_text}\n", verdict.model),
        None => format!("{asked_for}: {errors_text}\n"),
    }
}

/// `{"model", "ok", "diagnostics"}`
pub fn verdict_to_json(
    verdict: Option<&Verdict>,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    asked_for: Option<&str>,
) -> Value {
    let model = verdict.map(|verdict| verdict.model.as_str()).or(asked_for);
    let list = diagnostics.iter().map(|diagnostic| diagnostic_to_json(diagnostic, sources));
    let suppressed = diagnostics.suppressed().iter();
    let suppressed: Vec<Value> =
        suppressed.map(|(code, count)| json!({"code": code.as_str(), "count": count})).collect();
    let mut value = json!({
        "model": model,
        "ok": verdict.is_some() && !diagnostics.has_errors(),
        "diagnostics": list.collect::<Vec<Value>>(),
    });
    if !suppressed.is_empty() {
        value["not_shown"] = suppressed.into();
    }
    value
}

/// `{"code", "severity", "message", "when", "example", "labels", "notes", "help"}`
pub fn diagnostic_to_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let label = |label: &modeshift_diagnostics::Label| {
        let span = Place::of(label.span, sources).map(|place| place_to_json(&place));
        json!({"span": span, "text": label.text})
    };
    json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "when": diagnostic.when,
        "example": diagnostic.example,
        "labels": diagnostic.labels.iter().map(label).collect::<Vec<Value>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

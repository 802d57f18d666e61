//! What `check` prints: one line for people, JSON for programs.

use modeshift_diagnostics::{Diagnostic, SourceMap};
use serde_json::{Value, json};

use crate::check::counted;
use crate::pipeline::Verdict;
use crate::question::Answer;
use crate::report::{Place, mode_count_text, place_to_json};

/// One line; `asked_for` names the model where nothing else does.
pub fn verdict_to_text(answer: &Answer<Verdict>, asked_for: &str) -> String {
    let errors = answer.diagnostics.error_count();
    let suppressed: usize = answer.diagnostics.suppressed().iter().map(|(_, count)| count).sum();
    let more = if suppressed > 0 { " and more" } else { "" };
    let errors_text = if errors == 1 { format!("1 error{more}") } else { format!("{errors} errors{more}") };
    match &answer.result {
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
pub fn verdict_to_json(answer: &Answer<Verdict>, asked_for: Option<&str>) -> Value {
    let model = answer.result.as_ref().map(|verdict| verdict.model.as_str()).or(asked_for);
    let diagnostics = answer.diagnostics.iter().map(|diagnostic| diagnostic_to_json(diagnostic, &answer.sources));
    let suppressed = answer.diagnostics.suppressed().iter();
    let suppressed: Vec<Value> = suppressed.map(|(code, count)| json!({"code": code, "count": count})).collect();
    let mut value = json!({
        "model": model,
        "ok": answer.result.is_some() && !answer.diagnostics.has_errors(),
        "diagnostics": diagnostics.collect::<Vec<Value>>(),
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
        "code": diagnostic.code,
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "when": diagnostic.when,
        "example": diagnostic.example,
        "labels": diagnostic.labels.iter().map(label).collect::<Vec<Value>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

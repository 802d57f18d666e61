//! Edits that make a model right, of diagnostics that touch a range: those of `check --fix`, each tested by making it.

use std::ops::Range;

use modeshift_diagnostics::{Diagnostic, Repair, Span};
use modeshift_driver::{CheckOptions, Question, check};
use serde_json::{Value, json};

/// The edits for diagnostics that touch a range of the document.
pub(super) fn repairs(question: &Question, range: Range<u32>) -> Vec<Value> {
    let answer = check(question, CheckOptions { with_repairs: true, ..CheckOptions::default() });
    let is_here = |span: Span| span.file == Span::default().file && span != Span::default();
    let touches = |span: Span| is_here(span) && span.start < range.end && span.end >= range.start;
    let is_of_this_file = |repair: &&Repair| repair.edits.iter().all(|edit| edit.span.file == Span::default().file);
    let touching = answer.diagnostics.iter().filter(|it| it.labels.iter().any(|label| touches(label.span)));
    let found = touching.filter_map(|it| Some((it, it.repair.as_ref().filter(is_of_this_file)?)));
    let action = |(diagnostic, repair): (&Diagnostic, &Repair)| {
        let edits = repair.edits.iter();
        let edits = edits.map(|it| json!({"start": it.span.start, "end": it.span.end, "text": it.text}));
        json!({
            "title": repair.title, "code": diagnostic.code.as_str(), "message": diagnostic.message,
            "edits": edits.collect::<Vec<Value>>(),
        })
    };
    found.map(action).collect()
}

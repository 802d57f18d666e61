//! Edits that mend what a diagnostic says. Each is tried out: it is offered only where the text with it has fewer errors
//! and warnings, none of them new.

use std::collections::BTreeSet;
use std::ops::Range;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Severity, SourceMap, Span};
use modeshift_driver::{CheckOptions, Question, check};
use serde_json::{Value, json};

/// How many edits are tried out for one request.
const MOST_TRIED: usize = 12;

/// Replacements that belong together, none touching another, with the words for them.
struct Repair {
    title: String,
    edits: Vec<(Range<usize>, String)>,
}

impl Repair {
    fn new(title: String, place: Range<usize>, with: String) -> Repair {
        Repair { title, edits: vec![(place, with)] }
    }
}

/// The edits for diagnostics that touch a range of the document.
pub(super) fn repairs(question: &Question, range: Range<u32>) -> Vec<Value> {
    let answer = check(question, CheckOptions::default());
    let touches = |span: Span| {
        span.file == Span::default().file
            && span != Span::default()
            && span.start < range.end
            && span.end >= range.start
    };
    let before = errors(&answer.diagnostics);
    let mut found = Vec::new();
    let mut tried = 0;
    for diagnostic in answer.diagnostics.iter() {
        if !diagnostic.labels.iter().any(|label| touches(label.span)) {
            continue;
        }
        for repair in proposals(diagnostic, &answer.sources) {
            tried += 1;
            if tried > MOST_TRIED {
                return found;
            }
            if is_better(question, &before, &repair) {
                let edit = |(place, with): &(Range<usize>, String)| json!({"start": place.start, "end": place.end, "text": with});
                let edits: Vec<Value> = repair.edits.iter().map(edit).collect();
                found.push(json!({
                    "title": repair.title, "code": diagnostic.code.as_str(), "message": diagnostic.message,
                    "edits": edits,
                }));
            }
        }
    }
    found
}

/// What is wrong or looks so, as far as an edit that moves places leaves it the same.
fn errors(diagnostics: &Diagnostics) -> Vec<(Code, String)> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity >= Severity::Warning);
    errors.map(|diagnostic| (diagnostic.code, diagnostic.message.clone())).collect()
}

/// Whether the text with the edit has fewer errors. Behind a syntax error, others show first when it is mended: then
/// it is enough that the text can be read.
fn is_better(question: &Question, before: &[(Code, String)], repair: &Repair) -> bool {
    let mut question = question.clone();
    let mut edits: Vec<&(Range<usize>, String)> = repair.edits.iter().collect();
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    edits.into_iter().for_each(|(place, with)| question.source.text.replace_range(place.clone(), with));
    let after = errors(&check(&question, CheckOptions::default()).diagnostics);
    let is_syntax = |(code, _): &(Code, String)| code.as_str().starts_with("E01");
    let count_syntax = |errors: &[(Code, String)]| errors.iter().filter(|error| is_syntax(error)).count();
    if before.iter().any(is_syntax) {
        return count_syntax(&after) < count_syntax(before);
    }
    let known: BTreeSet<&(Code, String)> = before.iter().collect();
    after.len() < before.len() && after.iter().all(|error| known.contains(error))
}

/// What might mend it.
fn proposals(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Repair> {
    let Some(label) = diagnostic.labels.first() else { return Vec::new() };
    let place = label.span.start as usize..label.span.end as usize;
    if label.span.file != Span::default().file {
        return Vec::new();
    }
    let insertion = |what: &str| Repair::new(format!("insert `{what}`"), place.start..place.start, what.to_string());
    let quoted = |text: &str| text.split('`').nth(1).map(str::to_string);
    match diagnostic.code {
        Code::E0102 => vec![insertion(";")],
        Code::E0103 => quoted(&label.text).as_deref().map(insertion).into_iter().collect(),
        Code::E0104 => quoted(&label.text)
            .map(|with| Repair::new(format!("write `{with}`"), place.clone(), with))
            .into_iter()
            .collect(),
        Code::W0213 => {
            let within = diagnostic.help.as_deref().and_then(quoted);
            let line = within.map(|within| Repair::new(format!("write `{within}`"), 0..0, format!("{within}\n")));
            line.into_iter().collect()
        }
        _ => nearest_names(diagnostic, label.span, sources),
    }
}

/// `did you mean …`: the names that are near.
fn nearest_names(diagnostic: &Diagnostic, span: Span, sources: &SourceMap) -> Vec<Repair> {
    let Some(names) = diagnostic.help.as_deref().and_then(|help| help.split_once("did you mean ")) else {
        return Vec::new();
    };
    let written = sources.text(span);
    let wrong = diagnostic.message.split('`').skip(1).step_by(2);
    // The place may be more than the name: the whole of `a.b.c`, where `b` is wrong.
    let Some((wrong, at)) = wrong
        .flat_map(|quoted| [Some(quoted), quoted.rsplit('.').next()])
        .flatten()
        .find_map(|wrong| written.rfind(wrong).map(|at| (wrong, at)))
    else {
        return Vec::new();
    };
    let start = span.start as usize + at;
    let candidates = names.1.split('`').skip(1).step_by(2);
    candidates
        .map(|name| {
            Repair::new(format!("write `{name}` instead of `{wrong}`"), start..start + wrong.len(), name.to_string())
        })
        .collect()
}

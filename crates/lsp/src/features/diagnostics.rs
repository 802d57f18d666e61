//! What is wrong, as the protocol has it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::documents::{Document, uri_of};

/// The diagnostics of an answer of the worker.
pub fn published(document: &Document, answer: &Value) -> Vec<Value> {
    let found = answer["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
    found.iter().map(|diagnostic| one(document, diagnostic)).collect()
}

/// That there is no analysis.
pub fn without_analysis(document: &Document, message: &str) -> Value {
    json!({
        "range": document.text.range(0, 0), "severity": 2, "source": "modeshift",
        "message": format!("{message}; please report it with the model"),
    })
}

/// Whether a diagnostic touches a range.
pub fn any_in(document: &Document, from: usize, to: usize) -> bool {
    document.published.iter().any(|diagnostic| {
        let (start, end) = (&diagnostic["range"]["start"], &diagnostic["range"]["end"]);
        let touches = document.text.offset(start) <= to && document.text.offset(end) >= from;
        let related = diagnostic["relatedInformation"].as_array().into_iter().flatten();
        touches
            || related.into_iter().any(|it| {
                let range = &it["location"]["range"];
                it["location"]["uri"] == json!(document.uri)
                    && document.text.offset(&range["start"]) <= to
                    && document.text.offset(&range["end"]) >= from
            })
    })
}

fn one(document: &Document, diagnostic: &Value) -> Value {
    let labels = diagnostic["labels"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = labels.iter().position(|label| label["file"].is_null());
    let mut value = json!({
        "range": primary.map_or_else(|| document.text.range(0, 0), |at| range(document, &labels[at])),
        "severity": match diagnostic["severity"].as_str() {
            Some("error") => 1,
            Some("warning") => 2,
            _ => 3,
        },
        "code": diagnostic["code"],
        "source": "modeshift",
        "message": message(diagnostic, primary.map(|at| &labels[at])),
    });
    let others = labels.iter().enumerate().filter(|(at, _)| Some(*at) != primary).map(|(_, label)| label);
    let related: Vec<Value> = others.map(|label| related(document, label)).collect();
    if !related.is_empty() {
        value["relatedInformation"] = json!(related);
    }
    value
}

/// A range of at least one character, so that it can be seen.
fn range(document: &Document, label: &Value) -> Value {
    let number = |name: &str| label[name].as_u64().unwrap_or(0) as usize;
    let text = document.text.as_str();
    let (mut start, mut end) = (document.text.boundary(number("start")), document.text.boundary(number("end")));
    if start >= end {
        let next = text[start..].chars().next();
        match next.filter(|it| !matches!(it, '\n' | '\r')) {
            Some(next) => end = start + next.len_utf8(),
            None => start -= text[..start].chars().next_back().map_or(0, char::len_utf8),
        }
    }
    document.text.range(start, end)
}

fn related(document: &Document, label: &Value) -> Value {
    let location = match label["file"].as_str() {
        Some(file) => json!({"uri": address(Path::new(file)), "range": label["range"]}),
        None => json!({"uri": document.uri, "range": range(document, label)}),
    };
    let text = label["text"].as_str().filter(|text| !text.is_empty()).unwrap_or("here");
    json!({"location": location, "message": text})
}

/// The address of a file, whose name may be one from here.
pub fn address(path: &Path) -> String {
    match path.is_absolute() {
        true => uri_of(path),
        false => uri_of(&std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")).join(path)),
    }
}

/// What it is, where in words, in which modes, and what to try.
fn message(diagnostic: &Value, label: Option<&Value>) -> String {
    let text = |name: &str| diagnostic[name].as_str().filter(|text| !text.is_empty());
    let mut lines = vec![text("message").unwrap_or_default().to_string()];
    lines.extend(label.and_then(|label| label["text"].as_str()).filter(|it| !it.is_empty()).map(str::to_string));
    lines.extend(text("when").map(|when| format!("when {when}")));
    lines.extend(text("example").filter(|it| Some(*it) != text("when")).map(|it| format!("for example {it}")));
    lines.extend(
        diagnostic["notes"].as_array().into_iter().flatten().filter_map(|note| note.as_str().map(str::to_string)),
    );
    lines.extend(text("help").map(|help| format!("help: {help}")));
    lines.join("\n")
}

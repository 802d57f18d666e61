//! Edits that mend a diagnostic, as actions to choose from.

use serde_json::{Value, json};

use crate::documents::Document;

/// The actions of an answer of the worker. Each edit was tried out there.
pub fn actions(document: &Document, answer: &Value) -> Value {
    let repairs = answer["repairs"].as_array().into_iter().flatten();
    repairs.map(|repair| action(document, repair)).collect()
}

fn action(document: &Document, repair: &Value) -> Value {
    let number = |edit: &Value, name: &str| edit[name].as_u64().unwrap_or(0) as usize;
    let edits = repair["edits"].as_array().into_iter().flatten();
    let edits: Vec<Value> = edits
        .map(|edit| {
            let text = document.text.as_lines_end_here(edit["text"].as_str().unwrap_or_default());
            json!({"range": document.text.range(number(edit, "start"), number(edit, "end")), "newText": text})
        })
        .collect();
    let is_mended = |diagnostic: &&Value| {
        let message = diagnostic["message"].as_str().unwrap_or_default();
        diagnostic["code"] == repair["code"] && message.lines().next() == repair["message"].as_str()
    };
    let mended: Vec<&Value> = document.published.iter().filter(is_mended).take(1).collect();
    json!({
        "title": repair["title"], "kind": "quickfix", "isPreferred": true, "diagnostics": mended,
        "edit": {"changes": {document.uri.as_str(): edits}},
    })
}

//! A line above each model: how many modes, which index when; and what can be done with it.

use modeshift_driver::Dialect;
use serde_json::{Value, json};

use crate::documents::Document;
use crate::features::models::models;

/// The lenses of all models; what they say is asked for when they are seen.
pub fn lenses(document: &Document) -> Value {
    let mut found = Vec::new();
    if document.dialect == Dialect::Mel {
        found.extend(pair(document, None, document.text.range(0, 0)));
    }
    for model in models(document) {
        found.extend(pair(document, Some(&model.name), document.range(model.class.name.span)));
    }
    json!(found)
}

/// What a model is, and the way to its simulation.
fn pair(document: &Document, model: Option<&str>, range: Value) -> [Value; 2] {
    let data = json!({"uri": document.uri, "model": model});
    let simulate = json!({"title": "simulate", "command": "modeshift.simulate", "arguments": [document.uri, model]});
    [json!({"range": range, "data": data}), json!({"range": range, "command": simulate})]
}

/// A lens with its words; a model that cannot be analyzed has none but the way to its diagnostics.
pub fn resolved(body: &Value, summary: Option<&str>) -> Value {
    let mut lens = body["lens"].clone();
    let arguments = [lens["data"]["uri"].clone(), lens["data"]["model"].clone()];
    let (title, command) = match summary {
        Some(summary) => (summary, "modeshift.structure"),
        None => ("check", "modeshift.check"),
    };
    lens["command"] = json!({"title": title, "command": command, "arguments": arguments});
    lens
}

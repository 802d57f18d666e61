//! The schemas of all reports, and the page `docs/json.md` that is made from them.

use serde_json::{Value, json};

use crate::analyze::AnalyzeReport;
use crate::approximate::ApproximateReport;
use crate::changes::ChangesReport;
use crate::check::CheckReport;
use crate::compare::CompareReport;
use crate::flat::FlatReport;
use crate::init::InitReport;
use crate::json::schema_of;
use crate::linearize::LinearizeReport;
use crate::pantelides::PantelidesReport;
use crate::semantics::SemanticsReport;
use crate::simulate::{EventReport, SimulateReport};

/// The commands that print JSON, each with the schema of what it prints: its report, or where the model is refused that of `check`.
pub fn schemas() -> [(&'static str, Value); 11] {
    let refusal = schema_of::<CheckReport>();
    reports().map(|(command, report)| match command {
        "check" => (command, report),
        _ => (command, or_refused(report, &refusal)),
    })
}

/// The schema of a report or of a refusal.
fn or_refused(report: Value, refusal: &Value) -> Value {
    let mut definitions = report["$defs"].as_object().cloned().unwrap_or_default();
    for (name, definition) in refusal["$defs"].as_object().into_iter().flatten() {
        if !definitions.contains_key(name) {
            definitions.insert(name.clone(), definition.clone());
        }
    }
    let choices = json!([{"$ref": report["$ref"]}, {"$ref": refusal["$ref"]}]);
    json!({"$schema": report["$schema"], "anyOf": choices, "$defs": definitions})
}

/// The commands that print JSON, each with the schema of its report.
fn reports() -> [(&'static str, Value); 11] {
    [
        ("flatten", schema_of::<FlatReport>()),
        ("check", schema_of::<CheckReport>()),
        ("analyze", schema_of::<AnalyzeReport>()),
        ("analyze --method approximate", schema_of::<ApproximateReport>()),
        ("analyze --method pantelides", schema_of::<PantelidesReport>()),
        ("init", schema_of::<InitReport>()),
        ("changes", schema_of::<ChangesReport>()),
        ("semantics", schema_of::<SemanticsReport>()),
        ("simulate", schema_of::<SimulateReport>()),
        ("linearize", schema_of::<LinearizeReport>()),
        ("compare", schema_of::<CompareReport>()),
    ]
}

/// The schema of the log that `simulate --events` writes: a list of events.
pub fn event_log_schema() -> Value {
    let mut schema = schema_of::<EventReport>();
    let event = std::mem::take(&mut schema["$ref"]);
    let schema = schema.as_object_mut().expect("a schema is an object");
    schema.remove("$ref");
    schema.insert("type".to_string(), "array".into());
    schema.insert("items".to_string(), json!({"$ref": event}));
    Value::Object(std::mem::take(schema))
}

/// The page: a table of keys for each object.
pub fn json_page() -> String {
    let mut page = String::from(
        "# Reports as JSON\n\n\
         Made from the declarations in `crates/report` by a test (`UPDATE_EXPECT=1 cargo test`); as JSON Schema in\n\
         `docs/schema/`. Keys come in this order. Every report has a version, which grows when a key changes its meaning or\n\
         goes; keys may be added at any time. Where there is nothing to report since the model is refused, every command\n\
         writes what `check --format json` would, and its schema allows that. The log of events of a run is a list and has no version.\n",
    );
    let mut known: Vec<String> = Vec::new();
    let headings = reports().map(|(command, schema)| (format!("{command} --format json"), schema));
    for (heading, schema) in headings.into_iter().chain([("simulate --events".to_string(), event_log_schema())]) {
        page += &format!("\n## `{heading}`\n");
        let Some(definitions) = schema["$defs"].as_object() else { continue };
        for (name, definition) in definitions {
            if !known.contains(name) {
                known.push(name.clone());
                page += &section(name, definition);
            }
        }
    }
    page
}

fn section(name: &str, definition: &Value) -> String {
    let mut text = format!("\n### {name}\n\n{}\n", definition["description"].as_str().unwrap_or_default());
    let Some(properties) = definition["properties"].as_object() else {
        return text + &format!("\nWritten as {}.\n", type_text(definition));
    };
    text += "\n| key | value | meaning |\n|---|---|---|\n";
    for (key, property) in properties {
        let is_required = definition["required"].as_array().is_some_and(|keys| keys.iter().any(|it| it == key));
        let optional = if is_required { "" } else { ", optional" };
        let meaning = property["description"].as_str().unwrap_or_default();
        text += &format!("| `{key}` | {}{optional} | {meaning} |\n", type_text(property));
    }
    text
}

/// `list of string`, `Case or null`
fn type_text(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(type_text).collect::<Vec<_>>().join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        Value::String(name) if name == "array" => format!("list of {}", type_text(&schema["items"])),
        Value::String(name) if name == "object" && schema["additionalProperties"].is_object() => {
            format!("object of {} by name", type_text(&schema["additionalProperties"]))
        }
        Value::String(name) if name == "object" => {
            let keys = schema["properties"].as_object().into_iter().flat_map(|keys| keys.keys());
            format!("an object of {}", keys.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and "))
        }
        Value::String(name) => name.clone(),
        _ => "anything".to_string(),
    }
}

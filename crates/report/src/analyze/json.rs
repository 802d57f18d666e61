//! The report as JSON, keys in the order of the documentation.

use serde_json::{Map, Value, json};

use super::{BlockReport, Case, ItemReport, ModeVariableReport, PartReport, Place, ReadReport, Report, SingularReport};

/// The whole report.
pub fn to_json(report: &Report) -> Value {
    let mut object = Map::new();
    object.insert("model".into(), json!(report.model));
    if let Some(at) = &report.at {
        object.insert("at".into(), json!(at));
    }
    object.insert("mode_variables".into(), list(&report.mode_variables, mode_variable_to_json));
    object.insert("invariant".into(), json!(report.invariant));
    object.insert("mode_count".into(), json!(report.mode_count));
    object.insert("verdict".into(), json!(report.verdict()));
    object.insert("singular".into(), list(&report.singular, singular));
    if report.transient_when != "false" {
        object.insert("transient".into(), json!(report.transient_when));
    }
    object.insert("equations".into(), list(&report.equations, item));
    object.insert("variables".into(), list(&report.variables, item));
    object.insert("structural_index".into(), list(&report.structural_index, case));
    object.insert("degrees_of_freedom".into(), list(&report.degrees_of_freedom, case));
    if let Some((least, most)) = report.degrees_of_freedom_between {
        object.insert("degrees_of_freedom_between".into(), json!([least, most]));
    }
    object.insert("blocks".into(), list(&report.blocks, block_to_json));
    let dependencies = report.dependencies.iter();
    let dependencies = dependencies.map(|edge| json!({"from": edge.from, "to": edge.to, "when": edge.when}));
    object.insert("dependencies".into(), dependencies.collect());
    if report.truncated {
        object.insert("truncated".into(), json!(true));
    }
    Value::Object(object)
}

/// `{"file", "line", "column"}`
pub fn place_to_json(place: &Place) -> Value {
    json!({"file": place.file, "line": place.line, "column": place.column})
}

fn list<T>(items: &[T], to_value: impl Fn(&T) -> Value) -> Value {
    items.iter().map(to_value).collect()
}

fn case(case: &Case) -> Value {
    json!({"when": case.when, "value": case.value})
}

/// The same object with the key `span`, where there is a place.
pub fn with_span(mut value: Value, place: &Option<Place>) -> Value {
    if let (Value::Object(object), Some(place)) = (&mut value, place) {
        object.insert("span".into(), place_to_json(place));
    }
    value
}

/// `{"name", "definition", "implicit", "span"}`
pub fn mode_variable_to_json(variable: &ModeVariableReport) -> Value {
    let value = json!({"name": variable.name, "definition": variable.definition, "implicit": variable.implicit});
    with_span(value, &variable.place)
}

fn item(item: &ItemReport) -> Value {
    let value = json!({"name": item.name, "when": item.when, "offsets": list(&item.offsets, case)});
    with_span(value, &item.place)
}

fn part(part: &PartReport) -> Value {
    json!({"equations": part.equations, "variables": part.variables})
}

fn singular(case: &SingularReport) -> Value {
    let mut value = json!({
        "when": case.when,
        "example": case.example,
        "overdetermined": part(&case.overdetermined),
        "underdetermined": part(&case.underdetermined),
    });
    if !case.exact {
        value["truncated"] = json!(true);
    }
    value
}

fn read(read: &ReadReport) -> Value {
    match &read.when {
        None => json!(read.name),
        Some(when) => json!({"name": read.name, "when": when}),
    }
}

/// `{"id", "when", "equations", "reads", "writes"}`
pub fn block_to_json(block: &BlockReport) -> Value {
    json!({
        "id": block.id,
        "when": block.when,
        "equations": block.equations,
        "reads": list(&block.reads, read),
        "writes": block.writes,
    })
}

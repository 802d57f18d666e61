//! The report of `init` as JSON, keys in the order of the documentation.

use serde_json::{Map, Value, json};

use super::report::{CaseReport, ConditionReport, InitReport, ItemWhen, ScenarioReport, StartReport};
use crate::analyze::{block_to_json, with_span};

/// `{"model", "scenarios": […]}`
pub fn init_to_json(report: &InitReport) -> Value {
    let mut object = Map::new();
    object.insert("model".into(), json!(report.model));
    if let Some(at) = &report.at {
        object.insert("at".into(), json!(at));
    }
    object.insert("scenarios".into(), report.scenarios.iter().map(scenario).collect());
    Value::Object(object)
}

/// `{"name", "when", "verdict", "cases", "singular", "start"}`
fn scenario(scenario: &ScenarioReport) -> Value {
    let mut value = json!({
        "name": scenario.name,
        "when": scenario.when,
        "verdict": scenario.verdict,
        "cases": scenario.cases.iter().map(case).collect::<Value>(),
    });
    if let Some(singular) = &scenario.singular {
        value["singular"] = json!(singular);
    }
    if let Some(found) = &scenario.start {
        value["start"] = start(found);
    }
    value
}

/// Conditions are named by their texts in `redundant`, `conflicting` and `conflict`; `conditions` has their places.
fn case(case: &CaseReport) -> Value {
    let mut value = json!({
        "when": case.when,
        "possible": case.possible,
        "verdict": case.verdict,
        "free": items(&case.free),
        "proposal": items(&case.proposal),
        "redundant": conditions(&case.redundant),
        "conflicting": conditions(&case.conflicting),
        "conflict": conditions(&case.conflict),
        "conditions": places(case),
        "example": case.example,
        "blocks": case.blocks.iter().map(block_to_json).collect::<Value>(),
    });
    if case.truncated {
        value["truncated"] = json!(true);
    }
    value
}

fn items(items: &[ItemWhen]) -> Value {
    let item = |item: &ItemWhen| match &item.when {
        None => json!(item.name),
        Some(when) => json!({"name": item.name, "when": when}),
    };
    items.iter().map(item).collect()
}

fn conditions(conditions: &[ConditionReport]) -> Value {
    let condition = |condition: &ConditionReport| match &condition.when {
        None => json!(condition.text),
        Some(when) => json!({"name": condition.text, "when": when}),
    };
    conditions.iter().map(condition).collect()
}

/// `{"text", "kind", "span"}`, each once.
fn places(case: &CaseReport) -> Value {
    let mut list: Vec<&ConditionReport> = Vec::new();
    let all = case.redundant.iter().chain(&case.conflicting).chain(&case.conflict);
    for condition in all {
        let same = |other: &&&ConditionReport| other.text == condition.text && other.place == condition.place;
        if list.len() > MOST_COMPARED || !list.iter().any(|other| same(&other)) {
            list.push(condition);
        }
    }
    let place = |it: &&ConditionReport| with_span(json!({"text": it.text, "kind": it.kind}), &it.place);
    list.iter().map(place).collect()
}

/// In longer lists, repetitions are not looked for.
const MOST_COMPARED: usize = 1000;

fn start(start: &StartReport) -> Value {
    let mode: Map<String, Value> = start.mode.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let values: Map<String, Value> = start.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({"mode": mode, "values": values})
}

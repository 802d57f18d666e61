//! The report of `changes` as JSON, keys in the order of the documentation.

use modeshift_mode_changes::{ArrayReport, ChangeReport, LevelReport};
use serde_json::{Map, Value, json};

use super::report::{ChangesReport, ChangesSummary, ItemInChanges, OrderInChanges};

/// `{"model", "changes": […]}`, and `"summary"` instead of the list where there are too many kinds of changes.
pub fn changes_to_json(report: &ChangesReport) -> Value {
    let mut object = Map::new();
    object.insert("model".into(), json!(report.model));
    for (key, restriction) in [("from", &report.from), ("to", &report.to)] {
        if let Some(mode) = restriction {
            object.insert(key.into(), json!(mode));
        }
    }
    object.insert("mode_count".into(), json!(report.mode_count));
    object.insert("changes".into(), report.changes.iter().map(change).collect());
    if let Some(found) = &report.summary {
        object.insert("truncated".into(), json!(true));
        object.insert("summary".into(), summary(found));
    }
    Value::Object(object)
}

fn change(change: &ChangeReport) -> Value {
    let order = |(name, order): &(String, String)| json!({"variable": name, "order": order});
    let continuous = |(name, derivatives): &(String, u32)| match derivatives {
        0 => json!(name),
        count => json!({"variable": name, "derivatives": count}),
    };
    let mut value = json!({
        "when": change.when,
        "verdict": change.verdict.word(),
        "erased": change.erased,
        "undetermined": change.undetermined,
        "impulse_orders": change.impulse_orders.iter().map(order).collect::<Value>(),
        "continuous": change.continuous.iter().map(continuous).collect::<Value>(),
        "discontinuous": change.discontinuous,
        "warnings": change.warnings,
        "restart": change.restart.iter().map(level).collect::<Value>(),
    });
    if let Some(reason) = &change.reason {
        value["reason"] = json!(reason);
    }
    if !change.cascade.is_empty() {
        value["cascade"] = json!(change.cascade);
    }
    if let Some(help) = &change.help {
        value["help"] = json!(help);
    }
    if let Some(found) = &change.array {
        value["array"] = array(found);
    }
    value
}

fn level(level: &LevelReport) -> Value {
    let mut value = json!({"level": level.level, "equations": level.equations, "solves": level.solves});
    if !level.formula.is_empty() {
        let formula: Map<String, Value> =
            level.formula.iter().map(|(name, formula)| (name.clone(), json!(formula))).collect();
        value["formula"] = Value::Object(formula);
    }
    value
}

fn array(array: &ArrayReport) -> Value {
    let erased = |(name, shift): &(String, u32)| json!({"equation": name, "shift": shift});
    json!({
        "erased": array.erased.iter().map(erased).collect::<Value>(),
        "undetermined": array.undetermined,
        "agrees": array.agrees,
    })
}

/// Orders are `{"variable", "order", "when"}`, rules `{"of", "at_least", "when"}`.
fn summary(summary: &ChangesSummary) -> Value {
    let item = |item: &ItemInChanges| json!({"name": item.name, "when": item.when});
    let order = |it: &&OrderInChanges| {
        let variable = it.of.trim_start_matches("[[").trim_end_matches("]]");
        json!({"variable": variable, "order": it.order, "when": it.when})
    };
    let rule = |it: &&OrderInChanges| json!({"of": it.of, "at_least": it.order, "when": it.when});
    let (rules, orders): (Vec<_>, Vec<_>) = summary.orders.iter().partition(|it| it.is_least);
    json!({
        "erased": summary.erased.iter().map(item).collect::<Value>(),
        "undetermined": summary.undetermined.iter().map(item).collect::<Value>(),
        "orders": orders.iter().map(order).collect::<Value>(),
        "order_rules": rules.iter().map(rule).collect::<Value>(),
    })
}

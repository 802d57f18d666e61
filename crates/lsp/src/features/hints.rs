//! Behind each equation, which variable it is solved for in which modes: `when bl → yl`.

use serde_json::{Value, json};

use crate::documents::Document;

/// The hints of a range.
pub fn hints(document: &Document, range: &Value) -> Value {
    let Some(facts) = &document.facts else { return json!([]) };
    let (from, to) = (document.text.offset(&range["start"]), document.text.offset(&range["end"]));
    let mut found: Vec<Value> = Vec::new();
    let mut rest = facts.equations();
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|it| it["start"] == first["start"] && it["end"] == first["end"]).count();
        let (instances, others) = rest.split_at(same);
        rest = others;
        let Some(end) = document.moved(first["end"].as_u64().unwrap_or(0) as usize, facts.changes) else { continue };
        if end < from || end > to {
            continue;
        }
        // An equation of several instances has a hint where it says the same for all of them.
        let Some((name, label)) = instances.first().map(|it| (it["name"].as_str().unwrap_or_default(), label(it)))
        else {
            continue;
        };
        if label.is_empty() || instances.iter().any(|it| self::label(it) != label) {
            continue;
        }
        found.push(json!({
            "position": document.text.position(end), "label": format!("  {label}"), "kind": 1,
            "tooltip": format!("equation `{name}` is solved for this"), "paddingLeft": true,
        }));
    }
    json!(found)
}

/// What an equation is solved for, without the name of the component that it is part of.
fn label(equation: &Value) -> String {
    let prefix = equation["name"].as_str().and_then(|name| name.rsplit_once('.')).map_or("", |(prefix, _)| prefix);
    let own = |name: &str| name.strip_prefix(prefix).and_then(|it| it.strip_prefix('.')).unwrap_or(name).to_string();
    // What it is solved for, and when; blocks that read different things may be solved for the same.
    let mut solved: Vec<(String, Vec<&str>)> = Vec::new();
    for case in equation["solved"].as_array().into_iter().flatten() {
        let writes = case["writes"].as_array().into_iter().flatten().filter_map(Value::as_str).map(own);
        let writes = writes.collect::<Vec<String>>().join(", ");
        let when = case["when"].as_str().unwrap_or("true");
        match solved.iter_mut().find(|(known, _)| *known == writes) {
            Some((_, modes)) => modes.push(when),
            None => solved.push((writes, vec![when])),
        }
    }
    let is_always =
        |modes: &[&str]| modes == ["true"] || equation["solved"].as_array().is_some_and(|all| all.len() == modes.len());
    let mut cases: Vec<String> = Vec::new();
    for (writes, modes) in &solved {
        match is_always(modes) {
            true => cases.push(format!("→ {writes}")),
            false => cases.push(format!("when {} → {writes}", modes.join(" or "))),
        }
    }
    const MOST: usize = 4;
    if cases.len() > MOST {
        cases.truncate(MOST);
        cases.push("…".to_string());
    }
    cases.join(" · ")
}

//! Reports as JSON: the page and the schemas are those of the declarations, and real outputs obey the schemas.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use modeshift_driver::report::json::pretty;
use modeshift_driver::report::schema::{event_log_schema, json_page, schemas};
use serde_json::Value;

use crate::support::{modeshift, root};

#[test]
fn the_page_about_json_is_made_from_the_declarations() {
    expect_file!["../../../docs/json.md"].assert_eq(&json_page());
}

#[test]
fn the_schemas_are_made_from_the_declarations() {
    for (command, schema) in schemas() {
        let file = command.replace(" --method ", "-");
        expect_file![root().join(format!("docs/schema/{file}.json"))].assert_eq(&pretty(&schema));
    }
}

#[test]
fn reports_of_all_models_obey_their_schemas() {
    let models = std::fs::read_dir(root().join("models")).expect("there are models");
    let mut models: Vec<String> = models
        .map(|entry| entry.expect("readable").path().strip_prefix(root()).expect("inside").display().to_string())
        .collect();
    models.sort();
    assert!(models.len() > 20);
    let refusal = schemas().into_iter().find(|(name, _)| *name == "check").expect("known").1;
    for (command, schema) in schemas().into_iter().filter(|(command, _)| !["simulate", "compare"].contains(command)) {
        for model in &models {
            let command_line: Vec<&str> = command.split(' ').chain([model.as_str(), "--format", "json"]).collect();
            let outcome = modeshift(&command_line);
            if !outcome.stdout.is_empty() {
                let report = outcome.json();
                assert_eq!(report["version"], 1, "{command} {model}");
                let schema = if report.get("ok").is_some() { &refusal } else { &schema };
                check(&report, schema, schema, &format!("{command} {model}"));
            } else {
                assert_ne!(outcome.status, 0, "{command} {model} says nothing");
            }
        }
    }
}

fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    directory
}

/// Logs with jumps, impulses, cascades, sliding and variables without a value.
#[test]
fn event_logs_obey_their_schema() {
    let schema = event_log_schema();
    expect_file![root().join("docs/schema/simulate-events.json")].assert_eq(&pretty(&schema));
    let directory = directory("event_logs");
    let relay = directory.join("Relay.mo");
    std::fs::write(
        &relay,
        "model Relay Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end Relay;",
    )
    .expect("written");
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for model in
        ["models/ClutchBasic.mo", "models/BreakingCapacitor.mo", "models/RLDC2.mo", &relay.display().to_string()]
    {
        let log = directory.join("events.json").display().to_string();
        let result = directory.join("result.csv").display().to_string();
        modeshift(&["simulate", model, "--stop", "8", "--events", &log, "-o", &result]);
        let log: Value = serde_json::from_str(&std::fs::read_to_string(&log).expect("a log")).expect("JSON");
        check(&log, &schema, &schema, model);
        let events = log.as_array().expect("a list");
        assert!(!events.is_empty(), "{model}");
        keys.extend(events.iter().filter_map(Value::as_object).flat_map(|event| event.keys().cloned()));
    }
    assert!(keys.contains("sliding") && keys.contains("impulses"));
}

/// How a run went, for programs; the result holds what was asked for.
#[test]
fn runs_are_summed_up_as_json() {
    let result = directory("runs").join("result.csv").display().to_string();
    let schema = &schemas().into_iter().find(|(name, _)| *name == "simulate").expect("known").1;
    let run = |model: &str, more: &[&str]| {
        let outcome = modeshift(&[&["simulate", model, "--format", "json", "-o", &result], more].concat());
        let report = outcome.json();
        check(&report, schema, schema, model);
        (outcome.status, report)
    };
    let (status, report) = run("models/ClutchBasic.mo", &["--vars", "w*"]);
    assert_eq!(
        (status, &report["ok"], &report["events"], &report["result"]),
        (0, &true.into(), &2.into(), &result.as_str().into())
    );
    let rows = std::fs::read_to_string(&result).expect("a result");
    assert_eq!(rows.lines().next(), Some("time,w1,w2"));
    assert_eq!(rows.lines().count(), 1 + report["rows"].as_u64().expect("a number") as usize);
    // One instant is one row.
    let (status, report) = run("models/ClutchBasic.mo", &["--start", "1", "--stop", "1"]);
    assert_eq!((status, &report["rows"], &report["time"]), (0, &1.into(), &1.0.into()));
    let piped = modeshift(&["simulate", "models/ClutchBasic.mo", "--vars", "g,w1", "--interval", "5", "-o", "-"]);
    assert!(piped.stdout.starts_with("time,g,w1\n0,0,1\n"), "{}", piped.stdout);
    let unknown = modeshift(&["simulate", "models/ClutchBasic.mo", "--vars", "w9", "-o", "-"]);
    assert!(
        unknown.status == 2 && unknown.stderr.contains("--vars: the model has no variable `w9`"),
        "{}",
        unknown.stderr
    );
}

/// Results that are alike, that differ, and that have not the same signals.
#[test]
fn comparisons_are_json_too() {
    let schema = &schemas().into_iter().find(|(name, _)| *name == "compare").expect("known").1;
    let directory = directory("comparisons");
    let file = |name: &str| directory.join(name).display().to_string();
    for (name, text) in [("a.csv", "time,x,y\n0,0,1\n1,1,1\n"), ("b.csv", "time,x,z\n0,0,1\n1,2,1\n")] {
        std::fs::write(file(name), text).expect("written");
    }
    for (one, other, status) in [("a.csv", "a.csv", 0), ("a.csv", "b.csv", 1)] {
        let outcome = modeshift(&["compare", &file(one), &file(other), "--format", "json"]);
        let report = outcome.json();
        check(&report, schema, schema, other);
        assert_eq!((outcome.status, &report["ok"]), (status, &(status == 0).into()), "{other}");
    }
}

/// A program that reads JSON gets some: where a model is refused, what `check` says of it.
#[test]
fn refusals_are_json_too() {
    let wrong = directory("refusals").join("Wrong.mo");
    std::fs::write(&wrong, "model Wrong Real x; equation x = y; end Wrong;").expect("written");
    let wrong = wrong.display().to_string();
    let schema = &schemas().into_iter().find(|(name, _)| *name == "check").expect("known").1;
    for (command, own) in schemas().into_iter().filter(|(name, _)| *name != "compare") {
        let command_line: Vec<&str> = command.split(' ').chain([wrong.as_str(), "--format", "json"]).collect();
        let outcome = modeshift(&command_line);
        assert_eq!(outcome.status, 1, "{command}");
        let report = outcome.json();
        check(&report, schema, schema, command);
        check(&report, &own, &own, command);
        assert_eq!((&report["ok"], &report["diagnostics"][0]["code"]), (&false.into(), &"E0201".into()), "{command}");
    }
}

/// A report that is large, a model that is wrong: the keys that most reports do not have.
#[test]
fn rare_keys_obey_the_schemas_too() {
    let all = schemas();
    let schema = |command: &str| &all.iter().find(|(name, _)| *name == command).expect("known").1;
    let rare: [&[&str]; 8] = [
        &["analyze", "models/WaterTank.mo", "--at", "bh=true"],
        &["analyze", "models/TransmissionTree.mo", "--set", "N=5"],
        &["changes", "models/ClutchBasic.mo", "--method", "array", "--to", "g=true"],
        &["changes", "models/BuildingIncompressible.mel", "--set", "N=4"],
        &["init", "models/WaterTank.mo", "--at", "bh=true"],
        &["semantics", "models/RLDC2.mo", "--all-choices"],
        &["semantics", "models/ClutchBasic.mo", "--run", "2"],
        &["check", "models/no_such_model.mo"],
    ];
    for arguments in rare.into_iter().filter(|arguments| Path::new(&root()).join(arguments[1]).exists()) {
        let outcome = modeshift(&[arguments, &["--format", "json"]].concat());
        let schema = schema(arguments[0]);
        check(&outcome.json(), schema, schema, &arguments.join(" "));
    }
}

/// Whether a value obeys a schema, as far as the keywords of our schemas go; an unknown keyword is a mistake of the test.
fn check(value: &Value, schema: &Value, whole: &Value, place: &str) {
    if let Err(reason) = obeys(value, schema, whole) {
        panic!("{place}: {reason}");
    }
}

fn obeys(value: &Value, schema: &Value, whole: &Value) -> Result<(), String> {
    for (keyword, expected) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "description" | "$schema" | "$defs" => {}
            "$ref" => {
                let name = expected.as_str().and_then(|text| text.strip_prefix("#/$defs/")).expect("our references");
                obeys(value, &whole["$defs"][name], whole)?;
            }
            "const" if value == expected => {}
            "anyOf" => {
                let choices = expected.as_array().expect("a list of schemas");
                if !choices.iter().any(|choice| obeys(value, choice, whole).is_ok()) {
                    return Err(format!("{value} is none of {expected}"));
                }
            }
            "type" if has_type(value, expected) => {}
            "required" => {
                let missing = expected
                    .as_array()
                    .expect("a list")
                    .iter()
                    .find(|key| value.get(key.as_str().expect("a key")).is_none());
                missing.map_or(Ok(()), |key| Err(format!("{value} has no {key}")))?;
            }
            "properties" => {
                for (key, property) in expected.as_object().expect("an object") {
                    value
                        .get(key)
                        .map_or(Ok(()), |value| obeys(value, property, whole))
                        .map_err(|it| format!("{key}: {it}"))?;
                }
                let keys: Vec<&String> = value.as_object().into_iter().flat_map(|object| object.keys()).collect();
                let order: Vec<&String> =
                    expected.as_object().expect("an object").keys().filter(|key| keys.contains(key)).collect();
                if schema["additionalProperties"] == false && keys != order {
                    return Err(format!("keys {keys:?} instead of {order:?}"));
                }
            }
            "additionalProperties" => {
                if expected.is_object() {
                    let mut values = value.as_object().into_iter().flat_map(|object| object.values());
                    values.try_for_each(|value| obeys(value, expected, whole))?;
                }
            }
            "items" => value.as_array().into_iter().flatten().try_for_each(|item| obeys(item, expected, whole))?,
            "minItems" | "maxItems"
                if value.as_array().map(Vec::len) == expected.as_u64().map(|count| count as usize) => {}
            _ => return Err(format!("{value} does not obey {keyword}: {expected}")),
        }
    }
    Ok(())
}

fn has_type(value: &Value, expected: &Value) -> bool {
    if let Some(choices) = expected.as_array() {
        return choices.iter().any(|choice| has_type(value, choice));
    }
    match expected.as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

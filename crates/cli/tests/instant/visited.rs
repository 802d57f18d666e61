//! A run enters only modes that `analyze` calls regular or harmless.
//!
//! The mode variables of every row of a run's table are a mode that it was in; `analyze --at` says of each by itself what
//! it is.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::reference::{Reference, of_kind};
use super::runner::Table;
use super::variants::Variant;
use super::{is_known_to_fail, of_all};
use crate::support::temporary;

/// Runs a model and judges the modes that it was in: how many are singular, or which should not have been entered.
fn judge(reference: &Reference) -> Result<usize, String> {
    let folder = temporary(&format!("visited_{}", reference.path().replace('/', "_")));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let (model, table) = (folder.join("Model.mo"), folder.join("table.csv"));
    std::fs::write(&model, Variant::Plain.text(reference)).map_err(|error| error.to_string())?;
    let (stop, interval) = (reference.stop.to_string(), reference.interval.to_string());
    let mut run = Command::new(env!("CARGO_BIN_EXE_modeshift"));
    run.arg("simulate").arg(&model).arg("-o").arg(&table).args(["--stop", &stop, "--interval", &interval]);
    let ended = run.env_remove("MODELICAPATH").output().map_err(|error| error.to_string())?;
    if !ended.status.success() {
        return Err(format!("does not run: {}", String::from_utf8_lossy(&ended.stderr)));
    }
    let analyze = |at: Option<&str>| -> Result<Value, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("analyze").arg(&model).args(["--format", "json"]).env_remove("MODELICAPATH");
        command.args(at.into_iter().flat_map(|at| ["--at", at]));
        let output = command.output().map_err(|error| error.to_string())?;
        serde_json::from_slice(&output.stdout).map_err(|error| format!("analyze: {error}"))
    };
    let whole = analyze(None)?;
    let variables = whole["mode_variables"].as_array().into_iter().flatten();
    let names: Vec<String> = variables.filter_map(|it| it["name"].as_str().map(str::to_string)).collect();
    let mut singular = 0;
    for mode in modes(&table, &names)? {
        let found = analyze(Some(&mode))?;
        for case in found["singular"].as_array().into_iter().flatten() {
            match case["kind"].as_str() {
                Some("harmless" | "undecided") => singular += 1,
                kind => return Err(format!("enters {mode}, which is {}", kind.unwrap_or("of no kind"))),
            }
        }
    }
    Ok(singular)
}

/// The modes of a table's rows, as `--at` takes them. Relations have no column; what a table says is enough where all
/// mode variables are Booleans.
fn modes(table: &std::path::Path, names: &[String]) -> Result<BTreeSet<String>, String> {
    let table = Table::read(table)?;
    let column = |name: &String| table.names.iter().position(|it| it == name);
    let columns: Vec<(usize, &String)> = names.iter().filter_map(|name| Some((column(name)?, name))).collect();
    let mut modes = BTreeSet::new();
    for row in &table.rows {
        let value = |&(at, name): &(usize, &String)| format!("{name}={}", row[at] != 0.0);
        modes.insert(columns.iter().map(value).collect::<Vec<_>>().join(","));
    }
    modes.remove("");
    Ok(modes)
}

#[test]
fn runs_enter_only_modes_that_are_regular_or_harmless() {
    let models: Vec<Reference> = of_kind("power").into_iter().filter(|it| !is_known_to_fail(it)).collect();
    let singular = std::sync::atomic::AtomicUsize::new(0);
    let wrong = of_all(&models, |model| match judge(model) {
        Ok(visited) => {
            singular.fetch_add(visited, std::sync::atomic::Ordering::Relaxed);
            None
        }
        Err(wrong) => Some(format!("{}: {wrong}", model.path())),
    });
    let singular = singular.into_inner();
    println!("{} models, {singular} singular modes entered", models.len());
    assert!(wrong.is_empty(), "{} surprises:\n{}", wrong.len(), wrong.join("\n"));
    assert!(singular > 0 || std::env::var_os("INSTANT").is_some(), "some circuits run through singular modes");
}

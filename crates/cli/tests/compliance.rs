//! The compliance suite of the language (`modelica/Modelica-Compliance`), where it is at hand: `check` accepts what must
//! pass and refuses what must fail.
//!
//! ```text
//! MODELICA_COMPLIANCE=/path/to/Modelica-Compliance MODELICAPATH=… cargo test -p modeshift-cli compliance::
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

/// Of 605 models that must pass, as many do; the others need operator records, overconstrained connections, streams,
/// external C (34), expandable connectors (9), or are constructs that are refused by name.
const PASS: usize = 554;

/// Of 432 models that must fail, as many are refused before a run; four more end with their assertion when they run.
const REFUSED: usize = 422;

struct Case {
    name: String,
    must_pass: bool,
}

#[test]
fn the_compliance_suite_is_kept_as_far_as_it_was() {
    let Some(root) = std::env::var_os("MODELICA_COMPLIANCE").map(|path| PathBuf::from(path).join("ModelicaCompliance"))
    else {
        println!("skipped: no compliance suite in MODELICA_COMPLIANCE");
        return;
    };
    let mut cases = Vec::new();
    collect(&root, "ModelicaCompliance", &mut cases);
    assert!(cases.len() > 1000, "there are only {} models below {}", cases.len(), root.display());
    let (mut passed, mut refused, mut broken) = (0, 0, Vec::new());
    for case in &cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("check").arg(root.join("package.mo")).args(["-m", &case.name, "--time-limit", "20"]);
        match command.output().expect("the program runs").status.code() {
            Some(0) => passed += usize::from(case.must_pass),
            Some(1) => refused += usize::from(!case.must_pass),
            other => broken.push((case.name.clone(), other)),
        }
    }
    assert!(broken.is_empty(), "neither accepted nor refused: {broken:?}");
    assert!(passed >= PASS, "only {passed} of those that must pass do");
    assert!(refused >= REFUSED, "only {refused} of those that must fail are refused");
}

/// All models below a directory that say whether they should pass.
fn collect(directory: &Path, package: &str, cases: &mut Vec<Case>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let name = format!("{package}.{stem}");
        if path.is_dir() {
            collect(&path, &name, cases);
        } else if path.extension().is_some_and(|extension| extension == "mo") && stem != "package" {
            let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).replace(' ', ""));
            let Some(must_pass) = text.ok().and_then(|text| should_pass(&text)) else { continue };
            cases.push(Case { name, must_pass });
        }
    }
}

/// What `shouldPass=…` says.
fn should_pass(text: &str) -> Option<bool> {
    let (_, rest) = text.split_once("shouldPass=")?;
    Some(rest.starts_with("true"))
}

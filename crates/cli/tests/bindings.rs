//! The bindings, tested by Python where there is one that has them: `MODESHIFT_PYTHON` names it.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the tests in a directory, or says why not.
fn check(tests: &str, needed: &str) {
    let Ok(python) = std::env::var("MODESHIFT_PYTHON") else {
        eprintln!("skipped: MODESHIFT_PYTHON does not name a Python with {needed}");
        return;
    };
    let has = Command::new(&python).arg("-c").arg(format!("import {needed}")).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} does not have {needed}");
        return;
    }
    let output = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg(root().join(tests))
        .env("MODESHIFT_PROGRAM", env!("CARGO_BIN_EXE_modeshift"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("a Python that was there before");
    let text = String::from_utf8_lossy(&output.stdout);
    eprintln!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn python_finds_the_wheel_as_it_should_be() {
    check("bindings/python/tests", "modeshift, pytest");
}

#[test]
fn fmpy_finds_fmus_as_they_should_be() {
    if std::env::var_os("MODESHIFT_FMI_LIBRARY").is_none() {
        eprintln!("skipped: MODESHIFT_FMI_LIBRARY does not say where the engine's library is");
        return;
    }
    check("bindings/fmi/tests", "fmpy, pytest");
}

//! Models in, transformed models out.

#![allow(dead_code)]

use std::path::Path;

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostic;
use modeshift_rimis::{Failure, Form, mode_dependence, transform};
use modeshift_structure::{Analysis, Options, analyze};
use modeshift_testkit::multimode_dae;

/// The multimode DAE of the last model of a Modelica text.
pub fn model(text: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}\n{text}"))
}

pub fn analysis(dae: &MultimodeDae) -> Analysis {
    analyze(dae, &Options::default()).expect("no limit was set")
}

/// A model of the papers by its name.
pub fn paper_model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.mo"));
    std::fs::read_to_string(path).expect("a model of the papers")
}

/// The transformed model.
pub fn transformed(text: &str, overrides: &[(&str, &str)], form: Form) -> String {
    let dae = model(text, overrides);
    match transform(&dae, &analysis(&dae), form, None) {
        Ok(text) => text,
        Err(Failure::Limit(limit)) => panic!("{limit:?}"),
        Err(Failure::Diagnosed(diagnostic)) => panic!("{diagnostic:#?}"),
    }
}

/// Why a model cannot be transformed.
pub fn obstacle(text: &str) -> Diagnostic {
    let dae = model(text, &[]);
    match transform(&dae, &analysis(&dae), Form::Robust, None) {
        Err(Failure::Diagnosed(diagnostic)) => *diagnostic,
        other => panic!("{other:?}"),
    }
}

/// Reads back a transformed model and asserts that its structure does not depend on the mode.
pub fn check_mode_independent(text: &str) {
    let dae = model(text, &[]);
    let dependence = mode_dependence(&analysis(&dae));
    assert!(dependence.is_empty(), "{dependence:#?}\n{text}");
}

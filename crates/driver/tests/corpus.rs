//! The inputs that fuzzing begins with, and those that it found: each is read or refused, and does no harm.

use std::path::{Path, PathBuf};

use modeshift_driver::simulate::results::Trajectory;
use modeshift_driver::simulate::{InputTable, RunOptions, simulate};
use modeshift_driver::{Question, compare::ResultTable, flatten};

/// A model with an input of each type.
const DRIVEN: &str = "model F
  input Real u;
  input Boolean b;
  input Integer n;
  Real x(start = 0, fixed = true);
equation
  der(x) = if b then u else n - x;
  annotation(experiment(StopTime = 1, Interval = 0.1));
end F;";

/// The files of a target, with their bytes.
fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&directory).expect("a directory of the repository");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert!(!files.is_empty(), "{target} has nothing to begin with");
    files.into_iter().map(|file| (file.clone(), std::fs::read(file).expect("a file of the repository"))).collect()
}

fn texts(target: &str) -> Vec<(PathBuf, String)> {
    inputs(target).into_iter().map(|(file, bytes)| (file, String::from_utf8_lossy(&bytes).to_string())).collect()
}

#[test]
fn texts_of_the_corpus_are_models_or_refused() {
    for (target, name) in [("parser", "F.mo"), ("flattener", "F.mo"), ("mel", "F.mel")] {
        for (file, text) in texts(target) {
            let answer = flatten(&Question::of_text(name, &text));
            assert!(answer.result.is_some() || answer.diagnostics.has_errors(), "{}", file.display());
        }
    }
}

#[test]
fn tables_of_the_corpus_drive_a_model_or_are_refused() {
    for (file, text) in texts("input_csv") {
        let input = Some(InputTable { name: "f.csv".to_string(), text });
        let options = RunOptions { input, ..RunOptions::default() };
        let answer = simulate(&Question::of_text("F.mo", DRIVEN), &options, &mut Trajectory::default());
        assert!(answer.result.is_some() || answer.diagnostics.has_errors(), "{}", file.display());
    }
}

#[test]
fn results_of_the_corpus_are_read() {
    for (file, bytes) in inputs("results") {
        assert!(ResultTable::read("r", &bytes).is_ok(), "{}", file.display());
    }
}

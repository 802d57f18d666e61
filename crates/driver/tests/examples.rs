//! The programs in `examples`, which the book shows: what they print.
//!
//! `cargo test` builds them beside the tests. Where only the tests were built (`--test suite`) and they are not there, it says so.

use std::process::Command;

/// What an example prints and its status.
fn run(name: &str) -> Option<(String, Option<i32>)> {
    let this = std::env::current_exe().expect("the tests are a file");
    let program = this.parent().and_then(|folder| folder.parent()).expect("below target").join("examples").join(name);
    if !program.exists() {
        eprintln!("skipped: {name} was not built (cargo build --examples)");
        return None;
    }
    let output = Command::new(program).output().expect("an example runs");
    Some((String::from_utf8(output.stdout).expect("UTF-8"), output.status.code()))
}

#[test]
fn a_wrong_model_is_told() {
    let Some((said, status)) = run("check_model") else { return };
    assert!(said.contains("error[E0601]: singular when `not on`"), "{said}");
    assert_eq!(status, Some(1));
}

/// A ball comes back with its restitution of the speed, and so its square of the height.
#[test]
fn a_parameter_is_swept() {
    let Some((said, status)) = run("sweep_parameter") else { return };
    let rows: Vec<Vec<&str>> = said.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows, [["0.2", "0.040"], ["0.4", "0.160"], ["0.6", "0.360"], ["0.8", "0.640"]]);
    assert_eq!(status, Some(0));
}

#[test]
fn mode_changes_are_watched() {
    let Some((said, status)) = run("watch_modes") else { return };
    for words in [
        "5.000 s, because time >= 5:",
        "engaged is true now",
        "w1 jumps from 0.9512 to 1.2863",
        "f1 has an impulse of order 1, weight 0.3351",
        "engaged is false now",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(status, Some(0));
}

//! `modeshift rimis`: golden files of both forms, and the structure of what is written.

use crate::support;
use expect_test::expect_file;
use support::{modeshift, modeshift_reading, root};

/// What is written, with the check of its structure; nothing of a model that does not qualify.
fn written(name: &str, options: &[&str]) -> Option<String> {
    let file = format!("models/{name}");
    let outcome = modeshift(&[&["rimis", &file, "--check"], options].concat());
    (outcome.status == 0).then_some(outcome.stdout)
}

/// The papers' models, in order.
fn models() -> Vec<String> {
    let files = std::fs::read_dir(root().join("models")).expect("the models");
    let mut names: Vec<String> =
        files.map(|file| file.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn every_model_that_qualifies_is_written_as_its_golden_files_say() {
    for name in models() {
        let golden = root().join("golden").join(name.split('.').next().expect("a name"));
        for (options, file) in [(&[][..], "rimis.mo"), (&["--plain"], "rimis_plain.mo")] {
            match written(&name, options) {
                Some(text) => expect_file![golden.join(file)].assert_eq(&text),
                None => assert!(!golden.join(file).exists(), "{name} {options:?} does not qualify any more"),
            }
        }
    }
}

#[test]
fn a_model_that_does_not_qualify_is_told_why() {
    let outcome = modeshift(&["rimis", "models/CupAndBallElastic.mo"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("error[E0909]") && outcome.stderr.contains("v = -alpha*pre(v)"),
        "{}",
        outcome.stderr
    );
    let outcome = modeshift(&["rimis", "models/ValvePipe.mel"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
}

#[test]
fn what_is_written_can_be_written_again() {
    let path = support::temporary("WaterTankRIMIS.mo");
    let outcome = modeshift(&["rimis", "models/WaterTank.mo", "-o", &path.display().to_string()]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""), "{}", outcome.stderr);
    let again = modeshift(&["rimis", &path.display().to_string(), "--check"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
}

#[test]
fn states_that_constraints_determine_start_where_the_initialization_puts_them() {
    // w1 and w2 are fixed, and so are phi1 and phi2 in the rigid mode only by phi1 = phi2.
    let text = written("BreakingShaft.mo", &[]).expect("it qualifies");
    assert!(text.contains("Real phi2(start = 0, fixed = true)"), "{text}");
}

/// A chain in which each line reads the one before three times, with a condition on it.
fn chained_ifs(lines: usize) -> String {
    let chain: Vec<String> = (1..=lines).map(|at| format!("y := if y > {at} then y - 1 else 2*y;")).collect();
    format!(
        "model Chain Real x(start = 0, fixed = true), y; algorithm y := x; {} equation der(x) = 1; end Chain;",
        chain.join(" ")
    )
}

#[test]
fn chained_ifs_are_written_line_by_line() {
    let written =
        |lines: usize| modeshift_reading(chained_ifs(lines).as_bytes(), &["rimis", "-", "--time-limit", "20"]);
    for lines in [4, 12, 40] {
        let outcome = written(lines);
        assert_eq!(outcome.status, 0, "{lines} lines: {}", outcome.stderr);
    }
}

#[test]
fn a_limit_that_is_reached_while_writing_is_told() {
    for limit in ["0.0001", "0.0005", "0.001", "0.002", "0.005", "0.01"] {
        let outcome = modeshift_reading(chained_ifs(30).as_bytes(), &["rimis", "-", "--time-limit", limit]);
        let is_told = outcome.status == 1 && outcome.stderr.contains("E0603");
        assert!(outcome.status == 0 || is_told, "{limit}: {} {}", outcome.status, outcome.stderr);
    }
}

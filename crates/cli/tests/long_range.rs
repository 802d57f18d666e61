//! Verdicts that depend on modes far away, as `check` tells them.

use crate::support::{Outcome, modeshift};

fn check(model: &str, sizes: &[&str]) -> Outcome {
    let file = format!("models/{model}.mel");
    let mut arguments = vec!["check", &file];
    sizes.iter().for_each(|size| arguments.extend(["--set", size]));
    modeshift(&arguments)
}

#[test]
fn two_closed_valves_of_a_pipe_are_told_by_an_example() {
    let outcome = check("ValvePipe", &["N=60"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "`p[1]` is cut off and not determined, for example when `open[1]` and `open[2]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("1770 with 2, 34220 with 3, 487635 with 4"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("N0603"), "sets of modes are small enough for everything else");
    assert!(outcome.stdout.lines().all(|line| line.len() <= 120), "{}", outcome.stdout);
}

#[test]
fn a_ladder_that_sets_of_modes_cannot_describe_is_swept() {
    let outcome = check("BreakerLadder", &["N=40"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "`b[1]` is cut off and not determined, for example when `rung[1]` and `right[1]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    // The rails between two neighbouring rungs, 39 times, and the two branches of each corner.
    assert!(outcome.stderr.contains("43 with 2"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("N0603"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("some of them singular"), "{}", outcome.stdout);
}

//! `modeshift rimis`: golden files of both forms, and the structure of what is written.

mod support;

use expect_test::expect_file;
use support::{modeshift, root};

/// The papers' models that qualify.
const MODELS: &[&str] = &[
    "BreakingCapacitor.mo",
    "BreakingInductor.mo",
    "BreakingShaft.mo",
    "BuildingIncompressible.mel",
    "ClutchBasic.mo",
    "ClutchChain.mo",
    "CupAndBall.mo",
    "DiodeCapacitor.mo",
    "DiodeInductor.mo",
    "FaultyCoaxial.mo",
    "FaultyCoaxialVariableDimension.mo",
    "RLDC2.mo",
    "TransmissionTree.mo",
    "TwoEquations.mo",
    "ValveGrid.mel",
    "WaterTank.mo",
    "Westinghouse.mel",
];

fn written(name: &str, options: &[&str]) -> String {
    let file = format!("models/{name}");
    let outcome = modeshift(&[&["rimis", &file, "--check"], options].concat());
    assert_eq!(outcome.status, 0, "{name} {options:?}: {}", outcome.stderr);
    outcome.stdout
}

#[test]
fn every_model_that_qualifies_is_written_as_its_golden_file_says() {
    for name in MODELS {
        let golden = root().join("golden").join(name.split('.').next().expect("a name"));
        expect_file![golden.join("rimis.mo")].assert_eq(&written(name, &[]));
        expect_file![golden.join("rimis_plain.mo")].assert_eq(&written(name, &["--plain"]));
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
    let text = written("BreakingShaft.mo", &[]);
    assert!(text.contains("Real phi2(start = 0, fixed = true)"), "{text}");
}

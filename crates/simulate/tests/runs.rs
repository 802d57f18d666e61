//! Runs of the models of the papers.

#[path = "support/runs.rs"]
mod support;

use support::{How, check, paper_model, run_text};

#[test]
fn two_equations_reach_one_and_stay_there() {
    // E22, Figure 1: x grows with slope 1 until it is 1, where the equation no longer has a derivative.
    for tolerance in [1e-6, 1e-9] {
        let ran = run_text(&paper_model("TwoEquations.mo"), &How::default().tolerance(tolerance)).finished();
        assert_eq!(ran.events().len(), 1, "{:#?}", ran.events());
        check("switch", ran.event_times()[0], 1.0, tolerance);
        check("x", ran.last("x"), 1.0, tolerance);
        check("x", ran.at(0.5, "x"), 0.5, tolerance);
        assert_eq!(ran.last("p"), 1.0);
    }
}

#[test]
fn the_clutch_engages_at_the_mean_speed_with_a_dirac_torque() {
    // E22 (42): w+ = (j1 w1- + j2 w2-)/(j1 + j2); the impulse of f1 is j1 (w+ - w1-).
    for tolerance in [1e-6, 1e-9] {
        let ran = run_text(&paper_model("ClutchBasic.mo"), &How::default().tolerance(tolerance)).finished();
        assert_eq!(ran.event_times(), [5.0, 7.0]);
        let (w1, w2) = ((-0.05f64).exp(), 1.5 * (-0.03125f64).exp());
        let mean = (w1 + 2.0 * w2) / 3.0;
        check("w1-", ran.limits(0, "w1").0, w1, tolerance);
        check("w1+", ran.limits(0, "w1").1, mean, tolerance);
        check("w2+", ran.limits(0, "w2").1, mean, tolerance);
        check("impulse", ran.weight(0, "f1", "1"), mean - w1, tolerance);
        let common = mean * (-(0.01 + 0.0125) / 3.0 * 2.0f64).exp();
        check("w at 7", ran.limits(1, "w1").0, common, tolerance);
        assert_eq!(ran.limits(1, "w1").0.to_bits(), ran.limits(1, "w1").1.to_bits(), "kept to the last bit");
        check("w1 at 10", ran.last("w1"), common * (-0.03f64).exp(), tolerance);
        check("w2 at 10", ran.last("w2"), common * (-0.00625 * 3.0f64).exp(), tolerance);
    }
}

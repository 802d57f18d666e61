//! Runs of the models of the papers.

use crate::support::runs as support;
use support::{Analyzed, How, check, file, paper_model, run_text};

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

#[test]
fn the_water_tank_fills_and_empties_with_period_one() {
    // The tank is full where the integral of the inflow says so, and leaves the bounds where the inflow is as large as
    // the outflow: 0.8 (1 + cos 2πt) = 1.
    let leaves_full = (0.25f64).acos() / std::f64::consts::TAU;
    for tolerance in [1e-6, 1e-9] {
        let ran = run_text(&paper_model("WaterTank.mo"), &How::default().tolerance(tolerance)).finished();
        let times = ran.event_times();
        let expected = [0.1578, leaves_full, 0.4685, 1.0 - leaves_full, 1.1355, 1.0 + leaves_full, 1.4685];
        assert_eq!(times.len(), 8, "{times:?}");
        for (found, expected) in times.iter().zip(expected) {
            assert!((found - expected).abs() < 5e-5, "{found}, not {expected}");
        }
        for (event, expected) in
            [(1, leaves_full), (3, 1.0 - leaves_full), (5, 1.0 + leaves_full), (7, 2.0 - leaves_full)]
        {
            check("switch", times[event], expected, tolerance);
        }
        check("period", times[6] - times[2], 1.0, tolerance);
        let levels = ran.values("x");
        assert!(levels.iter().all(|level| (-1e-9..=1.0 + 1e-9).contains(level)), "the tank keeps its bounds");
    }
}

#[test]
fn the_rope_becomes_straight_inelastically_and_stays_so() {
    // Derived: free flight to the circle, v+ = v- minus its radial part, then a pendulum.
    for tolerance in [1e-6, 1e-9] {
        let how = How::until(0.487867627637998 + 0.5).tolerance(tolerance);
        let ran = run_text(&file("tests/data/multimode/CupAndBall.mo"), &how).finished();
        check("impact", ran.event_times()[0], 0.487867627637998, tolerance);
        check("vx+", ran.limits(0, "vx").1, -1.721828428889345, tolerance);
        check("vy+", ran.limits(0, "vy").1, -1.642737460921138, tolerance);
        check("impulse", ran.weight(0, "lam", "1"), 3.653266660079374, tolerance);
        check("lam+", ran.limits(0, "lam").1, 12.76109790089152, tolerance);
        check("x", ran.last("x"), -0.6764078275541002, tolerance);
        check("vy", ran.last("vy"), 1.645536092058492, tolerance);
        let (x, y) = (ran.last("x"), ran.last("y"));
        assert!((x * x + y * y - 1.0).abs() < 1e-14, "the constraint holds to rounding");
    }
}

#[test]
fn the_elastic_rope_throws_the_ball_back() {
    let ran = run_text(&paper_model("CupAndBallElastic.mo"), &How::default().tolerance(1e-9)).finished();
    let speed = (2.0 * 9.81f64).sqrt();
    assert_eq!(ran.events()[0].cascade, ["gamma"], "the straight rope is passed through");
    check("impact", ran.event_times()[0], speed / 9.81, 1e-9);
    check("v-", ran.limits(0, "v").0, -speed, 1e-9);
    check("v+", ran.limits(0, "v").1, 0.8 * speed, 1e-9);
    check("impulse", ran.weight(0, "lambda", "1"), 1.8 * speed, 1e-9);
    assert_eq!(ran.last("gamma"), 0.0);
}

#[test]
fn a_pendulum_keeps_its_length_to_rounding_through_full_turns() {
    // Fast enough at the bottom (7 > sqrt(4 g)) to go over the top for ever.
    let text = "model Pendulum
        Real x(start = 0, fixed = true), y(start = -1), vx(start = 7, fixed = true), vy, tension;
      equation
        x^2 + y^2 = 1; der(x) = vx; der(y) = vy; der(vx) = -tension*x; der(vy) = -tension*y - 9.81;
      end Pendulum;";
    let how = How { interval: Some(0.05), ..How::until(100.0).tolerance(1e-9) };
    let ran = run_text(text, &how).finished();
    let (xs, ys) = (ran.values("x"), ran.values("y"));
    let longest = xs.iter().zip(&ys).map(|(x, y)| (x.hypot(*y) - 1.0).abs()).fold(0.0, f64::max);
    assert!(longest < 1e-12, "r - L = {longest:e}");
    let angles: Vec<f64> = xs.iter().zip(&ys).map(|(x, y)| x.atan2(-*y)).collect();
    let turns = angles.windows(2).filter(|pair| pair[1] - pair[0] < -std::f64::consts::PI).count();
    assert!(turns > 50, "{turns} turns");
    let energy = |row: usize| 0.5 * (ran.values("vx")[row].powi(2) + ran.values("vy")[row].powi(2)) + 9.81 * ys[row];
    let (first, last) = (energy(0), energy(xs.len() - 1));
    // What the integration loses or gains in 77 turns, relative to the energy of motion at the bottom.
    assert!((last - first).abs() < 1e-6 * 24.5, "the energy changes by {:e}", last - first);
}

#[test]
fn what_breaks_stays_broken() {
    // MOE15, Figures 2, 4 and 10.
    for tolerance in [1e-6, 1e-9] {
        let how = How::default().tolerance(tolerance);
        let capacitor = run_text(&paper_model("BreakingCapacitor.mo"), &how).finished();
        check("capacitor", capacitor.event_times()[0], 0.2 * 5.0f64.ln(), tolerance);
        check("v", capacitor.last("v2"), 10.0 / 101.0, tolerance);
        let inductor = run_text(&paper_model("BreakingInductor.mo"), &how).finished();
        check("inductor", inductor.event_times()[0], 2.0 * 2.0f64.ln(), tolerance);
        check("i", inductor.last("i1"), 10.0 / 101.0, tolerance);
        let shaft = run_text(&paper_model("BreakingShaft.mo"), &how).finished();
        check("shaft", shaft.event_times()[0], 1.0, tolerance);
        check("w2", shaft.last("w2"), 0.5, tolerance);
        check("w1", shaft.last("w1"), 0.5 + 3.0, tolerance);
    }
}

#[test]
fn diodes_of_index_changing_circuits_block_and_conduct() {
    // MOE15 §5.2 and §5.3; after the first conduction the current is that of the half-wave rectifier.
    let inductor = run_text(&paper_model("DiodeInductor.mo"), &How::default().tolerance(1e-9)).finished();
    assert_eq!(inductor.events().len(), 6);
    check("extinction", inductor.event_times()[0], 3.940733135692915, 1e-9);
    let capacitor = run_text(&paper_model("DiodeCapacitor.mo"), &How::default().tolerance(1e-9)).finished();
    check("blocking", capacitor.event_times()[0], std::f64::consts::PI, 1e-9);
    check("conduction", capacitor.event_times()[1], std::f64::consts::PI + 3.940733135692915, 1e-9);
}

#[test]
fn a_fault_spreads_along_the_line_in_both_forms_alike() {
    let how = How::default().tolerance(1e-9);
    let fixed = run_text(&paper_model("FaultyCoaxial.mo"), &how).finished();
    let variable = run_text(&paper_model("FaultyCoaxialVariableDimension.mo"), &how).finished();
    assert_eq!(fixed.events().len(), 2);
    let changed = |event: usize| {
        let event = &fixed.events()[event];
        event.changed().map(|id| fixed.result.columns().mode_variables[id.0 as usize].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(changed(0), ["element[1].open"]);
    assert_eq!(changed(1), ["element[2].short"]);
    for (a, b) in fixed.event_times().iter().zip(variable.event_times()) {
        assert!((a - b).abs() <= 1e-8 * b, "{a}, {b}");
    }
    check("i", fixed.last("element[3].i1"), variable.last("element[3].i1"), 1e-9);
    assert!(variable.result.last("element[1].v").is_none(), "it does not exist any more");
}

#[test]
fn a_chain_of_clutches_ends_with_the_mean_speed() {
    let ran = run_text(&paper_model("ClutchChain.mo"), &How::default().set("N", "20").set("J", "2")).finished();
    assert_eq!(ran.event_times(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    check("w", ran.last("w[1]"), 3.5, 1e-6);
    check("w", ran.last("w[7]"), 7.0, 1e-6);
}

#[test]
fn a_mode_that_is_entered_again_is_not_made_again() {
    let window = |from: &str, to: &str| format!("time >= k + {from} and time < k + {to}");
    let twice = format!("({} or {})", window("0", "2"), window("10", "12"));
    let chain = paper_model("ClutchChain.mo").replace("(time >= k)", &twice);
    let ran = run_text(&chain, &How::until(20.0).set("N", "5")).finished();
    let told: Vec<f64> = ran.costs.iter().map(|cost| cost.time).collect();
    assert_eq!(told, ran.event_times(), "integration goes on after every event");
    assert!(ran.costs.iter().all(|cost| cost.restarted && cost.total() > std::time::Duration::ZERO));
    let (first, second) = ran.costs.split_at(6);
    assert_eq!(second.len(), 6);
    assert!(second[0].time > 10.0);
    assert!(first[..4].iter().all(|cost| cost.new_modes == 1));
    assert!(second.iter().all(|cost| cost.new_modes == 0));
    let momentum: f64 = (1..=5).map(|k| ran.last(&format!("w[{k}]"))).sum();
    check("momentum", momentum, 15.0, 1e-9);
}

#[test]
fn an_equivalent_model_for_ordinary_tools_runs_alike() {
    for (name, plain) in [("TwoEquationsRIMIS.mo", "TwoEquations.mo"), ("WaterTankRIMIS.mo", "WaterTank.mo")] {
        let how = How::default().tolerance(1e-9);
        let (ran, plain) =
            (run_text(&paper_model(name), &how).finished(), run_text(&paper_model(plain), &how).finished());
        assert_eq!(ran.events().len(), plain.events().len());
        ran.event_times().iter().zip(plain.event_times()).for_each(|(a, b)| check("event", *a, b, 1e-9));
        check("x", ran.last("x"), plain.last("x"), 1e-9);
    }
}

#[test]
fn parameters_are_set_without_another_analysis() {
    // One analysis, several runs: w+ = (j1 w1- + j2 w2-)/(j1 + j2) with another inertia.
    let model = Analyzed::of_text(&paper_model("ClutchBasic.mo"));
    for j2 in [1.0, 2.0, 5.0] {
        let ran = model.run_with(&[("j2", j2)], &How::default().tolerance(1e-9)).finished();
        let (w1, w2) = ((-0.05f64).exp(), 1.5 * (-0.0125 / j2 * 5.0f64).exp());
        check("w1-", ran.limits(0, "w1").0, w1, 1e-9);
        check("w2-", ran.limits(0, "w2").0, w2, 1e-9);
        check("w1+", ran.limits(0, "w1").1, (w1 + j2 * w2) / (1.0 + j2), 1e-9);
    }
}

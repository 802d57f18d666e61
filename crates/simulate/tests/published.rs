//! Every problem with a known solution, run from its text: closed forms, exact trajectories of circuits with diodes, and
//! the ends that the IVP test set publishes.
//!
//! The references are files in `data/reference`, each with its source. Everything they say is asked for, at two
//! tolerances and by all methods that suit the problem: errors are to be at most ten times the tolerance, relative to the
//! larger of the reference and the nominal value, and so are the errors of the times of events.

use crate::support::runs as support;

mod cases;
mod closed_forms;
use cases::{Case, reference};
use modeshift_simulate::integrate::Method;
use support::file;

const IMPLICIT: [Method; 2] = [Method::Bdf, Method::Esdirk];
const ALL: [Method; 3] = Method::STEPWISE;
const BOTH: [f64; 2] = [1e-6, 1e-9];

/// Runs a case in all ways and tells the largest errors.
fn check(case: &Case, methods: &[Method], tolerances: &[f64]) {
    let mut failures = Vec::new();
    for &method in methods {
        for &tolerance in tolerances {
            let (error, what) = case.largest_error(method, tolerance);
            println!("{:26} {method:8?} {tolerance:e}: {error:8.3} tolerances in {what}", case.name);
            if error > 10.0 || error.is_nan() {
                failures.push(format!("{} by {method:?} at {tolerance:e}: {error} tolerances in {what}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn linear_switched_systems_jump_to_their_exact_values() {
    let names = [
        "breaking_inductor",
        "ideal_clutch_inertia",
        "ideal_clutch_paper_form",
        "two_capacitors_parallel",
        "two_inductors_series_cut",
    ];
    names.iter().for_each(|name| check(&closed_forms::switched(name), &ALL, &BOTH));
}

#[test]
fn clutches_closed_one_after_the_other_share_their_momentum() {
    check(&closed_forms::three_clutches(), &ALL, &BOTH);
}

#[test]
fn balls_bounce_as_in_closed_form() {
    check(&closed_forms::bouncing_ball(), &ALL, &BOTH);
    check(&closed_forms::bouncing_ball_with_radius(), &ALL, &BOTH);
}

#[test]
fn pendulums_and_ropes_swing_as_in_closed_form() {
    check(&closed_forms::pendulum(), &ALL, &BOTH);
    check(&closed_forms::pendulum_with_its_wire_cut(), &ALL, &BOTH);
    check(&closed_forms::cup_and_ball(), &ALL, &BOTH);
}

#[test]
fn converters_commute_as_in_closed_form() {
    check(&closed_forms::half_wave_rectifier(), &ALL, &BOTH);
    check(&closed_forms::boost_converter(), &ALL, &BOTH);
}

/// A circuit with the values of the samples' last columns and with the times of its events.
fn circuit(text: String, reference_name: &str, columns: &[(usize, &str)]) -> Case {
    let known = reference(reference_name);
    let samples = known.rows("samples");
    let mut case = Case::new(reference_name, text, samples[samples.len() - 1].number(0));
    case.interval = Some(samples[1].number(0));
    for sample in &samples {
        columns.iter().for_each(|&(column, name)| case.at(sample.number(0), name, sample.number(column)));
    }
    for (event, row) in known.rows("events").iter().enumerate() {
        case.event(event, row.number(0));
    }
    case
}

#[test]
fn an_oscillator_with_a_diode_follows_its_exact_solution() {
    let text = file("tests/data/multimode/CircuitRLCD.mo");
    check(&circuit(text, "CircuitRLCD_exact", &[(2, "v"), (3, "i")]), &ALL, &BOTH);
}

#[test]
fn a_bridge_of_four_diodes_rectifies_through_a_singular_mode() {
    let text = file("tests/data/multimode/DiodeBridgeR.mo");
    check(&circuit(text, "DiodeBridge_exact", &[(1, "v"), (2, "i")]), &ALL, &BOTH);
}

#[test]
fn two_circuits_with_diodes_commute_as_their_exact_solution() {
    let columns = [(2, "j1"), (3, "j2"), (4, "v1"), (5, "v2")];
    let case = circuit(support::paper_model("RLDC2.mo"), "rldc2_consistent_start", &columns);
    check(&case, &ALL, &BOTH);
}

/// A problem of the IVP test set (Mazzia, Magherini, Iavernaro; University of Bari) with its values at the end.
fn problem(name: &str) -> Case {
    let known = reference(name);
    let mut case = Case::new(name, file(&format!("tests/data/{name}.mo")), known.number("t_end"));
    for (variable, value) in known.texts("variables").iter().zip(known.numbers("reference_at_t_end")) {
        case.at_end(variable, value);
    }
    case
}

#[test]
fn the_car_axis_ends_at_its_published_values() {
    check(&problem("CarAxis"), &ALL, &BOTH);
}

#[test]
fn the_chemical_akzo_nobel_problem_ends_at_its_published_values() {
    check(&problem("ChemAkzo"), &IMPLICIT, &BOTH);
}

#[test]
fn the_transistor_amplifier_ends_at_its_published_values() {
    check(&problem("TransistorAmplifier"), &IMPLICIT, &BOTH);
}

#[test]
fn the_robertson_problem_ends_at_its_published_values() {
    let mut case = problem("RobertsonDAE");
    case.text = case.text.replace("y1(", "y1(nominal=1e-7,").replace("y2(", "y2(nominal=1e-13,");
    case.nominal("y1", 1e-7);
    case.nominal("y2", 1e-13);
    check(&case, &IMPLICIT, &[1e-9]);
}

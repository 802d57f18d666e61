//! Start values: problems with published ones, the models of the papers, steady states, and starts that fail.

use crate::support;
use std::path::Path;

use support::{Start, start, start_scenario};

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

fn paper_model(name: &str) -> String {
    file(&format!("../../models/{name}"))
}

fn start_body(body: &str) -> Start {
    start(&format!("model M {body} end M;"), &[])
}

/// Checks a problem of the test set against the start values in its header.
fn check_published(name: &str) -> Start {
    let text = file(&format!("tests/data/{name}.mo"));
    let found = start(&text, &[]);
    for (mark, suffix, tolerance) in [("// start: ", "", 1e-9), ("// derivatives: ", "'", 1e-7)] {
        let Some(line) = text.lines().find_map(|line| line.strip_prefix(mark)) else { continue };
        for pair in line.split(' ') {
            let (variable, value) = pair.split_once('=').expect("name=value");
            let (expected, value) =
                (value.parse::<f64>().expect("a number"), found.value(&format!("{variable}{suffix}")));
            let difference = (value - expected).abs();
            assert!(difference <= tolerance * expected.abs().max(1.0), "{variable}{suffix} = {value}, not {expected}");
        }
    }
    found
}

#[test]
fn the_car_axis_starts_at_its_published_values() {
    check_published("CarAxis");
}

#[test]
fn the_chemical_akzo_nobel_problem_starts_at_its_published_values() {
    check_published("ChemAkzo");
}

#[test]
fn the_robertson_problem_starts_at_its_published_values() {
    check_published("RobertsonDAE");
}

#[test]
fn the_transistor_amplifier_starts_at_its_published_values_and_derivatives() {
    let found = check_published("TransistorAmplifier");
    // The published 51.338775 satisfies the derivative of the constraint on y1 and y2 to five digits only; this is it
    // solved for y1' = y2'.
    let (slope, source) = (1e-6 / 0.026, 0.1 * 200.0 * std::f64::consts::PI);
    let derivative = (source / 1000.0 - 0.01 * slope * 500.0 / 3.0) / (1.0 / 1000.0 + 2.0 / 9000.0 + 0.01 * slope);
    found.check("y1'", derivative);
    found.check("y2'", derivative);
    assert!((derivative - 51.338775).abs() < 1e-5 * 51.338775);
}

#[test]
fn the_clutch_starts_released_since_the_time_says_so() {
    let found = start(&paper_model("ClutchBasic.mo"), &[]);
    assert!(!found.mode("g"));
    [("w1", 1.0), ("w2", 1.5), ("f1", 0.0), ("w1'", -0.01), ("w2'", -0.009375)]
        .iter()
        .for_each(|&(name, value)| found.check(name, value));
}

#[test]
fn a_start_is_the_same_in_all_units() {
    let text = "model M parameter Real u = 1; Real x(start = u), z;
        initial equation z^3 + z*u^2 = 3*u^3;
        equation x*x + z*u = 3*u^2 + x*u; der(z) = x - z; end M;";
    let (z, one) = (1.2134116627622296, start(text, &[]).value("x"));
    for unit in ["1e-12", "1e-9", "1e-3", "1", "1e6"] {
        let (found, size) = (start(text, &[("u", unit)]), unit.parse::<f64>().expect("a number"));
        for (name, value) in [("z", z), ("x", one)] {
            let error = (found.value(name) / size - value).abs();
            assert!(error < 1e-12, "{name} = {} units of {unit}, not {value}", found.value(name) / size);
        }
    }
}

#[test]
fn conditions_contradict_each_other_in_all_units() {
    // The value that is fixed is wrong by the whole of it, and by nothing but rounding.
    let conflict = "model M parameter Real u = 1; Real v(start = 0, fixed = true), a; equation a = 3*u; v = a; end M;";
    let rounding = "model M parameter Real u = 1; Real v(start = 0, fixed = true), a, b, c;
        equation a = 0.1*u; b = 0.2*u; c = 0.3*u; v = a + b - c; end M;";
    for unit in ["1e-12", "1e-6", "1", "1e6"] {
        start(conflict, &[("u", unit)]).said("E0701");
        assert!(start(rounding, &[("u", unit)]).value("v").abs() < 1e-16 * unit.parse::<f64>().expect("a number"));
    }
}

#[test]
fn an_engaged_clutch_rejects_different_speeds_and_accepts_equal_ones() {
    let found = start(&paper_model("ClutchBasic.mo"), &[("t1", "-1")]);
    let said = found.said("E0701");
    assert_eq!(said.labels.len(), 2, "both start values: {said:#?}");
    assert!(said.notes.iter().any(|note| note.contains("w1 - w2")), "{said:#?}");
    let found = start(&paper_model("ClutchBasic.mo"), &[("t1", "-1"), ("w02", "1")]);
    assert!(found.mode("g"));
    found.check("w2", 1.0);
    found.check("w1'", found.value("w2'"));
}

#[test]
fn contradictory_fixed_starts_of_equal_variables_are_shown_with_both_places() {
    let found = start_body("Real x(start = 1, fixed = true), y(start = 2, fixed = true); equation der(x) = -x; y = x;");
    assert_eq!(found.said("E0701").labels.len(), 2);
}

#[test]
fn two_diodes_start_in_the_only_mode_that_fits_the_currents() {
    // Values of RR9322, Figure 4, with j1 + j2 < 0 so that a diode can conduct the rest.
    let found = start(&paper_model("RLDC2.mo"), &[]);
    assert!(found.mode("g1") && !found.mode("g2"));
    found.check("i1", 3.0);
    found.check("u2", -0.5);
    found.check("v1'", 30.0);
}

#[test]
fn two_diodes_with_the_printed_start_are_rejected_in_every_mode_with_its_reason() {
    let found = start(&paper_model("RLDC2Printed.mo"), &[]);
    let said = found.said("E0709");
    assert!(said.message.contains("none of the 4 modes"), "{said:#?}");
    let text = format!("{said:?}");
    assert!(text.contains("contradicts the other initial conditions"), "{said:#?}");
    assert!(text.contains("`g1` would be"), "{said:#?}");
}

#[test]
fn a_ball_on_a_slack_rope_falls() {
    let found = start(&paper_model("CupAndBall.mo"), &[]);
    assert!(!found.mode("gamma"));
    found.check("v'", -9.81);
    found.check("s", 1.0);
}

#[test]
fn the_water_tank_starts_between_its_limits() {
    let found = start(&paper_model("WaterTank.mo"), &[]);
    found.check("x", 0.5);
    found.check("x'", 2.0 * 0.8 * 6.667 - 6.667);
}

#[test]
fn a_faulty_line_of_any_length_starts_with_its_elements_intact() {
    for elements in ["2", "5", "20"] {
        let found = start(&paper_model("FaultyCoaxial.mo"), &[("N", elements)]);
        assert!(!found.mode("element[1].open") && !found.mode("element[2].short"));
        found.check("element[1].i1", 0.0);
        found.check("element[1].i1'", 1e2 / 1e-6);
    }
}

#[test]
fn a_circuit_starts_in_its_steady_state() {
    // A voltage divider with a capacitor and an inductor: the capacitor is charged, the coil conducts.
    let found = start_body(
        "parameter Real U = 12, R1 = 2, R2 = 4, C = 1e-3, L = 0.5;
         Real v, i, i1;
       equation
         U - v = R1*i1;
         C*der(v) = i1 - i;
         L*der(i) = v - R2*i;
       initial equation
         der(v) = 0; der(i) = 0;",
    );
    found.check("i", 2.0);
    found.check("v", 8.0);
    found.check("i1", 2.0);
}

#[test]
fn a_drive_train_starts_in_its_steady_state() {
    // Motor torque falls with speed; a spring transmits what the load takes.
    let found = start_body(
        "parameter Real J1 = 1, J2 = 5, c = 100, d = 2;
         Real phi1, phi2, w1(start = 1), w2(start = 1), spring, load;
       equation
         der(phi1) = w1; der(phi2) = w2;
         J1*der(w1) = 20 - 0.5*w1 - spring;
         J2*der(w2) = spring - load;
         spring = c*(phi1 - phi2) + d*(w1 - w2);
         load = 0.01*w2^2;
       initial equation
         phi2 = 0; der(w1) = 0; der(w2) = 0; w1 = w2;",
    );
    let speed = (-0.5 + (0.25f64 + 0.8).sqrt()) / 0.02;
    found.check("w2", speed);
    found.check("phi1", 0.01 * speed * speed / 100.0);
    found.check("w1'", 0.0);
}

#[test]
fn a_parameter_is_found_from_an_initial_equation() {
    let found = start_body(
        "parameter Real k(fixed = false, start = 1); parameter Real twice = 2*k; Real x(start = 1, fixed = true);
       equation der(x) = -twice*x; initial equation der(x) = -6;",
    );
    found.check("k", 3.0);
    found.check("twice", 6.0);
}

#[test]
fn a_boolean_parameter_is_given_by_an_initial_equation() {
    // As in the power supply of the Modelica library.
    let found = start_body(
        "parameter Boolean limited(fixed = false); Real x(start = 1, fixed = true);
       equation der(x) = if limited then -1 else -2*x^2; initial equation limited = true;",
    );
    assert!(found.mode("limited"));
    found.check("x'", -1.0);
}

#[test]
fn an_underdetermined_start_keeps_start_values_and_says_so() {
    let found = start_body("Real x(start = 3), y; equation der(x) = -y; y = 2*x;");
    found.check("y", 6.0);
    assert!(found.said("W0702").message.contains("`x` = 3"));
}

#[test]
fn a_start_in_two_modes_is_pointed_out() {
    let found = start_body("Real x(start = 2); Boolean b; equation b = x > 0; x = if b then 1 else -1 - time;");
    assert!(found.mode("b"), "the guess decides");
    assert!(found.said("W0710").message.contains("2 modes"));
}

#[test]
fn a_guard_that_contradicts_its_own_mode_is_no_start() {
    let found = start_body("Real x; Boolean b; equation b = x < 0; x = if b then 1 else -1 - time;");
    let said = found.said("E0709");
    assert_eq!(said.labels.len(), 2, "one per mode: {said:#?}");
}

#[test]
fn a_fixed_mode_that_its_definition_contradicts_is_shown_with_both_places() {
    let found = start_body(
        "Real x(start = 1, fixed = true); Boolean b(start = true, fixed = true);
       equation b = time > 1; der(x) = if b then 1 else x;",
    );
    assert_eq!(found.said("E0709").labels.len(), 2);
}

#[test]
fn scenarios_start_in_their_modes() {
    let text = "model M Real x; Boolean b; equation b = x > 0; der(x) = if b then -1 else 1;
       initial equation
         x = 2 annotation(modeshift(scenario = \"above\", modes = b));
         x = -3 annotation(modeshift(scenario = \"below\", modes = not b));
       end M;";
    let above = start_scenario(text, &[], Some(0));
    assert!(above.mode("b"));
    above.check("x", 2.0);
    let below = start_scenario(text, &[], Some(1));
    assert!(!below.mode("b"));
    below.check("x'", 1.0);
}

#[test]
fn other_guesses_are_tried_where_an_equation_has_no_value_at_the_start() {
    let found = start_body("Real x, y; equation log(x) = 1; y = x;");
    found.check("y", 1f64.exp());
    assert!(found.said("N0711").message.contains("guesses moved by"));
}

/// Iron with a gap: nothing has a start value, and of an unknown permeance that is guessed to be zero there is no reluctance.
#[test]
fn equations_that_are_solved_for_an_unknown_give_its_guess() {
    let found = start_body(
        "Real phi, b, mu, g, r, v, air; equation v + air = 900; r = 1/g; v = phi*r; air = 2e6*phi; b = phi/1e-4;
         mu = 1 + (999 + 8000*abs(b))/(1 + 9*abs(b) + abs(b)^8); g = 1.2566e-6*mu*1e-4/0.1;",
    );
    let excess = |phi: f64| {
        let b = (phi / 1e-4).abs();
        let mu = 1.0 + (999.0 + 8000.0 * b) / (1.0 + 9.0 * b + b.powi(8));
        phi / (1.2566e-6 * mu * 1e-4 / 0.1) + 2e6 * phi - 900.0
    };
    let (mut low, mut high) = (0.0, 1e-3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *(if excess(middle) > 0.0 { &mut high } else { &mut low }) = middle;
    }
    found.check("phi", low);
    assert!(found.said("N0711").message.contains("explicit equations"));
}

/// Discrete variables may begin with derivatives that no equation of the run needs.
#[test]
fn derivatives_of_what_equals_a_state_begin_discrete_variables() {
    let found = start_body(
        "Real x(start = 1, fixed = true), v(start = 2, fixed = true), p, q; discrete Real w, u;
         initial equation w = der(p); u = der(q);
         equation der(x) = v; der(v) = -x; p = x; q = 3*p + v; when sample(0.1, 0.1) then w = der(p); u = der(q); end when;",
    );
    found.check("w", 2.0);
    found.check("u", 6.0 - 1.0);
}

#[test]
fn homotopy_leads_from_the_simplified_to_the_actual_model() {
    // From 0 the slope of tanh is zero to all digits; only the simplified equation shows the way.
    let found = start_body("Real x; equation homotopy(tanh(10*(x - 2000)), x - 2000) = 0.5;");
    found.check("x", 2000.0 + 0.5f64.atanh() / 10.0);
    assert!(found.said("N0711").message.contains("homotopy"));
}

/// A trigger at rest may be low, high, or in between: the simplified model says which is meant.
#[test]
fn of_several_starts_the_one_that_homotopy_begins_at_is_taken() {
    for (simplified, expected) in [("-15", -15.0), ("15", 15.0)] {
        let found = start_body(&format!(
            "Real v, w, x(start = 0, fixed = true); equation der(x) = w; v = 0.5*w - 0.4*x;
             w = homotopy(smooth(0, if 1000*v > 15 then 15 else if 1000*v < -15 then -15 else 1000*v), {simplified});"
        ));
        found.check("w", expected);
        assert!(found.said("W0710").message.contains("3 modes"));
    }
}

/// At the start values, all of them zero, the current of the supply is 0/0.
#[test]
fn the_simplified_model_begins_at_what_its_first_equations_say() {
    for (simplified, expected) in [("lower", -15.0), ("upper", 15.0)] {
        let found = start_body(&format!(
            "Real v, w, upper, lower, i, x(start = 0, fixed = true); equation der(x) = w; v = 0.5*w - 0.4*x;
             upper = 15; lower = -15; i = w*v/(upper - lower);
             w = homotopy(smooth(0, if 1000*v > upper then upper else if 1000*v < lower then lower else 1000*v), {simplified});"
        ));
        found.check("w", expected);
    }
}

#[test]
fn a_failure_shows_unknowns_residuals_and_source_lines() {
    let found = start_body("Real x, y; equation x^2 + y^2 = -1; x = y;");
    let said = found.said("E0708");
    assert_eq!(said.labels.len(), 2);
    assert!(said.labels.iter().any(|label| label.text.contains("residual")), "{said:#?}");
    assert!(said.notes[0].starts_with("where it stopped: x = "), "{said:#?}");
}

#[test]
fn a_scenario_without_a_start_is_named_with_its_place() {
    let text = "model M Real x(start = 1, fixed = true); Boolean b; equation b = time > 1; der(x) = if b then 1 else x;
       initial equation
         x = 1 annotation(modeshift(scenario = \"late\", modes = b));
       end M;";
    let found = start_scenario(text, &[], Some(0));
    let said = found.said("E0709");
    assert!(said.message.contains("scenario `late`"), "{said:#?}");
    assert!(said.labels.iter().any(|label| label.text == "this scenario"), "{said:#?}");
}

#[test]
fn an_unknown_of_one_scenario_is_found_there_and_does_not_exist_in_the_others() {
    let text = "model M Real x; parameter Real share(fixed = false);
       equation der(x) = -x;
       initial equation
         share = 0.25 annotation(modeshift(scenario = \"part\"));
         x = 8*share annotation(modeshift(scenario = \"part\"));
         x = 5 annotation(modeshift(scenario = \"whole\"));
       end M;";
    let part = start_scenario(text, &[], Some(0));
    part.check("share", 0.25);
    part.check("x", 2.0);
    let whole = start_scenario(text, &[], Some(1));
    whole.check("x", 5.0);
    let share = whole.variable("share");
    assert_eq!(whole.state.as_ref().and_then(|state| state.value(share, 0)), None);
    assert!(!whole.codes().contains(&"W0702"), "{:#?}", whole.diagnostics);
}

#[test]
fn what_a_when_does_initially_holds_at_the_start() {
    let found = start_body(
        "Real x, v; Real y; Integer n(start = 3, fixed = true);
       equation
         der(x) = v; der(v) = -x;
         when initial() then reinit(x, 2); v = 3*x; end when;
         when {x > 100, initial()} then y = x + 1; n = pre(n) + 1; end when;",
    );
    found.check("x", 2.0);
    found.check("v", 6.0);
    found.check("y", 3.0);
    found.check("n", 4.0);
    assert!(!found.codes().contains(&"W0702"), "{:#?}", found.diagnostics);
}

#[test]
fn a_when_without_initial_does_nothing_at_the_start() {
    let found = start_body(
        "Real x(start = 1, fixed = true); Real y(start = 7);
       equation der(x) = -x; when {x < 5, x > 0} then y = x; end when; when x > 0 then reinit(x, 4); end when;",
    );
    found.check("x", 1.0);
    found.check("y", 7.0);
}

#[test]
fn a_left_limit_follows_from_what_it_is_tied_to() {
    // As steps of a state graph are written: nothing gives `pre(next)` directly.
    for (active, others) in [("true", [1.0, 1.0]), ("false", [0.0, 0.0])] {
        let found = start_body(&format!(
            "Boolean active, local, next; Real x(start = 0, fixed = true), y;
           equation
             active = local; local = pre(next); next = local and time < 1;
             der(x) = if local then 1 else 0; y = if next then 1 else 0;
           initial equation
             active = {active}; pre(next) = pre(local);"
        ));
        found.check("x'", others[0]);
        found.check("y", others[1]);
    }
}

/// What is said about a discrete variable beside something else that decides it: a condition that holds, or no start.
#[test]
fn conditions_on_discrete_variables_hold_or_there_is_no_start() {
    let state = "Real x(start = 0, fixed = true);";
    for (declared, initial, equations, holding) in [
        ("Integer n;", "n = {};", "der(x) = 1; 3 = n;", "3"),
        ("Integer n(start = 2);", "n = {};", "der(x) = 1; n = if x > 0.5 then 3 else 2;", "2"),
        ("Integer n(start = 2);", "{} = n + 3;", "der(x) = 1; n = if x > 0.5 then 3 else 2;", "5"),
        ("parameter Integer n(fixed = false);", "n = {}; n = 5;", "der(x) = n;", "5"),
        ("Integer n(start = 1);", "pre(n) = {}; n = 5;", "der(x) = n; when x > 3 then n = 7; end when;", "5"),
        ("discrete Real q(start = 1, fixed = true);", "q = {};", "der(x) = q; when x > 3 then q = 7; end when;", "1"),
        (
            "discrete Real q(start = 1, fixed = true);",
            "pre(q) = {};",
            "der(x) = q; when x > 3 then q = 7; end when;",
            "1",
        ),
        ("Boolean b;", "b = ({} > 6);", "der(x) = 1; b = x > 0.5;", "6"),
        (
            "Boolean b(start = true, fixed = true);",
            "b = ({} < 6);",
            "der(x) = 1; when x > 3 then b = false; end when;",
            "5",
        ),
        ("Integer n;", "if time < 1 then n = {}; else n = 9; end if;", "der(x) = 1; 3 = n;", "3"),
    ] {
        let with = |value: &str| {
            let initial = initial.replace("{}", value);
            start_body(&format!("{state} {declared} initial equation {initial} equation {equations}"))
        };
        with(holding).check("x", 0.0);
        let said = with("7").said("E0701").message.clone();
        assert!(said.contains("contradicts"), "{said}");
    }
}

#[test]
fn a_fixed_start_of_a_discrete_variable_is_its_left_limit() {
    // By the language `pre(n) = 2` and the equation `n = 3` do not contradict each other.
    let found =
        start_body("Integer n(start = 2, fixed = true); Real x; initial equation x = n; equation der(x) = 1; 3 = n;");
    found.check("x", 3.0);
}

#[test]
fn a_discrete_variable_without_a_value_is_no_start() {
    for value in ["div(3, integer(x))", "mod(3, integer(x))", "integer(1/x)", "rem(3, integer(x))"] {
        let found =
            start_body(&format!("Integer n; Real x(start = 0, fixed = true); equation der(x) = 1; n = {value};"));
        assert!(found.said("E0712").message.contains("`n`"), "{value}");
    }
}

#[test]
fn a_guess_at_which_a_difference_is_zero_is_left_in_all_directions() {
    let found = start_body("Real p, n, i; equation i = 2/(p - n); p + n = 0.1*i; p - n = 4 + 0.01*i;");
    // d = p - n solves d² - 4 d - 0.02 = 0.
    let difference = 2.0 + 4.02f64.sqrt();
    found.check("i", 2.0 / difference);
}

#[test]
fn a_trigger_starts_where_it_is_held() {
    // y = 15, y = -15 and y = 0 are all consistent; at y = 0 it would leave at the least disturbance.
    let found = start_body(
        "Real x, y; equation x = y/15; y = if 15000*x > 15 then 15 else if 15000*x < -15 then -15 else 15000*x;",
    );
    assert_eq!(found.value("y").abs(), 15.0);
}

//! `delay`, each property by its smallest model.

use crate::support::runs as support;
use support::{How, Ran, check, run_text};

fn run_body(body: &str, how: &How) -> Ran {
    run_text(&format!("model M {body} end M;"), how)
}

fn run(body: &str, until: f64) -> Ran {
    run_body(body, &How::until(until)).finished()
}

/// The largest difference of a variable from a function of time, rows at events included.
fn largest_error(ran: &Ran, name: &str, function: impl Fn(f64) -> f64) -> f64 {
    let errors = ran.result.times().iter().zip(ran.values(name)).map(|(&time, value)| (value - function(time)).abs());
    errors.fold(0.0, f64::max)
}

/// The times at which a variable jumps, with the values behind.
fn jumps(ran: &Ran, name: &str) -> Vec<(f64, f64)> {
    let rows: Vec<(f64, f64)> = ran.result.times().iter().copied().zip(ran.values(name)).collect();
    rows.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]).collect()
}

#[test]
fn a_delayed_signal_is_what_it_was_and_before_the_start_what_it_is_there() {
    let ran = run("Real x(start = 2, fixed = true), y; equation der(x) = -x; y = delay(x, 0.4);", 3.0);
    let error = largest_error(&ran, "y", |time| 2.0 * (0.4 - time).min(0.0).exp());
    assert!(error < 1e-5, "{error}");
}

#[test]
fn equations_with_delays_have_the_solutions_of_the_method_of_steps() {
    let ran = run("Real x(start = 1, fixed = true); equation der(x) = -delay(x, 1);", 3.0);
    let exact = |time: f64| {
        let power = |k: i32| (time - f64::from(k - 1)).max(0.0).powi(k);
        1.0 - power(1) + power(2) / 2.0 - power(3) / 6.0
    };
    let error = largest_error(&ran, "x", exact);
    assert!(error < 1e-6, "{error}");
}

#[test]
fn jumps_and_bends_arrive_as_events() {
    let ran = run(
        "Real u = if time > 0.3 and time < 0.55 then 1 else 0; Real y = delay(u, 0.25);
         Integer k = integer(delay(3*u + 1, 0.1)); Boolean b = delay(u, 0.4) > 0.5; Integer n(start = 0, fixed = true);
         equation when b then n = pre(n) + 1; end when;",
        2.0,
    );
    let near = |found: Vec<(f64, f64)>, expected: &[(f64, f64)]| {
        let same = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 1e-12 && a.1 == b.1;
        assert!(found.len() == expected.len() && found.iter().zip(expected).all(same), "{found:?}");
    };
    near(jumps(&ran, "y"), &[(0.55, 1.0), (0.8, 0.0)]);
    near(jumps(&ran, "k"), &[(0.4, 4.0), (0.65, 1.0)]);
    near(jumps(&ran, "b"), &[(0.7, 1.0), (0.95, 0.0)]);
    near(jumps(&ran, "n"), &[(0.7, 1.0)]);
}

#[test]
fn a_crossing_of_a_delayed_signal_is_found_where_it_is() {
    let ran = run("Real x(start = 0, fixed = true); Boolean b = delay(x, 0.5) > 0.25; equation der(x) = 1;", 2.0);
    let [(time, _)] = jumps(&ran, "b")[..] else { panic!("{:?}", jumps(&ran, "b")) };
    check("crossing", time, 0.75, 1e-9);
}

#[test]
fn a_start_with_delays_in_circles_is_solved() {
    // a = 1 + b/2, b = 7/4*a at the start; then each changes when the other did.
    let ran = run(
        "Real a, b; equation a = 1 + 0.5*delay(b, 0.1); b = 2*a - 0.25*delay(a, 0.2) + (if time > 0.05 then 1 else 0);",
        0.29,
    );
    let steps = [(0.05, 8.0, 15.0), (0.15, 8.5, 16.0), (0.25, 9.0, 17.0)];
    check("first a", ran.values("a")[0], 8.0, 1e-9);
    check("first b", ran.values("b")[0], 14.0, 1e-9);
    for ((time, b), (expected, _, value)) in jumps(&ran, "b").into_iter().filter(|jump| jump.1 > 14.5).zip(steps) {
        check("time", time, expected, 1e-12);
        check("b", b, value, 1e-9);
    }
}

#[test]
fn a_start_that_contradicts_its_own_past_is_refused() {
    for body in [
        "Boolean a(start = false, fixed = true) = not b; Boolean b = delay(if pre(a) then 1 else 0, 0.1) > 0.5;",
        "discrete Real q(start = 0, fixed = true); Real y = delay(q, 0.1); equation when initial() then q = 1 - y; end when;",
    ] {
        let ran = run_body(body, &How::until(1.0));
        assert!(ran.said("E0812").message.contains("before the start"), "{body}");
    }
}

#[test]
fn delays_may_change_with_time_and_be_delayed_again() {
    let ran = run(
        "Real T = 0.5 + 0.2*sin(time); Real y = delay(sin(3*time), T, 1); Real z = delay(delay(time, 0.1), 0.2);",
        3.0,
    );
    let error = largest_error(&ran, "y", |time| (3.0 * (time - 0.5 - 0.2 * time.sin()).max(0.0)).sin());
    assert!(error < 1e-5, "{error}");
    let error = largest_error(&ran, "z", |time| (time - 0.3).max(0.0));
    assert!(error < 1e-9, "{error}");
}

#[test]
fn sampled_and_asserted_delays_are_known() {
    let ran = run(
        "discrete Real s(start = 0, fixed = true); equation
         when sample(0.25, 0.25) then s = delay(time, 0.05); end when;
         assert(delay(time, 0.5) < 0.7, \"late\");",
        1.1,
    );
    check("s", ran.last("s"), 0.95, 1e-9);
    let ran = run_body("Real x = time; equation assert(delay(x, 0.5) < 0.7, \"late\");", &How::until(2.0));
    assert!(ran.said("E0821").message.contains("late"));
}

#[test]
fn delayed_constraints_are_differentiated() {
    // x follows what was, so that its velocity is the velocity of then.
    let ran = run(
        "Real u(start = 0, fixed = true), x, v, f; equation der(u) = sin(time); x = delay(u, 0.5); v = der(x); der(v) = f;",
        2.0,
    );
    let since = |time: f64| time - 0.5;
    let (last_v, last_f) = (ran.last("v"), ran.last("f"));
    check("v", last_v, since(2.0f64).sin(), 1e-4);
    check("f", last_f, since(2.0f64).cos(), 1e-3);
}

#[test]
fn a_wave_on_a_line_without_losses_is_reflected_for_ever() {
    // A step through 20 into a line of 50 with 60 at its end: the voltages at both ends are geometric series.
    let ran = run(
        "parameter Real Z = 50; Real v1, i1, v2, i2, es, er; equation
         i1 = (v1 - es)/Z; i2 = (v2 - er)/Z; es = 2*delay(v2, 0.1) - delay(er, 0.1); er = 2*delay(v1, 0.1) - delay(es, 0.1);
         v1 = (if time > 0.05 then 1 else 0) - 20*i1; v2 = -60*i2;",
        2.0,
    );
    let (far, near) = ((60.0 - 50.0) / 110.0, (20.0 - 50.0) / 70.0);
    let arrived =
        |time: f64, first: f64| if time > first { ((time - first) / 0.2 - 1e-9).floor() as i32 + 1 } else { 0 };
    let wave = 50.0 / 70.0;
    let sum = |count: i32| wave * (1.0 + far) * (0..count).map(|k| f64::powi(far * near, k)).sum::<f64>();
    let between = |name: &str, expected: &dyn Fn(f64) -> f64| {
        for (&time, value) in ran.result.times().iter().zip(ran.values(name)) {
            // Not at the very events, where rows have both sides.
            if ((time - 0.05) / 0.1 - ((time - 0.05) / 0.1).round()).abs() > 1e-6 {
                check(name, value, expected(time), 1e-7);
            }
        }
    };
    between("v2", &|time| sum(arrived(time, 0.15)));
}

#[test]
fn left_limits_in_continuous_equations_are_those_of_the_last_micro_step() {
    let ran =
        run("Integer x(start = 1, fixed = true) = if time > 0.5 then 4 else 3; Real y; equation y = pre(x);", 1.0);
    assert_eq!(ran.values("y")[0], 3.0);
    assert_eq!(jumps(&ran, "y"), [(0.5, 4.0)]);
}

#[test]
fn discrete_values_at_the_start_follow_from_each_other_however_many_there_are() {
    let chain: String = (2..30).map(|k| format!("Integer n{k} = n{} + 1;", k - 1)).collect();
    let ran = run(&format!("Integer n1 = if time < 1 then 1 else 2; {chain} Real y = n29;"), 0.5);
    assert_eq!(ran.values("y")[0], 29.0);
}

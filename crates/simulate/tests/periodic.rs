//! Periodic steady states against closed forms.

use crate::exact::oscillation;
use crate::repeated::{BOOST, BUCK, converter};
use crate::support::runs::{Analyzed, How};

const INPUT: f64 = 5.0;
const L: f64 = 1e-3;
const C: f64 = 1e-4;
const DUTY: f64 = 0.5;
const T: f64 = 1e-4;
/// What is left of a closed form.
const NEAR: f64 = 1e-9;

/// With an inductor that feeds a capacitor and a load, from a source.
fn fed(source: f64, load: f64, x: [f64; 2], time: f64) -> [f64; 2] {
    oscillation([[0.0, -1.0 / L], [1.0 / C, -1.0 / (load * C)]], [source / L, 0.0], x, time)
}

/// Without current in the inductor.
fn idle(load: f64, voltage: f64, time: f64) -> f64 {
    voltage * (-time / (load * C)).exp()
}

fn boost(load: f64) -> impl Fn([f64; 2]) -> [f64; 2] {
    move |[current, voltage]| {
        let begin = [current + INPUT / L * DUTY * T, idle(load, voltage, DUTY * T)];
        until_empty(INPUT, load, begin)
    }
}

fn buck(load: f64) -> impl Fn([f64; 2]) -> [f64; 2] {
    move |x| until_empty(0.0, load, fed(INPUT, load, x, DUTY * T))
}

/// The rest of a period, with the diode as long as there is a current.
fn until_empty(source: f64, load: f64, begin: [f64; 2]) -> [f64; 2] {
    let rest = (1.0 - DUTY) * T;
    let end = fed(source, load, begin, rest);
    if end[0] >= 0.0 {
        return end;
    }
    let (mut low, mut high) = (0.0, rest);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *(if fed(source, load, begin, middle)[0] > 0.0 { &mut low } else { &mut high }) = middle;
    }
    [0.0, idle(load, fed(source, load, begin, low)[1], rest - low)]
}

/// The fixed point of a map of two states, and the derivative there, by Newton's method with differences.
fn fixed_point(map: impl Fn([f64; 2]) -> [f64; 2], mut x: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let mut derivative = [[0.0; 2]; 2];
    for _ in 0..60 {
        let y = map(x);
        for state in 0..2 {
            let mut moved = x;
            moved[state] += 1e-6;
            let there = map(moved);
            (0..2).for_each(|row| derivative[row][state] = (there[row] - y[row]) / (moved[state] - x[state]));
        }
        let [[a, b], [c, d]] =
            [[1.0 - derivative[0][0], -derivative[0][1]], [-derivative[1][0], 1.0 - derivative[1][1]]];
        let (r, determinant) = ([y[0] - x[0], y[1] - x[1]], a * d - b * c);
        x = [x[0] + (d * r[0] - b * r[1]) / determinant, x[1] + (a * r[1] - c * r[0]) / determinant];
    }
    (x, derivative)
}

fn check(text: &str, map: impl Fn([f64; 2]) -> [f64; 2], start: [f64; 2]) {
    let found = Analyzed::of_text(text).periodic(&How::until(1.0), T);
    let (summary, state, result) = found.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
    let (expected, derivative) = fixed_point(map, start);
    assert!(state.periods <= 20, "{state:?}");
    for ((name, value), (expected_name, expected)) in state.states.iter().zip([("i", expected[0]), ("u", expected[1])])
    {
        assert_eq!(name, expected_name);
        assert!(
            (value - expected).abs() <= NEAR * expected.abs().max(1.0),
            "{name} = {value}, not {expected}: {state:?}"
        );
    }
    let trace = derivative[0][0] + derivative[1][1];
    let sum: f64 = state.multipliers.iter().map(|it| it.0).sum();
    assert!((trace - sum).abs() < 1e-4, "{sum}, not {trace}");
    assert!((result.times()[0] - state.from).abs() < 1e-9 * T, "the result begins where the period does");
    assert!(summary.events >= 2 && result.last("u").is_some_and(|last| (last - state.states[1].1).abs() < 1e-9));
}

#[test]
fn a_boost_converter_in_both_kinds_of_conduction() {
    check(&converter(0.1, 8.0, 50.0, BOOST), boost(50.0), [0.275, 10.0]);
    check(&converter(0.0, 12.0, 2000.0, BOOST), boost(2000.0), [0.0, 20.0]);
}

#[test]
fn a_buck_converter_in_both_kinds_of_conduction() {
    check(&converter(0.4, 2.0, 5.0, BUCK), buck(5.0), [0.4, 2.5]);
    check(&converter(0.0, 3.0, 400.0, BUCK), buck(400.0), [0.0, 3.5]);
}

#[test]
fn what_nothing_drives_back_has_no_periodic_value() {
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = 1 + sin(6.283185307179586*time); end M;";
    let diagnostics = Analyzed::of_text(text).periodic(&How::until(1.0), 1.0).expect_err("it grows");
    assert!(diagnostics.iter().any(|it| it.code.as_str() == "E0844"), "{diagnostics:#?}");
}

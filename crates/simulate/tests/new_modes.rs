//! Modes that are new in a run, and differ little from the last one: they cost what they change, and are computed as modes made from nothing.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, check, run_text};

/// Relays in a line, each with hysteresis, which pull at each other; a load at the end is an equation that is solved by iteration.
fn relays(count: usize) -> String {
    format!(
        "model Relays Real x[{count}](each start = 0, each fixed = true), y; Boolean on[{count}](each start = true);
         equation
           y + y^3 = if on[1] then x[1] else 2*x[1];
           for k in 1:{count} loop
             on[k] = if pre(on[k]) then x[k] < 1 else x[k] < -1;
             der(x[k]) = (if on[k] then 1 else -1)*(1 + k/{count}) - 0.1*x[k]
               + 0.01*((if k > 1 then x[max(k - 1, 1)] else 0) - x[k]);
           end for;
         end Relays;"
    )
}

#[test]
fn a_chain_of_three_hundred_new_modes_costs_what_they_touch() {
    // A piece of a chain of formulas, or two where events fall together: in no relation to how many there are.
    let most = 256;
    for count in [200, 400] {
        let ran = run_text(&relays(count), &How { method: Some(Method::Bdf), ..How::until(2.5) }.tolerance(1e-4));
        let costs: Vec<_> = ran.finished().costs.into_iter().filter(|it| it.new_modes > 0).collect();
        assert!(costs.len() >= 300, "{}", costs.len());
        for cost in &costs[..300] {
            assert!(cost.structures == 0, "at {}: a structure was made", cost.time);
            assert!((1..=most).contains(&cost.formulas), "at {}: {} formulas were compiled", cost.time, cost.formulas);
        }
    }
}

/// How long a relay of strength `a` takes from a value to the threshold ahead of it, 1 or -1: its equation is `der(x) = ±a - x/10`.
fn until_threshold(a: f64, from: f64) -> f64 {
    -10.0 * ((10.0 * a - 1.0) / (10.0 * a - from)).ln()
}

/// The events of a relay that begins at zero, and its value at the end, in closed form.
fn relay(a: f64, stop: f64) -> (Vec<f64>, f64) {
    let (mut time, mut from, mut side, mut events) = (0.0, 0.0, 1.0, Vec::new());
    loop {
        let next = time + until_threshold(a, from);
        if next > stop {
            let limit = 10.0 * a;
            return (events, side * (limit + (from - limit) * (-0.1 * (stop - time)).exp()));
        }
        events.push(next);
        (time, from, side) = (next, -1.0, -side);
    }
}

const COUNT: usize = 120;
const STOP: f64 = 2.6;

fn strength(k: usize) -> f64 {
    1.0 + 0.00713 * k as f64
}

/// What is beside the relays, with its value at the end from what the first two are and whether they are on.
type Beside = (&'static str, &'static str, fn([f64; 2], [bool; 2], f64) -> f64);

/// Whether or not another equation contains other variables in one of the modes, has to be iterated, calls a function, is differentiated, or
/// is one of several that are solved together.
const BESIDE: [Beside; 6] = [
    ("Real y;", "y = sin(x[1]);", |x, _, _| x[0].sin()),
    ("Real y;", "y = if on[1] then x[1] else 2*x[2];", |x, on, _| if on[0] { x[0] } else { 2.0 * x[1] }),
    ("Real y;", "y + y^3 = if on[1] then x[1] else 2*x[1];", |x, on, y| {
        y + (if on[0] { x[0] } else { 2.0 * x[0] } - y - y.powi(3))
    }),
    (
        "Real y; function f input Real u; output Real v; algorithm v := 2*u; end f;",
        "y = if on[2] then f(x[1]) else x[1];",
        |x, on, _| if on[1] { 2.0 * x[0] } else { x[0] },
    ),
    ("Real y, z;", "z = (if on[2] then 2 else 3)*x[1]; y = der(z) + z/10;", |_, on, _| {
        (if on[1] { 2.0 } else { 3.0 }) * if on[0] { strength(1) } else { -strength(1) }
    }),
    ("Real y, z;", "y + z = (if on[1] then 1 else 3)*x[1]; y - (if on[2] then 2 else 5)*z = 0;", |x, on, _| {
        let (sum, ratio) = (if on[0] { x[0] } else { 3.0 * x[0] }, if on[1] { 2.0 } else { 5.0 });
        sum * ratio / (1.0 + ratio)
    }),
];

#[test]
fn many_modes_of_one_structure_are_computed_each_with_its_own_branches() {
    let (mut times, ends): (Vec<Vec<f64>>, Vec<f64>) = (1..=COUNT).map(|k| relay(strength(k), STOP)).unzip();
    let mut expected: Vec<f64> = times.drain(..).flatten().collect();
    expected.sort_by(f64::total_cmp);
    for method in [Method::Auto, Method::Bdf, Method::Explicit] {
        for (declared, equation, right) in BESIDE {
            let text = format!(
                "model M Real x[{COUNT}](each start = 0, each fixed = true); Boolean on[{COUNT}](each start = true); {declared}
                 equation {equation}
                   for k in 1:{COUNT} loop
                     on[k] = if pre(on[k]) then x[k] < 1 else x[k] < -1;
                     der(x[k]) = (if on[k] then 1 else -1)*(1 + 0.00713*k) - x[k]/10;
                   end for; end M;"
            );
            let how = How { method: Some(method), ..How::until(STOP).tolerance(1e-8) };
            let ran = run_text(&text, &how).finished();
            let found = ran.event_times();
            assert_eq!(found.len(), expected.len(), "{equation} {method:?}");
            for (found, expected) in found.iter().zip(&expected) {
                check("event", *found, *expected, 1e-7);
            }
            for (k, end) in (1..).zip(&ends) {
                check(&format!("x[{k}] with {equation}"), ran.last(&format!("x[{k}]")), *end, 1e-7);
            }
            let (x, on) =
                ([1, 2].map(|k| ran.last(&format!("x[{k}]"))), [1, 2].map(|k| ran.last(&format!("on[{k}]")) != 0.0));
            let y = ran.last("y");
            check(equation, y, right(x, on, y), 1e-9);
        }
    }
}

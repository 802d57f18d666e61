//! What clauses count: edges relative to the micro-step before, of relations that turn back in the instant in which they cross.

use crate::support::runs::{How, check, run_text};
use modeshift_simulate::integrate::Method;

const METHODS: [Method; 5] = [Method::Auto, Method::Exact, Method::Bdf, Method::Esdirk, Method::Explicit];

/// A model, when it stops, and what its variables are then.
type Case = (&'static str, f64, &'static [(&'static str, f64)]);

fn run_all(cases: &[Case]) {
    for &(text, stop, expected) in cases {
        for method in METHODS {
            let how = How { method: Some(method), ..How::until(stop) }.tolerance(1e-9);
            let ran = run_text(&format!("model M {text} end M;"), &how).finished();
            for &(name, value) in expected {
                check(&format!("{name} by {method:?} in {text}"), ran.last(name), value, 1e-6);
            }
        }
    }
}

const BALL: &str = "Real h(start = 1, fixed = true), v(start = 0, fixed = true);";
const TANK: &str = "Real h(start = 0.5, fixed = true); Boolean pump(start = false, fixed = true); Boolean empty = h < 0.2, full = h > 0.8;
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);";
const PUMP: &str = "der(h) = if pump then 0.3 else -0.1; pump = empty or pre(pump) and not full;";

#[test]
fn a_relation_holds_until_a_reinit_moves_it() {
    run_all(&[(
        "Real x(start = 1, fixed = true), y(start = -1, fixed = true); Integer n(start = 0, fixed = true);
         equation der(x) = if y > 0 then 1 else -1; der(y) = 0;
         when x <= 0 then n = pre(n) + 1; reinit(y, 1); end when;
         when y > 0 then reinit(x, -0.5); end when;",
        3.0,
        &[("n", 1.0), ("x", 1.5)],
    )]);
}

#[test]
fn a_relation_that_turns_back_at_once_is_two_edges() {
    let ball = |rest: &str, clause: &str| -> &'static str {
        Box::leak(
            format!(
                "{BALL} {rest} Integer m(start = 0, fixed = true), n(start = 0, fixed = true);
                 equation der(h) = v; der(v) = -9.81; when c then reinit(v, -0.7*pre(v)); n = pre(n) + 1; end when; {clause}"
            )
            .into_boxed_str(),
        )
    };
    let tank =
        |clause: &str| -> &'static str { Box::leak(format!("{TANK} equation {PUMP} {clause}").into_boxed_str()) };
    run_all(&[
        (ball("Boolean c = h < 0;", "when change(c) then m = pre(m) + 1; end when;"), 1.2, &[("m", 4.0), ("n", 2.0)]),
        (ball("Boolean c = h < 0;", "when c <> pre(c) then m = pre(m) + 1; end when;"), 1.2, &[("m", 4.0)]),
        (ball("Boolean c = h < 0;", "when {c, not c} then m = pre(m) + 1; end when;"), 1.2, &[("m", 4.0)]),
        (ball("Boolean c = h < 0;", "algorithm when change(c) then m := pre(m) + 1; end when;"), 1.2, &[("m", 4.0)]),
        (
            tank("when change(empty) then n = pre(n) + 1; end when; when change(full) then m = pre(m) + 1; end when;"),
            20.0,
            &[("n", 6.0), ("m", 4.0)],
        ),
    ]);
}

#[test]
fn what_a_latch_leaves_behind_is_counted() {
    let tank =
        |clause: &str| -> &'static str { Box::leak(format!("{TANK} equation {PUMP} {clause}").into_boxed_str()) };
    run_all(&[
        (tank("when not empty then n = pre(n) + 1; end when; m = 0;"), 10.0, &[("n", 1.0)]),
        (tank("when not empty then n = pre(n) + 1; end when; when empty then m = pre(m) + 1; end when;"), 12.0, &[("n", 2.0), ("m", 2.0)]),
        (tank("when empty then m = pre(m) + 1; n = pre(n); elsewhen not empty then n = pre(n) + 1; m = pre(m); end when;"), 12.0, &[("n", 2.0), ("m", 2.0)]),
        (tank("when not empty then n = pre(n) + 1; end when; m = integer(3*time + 0.5);"), 10.0, &[("n", 1.0), ("m", 30.0)]),
        (tank("algorithm when not empty then n := pre(n) + 1; end when; m := 0;"), 12.0, &[("n", 2.0)]),
        (
            "Real x(start = 0.5, fixed = true); Boolean b(start = false, fixed = true); Integer n(start = 0, fixed = true);
             equation der(x) = if b then -1 else 1; b = x > 1 or pre(b) and x > 0; when x > 0 then n = pre(n) + 1; end when;",
            4.0,
            &[("n", 2.0), ("x", 0.0 + 0.5)],
        ),
        (
            "Real x(start = 1, fixed = true); Boolean up(start = false, fixed = true); Boolean lo = x < 0; Integer n(start = 0, fixed = true);
             equation der(x) = if up then 1 else -1; when lo then up = true; end when; when not lo then n = pre(n) + 1; end when;",
            3.0,
            &[("n", 1.0), ("x", 2.0)],
        ),
    ]);
}

#[test]
fn a_mode_that_a_reinit_leaves_at_once_needs_no_flow() {
    run_all(&[
        (
            "Real x(start = 0, fixed = true); Boolean b = x > 1; Integer n(start = 0, fixed = true);
             equation der(x) = if b then -1 else 1; when b then reinit(x, 0); n = pre(n) + 1; end when;",
            3.5,
            &[("n", 3.0), ("x", 0.5)],
        ),
        (
            "Real v(start = 0, fixed = true), i; Boolean s; Integer n(start = 0, fixed = true);
             equation s = v >= 1; i = if s then -5 else 2 - v; der(v) = i; when s then reinit(v, 0); n = pre(n) + 1; end when;",
            3.0,
            // Every ln(2).
            &[("n", 4.0)],
        ),
    ]);
}

#[test]
fn what_turns_back_without_end_stops_the_run() {
    for method in METHODS {
        let how = How { method: Some(method), ..How::until(3.0) };
        let ran = run_text(
            "model M Real x(start = -1, fixed = true); Integer n(start = 0, fixed = true);
             equation der(x) = if x > 0 then -1 else 1; when x > 0 then n = pre(n) + 1; end when; end M;",
            &how,
        );
        ran.said("E0823");
    }
}

#[test]
fn an_event_of_many_micro_steps_is_told_once_with_the_modes_between() {
    let text = "model M Real x(start = 0, fixed = true); Boolean b = x > 1;
        equation der(x) = if b then -1 else 1; when b then reinit(x, 0); end when; end M;";
    for method in METHODS {
        let ran = run_text(text, &How { method: Some(method), ..How::until(2.5) }).finished();
        assert_eq!(ran.events().len(), 2, "{method:?}");
        for (number, event) in ran.events().iter().enumerate() {
            assert_eq!((event.cascade.len(), &event.from), (1, &event.to), "{method:?}");
            let rows = ran.result.times().iter().filter(|&&time| time == event.time).count();
            assert_eq!(rows, 2, "{method:?}");
            let (left, right) = ran.limits(number, "x");
            check("x before", left, 1.0, 1e-6);
            check("x after", right, 0.0, 1e-6);
        }
    }
}

#[test]
fn what_happens_again_and_again_is_counted_every_time() {
    let changes = "when change(empty) then n = pre(n) + 1; end when; when change(full) then m = pre(m) + 1; end when;";
    let tank: &'static str = Box::leak(format!("{TANK} equation {PUMP} {changes}").into_boxed_str());
    run_all(&[
        // Empty at 3, 11, ..., full at 5, 13, ...
        (tank, 400.0, &[("n", 100.0), ("m", 100.0)]),
        (
            "Real x(start = 0.5, fixed = true); Boolean b(start = false, fixed = true); Integer n(start = 0, fixed = true);
             equation der(x) = if b then -1 else 1; b = x > 1 or pre(b) and x > 0; when b then n = pre(n) + 1; end when;",
            400.0,
            &[("n", 200.0), ("x", 0.5)],
        ),
    ]);
}

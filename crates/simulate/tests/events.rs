//! Events in runs: `when`, `sample`, `reinit`, chattering, and what ends a run before its time.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use modeshift_simulate::run::RunEnd;
use support::{How, Ran, check, paper_model, run_mel, run_text};

fn run_body(body: &str, how: &How) -> Ran {
    run_text(&format!("model M {body} end M;"), how)
}

#[test]
fn a_bouncing_ball_hits_the_ground_at_its_exact_times() {
    // h0 = 1, e = 0.9, g = 9.81, in closed form.
    let body = "Real h(start = 1, fixed = true), v(start = 0, fixed = true);
        equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -0.9*pre(v)); end when;";
    let impacts = [0.4515236409857309, 1.264266194760047, 1.995734493156931, 2.654055961714126, 3.246545283415602];
    for tolerance in [1e-6, 1e-9] {
        let ran = run_body(body, &How::until(3.5).tolerance(tolerance)).finished();
        assert_eq!(ran.events().len(), impacts.len());
        for (found, expected) in ran.event_times().iter().zip(impacts) {
            check("impact", *found, expected, tolerance);
        }
        check("v-", ran.limits(0, "v").0, -4.42944691807002, tolerance);
        check("v+", ran.limits(4, "v").1, 2.615544110651166, tolerance);
    }
}

#[test]
fn a_step_of_a_step_is_taken_with_it() {
    let body = "Integer a(start = 0, fixed = true), b(start = 1, fixed = true); algorithm
        when sample(0, 0.1) then a := min(integer(10*time + 0.5), 5); b := mod(a + 1, 6); end when;";
    let ran = run_body(body, &How::until(1.0)).finished();
    assert_eq!([0.25, 0.45, 0.75].map(|time| ran.at(time, "b")), [3.0, 5.0, 0.0]);
}

#[test]
fn a_time_that_moves_with_a_left_limit_moves_after_its_event() {
    let body = "Integer n(start = 0, fixed = true); Real last(start = 0, fixed = true);
        equation when time >= (pre(n) + 1)*0.1 then n = pre(n) + 1; last = time; end when;";
    let ran = run_body(body, &How::until(0.95)).finished();
    assert_eq!(ran.events().len(), 9);
    check("n", ran.last("n"), 9.0, 0.0);
    check("last", ran.last("last"), 0.9, 1e-12);
}

/// A ball that falls from height 1 comes to rest after `sqrt(2/g) (1 + e)/(1 - e)`.
fn rest_time(e: f64) -> f64 {
    (2.0 / 9.81f64).sqrt() * (1.0 + e) / (1.0 - e)
}

const BALL: &str = "Real h(start = 1, fixed = true), v(start = 0, fixed = true);";

fn check_accumulation(body: &str, e: f64, tolerance: f64) {
    let ran = run_body(&format!("{BALL} {body}"), &How::until(10.0).tolerance(tolerance));
    assert_eq!(ran.summary.as_ref().map(|it| &it.end), Some(&RunEnd::Failed), "{:?}", ran.summary);
    let said = ran.said("E0827");
    let time = said.message.strip_prefix("events follow each other ever faster and accumulate at time = ");
    check("limit", time.expect("it accumulates").parse().expect("a number"), rest_time(e), tolerance);
    assert!(said.labels.iter().any(|label| label.text.contains("h <= 0")), "{said:#?}");
    assert!(ran.values("h").iter().all(|&h| h > -10.0 * tolerance), "the ball does not fall through the ground");
}

#[test]
fn impacts_that_accumulate_end_the_run_with_the_time_they_lead_to() {
    for tolerance in [1e-6, 1e-9] {
        for e in [0.1, 0.5, 0.9] {
            let body =
                format!("equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -{e}*pre(v)); end when;");
            check_accumulation(&body, e, tolerance);
        }
    }
}

#[test]
fn a_mode_that_does_not_hold_the_ball_is_no_rest() {
    check_accumulation(
        "Real lamp; equation der(h) = v; der(v) = -9.81; lamp = if h <= 0 then 1 else 0;
         when h <= 0 then reinit(v, -0.5*pre(v)); end when;",
        0.5,
        1e-6,
    );
}

fn check_rest(declarations_and_equations: &str, e: f64, tolerance: f64) -> Ran {
    let ran = run_body(&format!("{BALL} {declarations_and_equations}"), &How::until(10.0).tolerance(tolerance));
    let ran = ran.finished();
    let last = ran.events().last().expect("impacts");
    check("rest", last.time, rest_time(e), tolerance);
    assert!(last.from != last.to, "another mode goes on: {last:#?}");
    check("h", ran.last("h"), 0.0, tolerance);
    check("v", ran.last("v"), 0.0, tolerance);
    assert!(ran.values("h").iter().all(|&h| h > -10.0 * tolerance), "the ball does not fall through the ground");
    ran
}

#[test]
fn impacts_that_accumulate_come_to_rest_in_the_mode_of_contact() {
    for tolerance in [1e-6, 1e-9] {
        for e in [0.1, 0.5, 0.9] {
            let body = format!(
                "Real f, s, x(start = 0, fixed = true); Boolean contact;
                 equation contact = s <= 0; der(x) = 2; der(h) = v; der(v) = -9.81 + f;
                 0 = if contact then h else f; s = if contact then -f else h;
                 when contact then reinit(v, -{e}*pre(v)); end when;"
            );
            let ran = check_rest(&body, e, tolerance);
            check("force", ran.last("f"), 9.81, tolerance);
            check("what moves on", ran.last("x"), 20.0, tolerance);
            assert_eq!(ran.last("contact"), 1.0);
        }
    }
}

#[test]
fn the_ball_of_the_language_specification_stops_flying() {
    let body = "Boolean flying(start = true, fixed = true), impact; discrete Real v_new(start = 0, fixed = true);
        equation impact = h <= 0; der(h) = v; der(v) = if flying then -9.81 else 0;
        when {h <= 0 and v <= 0, impact} then
          v_new = if edge(impact) then -0.7*pre(v) else 0; flying = v_new > 0; reinit(v, v_new);
        end when;";
    for tolerance in [1e-6, 1e-9] {
        for e in ["0.3", "0.7", "0.8", "0.9"] {
            let body = body.replace("0.7", e);
            let ran = check_rest(&body, e.parse().expect("a number"), tolerance);
            assert_eq!(ran.last("flying"), 0.0);
            // Of a shorter run, nearer impacts count.
            let until = rest_time(e.parse().expect("a number")) + 0.5;
            let ran = run_body(&format!("{BALL} {body}"), &How::until(until).tolerance(tolerance)).finished();
            assert_eq!(ran.last("flying"), 0.0);
        }
    }
}

#[test]
fn a_ball_comes_to_rest_on_a_table_that_moves() {
    // The table rises with speed 0.3; seen from it, the ball falls from height 1 and begins with speed -0.3.
    let e = 0.8;
    let body = format!(
        "Real d, f, s; Boolean contact;
         equation contact = s <= 0; der(h) = v; der(v) = -9.81 + f; d = h - 0.3*time;
         0 = if contact then d else f; s = if contact then -f else d;
         when contact then reinit(v, 0.3 - {e}*(pre(v) - 0.3)); end when;"
    );
    let ran = run_body(&format!("{BALL} {body}"), &How::until(6.0).tolerance(1e-9)).finished();
    let impact = (0.3f64.powi(2) + 2.0 * 9.81).sqrt();
    let rest = (impact - 0.3) / 9.81 + 2.0 * impact / 9.81 * e / (1.0 - e);
    check("rest", ran.events().last().expect("impacts").time, rest, 1e-9);
    check("h", ran.last("h"), 0.3 * 6.0, 1e-9);
    check("v", ran.last("v"), 0.3, 1e-9);
}

#[test]
fn a_ball_that_rests_can_be_lifted_again() {
    // At time 5 the ground begins to push with an acceleration of 1 upwards for a second, then the ball flies.
    let body = "Real f, s; Boolean contact;
        equation contact = s <= 0; der(h) = v; der(v) = -9.81 + f + (if time > 5 and time < 6 then 19.62 else 0);
        0 = if contact then h else f; s = if contact then -f else h;
        when contact then reinit(v, -0.5*pre(v)); end when;";
    let ran = run_body(&format!("{BALL} {body}"), &How::until(12.0)).finished();
    // Up with g for one second, then thrown: v = g, h = g/2; on the ground again after 1 + sqrt 2 seconds, with sqrt 2 g.
    check("second flight", ran.at(6.0, "v"), 9.81, 1e-6);
    let second = 7.0 + 2.0f64.sqrt() + 2.0 * 2.0f64.sqrt();
    check("second rest", ran.events().last().expect("impacts").time, second, 1e-5);
    assert_eq!(ran.last("contact"), 1.0);
}

#[test]
fn two_balls_come_to_rest_each_at_its_own_time() {
    let ball = |name: &str, e: f64| {
        format!(
            "Real h{name}(start = 1, fixed = true), v{name}(start = 0, fixed = true), f{name}, s{name}; Boolean c{name};
             equation c{name} = s{name} <= 0; der(h{name}) = v{name}; der(v{name}) = -9.81 + f{name};
             0 = if c{name} then h{name} else f{name}; s{name} = if c{name} then -f{name} else h{name};
             when c{name} then reinit(v{name}, -{e}*pre(v{name})); end when;"
        )
    };
    let text = format!("{} public {}", ball("1", 0.5), ball("2", 0.6));
    let ran = run_body(&text, &How::until(5.0)).finished();
    let rests: Vec<f64> = ran.events().iter().filter(|event| event.from != event.to).map(|event| event.time).collect();
    assert_eq!(rests.len(), 2);
    check("first", rests[0], rest_time(0.5), 1e-6);
    check("second", rests[1], rest_time(0.6), 1e-6);
}

#[test]
fn events_that_change_nothing_continuous_leave_the_integration_alone() {
    let oscillator = "Real x(start = 1, fixed = true), y(start = 0, fixed = true); Integer n(start = 0, fixed = true);
        equation der(x) = y; der(y) = -x*(1 + 0.1*x^2);";
    let plain = run_body(&format!("{oscillator} n = 0;"), &How::until(20.0)).finished();
    let counted = format!("{oscillator} when {{x > 0.5, y > 0.3}} then n = pre(n) + 1; end when;");
    let counted = run_body(&counted, &How::until(20.0)).finished();
    assert!(counted.last("n") > 5.0);
    for (row, &time) in plain.result.times().iter().enumerate() {
        let x = plain.result.row(row)[plain.result.columns().position("x").expect("a column")];
        assert_eq!(counted.at(time, "x").to_bits(), x.to_bits(), "at {time}");
    }
}

#[test]
fn samples_are_taken_at_exact_times_and_counted() {
    let ran = run_body(
        "Real x(start = 1, fixed = true); discrete Real y(start = 0); Integer n(start = 0);
         equation der(x) = -x; when sample(0.25, 0.25) then y = x; n = pre(n) + 1; end when;",
        &How::until(1.0),
    )
    .finished();
    assert_eq!(ran.event_times(), [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(ran.last("n"), 4.0);
    check("y", ran.at(0.6, "y"), (-0.5f64).exp(), 1e-6);
}

#[test]
fn elsewhen_yields_to_when_and_assignments_see_each_other() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); Integer a(start = 0), b(start = 0);
         equation der(x) = 1;
         when x > 0.5 then a = 1; b = a + 10; elsewhen x > 0.25 then a = 5; b = 7; end when;",
        &How::until(1.0),
    )
    .finished();
    check("first", ran.event_times()[0], 0.25, 1e-6);
    assert_eq!((ran.at(0.4, "a"), ran.at(0.4, "b")), (5.0, 7.0));
    assert_eq!((ran.last("a"), ran.last("b")), (1.0, 11.0));
}

#[test]
fn edges_and_changes_are_seen_once() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); Boolean up; Integer rises(start = 0, fixed = true);
         Integer changes(start = 0, fixed = true), level, levels(start = 0, fixed = true);
         equation der(x) = cos(time); up = x > 0.5; level = integer(3.9*x);
         when edge(up) then rises = pre(rises) + 1; end when;
         when change(up) then changes = pre(changes) + 1; end when;
         when change(level) then levels = pre(levels) + 1; end when;",
        &How::until(9.0),
    )
    .finished();
    // x = sin t rises above 0.5 at π/6 and 2π + π/6, falls below it at 5π/6 and 2π + 5π/6 (8.9).
    assert_eq!((ran.last("rises"), ran.last("changes")), (2.0, 4.0));
    // integer(3.9 sin t) is a floor: 3 steps up, 7 down, 7 up, 2 down.
    assert_eq!(ran.last("levels"), 19.0);
}

#[test]
fn steps_of_time_are_events_at_exact_times() {
    let ran = run_body(
        "Real x(start = 0, fixed = true), k;
         equation k = floor(time/0.3); der(x) = k;",
        &How { interval: Some(0.1), ..How::until(1.0) },
    )
    .finished();
    assert_eq!(ran.events().len(), 3);
    check("x", ran.last("x"), 0.3 * (1.0 + 2.0) + 0.1 * 3.0, 1e-9);
}

#[test]
fn the_start_and_the_end_can_be_noticed() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); Integer a(start = 0), b(start = 0);
         equation der(x) = 1; when initial() then a = 1; end when; when terminal() then b = 1; end when;",
        &How::until(1.0),
    )
    .finished();
    assert_eq!((ran.at(0.5, "a"), ran.at(0.5, "b")), (1.0, 0.0));
    assert_eq!(ran.last("b"), 1.0);
}

#[test]
fn a_model_can_end_its_run() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); equation der(x) = 1; when x > 0.5 then terminate(\"enough\"); end when;",
        &How::until(1.0),
    );
    let summary = ran.summary.as_ref().expect("a run");
    assert_eq!(summary.end, RunEnd::Terminated("enough".to_string()));
    check("end", summary.time, 0.5, 1e-6);
}

#[test]
fn a_relay_made_of_whens_has_no_mode_to_go_on_in() {
    let ran = run_text(
        "model M
           Real x(start = 1, fixed = true);
           discrete Real d(start = -1, fixed = true);
         equation
           der(x) = d;
           when x < 0 then
             d = 1;
           elsewhen x > 0 then
             d = -1;
           end when;
         end M;",
        &How::until(2.0),
    );
    let said = ran.said("E0823");
    assert!(said.labels.iter().any(|label| label.text.contains("x < 0")), "{said:#?}");
    check("last row", *ran.result.times().last().expect("rows"), 1.0, 1e-6);
}

#[test]
fn a_hysteresis_below_noise_is_refused_and_a_narrow_one_is_not() {
    let run = |band: f64, stop: f64| {
        run_body(
            &format!(
                "Real x(start = 1.5, fixed = true); Boolean up(start = false, fixed = true);
                 equation up = if pre(up) then x < 1 + {band:e} else x <= 1 - {band:e}; der(x) = if up then 1 else -1;"
            ),
            &How::until(stop),
        )
    };
    let said = run(1e-12, 100.0);
    assert!(said.said("E0827").labels[0].text.contains("x <= 0.999999999999"), "{:#?}", said.diagnostics);
    // Events that can be told apart are waited for, however many there are.
    let ran = run(1e-6, 0.501).finished();
    assert!(ran.events().len() > 400, "{} events", ran.events().len());
}

#[test]
fn modes_that_could_both_follow_are_named_once_for_their_guards() {
    // Two doors that lock each other: when both are pushed at once, nothing says which one opens.
    let ran = run_body(
        "Real x(start = -1.5, fixed = true), y(start = 0, fixed = true), first, second; Boolean a, b;
         equation der(x) = 6*cos(3*time - 1.5); first = x - (if b then 9 else 0); second = x - (if a then 9 else 0);
         a = first >= 0; b = second >= 0; der(y) = if a then 1 else if b then -1 else 0;",
        &How::until(5.0),
    )
    .finished();
    assert!(ran.events().len() > 2, "the doors are pushed more than once: {:?}", ran.event_times());
    let warnings: Vec<_> = ran.diagnostics.iter().filter(|it| it.code == "W0828").collect();
    assert_eq!(warnings.len(), 1, "{:#?}", ran.diagnostics);
    let notes = &warnings[0].notes;
    assert_eq!(*notes, ["chosen: a", "possible: b"], "{:#?}", warnings[0]);
    assert_eq!(warnings[0].labels.len(), 2, "both guards: {:#?}", warnings[0]);
    assert!(ran.last("y").abs() > 0.5, "one of them opened");
}

#[test]
fn a_relay_with_hysteresis_switches_for_ever() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); Boolean up(start = true, fixed = true);
         equation up = if pre(up) then x < 1 else x <= -1; der(x) = if up then 1 else -1;",
        &How::until(10.0),
    )
    .finished();
    let expected = [1.0, 3.0, 5.0, 7.0, 9.0];
    assert_eq!(ran.events().len(), expected.len(), "{:?}", ran.event_times());
    ran.event_times().iter().zip(expected).for_each(|(found, expected)| check("switch", *found, expected, 1e-6));
}

#[test]
fn what_has_a_definition_starts_from_its_left_limit_but_not_with_it() {
    for (left, start) in [("false", -3.0), ("false", 0.0), ("true", 0.0)] {
        let body = format!(
            "Real x(start = {start}, fixed = true); Boolean on; initial equation pre(on) = {left};
             equation on = pre(on) and x < 1 or x < -1; der(x) = if on then 1 else -1;"
        );
        let ran = run_body(&body, &How::until(0.5)).finished();
        let is_on = left == "true" || start < -1.0;
        check("x", ran.last("x"), start + if is_on { 0.5 } else { -0.5 }, 1e-6);
    }
}

#[test]
fn a_sampling_is_true_in_its_instant_only() {
    let body = "Boolean due; discrete Real count(start = 0, fixed = true); Real x(start = 0, fixed = true);
        equation due = sample(0.1, 0.1); when due then count = pre(count) + 1; end when;
        der(x) = if due then 1 else 0;";
    let ran = run_body(body, &How::until(1.05)).finished();
    assert_eq!((ran.last("count"), ran.last("x"), ran.last("due")), (10.0, 0.0, 0.0));
    assert!(ran.values("due").iter().all(|&due| due == 0.0), "no time passes while it is true");
}

#[test]
fn what_was_seen_of_a_guard_is_not_forgotten_at_an_event_that_changes_nothing() {
    // One bound of the hysteresis follows the other at once; both are far below what noise could be of a signal that
    // large. The signal vanishes where t + t^2/10 is 1/4 and every 1/2 from there, ever faster.
    let body = "Real s; Real x(start = 0, fixed = true);
        Boolean on(start = true, fixed = true), asked(start = true, fixed = true);
        equation s = 1000*cos(2*3.141592653589793*(time + time^2/10)); on = pre(asked);
        asked = if on then s >= -1e-9 else s > 1e-9;
        der(x) = if on then 1 else -1;";
    let ran = run_body(body, &How::until(5.0)).finished();
    let zeros: Vec<f64> = (0..15).map(|half| 5.0 * ((1.1 + 0.2 * f64::from(half)).sqrt() - 1.0)).collect();
    assert_eq!(ran.event_times().len(), zeros.len(), "{:?}", ran.event_times());
    ran.event_times().iter().zip(&zeros).for_each(|(found, expected)| check("zero", *found, *expected, 1e-9));
}

#[test]
fn a_logarithm_of_a_negative_number_is_named_with_its_equation() {
    let ran = run_body("Real x(start = 1, fixed = true), y; equation der(x) = -1; y = log(x);", &How::until(2.0));
    let said = ran.said("E0807");
    assert!(said.message.contains("log(x)") && !said.labels.is_empty(), "{said:#?}");
    assert!(ran.result.times().len() > 20, "what was found is kept");
    assert_eq!(ran.summary.as_ref().map(|it| &it.end), Some(&RunEnd::Failed));
}

#[test]
fn a_stop_time_that_cannot_be_reached_is_told_with_the_state_that_explodes() {
    let ran = run_body("Real x(start = 1, fixed = true); equation der(x) = x^2;", &How::until(2.0));
    let summary = ran.summary.as_ref().expect("a run");
    assert_eq!(summary.end, RunEnd::Failed);
    assert!(summary.time > 0.99 && summary.time <= 1.0, "{summary:?}");
    assert!(ran.diagnostics.iter().any(|it| it.labels.iter().any(|label| label.text.contains("`x`"))));
}

#[test]
fn a_start_without_a_solution_is_no_run() {
    let ran = run_body("Real x(start = 1); equation x^2 = -1;", &How::until(1.0));
    assert!(ran.summary.is_none() && !ran.diagnostics.is_empty());
}

#[test]
fn a_violated_assertion_stops_the_run() {
    let ran = run_body(
        "Real x(start = 1, fixed = true); equation der(x) = -1; assert(x > 0.5, \"too small\");",
        &How::until(1.0),
    );
    assert!(ran.said("E0821").message.contains("too small"));
}

#[test]
fn assertions_are_checked_at_the_start() {
    let always = "Real x(start = 1, fixed = true); equation der(x) = 1; assert(x > 1.5, \"too small\");";
    let once = "Real x(start = 1, fixed = true); equation der(x) = 1;
        when initial() then assert(x > 1.5, \"too small\"); end when;";
    for body in [always, once] {
        let ran = run_body(body, &How::until(1.0));
        assert_eq!(ran.said("E0821").message, "assertion violated at time = 0: too small");
        assert_eq!(ran.summary.as_ref().map(|it| (&it.end, it.time)), Some((&RunEnd::Failed, 0.0)));
    }
}

#[test]
fn an_assertion_of_the_start_is_not_asked_later() {
    let ran = run_body(
        "Real x(start = 1, fixed = true); equation der(x) = -1;
         when initial() then assert(x > 0.5, \"too small\"); end when;",
        &How::until(1.0),
    )
    .finished();
    assert!(ran.diagnostics.is_empty(), "{:#?}", ran.diagnostics);
}

#[test]
fn a_violated_invariant_stops_the_run() {
    let ran = run_body(
        "Real x(start = 0, fixed = true), y; Boolean a, b;
         equation a = x > 0.3; b = x > 0.6; invariant not (a and b);
         der(x) = 1; y = if a then 1 else if b then 2 else 3;",
        &How::until(1.0),
    );
    assert!(ran.said("E0826").labels.iter().any(|label| label.text.contains("is false")));
    check("last row", *ran.result.times().last().expect("rows"), 0.6, 1e-6);
}

#[test]
fn an_underdetermined_start_keeps_start_values_and_warns() {
    let ran = run_body("Real x(start = 2); equation der(x) = -x;", &How::until(1.0)).finished();
    check("x", ran.last("x"), 2.0 * (-1.0f64).exp(), 1e-6);
    assert!(ran.diagnostics.iter().any(|it| it.message.contains('x')), "{:#?}", ran.diagnostics);
}

/// A mode that was only tried leaves no values; the power of a temperature has none at zero. The reference is a plain Runge–Kutta method with
/// bisection for the temperature and for the event.
#[test]
fn iterations_of_a_new_mode_begin_at_the_present_values() {
    let ran = run_body(
        "Real x(start = 0, fixed = true); Real T(start = 300); Real b(start = 1); Real q; Real u; Real i;
         equation der(x) = i/10; u = if time < 0.5 then 10*time else 5; b = (T/300)^(-1.5);
         i = if u - x > 2 then b*(u - x)^2 else if u - x > 0 then b*(u - x) else 0; q = u*i; q = 0.2*(T - 300);",
        &How::until(2.0).tolerance(1e-8),
    )
    .finished();
    check("x", ran.last("x"), 1.41959354901, 1e-7);
    check("T", ran.last("T"), 465.70116606, 1e-4);
}

/// One of two bodies, which a spring with a damper joins, is stopped. No finite force changes the speed of the other in an instant,
/// whichever speeds are preferred as states: the relative one jumps.
#[test]
fn a_body_that_is_stopped_leaves_the_momentum_of_the_other() {
    for preferred in ["", "stateSelect = StateSelect.prefer"] {
        let attribute = if preferred.is_empty() { String::new() } else { format!(", {preferred}") };
        let ran = run_body(
            &format!(
                "Real v1(start = 1, fixed = true); Real v2(start = 1); Real s(start = 0, fixed = true{attribute});
                 Real v(start = 0, fixed = true{attribute}); Real f;
                 equation v = v2 - v1; der(s) = v; f = 10*s + 5*v; der(v1) = f; der(v2) = -f;
                 when time >= 1 then reinit(v2, 0); end when;"
            ),
            &How::until(1.25).tolerance(1e-8),
        )
        .finished();
        assert_eq!([ran.limits(0, "v1").1, ran.limits(0, "v").1], [1.0, -1.0], "{preferred}");
        // s'' + 10 s' + 20 s = 0 from s = 0, s' = -1 on; v1 + v2 stays 1.
        let (slow, fast) = (-5.0 + 5f64.sqrt(), -5.0 - 5f64.sqrt());
        let relative = -(slow * (0.25 * slow).exp() - fast * (0.25 * fast).exp()) / (slow - fast);
        check("v1", ran.last("v1"), 0.5 * (1.0 - relative), 1e-6);
        check("v2", ran.last("v2"), 0.5 * (1.0 + relative), 1e-6);
    }
}

#[test]
fn what_a_reinit_does_not_touch_follows_from_the_states_of_the_new_mode() {
    let ran = run_body(
        "Real x(start = 1, fixed = true); Real s; Boolean p; Boolean next(start = false, fixed = true);
         equation next = x < 0.5; p = pre(next); der(x) = if p then 0 else -1; s = if p then 3 + x else x;
         when p then reinit(x, 0.25); end when;",
        &How::until(1.0),
    )
    .finished();
    assert_eq!(ran.events().len(), 1);
    check("s-", ran.limits(0, "s").0, 0.5, 1e-6);
    check("s+", ran.limits(0, "s").1, 3.25, 1e-12);
}

#[test]
fn flows_that_have_died_away_make_no_events() {
    // The doors of a corridor are opened after a minute and closed two seconds later; then its pressures even out, and
    // the flows between its parts are differences of numbers that are equal but for the errors of integration.
    let opened = paper_model("BuildingCompressible.mel");
    let closed_again = opened.replace("real = t - 60.0;", "real = (t - 60.0)*(62.0 - t);");
    assert_ne!(opened, closed_again);
    for (rooms, tolerance) in [("3", 1e-6), ("3", 1e-10), ("10", 1e-6)] {
        let ran = run_mel(&closed_again, &How::until(300.0).set("N", rooms).tolerance(tolerance)).finished();
        let late = ran.event_times().iter().filter(|&&time| time > 70.0).count();
        assert!(late <= 5, "{late} of {} events come after all is over", ran.events().len());
        let flow = ran.values("mu_c[2]").iter().map(|flow| flow.abs()).fold(0.0, f64::max);
        assert!(flow > 1e-6 && ran.last("mu_c[2]").abs() < 1e-8, "air flows while the doors are open: {flow}");
    }
}

#[test]
fn a_guard_that_comes_back_within_a_long_step_is_seen() {
    // Steps are as long as they may be, a fiftieth of the run, and the guard is positive for a third of one.
    for from in [60.0, 60.7, 61.3, 63.9] {
        let body = format!(
            "Real x(start = 0, fixed = true), y(start = 0, fixed = true); Boolean b;
             equation der(x) = 1; b = (x - {from})*({from} + 2 - x) > 0; der(y) = if b then 1 else 0;"
        );
        let ran = run_body(&body, &How::until(300.0)).finished();
        assert_eq!(ran.events().len(), 2, "{:?}", ran.event_times());
        check("y", ran.last("y"), 2.0, 1e-6);
    }
}

#[test]
fn a_body_with_friction_breaks_away_and_reverses() {
    // The load 2 sin t breaks away where it is 1, and moves the body forward until 2 (cos a - cos t) = t - a; the load is
    // beyond the limit of friction on the other side then, so that the body does not stick.
    let body = "Real w(start = 0, fixed = true), f, s; Boolean forward, backward;
        equation der(w) = 2*sin(time) - f; forward = s > 1; backward = s < -1;
        w = if forward then s - 1 elseif backward then s + 1 else 0;
        f = if forward then 1 elseif backward then -1 else s;";
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
            let how = How { method: Some(method), ..How::until(30.0).tolerance(tolerance) };
            let ran = run_body(body, &how).finished();
            let times = ran.event_times();
            assert_eq!(times.len(), 10, "{method:?}, {tolerance:e}: {times:?}");
            let away = std::f64::consts::FRAC_PI_6;
            check("breaking away", times[0], away, tolerance);
            check("reversal", 2.0 * (away.cos() - times[1].cos()), times[1] - away, tolerance);
            let directions: Vec<Vec<&str>> = (0..10).map(|event| ran.mode_after(event)).collect();
            for (event, direction) in directions.iter().enumerate() {
                assert_eq!(*direction, [["forward"], ["backward"]][event % 2], "{method:?}, {tolerance:e}");
            }
        }
    }
}

#[test]
fn an_assertion_is_violated_where_its_relation_changes() {
    let ran =
        run_body("Real p(start = 1, fixed = true); equation der(p) = 1; assert(p < 6, \"much\");", &How::until(20.0));
    assert!(ran.said("E0821").message.contains("much"));
    check("time", *ran.result.times().last().expect("rows"), 5.0, 1e-9);
    // For a thousandth of the run only, between two steps.
    let band = "Real x(start = 0, fixed = true); equation der(x) = 1; assert(not (x > 1000 and x < 1001), \"band\");";
    let ran = run_body(band, &How::until(2000.0));
    check("time", *ran.result.times().last().expect("rows"), 1000.0, 1e-6);
}

#[test]
fn an_assertion_that_holds_at_zero_lets_a_ball_bounce_and_rest() {
    let ran = run_body(
        "Real h(start = 1, fixed = true), v(start = 0, fixed = true), f; Boolean contact(start = false);
         equation der(h) = v; der(v) = -9.81 + f; contact = h <= 0; 0 = if contact then h else f;
         when contact then v = -0.5*pre(v); end when; assert(h >= 0, \"below\");",
        &How::until(5.0),
    )
    .finished();
    assert!(ran.events().len() > 5 && ran.last("h") == 0.0, "{}", ran.last("h"));
}

#[test]
fn the_last_row_of_a_run_that_fails_is_the_last_that_has_values() {
    let ran = run_body("Real c(start = 0.8, fixed = true), E; equation der(c) = -0.4; E = log(c);", &How::until(5.0));
    check("time", *ran.result.times().last().expect("rows"), 2.0, 1e-6);
    assert!(ran.values("c").iter().all(|&c| c > 0.0) && ran.values("E").iter().all(|value| value.is_finite()));
}

#[test]
fn pulses_and_carriers_of_time_are_not_stepped_over() {
    for length in [10.0, 10_000.0] {
        let pulse = "Real y(start = 0, fixed = true); Boolean p;
             equation p = exp(-((time - 5)/0.01)^2) > 0.5; der(y) = if p then 1 else 0;";
        let ran = run_body(pulse, &How::until(length)).finished();
        check("pulse", ran.last("y"), 0.016651092223153953, 1e-7);
    }
    let carrier = "Real x(start = 0, fixed = true), u, w; Boolean s;
         equation u = asin(sin(6283.185307179586*time)); w = 1.5*time/0.2 - 0.05;
         s = u > w; der(x) = if s then 1 else 0;";
    let ran = run_body(carrier, &How::until(0.2)).finished();
    // As many as a grid of four million points shows.
    assert_eq!(ran.events().len(), 399);
}

/// Levels that become equal: the difference falls as the square of the time that is left, and each law has values on its own side only.
#[test]
fn levels_that_become_equal_rest_there() {
    for (first, second, rate) in
        [(2.0, 0.5, 1.0), (1.7, 0.3, 1.0), (3.1, 1.0 / 3.0, 0.7), (2e-3, 5e-4, 0.1), (2e6, 7e5, 3e3)]
    {
        let text = format!(
            "model Tanks
               Real h1(start = {first}, fixed = true), h2(start = {second}, fixed = true), q;
             equation
               der(h1) = -q;
               der(h2) = q;
               q = {rate}*(if h1 > h2 then sqrt(h1 - h2) else -sqrt(h2 - h1));
             end Tanks;"
        );
        let equal = f64::sqrt(first - second) / rate;
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let ran = run_text(&text, &How::until(2.0 * equal).tolerance(tolerance)).finished();
            let (times, levels) = (ran.result.times(), ran.values("h1"));
            for (time, level) in times.iter().zip(levels) {
                let left = rate * (equal - time).max(0.0);
                let expected = 0.5 * (first + second + left * left);
                let is_near = (level - expected).abs() <= 10.0 * tolerance * first;
                assert!(is_near, "{first} {second} {tolerance:e}: {level} at {time}, not {expected}");
            }
        }
    }
}

#[test]
fn an_assertion_holds_where_what_it_bounds_stops_just_before() {
    let body = "Real y(start = 0.1, fixed = true), w(start = 1, fixed = true);
        equation der(w) = -0.01*w; der(y) = if y > 1 - 1e-9 then 0 else 0.01*(1.004 - y)*(1 + w);
        assert(y < 1 + 1e-9, \"overcharged\");";
    let ran = run_body(body, &How::until(600.0)).finished();
    check("y", ran.last("y"), 1.0 - 1e-9, 1e-12);
}

#[test]
fn an_assertion_fails_where_what_it_bounds_stops_just_behind() {
    let body = "Real y(start = 0.1, fixed = true), w(start = 1, fixed = true);
        equation der(w) = -0.01*w; der(y) = if y > 1 + 1e-9 then 0 else 0.01*(1.004 - y)*(1 + w);
        assert(y < 1 - 1e-9, \"overcharged\");";
    run_body(body, &How::until(600.0)).said("E0821");
}

#[test]
fn a_trigger_without_events_goes_on_where_its_solution_ends() {
    // At time = 1 exactly, whole steps of Newton's method go to and fro between the two branches that have ended.
    let body = "Real u = 3 - 4*time, x, y; equation x = y/15 - u;
        y = smooth(0, noEvent(if 15000*x > 15 then 15 else if 15000*x < -15 then -15 else 15000*x));";
    let ran = run_body(body, &How { interval: Some(0.01), ..How::until(1.5) }).finished();
    assert_eq!([0.5, 0.99, 1.0, 1.5].map(|time| ran.at(time, "y")), [-15.0, -15.0, 15.0, 15.0]);
}

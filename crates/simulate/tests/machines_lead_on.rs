//! Transitions whose conditions turn back as soon as they are taken: the machine leads on, and nothing slides along its threshold.

use crate::machines::near;
use crate::support::runs as support;

use modeshift_simulate::integrate::Method;
use support::{How, Ran, run_text};

const STATES: &str = "model S parameter Real c = 1; outer output Real h; equation der(h) = c; end S;
    model X parameter Real c = 1; Real x(start = 0, fixed = true); outer output Real h; equation der(h) = c; der(x) = 1; end X;
    model L Real x(start = 0, fixed = true); equation der(x) = 1; end L; ";

fn run(models: &str, stop: f64) -> Ran {
    run_text(&format!("{STATES}{models}"), &How::until(stop).tolerance(1e-9)).finished()
}

/// A machine of a (h rises), b (h falls) and c, beginning in a.
fn falling(class: &str, c: f64, declared: &str, drawn: &str) -> String {
    format!(
        "model M inner Real h(start = 0, fixed = true); {class} a(c = 1), b(c = -1), c(c = {c}); {declared}
         equation initialState(a); transition(a, b, h > 0.5); {drawn} end M;"
    )
}

/// That nothing slides, and events are where they should be.
#[track_caller]
fn check_times(ran: &Ran, expected: &[f64]) {
    assert!(ran.diagnostics.iter().all(|it| it.code != "W0833"), "{:#?}", ran.diagnostics);
    let times = ran.event_times();
    assert_eq!(times.len(), expected.len(), "{times:?}, not {expected:?}");
    times.iter().zip(expected).for_each(|(&time, &expected)| near(time, expected, 1e-7));
}

#[test]
fn a_state_in_which_the_output_turns_back_may_be_passed_through() {
    // From 0.5 on h falls with 2 to 0.1, and rises with 1 to 0.5.
    let times = [0.5, 0.7, 1.1, 1.3, 1.7, 1.9, 2.3, 2.5, 2.9];
    for class in ["S", "X"] {
        for leaves in ["h > 0.2", "true", "h < 0.5", "h <= 0.5"] {
            let drawn = format!("transition(b, c, {leaves}); transition(c, a, h < 0.1);");
            let ran = run(&falling(class, -2.0, "", &drawn), 2.95);
            check_times(&ran, &times);
            near(ran.last("h"), 0.4, 1e-7);
            // Rising on in c, the machine stays there.
            let ran = run(&falling(class, 2.0, "", &drawn), 1.0);
            check_times(&ran, &[0.5]);
            near(ran.last("h"), 1.5, 1e-7);
        }
    }
}

#[test]
fn what_else_a_condition_decides_is_as_it_turns_back() {
    let declared = "Boolean high = h > 0.5; Real v(start = 0, fixed = true); Integer n(start = 0, fixed = true);";
    let also = "der(v) = if h > 0.5 then 1 else 0; when h > 0.5 then n = pre(n) + 1; end when;";
    for leaves in ["h > 0.2", "h < 0.3"] {
        let drawn = format!("transition(b, c, {leaves}); transition(c, a, h < 0.1); {also}");
        let ran = run(&falling("X", -2.0, declared, &drawn), 1.0);
        let last = if leaves == "h > 0.2" { vec![0.5, 0.7] } else { vec![0.5, 0.7, 0.8] };
        check_times(&ran, &last);
        near(ran.last("v"), 0.0, 1e-9);
        near(ran.last("high"), 0.0, 0.0);
        near(ran.last("n"), 1.0, 0.0);
    }
}

/// The same written with Booleans that remember.
#[test]
fn latches_lead_on_as_machines_do() {
    let ran = run(
        "model M Real h(start = 0, fixed = true); Boolean one(start = false, fixed = true), two(start = false, fixed = true);
         equation one = pre(one) or h > 0.5; two = pre(two) or pre(one) and h > 0.2;
         der(h) = if two then -2 elseif one then -1 else 1; end M;",
        1.0,
    );
    check_times(&ran, &[0.5]);
    near(ran.last("h"), -0.5, 1e-7);
}

/// Where the way back is open at once, both sides lead to the other.
#[test]
fn a_machine_that_comes_back_at_once_slides() {
    let ran =
        run(&falling("S", -2.0, "", "transition(b, a, not h > 0.5); transition(b, c, h < -10, priority = 2);"), 1.0);
    assert_eq!(ran.said("W0833").code, "W0833");
    near(ran.last("h"), 0.5, 1e-7);
}

#[test]
fn a_machine_that_begins_anew_may_leave_its_initial_state_at_once() {
    for reset in [true, false] {
        for first in ["", "transition(p, q, timeInState() > 0.5, reset = false);"] {
            let ran = run(
                &format!(
                    "model C L p, q, s; equation initialState(p); {first} transition(p, s, p.x < 1, reset = {reset}, priority = 2);
                     transition(s, q, s.x > 5); end C;
                     model M L a; C b; equation initialState(a); transition(a, b, timeInState() > 0.4);
                     transition(b, a, timeInState() > 0.25); end M;"
                ),
                2.0,
            );
            check_times(&ran, &[0.4, 0.65, 1.05, 1.3, 1.7, 1.95]);
            for entry in [0, 2, 4] {
                assert!(ran.mode_after(entry).contains(&"activeState(b.s)"), "{:?}", ran.mode_after(entry));
                near(ran.limits(entry, "b.s.x").1, 0.0, 1e-12);
                near(ran.limits(entry + 1, "b.s.x").0, 0.25, 1e-8);
            }
        }
    }
}

/// A transition to itself leaves and enters the state with all that is inside, as one by way of another state does.
#[test]
fn times_inside_a_state_begin_again_where_it_is_left_for_itself() {
    let inside = "model C L p, q; equation initialState(p); transition(p, q, timeInState() > WAIT); end C;
        model D C c; Real y(start = 0, fixed = true); equation der(y) = 1; initialState(c); transition(c, c, y > 100); end D;";
    let itself = "transition(c, c, timeInState() > 0.27, reset = false); transition(c, d, time > 10, priority = 2);";
    let by_another = "transition(c, d, timeInState() > 0.27, reset = false); transition(d, c, true, reset = false);";
    for (class, inner) in [("C", "c.p"), ("D", "c.c.p")] {
        let model = |wait: &str, drawn: &str| {
            let inside = inside.replace("WAIT", wait);
            format!("{inside} model M {class} c; L d; equation initialState(c); {drawn} end M;")
        };
        for drawn in [itself, by_another] {
            let ran = run(&model("0.6", drawn), 1.0);
            check_times(&ran, &[0.27, 0.54, 0.81]);
            near(ran.last(&format!("{inner}.x")), 1.0, 1e-8);
            near(ran.last(&format!("timeInState({inner})")), 0.19, 1e-7);
            let ran = run(&model("0.2", drawn), 0.5);
            check_times(&ran, &[0.2, 0.27]);
        }
    }
}

/// A time that is known in advance and a clock of a state that says the same, to the last digits: one instant.
#[test]
fn priorities_decide_between_a_time_and_a_clock_of_the_same_instant() {
    for (waits, lasts, time) in [(0.0, 0.5, 0.5), (0.18, 0.6, 0.78), (0.3, 0.3, 0.6), (0.1, 0.2, 0.3), (0.7, 0.1, 0.8)]
    {
        for clock in ["timeInState()", "a.x"] {
            for (first, second, state) in [(1, 2, "b"), (2, 1, "c")] {
                for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
                    let text = format!(
                        "{STATES} model M L z, a, b, c; equation initialState({}); transition(z, a, timeInState() > {waits});
                         transition(a, b, {clock} > {lasts}, priority = {first}); transition(a, c, time > {time}, priority = {second}); end M;",
                        if waits == 0.0 { "a" } else { "z" }
                    );
                    let ran = run_text(&text, &How { method: Some(method), ..How::until(1.0) }).finished();
                    let last = ran.events().len() - 1;
                    assert_eq!(ran.mode_after(last), [format!("activeState({state})")], "{text}");
                    near(ran.event_times()[last], time, 1e-9);
                    assert!(ran.diagnostics.iter().all(|it| it.code != "W0828"), "{:#?}", ran.diagnostics);
                }
            }
        }
    }
}

/// Two relations on one threshold are one surface, however they are written: where both states lead to it, h stays there until the slope of
/// one of them turns; where both lead across, it crosses.
#[test]
fn two_states_that_lead_to_the_threshold_between_them_slide_along_it() {
    let model = |slope: &str, back: &str, speeds: [f64; 2]| {
        format!(
            "model H parameter Real c; outer output Real h; equation der(h) = c{slope}; end H;
             model M inner Real h(start = 0, fixed = true); H a(c = {:?}), b(c = {:?}); equation initialState(a);
             transition(a, b, h > 0.5); transition(b, a, {back}); end M;",
            speeds[0], speeds[1]
        )
    };
    for back in ["h < 0.5", "h <= 0.5", "0.5 > h", "not h > 0.5"] {
        for fall in [-1.0, -3.0] {
            let ran = run(&model("", back, [1.0, fall]), 2.0);
            assert_eq!(ran.said("W0833").code, "W0833");
            assert_eq!(ran.events().len(), 1, "{back}");
            near(ran.last("h"), 0.5, 1e-9);
        }
        let crossing = run(&model("", back, [1.0, 2.0]), 1.0);
        check_times(&crossing, &[0.5]);
        near(crossing.last("h"), 1.5, 1e-8);
        // h = t^2 in a and (t - 1)^2 and something in b, which rises from 1 on.
        let leaving = run(&model(" + 2*time - 1", back, [1.0, -1.0]), 2.0);
        near(leaving.event_times()[0], 0.5_f64.sqrt(), 1e-8);
        near(leaving.event_times()[1], 1.0, 1e-7);
        near(leaving.last("h"), 1.5, 1e-6);
        assert!(leaving.diagnostics.iter().all(|it| it.code != "W0828"), "{back}: {:#?}", leaving.diagnostics);
    }
}

/// What exists in one of the states only cannot be combined, and that is said.
#[test]
fn states_with_variables_of_their_own_do_not_slide() {
    let text = format!(
        "{STATES}{}",
        falling("X", -2.0, "", "transition(b, a, h < 0.5); transition(b, c, h < -10, priority = 2);")
    );
    let ran = run_text(&text, &How::until(1.0));
    let said = ran.said("E0823");
    assert!(said.notes.iter().any(|note| note.contains("cannot slide along: `b.x` jumps")), "{said:#?}");
}

/// A transition that is due where the run starts, at its very threshold: as a little later.
#[test]
fn a_transition_at_its_threshold_is_taken_at_the_start_as_later() {
    for class in ["S", "X"] {
        for (slope, sign) in [(1.0, ""), (-1.0, "-")] {
            let model = |rest: &str, drawn: &str| {
                format!(
                    "model M inner Real h(start = 0, fixed = true); {class} a(c = {slope:?}), b(c = {:?}){rest};
                     equation {drawn} transition(a, b, {sign}h > 0); transition(b, a, timeInState() > 0.5); end M;",
                    -slope
                )
            };
            let at_start = run(&model("", "initialState(a);"), 1.75);
            check_times(&at_start, &[0.0, 0.5, 1.0, 1.5]);
            near(at_start.last("h"), -0.25 * slope, 1e-8);
            let rest = format!(", {}(c = 0)", "z");
            let later = run(&model(&rest, "initialState(z); transition(z, a, timeInState() > 0.25);"), 2.0);
            check_times(&later, &[0.25, 0.75, 1.25, 1.75]);
            near(later.last("h"), -0.25 * slope, 1e-8);
        }
    }
}

/// A timer that is written by hand begins anew where the state is entered: what it was before does not have it left at once.
#[test]
fn a_timer_by_reinit_begins_before_it_is_asked() {
    let integer = "Integer k(start = 1, fixed = true); equation der(h) = if k == 1 then 1 else FALL;
        k = if pre(k) == 1 and h > 0 then 2 elseif pre(k) == 2 and T > 0.5 then 1 else pre(k);";
    let boolean = "Boolean k(start = false, fixed = true); equation der(h) = if k then FALL else 1;
        k = if pre(k) then not T > 0.5 else h > 0;";
    let machines = [
        (integer, "when k <> pre(k) then"),
        (integer, "when change(k) then"),
        (integer, "when k == 2 then"),
        (boolean, "when {k, not k} then"),
        (boolean, "when change(k) then"),
        (boolean, "when k then"),
    ];
    for (machine, when) in machines {
        let model = |fall: &str| {
            let machine = machine.replace("FALL", fall);
            format!(
                "model M Real h(start = -0.8, fixed = true), T(start = 0, fixed = true); {machine}
                 der(T) = 1; {when} reinit(T, 0); end when; end M;"
            )
        };
        let ran = run(&model("-1"), 2.0);
        check_times(&ran, &[0.8, 1.3, 1.8]);
        near(ran.last("h"), -0.2, 1e-7);
        // It falls faster than it rises.
        let ran = run(&model("-2"), 2.0);
        check_times(&ran, &[0.8, 1.3]);
        near(ran.last("h"), -0.3, 1e-7);
    }
}

//! Delayed transitions ask what their conditions were before: where nothing else happens in the same instant, that is the instant at which
//! immediate ones fire, and a machine goes the same way.

use crate::machines::near;
use crate::support::runs as support;

use support::{How, Ran, run_text};

const STATES: &str = "model N end N;
    model L parameter Real k = 1, x0 = 0; Real x(start = x0, fixed = true); equation der(x) = k; end L;
    model C L p, q; equation initialState(p); transition(p, q, timeInState() > 0.59); end C;
    model D L p(k = 3.78, x0 = -0.22), q(k = -1.42, x0 = -0.26); equation initialState(p); transition(p, q, time < 0.5);
      transition(q, p, q.x < -0.2711 DELAYED); end D; ";

fn run(text: &str, delayed: &str) -> Ran {
    let text = format!("{STATES}{text}").replace("DELAYED", delayed);
    run_text(&text, &How::until(1.0).tolerance(1e-9)).finished()
}

/// That all transitions marked go the same way delayed and not; the events.
fn check_both(text: &str, expected: &[f64]) {
    let (now, later) = (run(text, ""), run(text, ", immediate = false"));
    let times = later.event_times();
    assert_eq!(times.len(), expected.len(), "{text}: {times:?}");
    times.iter().zip(expected).for_each(|(&time, &expected)| near(time, expected, 1e-7));
    let states = |ran: &Ran| (0..ran.events().len()).map(|at| ran.mode_after(at).join(" ")).collect::<Vec<_>>();
    assert_eq!(states(&now), states(&later), "{text}");
}

#[test]
fn a_state_that_is_entered_late_may_be_left_at_once() {
    let times: Vec<f64> = (1..=8).map(|at| 0.12 * f64::from(at)).collect();
    for (class, leaves, comes_back) in [
        ("N", "timeInState() > 0.12", "true"),
        ("L", "timeInState() > 0.12", "true"),
        ("L", "timeInState() > 0.12", "b.x < 0.5"),
        ("L", "a.x > 0.12", "true"),
    ] {
        let text = format!(
            "model M {class} a, b; equation initialState(a); transition(a, b, {leaves} DELAYED); transition(b, a, {comes_back}); end M;"
        );
        check_both(&text, &times);
    }
}

/// What a state waited for when it was left says nothing about the next time.
#[test]
fn a_state_that_is_entered_again_waits_again() {
    for inside in ["C", "L"] {
        for (first, second) in [("DELAYED", "DELAYED"), ("DELAYED", ""), ("", "DELAYED")] {
            let text = format!(
                "model M {inside} a; L b; equation initialState(a); transition(a, b, timeInState() > 0.28 {first});
                 transition(b, a, timeInState() > 0.2 {second}); end M;"
            );
            check_both(&text, &[0.28, 0.48, 0.76, 0.96]);
        }
    }
}

/// The same where the condition of the entering transition turns back: h rises with 1 in a, and falls with 1 in b.
#[test]
fn a_state_whose_entry_turns_back_waits_again() {
    let text = "model H parameter Real c; outer output Real h; Real x(start = 0, fixed = true); equation der(h) = c; der(x) = 1; end H;
        model M inner Real h(start = 0, fixed = true); H a(c = 1), b(c = -1); equation initialState(a);
        transition(a, b, h > 0.3); transition(b, a, timeInState() > 0.2 DELAYED); end M;";
    check_both(text, &[0.3, 0.5, 0.7, 0.9]);
}

#[test]
fn a_machine_inside_a_state_leads_on_by_delayed_transitions() {
    let every = (0.2711 - 0.26) / 1.42;
    let until = |end: f64| (1..).map(|at| every * f64::from(at)).take_while(|&it| it < end).collect::<Vec<f64>>();
    check_both("model M D a; end M;", &until(0.5 + every));
    let text = "model M D a; L b; equation initialState(a); transition(a, b, timeInState() > 0.23);
        transition(b, a, timeInState() > 0.4); end M;";
    check_both(text, &[until(0.23), vec![0.23, 0.63, 0.86]].concat());
}

/// Before the instant the clock did not say so yet, whatever the priorities are.
#[test]
fn what_comes_true_in_an_instant_is_asked_in_the_next_one() {
    for priorities in [(1, 2), (2, 1)] {
        let text = format!(
            "model M L a, b, c; equation initialState(a); transition(a, b, timeInState() > 0.5, immediate = false, priority = {});
             transition(a, c, time > 0.5, priority = {}); end M;",
            priorities.0, priorities.1
        );
        let ran = run(&text, "");
        assert_eq!(ran.mode_after(0), ["activeState(c)"], "{text}");
        assert_eq!(ran.events().len(), 1);
    }
}

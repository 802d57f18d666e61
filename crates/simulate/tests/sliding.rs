//! Sliding modes: when a run slides, what it says, and what is refused.

use crate::support::runs::{How, Ran, check, file, run_text};

/// Checks that no mode follows, and that a run cannot slide for this reason.
fn check_refused(ran: &Ran, reason: &str) {
    let refused = ran.said("E0823");
    let is_told = |note: &String| note.contains("the run cannot slide along") && note.contains(reason);
    assert!(refused.notes.iter().any(is_told), "{refused:#?}");
}

#[test]
fn a_relay_without_hysteresis_rests_and_the_run_says_so() {
    let text = "model Rest Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end Rest;";
    let ran = run_text(text, &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 1);
    assert_eq!(ran.events()[0].sliding, ["x > 0"]);
    ran.said("W0833");
}

#[test]
fn independent_relays_slide_at_once() {
    let text = "model Many
        parameter Integer n = 12;
        Real x[n](start = {1 + 0.01*k for k in 1:n}, each fixed = true);
      equation
        for k in 1:n loop der(x[k]) = 0.5*sin(k) + (if x[k] > 0 then -1 else 1); end for;
      end Many;";
    let ran = run_text(text, &How::until(5.0)).finished();
    (1..=12).for_each(|k| check("x", ran.last(&format!("x[{k}]")), 0.0, 1e-14));
    assert_eq!(ran.events().len(), 12);
    assert_eq!(ran.events()[11].sliding.len(), 12);
}

#[test]
fn the_papers_relays_slide() {
    let ran = run_text(&file("../cli/tests/repro/papers/Sliding.mo"), &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 1);
    let ran = run_text(&file("../cli/tests/repro/papers/Sliding2.mo"), &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    check("y", ran.last("y"), 1.5, 1e-7);
    assert_eq!(ran.events().len(), 1);
}

#[test]
fn a_clause_that_would_fire_without_end_is_refused() {
    let text = "model Counts
        Real x(start = 0.5, fixed = true); Integer n(start = 0, fixed = true);
      equation
        der(x) = if x > 0 then -1 else 1;
        when x > 0 then n = pre(n) + 1; end when;
      end Counts;";
    check_refused(&run_text(text, &How::until(1.0)), "a `when` would fire without end");
}

#[test]
fn sides_that_act_on_each_other_are_refused() {
    let text = "model Mixed
        Real x(start = 0.5, fixed = true), y(start = 0.5, fixed = true); Real a, b;
      equation
        a = if x > 0 then 1 else -1; b = if y > 0 then 1 else -1;
        der(x) = -a*(1 + 0.5*b); der(y) = -b*(1.5 + 0.2*a);
      end Mixed;";
    check_refused(&run_text(text, &How::until(1.0)), "act on each other");
}

#[test]
fn states_that_jump_do_not_slide() {
    // Below zero the other shaft is held: entering that side makes its speed jump.
    let text = "model Jumps
        Real x(start = 0.5, fixed = true), v(start = 1, fixed = true), f;
      equation
        der(x) = if x > 0 then -1 else 1;
        der(v) = f;
        0 = if x > 0 then f else v;
      end Jumps;";
    check_refused(&run_text(text, &How::until(1.0)), "jumps");
}

#[test]
fn outputs_are_averages_and_clauses_read_them() {
    let text = "model Average
        Real x(start = 0.5, fixed = true), u; discrete Real seen(start = 9, fixed = true);
      equation
        u = if x > 0 then -1 else 1; der(x) = 0.25 + u;
        when time >= 0.9 then seen = u; end when;
      end Average;";
    let ran = run_text(text, &How::until(1.0)).finished();
    check("seen", ran.last("seen"), -0.25, 1e-12);
    check("u", ran.last("u"), -0.25, 1e-12);
}

#[test]
fn a_reinit_takes_a_state_off_its_surface_and_it_comes_back() {
    let text = "model Thrown
        Real x(start = 0.5, fixed = true);
      equation
        der(x) = if x > 0 then -1 else 1;
        when time >= 1 then reinit(x, 0.25); end when;
      end Thrown;";
    let ran = run_text(text, &How::until(2.0).tolerance(1e-9)).finished();
    check("x", ran.at(1.1, "x"), 0.15, 1e-9);
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 3);
}

//! Booleans and Integers whose changes `noEvent` or a function hides make events all the same, or are refused.

use crate::machines::near;
use crate::support::runs as support;

use support::{How, run_text};

const FUNCTIONS: &str = "
    function above input Real x; output Boolean y; algorithm y := x > 0.5; end above;
    function three input Real x; output Integer y; algorithm y := if x > 0.5 then 3 else 4; end three;
    function root input Real x; output Boolean y; protected Real s; algorithm s := 0; while s*s < x loop s := s + 0.01; end while;
      y := s > 0.7; end root;
    function count input Real x; output Integer y; protected Real s; algorithm s := 0; y := 0; while s < x loop s := s + 0.5; y := y + 1;
      end while; end count;
    model S end S;";

/// The event is where the hidden relation changes, whatever the stop time, and equations feel it.
#[test]
fn they_make_events_where_they_change() {
    // The loop of `root` goes up to 0.7, and on where x is more than the square of that.
    let turn = 0.69_f64 + 0.01;
    let cases = [
        ("Boolean b = above(time);", 0.5),
        ("Boolean b = noEvent(time > 0.5);", 0.5),
        ("Boolean b = not above(x) and noEvent(x < 2);", 0.5),
        ("Boolean b = three(time) > 3;", 0.5),
        ("Boolean b = 3 < (if x > 0.5 then 3 else 4);", 0.5),
        ("Boolean b = (if x > 5 then 2 else if time > 0.5 then 3 else 4) >= 4;", 0.5),
        ("Integer n = three(x); Boolean b = n > 3;", 0.5),
        ("Boolean b = root(time);", turn * turn),
        ("Boolean b = x < 10 and not root(x);", turn * turn),
        ("Boolean b(start = false, fixed = true); equation when root(time) then b = true; end when;", turn * turn),
        ("Boolean b(start = false, fixed = true); equation when noEvent(x > 0.5) then b = true; end when;", 0.5),
        (
            "S u, v; Boolean b = activeState(v), c = root(time); equation initialState(u); transition(u, v, c);",
            turn * turn,
        ),
        ("Boolean b; equation if root(time) then b = true; else b = false; end if;", turn * turn),
    ];
    for (declared, expected) in cases {
        let section = if declared.contains("equation") { "" } else { "equation" };
        let text = format!(
            "{FUNCTIONS} model M Real x(start = 0, fixed = true), y(start = 0, fixed = true); {declared}
             {section} der(x) = 1; der(y) = if b then 1 else 0; end M;"
        );
        for stop in [1.0, 2.0] {
            let ran = run_text(&text, &How::until(stop)).finished();
            let [at] = ran.event_times()[..] else { panic!("{declared}: {:?}", ran.event_times()) };
            // The loop of the function has its own rounding, and an element of it is 0.01 wide.
            assert!((at - expected).abs() <= if declared.contains("root") { 0.015 } else { 1e-9 }, "{declared}: {at}");
            let (before, after) = ran.limits(0, "b");
            near(ran.last("y"), before * at + after * (stop - at), 1e-9);
        }
    }
}

#[test]
fn an_integer_that_a_loop_gives_is_refused() {
    let ran = run_text(&format!("{FUNCTIONS} model M Integer n = count(time); end M;"), &How::until(2.0));
    assert!(ran.said("E0403").message.contains("`n`"));
    // In a `when` it is asked when that fires.
    let text = format!(
        "{FUNCTIONS} model M Integer n(start = 0, fixed = true); equation when sample(0.1, 0.5) then n = count(time); end when; end M;"
    );
    let ran = run_text(&text, &How::until(2.0)).finished();
    near(ran.last("n"), 4.0, 1e-12);
}

#[test]
fn events_that_accumulate_are_shown_at_their_condition() {
    let text = "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation der(h) = v; der(v) = -10;
        when h <= 0 then reinit(v, -0.5*pre(v)); end when; end M;";
    let ran = run_text(text, &How::until(3.0));
    let label = &ran.said("E0827").labels[0];
    assert_eq!(&text[label.span.start as usize..label.span.end as usize], "h <= 0");
}

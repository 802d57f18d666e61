//! Transitions that the jump of another machine causes: they come after it, and begin with what it has led to.

use crate::machines::near;
use crate::support::runs as support;

use modeshift_simulate::integrate::Method;
use support::{How, Ran, run_text};

/// A wheel of inertia 1 with speed w, to which machines join bodies of inertia 1 by f1, f2, f3.
fn wheel(count: usize, drawn: &str) -> String {
    let numbers: Vec<usize> = (1..=count).collect();
    let joined = |k: &usize| {
        format!(
            "model J{k} Real v(start = 0); outer Real w; outer Real f{k}; equation v = w; der(v) = f{k}; end J{k};
             model N{k} outer Real f{k}; equation f{k} = 0; end N{k};"
        )
    };
    let classes: Vec<String> = numbers.iter().map(joined).collect();
    let forces: Vec<String> = numbers.iter().map(|k| format!("inner Real f{k};")).collect();
    let sum: Vec<String> = numbers.iter().map(|k| format!(" - f{k}")).collect();
    format!("model M {} inner Real w(start = 1, fixed = true); {} {drawn}", classes.concat(), forces.concat())
        .replace("WHEEL", &format!("der(w) = 0{};", sum.concat()))
}

fn run(text: &str) -> Ran {
    let ran = run_text(text, &How::until(1.0)).finished();
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        let other = run_text(text, &How { method: Some(method), ..How::until(1.0) }).finished();
        near(other.last("w"), ran.last("w"), 1e-9);
    }
    assert!(ran.diagnostics.iter().all(|it| it.code != "W0828"), "{:#?}", ran.diagnostics);
    ran
}

/// Two bodies turn with 1; a third one at rest joins them, and one of the two is let go below 0.7: at 2/3, which both have been slowed to.
#[test]
fn what_is_let_go_because_of_a_jump_has_taken_part_in_it() {
    for immediate in [true, false] {
        for condition in
            ["w < 0.7", "w <= 2/3 + 1e-3", "d.v < 0.7", "activeState(b) and b.v > 0.1", "2*w < 1.4 and w > 0.2"]
        {
            let ran = run(&wheel(
                2,
                &format!(
                    "N1 a; J1 b; N2 c; J2 d; equation WHEEL initialState(a); transition(a, b, time > 0.5);
                     initialState(d); transition(d, c, {condition}, immediate = {immediate}); end M;"
                ),
            ));
            near(ran.last("w"), 2.0 / 3.0, 1e-9);
            assert_eq!(ran.event_times().len(), 1, "{condition}");
            assert!(ran.mode_after(0).contains(&"activeState(c)"), "{condition}: {:?}", ran.mode_after(0));
        }
    }
}

/// Two bodies with 1 take up a third at rest: 2/3. Then one of the two is let go and one with -1 is taken up, at once.
#[test]
fn machines_that_a_jump_moves_together_change_together() {
    let ran = run(&wheel(
        3,
        "N1 a; J1 b; N2 c; J2 d; N3 e; J3 f(v(start = -1)); equation WHEEL initialState(a); transition(a, b, time > 0.5);
         initialState(d); transition(d, c, w < 0.7); initialState(e); transition(e, f, w < 0.7); end M;",
    ));
    // The wheel and b with 2/3, f with -1.
    near(ran.last("w"), (2.0 * 2.0 / 3.0 - 1.0) / 3.0, 1e-9);
    assert_eq!(ran.events()[0].cascade.len(), 1, "{:?}", ran.events()[0].cascade);
}

/// Each jump makes the next condition true: 1, 1/2 where b joins, then c joins and b is let go, at 1/3, then d joins and c is let go.
#[test]
fn jumps_that_lead_to_each_other_are_a_chain() {
    let ran = run(&wheel(
        3,
        "N1 a, a2; J1 b; N2 c, c2; J2 d; N3 e; J3 f; equation WHEEL
         initialState(a); transition(a, b, time > 0.5); transition(b, a2, w < 0.45);
         initialState(c); transition(c, d, w < 0.55); transition(d, c2, w < 0.3);
         initialState(e); transition(e, f, w < 0.35); end M;",
    ));
    // 1/2 of two; 1/3 of three, b goes; e joins at the same time as b goes: 2/9 of d, f and the wheel; d goes.
    near(ran.last("w"), 2.0 / 9.0, 1e-9);
    assert_eq!(ran.event_times().len(), 1);
    let expected = ["activeState(a2)", "activeState(c2)", "activeState(f)"];
    assert!(expected.iter().all(|it| ran.mode_after(0).contains(it)), "{:?}", ran.mode_after(0));
}

/// A state that begins anew moves what is joined to it: 0 and 1 come to 1/2, and the other one is let go there.
#[test]
fn what_begins_anew_moves_others_before_they_are_let_go() {
    let ran = run("model M model A Real x(start = 0); outer Real f; output Real y; equation y = x; der(x) = -f; end A;
         model J Real v(start = 1, fixed = true); outer Real f; outer Real w; equation v = w; der(v) = f; end J;
         model N Real v(start = 0); outer Real f; equation der(v) = 0; f = 0; end N;
         inner Real f; inner Real w; A a; J d; N c; equation w = a.x;
         initialState(a); transition(a, a, time > 0.5 and time < 0.6 and timeInState() > 0.4);
         initialState(d); transition(d, c, w < 0.7); end M;");
    near(ran.last("w"), 0.5, 1e-9);
    assert!(ran.mode_after(0).contains(&"activeState(c)"), "{:?}", ran.mode_after(0));
}

/// By `reinit` where a state is entered: 1/2, then a body at rest joins.
#[test]
fn a_reinit_of_entering_comes_before_what_it_causes() {
    let ran = run(&wheel(
        2,
        "N1 a, b; N2 c; J2 d; equation WHEEL initialState(a); transition(a, b, time > 0.5);
         when activeState(b) then reinit(w, 0.5*pre(w)); end when;
         initialState(c); transition(c, d, w < 0.7); end M;",
    ));
    near(ran.last("w"), 0.25, 1e-9);
}

/// The same with Booleans that remember.
#[test]
fn latches_see_jumps_as_machines_do() {
    let ran = run(
        "model M Real w(start = 1, fixed = true), v(start = 1, fixed = true), u(start = 0, fixed = true), f, g;
         Boolean joined(start = false, fixed = true), held(start = true, fixed = true);
         equation joined = pre(joined) or time > 0.5; held = pre(held) and not w < 0.7;
         der(w) = -f - g; der(u) = f; der(v) = g; 0 = if joined then w - u else f; 0 = if held then w - v else g; end M;",
    );
    near(ran.last("w"), 2.0 / 3.0, 1e-9);
}

/// What nothing has moved before is decided together, as a diode beside a switch: the current of the coil finds it at once.
#[test]
fn what_only_the_new_mode_says_is_one_change() {
    let ran = run_text(
        "model M import Modeshift.Electrical.*; ConstantVoltage s(V = 1); Ground g; Switch sw; IdealDiode d; Resistor r(R = 1);
         Inductor l(L = 1, i(start = 0, fixed = true)); equation sw.closes = time < 0.5; connect(s.n, g.p); connect(s.p, sw.p);
         connect(sw.n, l.p); connect(l.n, r.p); connect(r.n, g.p); connect(d.n, sw.n); connect(d.p, g.p); end M;",
        &How::until(1.0),
    )
    .finished();
    near(ran.last("l.i"), (1.0 - (-0.5_f64).exp()) * (-0.5_f64).exp(), 1e-6);
    let event = &ran.events()[ran.events().len() - 1];
    assert!(event.cascade.is_empty() && event.impulses.is_empty(), "{event:?}");
}

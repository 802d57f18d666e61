//! State machines in runs: MOE15's examples, entering states, machines inside states, friction, and the library's examples.

use crate::support::runs as support;

use support::{How, Ran, check, paper_model, run_text};

pub(crate) fn example(name: &str) -> String {
    format!("model M extends Modeshift.Examples.{name}; end M;")
}

fn run_example(name: &str, stop: f64) -> Ran {
    run_text(&example(name), &How::until(stop).tolerance(1e-9)).finished()
}

#[track_caller]
pub(crate) fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance * expected.abs().max(1.0), "{value}, not {expected}");
}

/// The names of the states that are active after each event.
fn states(ran: &Ran) -> Vec<String> {
    let name = |mode: &str| mode.trim_start_matches("activeState(").trim_end_matches(')').to_string();
    (0..ran.events().len())
        .map(|event| ran.mode_after(event).into_iter().map(name).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn a_capacitor_breaks_and_its_variables_are_gone() {
    // MOE15, Figures 2 and 3.
    let ran = run_example("BreakingCapacitor", 1.0);
    assert_eq!(states(&ran), ["R1"]);
    near(ran.event_times()[0], 0.05 * 625.0_f64.ln(), 1e-8);
    let (times, at) = (ran.result.times(), ran.event_times()[0]);
    for ((time, c), r) in times.iter().zip(ran.values("C1.v")).zip(ran.values("R1.v")) {
        if *time != at {
            assert_eq!((c.is_nan(), r.is_nan()), (*time > at, *time < at), "at {time}");
        }
    }
}

#[test]
fn an_inductor_breaks_and_the_current_goes_on() {
    // MOE15, Figure 4.
    let ran = run_example("BreakingInductor", 3.0);
    near(ran.event_times()[0], 2.0 * 2.0_f64.ln(), 1e-8);
    let (before, after) = ran.limits(0, "L2.i");
    near(before, after, 1e-12);
    near(ran.limits(0, "L1.v").0, 2.5, 1e-7);
    near(ran.limits(0, "R1.v").1, 500.0, 1e-7);
    near(ran.limits(0, "L2.v").1, -495.0, 1e-7);
}

#[test]
fn diodes_switch_six_times_without_vibrations() {
    // MOE15, Figures 7 to 9.
    for (name, of_states) in [("DiodeInductor", "i"), ("DiodeCapacitor", "v")] {
        let ran = run_example(name, 20.0);
        let plain = run_text(&paper_model(&format!("{name}.mo")), &How::until(20.0).tolerance(1e-9)).finished();
        assert_eq!(ran.events().len(), 6, "{name}");
        ran.event_times().iter().zip(plain.event_times()).for_each(|(one, other)| near(*one, other, 1e-8));
        let own = if of_states == "i" { "L.i" } else { "C.v" };
        near(ran.last(own), plain.last(of_states), 1e-7);
    }
}

#[test]
fn a_shaft_breaks_into_two() {
    // MOE15, Figure 10.
    let ran = run_example("BreakingShaft", 2.0);
    near(ran.event_times()[0], 1.0, 1e-9);
    let plain = run_text(&paper_model("BreakingShaft.mo"), &How::until(2.0).tolerance(1e-9)).finished();
    for (own, other) in [("inertia1.w", "w1"), ("inertia2.w", "w2"), ("inertia1.phi", "phi1"), ("inertia2.phi", "phi2")]
    {
        near(ran.last(own), plain.last(other), 1e-7);
    }
}

#[test]
fn sources_that_do_not_change_and_elements_that_break() {
    near(run_example("ChargingSource", 1.0).last("C.v"), 0.5, 1e-9);
    near(run_example("SpunUp", 1.0).last("inertia.w"), 0.5, 1e-9);
    let capacitor = run_example("DestroyedCapacitor", 1.0);
    near(capacitor.event_times()[0], 0.05 * 625.0_f64.ln(), 1e-8);
    let inductor = run_example("DestroyedInductor", 3.0);
    near(inductor.event_times()[0], 2.0 * 2.0_f64.ln(), 1e-8);
    near(inductor.limits(0, "L1.broken.v").1, 500.0, 1e-7);
}

const COIL: &str = "
    model RL
      Modeshift.Electrical.Pin p, n;
      Modeshift.Electrical.Resistor r(R = 1);
      Modeshift.Electrical.Inductor l(L = 1, i(start = 0.5));
    equation
      connect(p, r.p); connect(r.n, l.p); connect(l.n, n);
    end RL;
    model M
      import Modeshift.Electrical.*;
      parameter Boolean anew = false;
      ConstantVoltage s(V = 10); Ground g; Gap off; RL on;
    equation
      initialState(off);
      transition(off, on, timeInState() > 0.5, reset = anew);
      transition(on, off, timeInState() > 1);
      connect(s.p, off.p); connect(s.p, on.p); connect(s.n, off.n); connect(s.n, on.n); connect(g.p, s.n);
    end M;";

#[test]
fn a_state_goes_on_where_it_was_or_begins_anew() {
    let after = |i: f64, time: f64| 10.0 - (10.0 - i) * (-time).exp();
    for (anew, again) in [("false", after(0.5, 1.0)), ("true", 0.5)] {
        let ran = run_text(COIL, &How::until(3.2).tolerance(1e-9).set("anew", anew)).finished();
        for (time, expected) in ran.event_times().iter().zip([0.5, 1.5, 2.0, 3.0]) {
            near(*time, expected, 1e-9);
        }
        near(ran.limits(0, "on.l.i").1, 0.5, 1e-12);
        near(ran.limits(1, "on.l.i").0, after(0.5, 1.0), 1e-7);
        near(ran.limits(2, "on.l.i").1, again, 1e-7);
        near(ran.limits(3, "on.l.i").0, after(again, 1.0), 1e-7);
    }
}

const CHARGES: &str = "
    model M
      import Modeshift.Electrical.*;
      parameter Boolean anew = false;
      Capacitor c1(C = 1e-3, v(start = 2, fixed = true)); Ground g; Gap off; Capacitor c2(C = 2e-3, v(start = 5));
    equation
      initialState(off);
      transition(off, c2, time > 1 and time < 1.5 or time > 3, reset = anew);
      transition(c2, off, time > 2 and time < 3);
      connect(c1.p, off.p); connect(c1.p, c2.p); connect(c1.n, g.p); connect(off.n, g.p); connect(c2.n, g.p);
    end M;";

#[test]
fn a_charged_capacitor_shares_its_charge_when_its_state_is_entered() {
    for (anew, second) in [("false", 4.0), ("true", (4.0 + 2.0 * 5.0) / 3.0)] {
        let ran = run_text(CHARGES, &How::until(4.0).set("anew", anew)).finished();
        let impulse = |event: usize| {
            let weights = &ran.events()[event].impulses;
            weights.iter().find(|it| &*it.variable == "c1.i").map_or(0.0, |it| it.weight)
        };
        assert_eq!(states(&ran), ["c2", "off", "c2"]);
        // 1 mF at 2 V and 2 mF at 5 V.
        near(ran.limits(0, "c1.v").1, 4.0, 1e-12);
        near(impulse(0), 2e-3, 1e-12);
        near(ran.limits(2, "c1.v").1, second, 1e-12);
        near(impulse(2), 1e-3 * (second - 4.0), 1e-12);
    }
}

#[test]
fn the_impulse_of_a_switch_reaches_a_coil_that_turns_a_shaft() {
    let text = "model M extends Modeshift.Examples.ChargedSwitch; Real phi(start = 0, fixed = true);
        equation der(phi) = switch.p.i; end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    near(ran.limits(0, "C1.v").1, 9.95957 / 3.0, 1e-12);
    near(ran.last("phi"), 6.63971333e-3, 1e-8);
}

#[test]
fn a_transition_to_itself_restarts_a_state() {
    let text = "model S Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true);
        equation der(x) = 1; when x > 0.2 then n = pre(n) + 1; end when; end S;
        model M S a; Real t; equation initialState(a); transition(a, a, a.x > 0.3); t = a.x; end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    for (time, expected) in ran.event_times().iter().zip([0.2, 0.3, 0.5, 0.6, 0.8, 0.9]) {
        near(*time, expected, 1e-9);
    }
    near(ran.last("a.x"), 0.1, 1e-9);
    assert_eq!(ran.last("a.n"), 0.0);
}

const NESTED: &str = "
    model Leaf parameter Real k; Real x(start = 0); equation der(x) = k; end Leaf;
    model P
      Leaf a(k = 1, x(fixed = true)), b(k = 2);
    equation
      initialState(a);
      transition(a, b, timeInState() > 0.3, reset = false);
      transition(b, a, timeInState() > 0.2, reset = false);
    end P;
    model Q Real z(start = 7); equation der(z) = -1; end Q;
    model M
      parameter Boolean anew = true;
      P p; Q q;
    equation
      initialState(p);
      transition(p, q, timeInState() > 0.4);
      transition(q, p, timeInState() > 1, reset = anew);
    end M;";

#[test]
fn machines_inside_a_state_begin_anew_or_go_on_with_it() {
    let anew = run_text(NESTED, &How::until(1.75).set("anew", "true")).finished();
    assert_eq!(states(&anew), ["p.b p", "q", "p.a p", "p.b p"]);
    near(anew.limits(2, "p.a.x").1, 0.0, 1e-12);
    let again = run_text(NESTED, &How::until(1.75).set("anew", "false")).finished();
    // p.b had been active for 0.1 s, and its timer begins again.
    assert_eq!(states(&again), ["p.b p", "q", "p.b p", "p.a p"]);
    near(again.limits(2, "p.b.x").1, 0.2, 1e-8);
    near(again.event_times()[3], 1.6, 1e-8);
    near(again.limits(3, "p.a.x").1, 0.3, 1e-8);
}

#[test]
fn a_condition_asks_for_what_the_state_that_it_leaves_defines() {
    let of = |state: &str, condition: &str| {
        let text = format!(
            "model S Real x(start = 0, fixed = true); equation der(x) = 1; end S;
             model P {state} end P;
             model M P p; S q; equation initialState(p); transition(p, q, {condition}); end M;"
        );
        let ran = run_text(&text, &How::until(1.0)).finished();
        near(ran.event_times()[0], 0.4, 1e-9);
        near(ran.last("q.x"), 0.6, 1e-9);
    };
    of("extends S; Boolean b = x > 0.4;", "p.b");
    of("extends S; Boolean b = x > 0.4; Integer n = if b then 2 else 1; Boolean c = n > 1;", "p.c and not p.n == 3");
    let inner = "S u, v; equation initialState(u); transition(u, v, u.x > 0.4);";
    of(inner, "activeState(p.v)");
    of(inner, "not activeState(p.u)");
}

#[test]
fn an_output_of_several_states_is_one_variable() {
    let text = "model U outer output Real y; outer output Integer n; equation der(y) = 1; n = 3; end U;
        model D outer output Real y; outer output Integer n; equation der(y) = -1; n = 4; end D;
        model M inner Real y(start = 0, fixed = true); inner Integer n(start = 0, fixed = true); U u; D d;
        equation initialState(u); transition(u, d, y > 1); transition(d, u, y < 0); end M;";
    let ran = run_text(text, &How::until(2.5)).finished();
    assert_eq!(states(&ran), ["d", "u"]);
    assert_eq!((ran.limits(0, "n"), ran.limits(1, "n")), ((3.0, 4.0), (4.0, 3.0)));
    near(ran.last("y"), 0.5, 1e-8);
}

#[test]
fn an_output_keeps_its_value_in_states_that_do_not_write_it() {
    let text = "model A outer output Real y; outer output Integer n; equation y = time; n = 3; end A;
        model P model In outer output Real y; equation y = 2*time; end In; model Idle end Idle; In i; Idle j;
        equation initialState(i); transition(i, j, timeInState() > 0.5); end P;
        model Idle end Idle;
        model M inner Real y(start = 4, fixed = true); inner Integer n(start = 7, fixed = true); Idle first; A a; Idle b; P p;
        equation initialState(first); transition(first, a, time > 1); transition(a, b, time > 2); transition(b, p, time > 3);
        end M;";
    let ran = run_text(text, &How::until(4.0)).finished();
    assert_eq!(states(&ran), ["a", "b", "p.i p", "p p.j"]);
    near(ran.limits(0, "y").0, 4.0, 1e-12);
    assert_eq!((ran.limits(0, "n"), ran.limits(1, "n"), ran.last("n")), ((7.0, 3.0), (3.0, 3.0), 3.0));
    near(ran.limits(2, "y").0, 2.0, 1e-9);
    near(ran.limits(2, "y").1, 6.0, 1e-9);
    near(ran.last("y"), 7.0, 1e-9);
}

#[test]
fn a_state_that_is_always_left_is_none_at_the_start() {
    for transition in ["true", "true, immediate = false", "time >= 0"] {
        let text = format!(
            "model S outer output Real y; parameter Real p = 1; equation y = p; end S;
             model M inner Real y; S a(p = 1); S b(p = 2); equation initialState(a); transition(a, b, {transition}); end M;"
        );
        let ran = run_text(&text, &How::until(1.0)).finished();
        assert_eq!(ran.values("y")[0], 2.0, "{transition}");
    }
}

#[test]
fn what_a_model_says_of_an_output_is_not_held() {
    let text = "model A outer output Real y; equation y = time; end A; model B end B;
        model M inner Real y; A a; B b; equation initialState(a); transition(a, b, time > 1);
        if activeState(b) then y = 5; end if; end M;";
    near(run_text(text, &How::until(2.0)).finished().last("y"), 5.0, 1e-12);
}

#[test]
fn signals_of_states_are_merged_and_read_only_while_they_are_active() {
    let text = "connector Out = output Real; connector In = input Real;
        model A Out y; In u; equation y = 2*u; end A; model B Out y; In u; equation y = -u; end B;
        model Source Out y; equation y = time; end Source; model Sink In u; Real z; equation z = u; end Sink;
        model M A a; B b; Source s; Sink k; equation initialState(a); transition(a, b, time > 1);
        connect(s.y, a.u); connect(s.y, b.u); connect(a.y, k.u); connect(b.y, k.u); end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    near(ran.limits(0, "k.z").0, 2.0, 1e-9);
    near(ran.limits(0, "k.z").1, -1.0, 1e-9);
    assert!(ran.values("a.u").last().is_some_and(|value| value.is_nan()));
}

#[test]
fn synchronize_waits_for_the_machines_inside() {
    let text = "model W end W; model P W a, b; equation initialState(a); transition(a, b, timeInState() > 0.7); end P;
        model M P p; W q; Real x(start = 0, fixed = true); equation initialState(p);
        transition(p, q, time > 0.2, synchronize = true); der(x) = if activeState(q) then 1 else 0; end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    near(ran.last("x"), 0.3, 1e-8);
}

/// A clause assigns in one state what an equation defines in another: each has its say while its state is active.
#[test]
fn an_output_may_be_assigned_in_one_state_and_defined_in_another() {
    for kind in ["Integer", "discrete Real"] {
        let text = format!(
            "model A outer output {kind} y; equation when sample(0.1, 0.1) then y = pre(y) + 1; end when; end A;
             model B outer output {kind} y; equation y = 70; end B; model C end C;
             model M inner {kind} y(start = 2, fixed = true); A a; B b; C c; equation initialState(a); transition(a, b, time > 1.05 and time < 2);
             transition(b, c, time > 2); transition(c, a, time > 2.55 and timeInState() > 0.1); end M;"
        );
        let ran = run_text(&text, &How { interval: Some(0.25), ..How::until(3.0) }).finished();
        // Ten samples, 70 while `b` is active, held in `c`, samples from 2.6 s on.
        for (time, expected) in [(0.0, 2.0), (0.75, 9.0), (1.0, 12.0), (1.5, 70.0), (2.25, 70.0), (2.75, 72.0)] {
            near(ran.at(time, "y"), expected, 0.0);
        }
    }
    let boolean = "model A outer output Boolean on; equation when time > 0.5 then on = true; end when; end A;
        model B outer output Boolean on; equation on = false; end B;
        model M inner Boolean on(start = false, fixed = true); A a; B b; equation initialState(a); transition(a, b, time > 1); end M;";
    let ran = run_text(boolean, &How::until(2.0)).finished();
    assert_eq!([ran.at(0.4, "on"), ran.at(0.8, "on"), ran.last("on")], [0.0, 1.0, 0.0]);
}

/// What `W0406` advises ends the circle that it tells of: the machine waits, or goes once.
#[test]
fn circles_of_transitions_end_as_advised() {
    let run = |back: &str| {
        let text = format!(
            "model S end S; model M S a, b; Real x(start = 0, fixed = true); equation der(x) = 1; initialState(a);
             transition(a, b, x > 1); transition(b, a, {back}); end M;"
        );
        run_text(&text, &How::until(3.0))
    };
    for circle in ["x < 2", "x < 2, immediate = false"] {
        run(circle).said("E0825");
    }
    let waits = run("x < 2 and timeInState() > 0.3").finished();
    let times = waits.event_times();
    assert!(times.len() >= 3 && (times[0] - 1.0).abs() < 1e-9 && (times[1] - 1.3).abs() < 1e-9, "{times:?}");
    assert_eq!(states(&run("x < 1").finished()), ["b"]);
}

/// A final state is reached when the machines inside it are in theirs, however deep; machines in states that were left do not count.
#[test]
fn synchronize_waits_for_machines_at_all_depths() {
    let run = |states: &str, inside: &str| {
        let text = format!(
            "model W end W; model D W c, d; equation initialState(c); transition(c, d, timeInState() > 0.4); end D;
             model R D r; equation initialState(r); end R;
             model P {states} equation initialState(a); {inside} end P;
             model M P p; W q; equation initialState(p); transition(p, q, time > 0.2, synchronize = true); end M;"
        );
        *run_text(&text, &How::until(2.0)).finished().event_times().last().expect("an event")
    };
    near(run("D a;", ""), 0.4, 1e-9);
    near(run("R a;", ""), 0.4, 1e-9);
    near(run("W a; D b;", "transition(a, b, time > 0.3);"), 0.7, 1e-9);
    near(run("W a; R b;", "transition(a, b, time > 0.3);"), 0.7, 1e-9);
    near(run("D a; W b;", "transition(a, b, time > 0.3);"), 0.3, 1e-9);
    // Side by side: the slower one counts.
    near(
        run("D a; W b, e; R f;", "transition(a, b, time > 0.1); initialState(e); transition(e, f, time > 0.6);"),
        1.0,
        1e-9,
    );
}

#[test]
fn a_chain_of_transitions_is_a_cascade_of_one_instant() {
    let text = "model S Real x(start = 3); equation der(x) = 1; end S;
        model M S a(x(start = 0, fixed = true)), b, c; equation initialState(a); transition(a, b, a.x > 1);
        transition(b, c, b.x > 2); end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    assert_eq!(states(&ran), ["c"]);
    assert_eq!(ran.events()[0].cascade.len(), 1);
    near(ran.event_times()[0], 1.0, 1e-9);
    near(ran.last("c.x"), 4.0, 1e-8);
}

#[test]
fn delayed_transitions_read_left_limits() {
    // At 1 the signal jumps over the threshold and is back in the same instant's second step for nobody to see.
    let text = "model W end W; model M W a, b, c; discrete Real u(start = 0, fixed = true);
        equation when time > 1 then u = 1; end when; initialState(a); transition(a, b, u > 0.5, immediate = false);
        transition(b, c, timeInState() > 0.5); end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    assert_eq!(states(&ran).last().map(String::as_str), Some("c"));
}

#[test]
fn what_begins_without_a_start_value_is_warned_of() {
    let text = "model S Real x; equation der(x) = 1; end S; model W end W;
        model M W a; S b; equation initialState(a); transition(a, b, time > 1); end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    near(ran.last("b.x"), 1.0, 1e-9);
    assert!(ran.said("W0836").message.contains("`b.x`"));
}

#[test]
fn friction_slips_and_sticks_as_in_closed_form_at_every_tolerance() {
    // MOE15, Figure 11.
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let ran = run_text(&example("BlockOnTable"), &How::until(1.0).tolerance(tolerance)).finished();
        let expected = ["friction.forward", "friction.stuck", "friction.backward", "friction.stuck"];
        assert_eq!(states(&ran), expected, "at {tolerance:e}");
        if tolerance == 1e-10 {
            near(ran.event_times()[0], 0.8_f64.asin() / std::f64::consts::TAU, 1e-9);
            near(ran.event_times()[1], 0.45948094236245, 1e-8);
        }
    }
}

/// Blocks on each other, with friction between neighbours, the lowest on a table; the highest is driven.
fn stack(count: usize) -> String {
    format!(
        "model M import Modeshift.Translational.*; Mass m[{count}](each s(start = 0, fixed = true), each v(start = 0, fixed = true));
         CoulombFriction f[{count}](fMax = {{3 - 0.25*k for k in 1:{count}}}); Fixed table;
         SignalForce drive(u = 4*sin(time));
         equation connect(table.a, f[1].b); connect(f[1].a, m[1].a);
         for k in 2:{count} loop connect(m[k - 1].b, f[k].b); connect(f[k].a, m[k].a); end for;
         connect(drive.a, m[{count}].b); end M;"
    )
}

#[test]
fn stacked_blocks_do_not_chatter() {
    for count in [2, 5] {
        let mut sequences = Vec::new();
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let ran = run_text(&stack(count), &How::until(6.0).tolerance(tolerance)).finished();
            let codes: Vec<&str> = ran.diagnostics.iter().map(|it| it.code.as_str()).collect();
            assert!(!codes.contains(&"W0828"), "{codes:?}");
            assert!(ran.events().len() < 12, "{count} blocks: {:?}", states(&ran));
            let times = ran.event_times();
            assert!(
                times.windows(2).all(|pair| pair[1] - pair[0] > 1e-6),
                "{count} blocks at {tolerance:e}: {times:?}"
            );
            sequences.push(states(&ran));
        }
        assert!(sequences.iter().all(|it| *it == sequences[0]), "{sequences:#?}");
    }
}

#[test]
fn every_example_of_the_library_has_its_known_answer() {
    use std::f64::consts::{FRAC_PI_6, PI};
    let fuse = run_example("Fuse", 1.0);
    near(fuse.event_times()[0], 0.5, 1e-9);
    near(fuse.last("R.i"), 0.0, 1e-12);
    let fired = run_example("FiredThyristor", 2.0);
    near(fired.limits(0, "R.v").1, 0.5_f64.sqrt(), 1e-8);
    near(fired.last("R.v"), 0.0, 1e-12);
    let down = run_example("StepDown", 1.0);
    near(down.last("R.i"), 1.0, 1e-12);
    near(down.last("transformer.i1"), 0.1, 1e-12);
    let clutch = run_example("EngagedClutch", 2.0);
    near(clutch.last("one.w"), 1.0, 1e-9);
    let bodies = run_example("JoinedBodies", 3.0);
    near(bodies.last("one.v"), 1.0, 1e-9);
    near(bodies.last("one.s"), 5.0, 1e-8);
    near(bodies.last("other.s"), 2.0, 1e-8);
    let brake = run_example("BrakedShaft", 2.0);
    near(brake.last("inertia.phi"), 2.0, 1e-9);
    let wheel = run_example("FreeWheel", 6.0);
    near(wheel.event_times()[1], PI / 2.0, 1e-7);
    near(wheel.last("wheel.w"), 0.5, 1e-7);
    let sliding = run_example("SlidingShaft", 2.0);
    near(sliding.event_times()[0], FRAC_PI_6, 1e-9);
    let speed = 2.0 * (FRAC_PI_6.cos() - 2.0_f64.cos()) - (2.0 - FRAC_PI_6);
    near(sliding.last("inertia.w"), speed, 1e-7);
    let train = run_example("Drivetrain", 6.0);
    // The drive feels 1 + 9/9 = 2 and a spring of 18/9 = 2.
    near(train.last("drive.phi"), 6.0_f64.sin(), 1e-6);
    near(train.last("load.phi"), 6.0_f64.sin() / 3.0, 1e-6);
    let body = run_example("BouncingBody", 0.8);
    near(body.event_times()[0], 0.2_f64.sqrt(), 1e-8);
    near(body.limits(0, "body.v").1, 0.5 * 20.0_f64.sqrt(), 1e-7);
    near(run_example("TornRod", 2.0).last("one.v"), 3.5, 1e-7);
    let oscillator = run_example("Oscillator", 4.0);
    // 4 kg at a spring of 4 N/m behind a lever of 2: 1 N/m.
    near(oscillator.limits(0, "mass.v").0, -0.5 * 1.5_f64.sin(), 1e-6);
    near(oscillator.last("mass.s"), 1.5_f64.cos(), 1e-6);
    let tanks = run_example("TwoTanks", 3.0);
    near(tanks.last("one.level"), 1.5 + 0.5 * (-4.0_f64).exp(), 1e-6);
    let filled = run_example("FilledTank", 8.0);
    // Full to 1 m, where the check valve shuts, at ln(5/1): 1.25 - 1.25 exp(-t) = 1.
    near(*filled.event_times().last().expect("an event"), 5.0_f64.ln(), 1e-6);
    near(filled.last("tank.level"), 1.0 + 0.25 * (8.0 - 5.0_f64.ln()), 1e-6);
}

/// A state may be entered and left at once for the one before: that one is entered anew, and its own time or start values decide.
#[test]
fn a_machine_may_pass_through_a_state_and_come_back() {
    let states = "model S end S; model X Real x(start = 0, fixed = true); equation der(x) = 1; end X;";
    let machine = |declared: &str, drawn: &str| format!("{states} model M {declared} equation {drawn} end M;");
    let cases = [
        // Delayed: the left limit of the last visit says nothing of this one.
        (
            machine(
                "S a; S b;",
                "initialState(a); transition(a, b, timeInState() > 0.5); transition(b, a, timeInState() > 0.25, immediate = false);",
            ),
            vec![0.5, 0.75, 1.25, 1.5, 2.0, 2.25, 2.75],
        ),
        (
            machine(
                "S a; S b;",
                "initialState(a); transition(a, b, time > 0.5); transition(b, a, timeInState() > 0.25);",
            ),
            (0..10).map(|it| 0.5 + 0.25 * f64::from(it)).collect(),
        ),
        (
            machine("X a; S b;", "initialState(a); transition(a, b, a.x > 0.3); transition(b, a, true);"),
            (1..10).map(|it| 0.3 * f64::from(it)).collect(),
        ),
    ];
    for (text, times) in cases {
        let ran = run_text(&text, &How::until(2.9)).finished();
        let found = ran.event_times();
        assert_eq!(found.len(), times.len(), "{text}: {found:?}");
        for (one, other) in found.iter().zip(&times) {
            check("an event", *one, *other, 1e-6);
        }
    }
    let circle = machine("S a; S b;", "initialState(a); transition(a, b, time > 0.5); transition(b, a, time > 0.5);");
    let help = run_text(&circle, &How::until(1.0)).said("E0825").help.clone().unwrap_or_default();
    assert!(help.starts_with("transitions go round in one instant"), "{help}");
}

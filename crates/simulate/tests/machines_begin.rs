//! How state machines begin: initial states and their initial equations, resets of what is deeper inside, outputs through all
//! levels, and what results show of states that are not active.

use crate::machines::near;
use crate::support::runs as support;

use support::{How, Ran, run_text};

const STATES: &str = "model S end S; ";

fn run(models: &str, stop: f64) -> Ran {
    run_text(&format!("{STATES}{models}"), &How::until(stop).tolerance(1e-9)).finished()
}

#[track_caller]
fn check_times(ran: &Ran, expected: &[f64]) {
    let times = ran.event_times();
    assert_eq!(times.len(), expected.len(), "{times:?}, not {expected:?}");
    times.iter().zip(expected).for_each(|(&time, &expected)| near(time, expected, 1e-7));
}

/// That the start was no choice.
#[track_caller]
fn check_certain(ran: &Ran) {
    assert!(ran.diagnostics.iter().all(|it| it.code != "W0710"), "{:#?}", ran.diagnostics);
}

#[test]
fn the_initial_state_is_no_choice() {
    let decay = "model A Real x; equation der(x) = -x; initial equation x = 3; end A; ";
    let leaves = 1.5_f64.ln();
    for back in ["", "transition(w, a, timeInState() > 10);"] {
        let model =
            format!("{decay} model M S w; A a; equation initialState(a); transition(a, w, a.x < 2); {back} end M;");
        let ran = run(&model, 1.0);
        check_certain(&ran);
        check_times(&ran, &[leaves]);
        near(ran.limits(0, "a.x").0, 2.0, 1e-7);
    }
    // Initial equations of a steady state, in which the condition never holds.
    let ran = run(
        "model A Real x; equation der(x) = 1 - x; initial equation der(x) = 0; end A;
         model M S w; A a; equation initialState(a); transition(a, w, a.x < 0.5); end M;",
        1.0,
    );
    check_times(&ran, &[]);
    near(ran.last("a.x"), 1.0, 1e-9);
}

#[test]
fn the_initial_state_is_left_at_once_where_its_own_start_says_so() {
    // The condition holds at the value of the initial equation, not at the start value, and the other way round.
    for (value, condition, is_left) in [(1.0, "a.x > 0.5", true), (1.0, "a.x < 0.5", false), (0.0, "a.x < 0.5", true)] {
        let ran = run(
            &format!(
                "model A Real x; equation der(x) = 0; initial equation x = {value:?}; end A;
                 model M S w; A a; Integer n = if activeState(w) then 1 else 0; equation initialState(a);
                 transition(a, w, {condition}); end M;"
            ),
            1.0,
        );
        near(ran.last("n"), f64::from(u8::from(is_left)), 0.0);
        assert_eq!(ran.values("a.x").iter().all(|value| value.is_nan()), is_left, "{condition}");
    }
}

#[test]
fn machines_leave_their_initial_states_only_where_they_must() {
    // The second machine could be left too at the start values of variables that would not exist.
    let ran = run(
        "model A parameter Real begins; Real x; equation der(x) = 0; initial equation x = begins; end A;
         model M A a(begins = 0), c(begins = 3); S b, d; Integer n = (if activeState(b) then 1 else 0) + (if activeState(d) then 2 else 0);
         equation initialState(a); transition(a, b, a.x < 2); initialState(c); transition(c, d, c.x < 2); end M;",
        1.0,
    );
    check_certain(&ran);
    near(ran.last("n"), 1.0, 0.0);
    near(ran.last("c.x"), 3.0, 1e-12);
}

#[test]
fn a_reset_reaches_states_that_are_entered_later() {
    let nested = |reset: bool| {
        format!(
            "model L Real x(start = 0, fixed = true); equation der(x) = 1; end L;
             model M L p, q; equation initialState(p); transition(p, q, p.x > 0.3); transition(q, p, q.x > 0.3); end M;
             model T M m, n; equation initialState(m); transition(m, n, timeInState() > 0.5, reset = false);
             transition(n, m, timeInState() > 0.5, reset = false); end T;
             model Top T t; L idle; equation initialState(t); transition(t, idle, timeInState() > 1.25, reset = {reset});
             transition(idle, t, timeInState() > 0.1, reset = {reset}); end Top;"
        )
    };
    // t at 0 and 1.35; inside it m, n, m, then m, n; in those p and q by turns of 0.3.
    let ran = run(&nested(true), 2.3);
    check_times(&ran, &[0.3, 0.5, 0.8, 1.0, 1.1, 1.25, 1.35, 1.65, 1.85, 2.15]);
    near(ran.limits(8, "t.n.p.x").1, 0.0, 1e-9);
    // Without reset, n goes on where it was: in q with 0.2.
    let ran = run(&nested(false), 1.9);
    let entered = ran.event_times().iter().position(|time| (time - 1.85).abs() < 1e-6).expect("n is entered");
    near(ran.limits(entered, "t.n.q.x").1, 0.2, 1e-7);
}

#[test]
fn an_output_goes_through_all_levels() {
    // What is `inner outer output` in a state is what `outer output` is there.
    let model = |declared: &str| {
        format!(
            "model Leaf parameter Real r = 1; outer output Real h; equation der(h) = r; end Leaf;
             model Sub {declared} output Real h; Leaf up(r = 1), down(r = -1), fin(r = 0);
             equation initialState(up); transition(up, down, h > 1); transition(down, fin, h < 0.5); end Sub;
             model Top inner Real h(start = 0, fixed = true); Sub s; Leaf idle(r = 0.25);
             equation initialState(s); transition(s, idle, true, synchronize = true);
             transition(idle, s, timeInState() > 1); end Top;"
        )
    };
    let (one, other) = (run(&model("outer"), 6.0), run(&model("inner outer"), 6.0));
    check_times(&other, &one.event_times());
    assert_eq!(other.events().len(), 8);
    near(other.last("h"), 0.75, 1e-7);
    // Algebraic, and discrete.
    for (ty, one, two, three) in [("Real", "1.5", "2", "-1"), ("Integer", "1", "2", "-1")] {
        let ran = run(
            &format!(
                "model L outer output {ty} y; parameter {ty} k; equation y = k; end L;
                 model N inner outer output {ty} y; L p(k = {one}), q(k = {two}); equation initialState(p); transition(p, q, timeInState() > 0.2); end N;
                 model Top inner {ty} y; N m; L r(k = {three}); Real z(start = 0, fixed = true);
                 equation der(z) = y; initialState(m); transition(m, r, timeInState() > 0.5); end Top;"
            ),
            1.0,
        );
        let first: f64 = one.parse().expect("a number");
        near(ran.last("z"), 0.2 * first + 0.3 * 2.0 - 0.5, 1e-7);
    }
}

#[test]
fn discrete_variables_of_states_are_absent_while_these_are_not_active() {
    let ran = run(
        "model A Integer n(start = 0, fixed = true); Boolean late; discrete Real t(start = 0, fixed = true); Real x(start = 0, fixed = true);
         equation der(x) = 1; late = x > 0.1; when sample(0.05, 0.1) then n = pre(n) + 1; t = time; end when; end A;
         model M A a; S b; equation initialState(a); transition(a, b, timeInState() > 0.35); transition(b, a, timeInState() > 0.3, reset = false); end M;",
        1.0,
    );
    check_presence(&ran, &["a.n", "a.late", "a.t", "a.x"], "activeState(a)");
    let back = ran.event_times().iter().position(|time| (time - 0.65).abs() < 1e-6).expect("a is entered again");
    let (before, after) = ran.limits(back, "a.n");
    assert!(before.is_nan(), "{before}");
    near(after, if ran.event_times()[back] > 0.65 { 5.0 } else { 4.0 }, 1.0);
}

#[track_caller]
fn check_presence(ran: &Ran, names: &[&str], active: &str) {
    for name in names {
        for (value, active) in ran.values(name).iter().zip(ran.values(active)) {
            assert_eq!(value.is_nan(), active == 0.0, "{name}: {value}");
        }
    }
}

#[test]
fn a_state_that_begins_anew_compares_its_integers_as_they_begin() {
    let model = |reset: bool| {
        format!(
            "model A Integer n(start = 0, fixed = true); Boolean many = n > 1; Boolean odd; Real d(start = 5, fixed = true);
             equation odd = mod(n, 2) > 0; when sample(0, 0.1) then n = pre(n) + 1; d = pre(d) + 0.5; end when; end A;
             model M A a; S b; equation initialState(a); transition(a, b, timeInState() > 0.25);
             transition(b, a, timeInState() > 0.3, reset = {reset}); end M;"
        )
    };
    for (reset, n, d) in [(true, 0.0, 5.0), (false, 3.0, 6.5)] {
        let ran = run(&model(reset), 1.0);
        let back = ran.event_times().iter().position(|time| (time - 0.55).abs() < 1e-6).expect("a is entered again");
        for (name, value) in [("a.n", n), ("a.d", d), ("a.many", f64::from(n > 1.0)), ("a.odd", n % 2.0)] {
            near(ran.limits(back, name).1, value, 1e-12);
        }
    }
}

/// An initial equation beside the machine is as one in its first state; of a state that is entered later it is refused.
#[test]
fn an_initial_equation_may_stand_beside_the_machine() {
    let model = |inside: &str, beside: &str, first: &str| {
        format!(
            "model A Real x; equation der(x) = -x; {inside} end A;
             model M S w; A a; equation initialState({first}); transition(a, w, a.x < 2); transition(w, a, timeInState() > 1);
             {beside} end M;"
        )
    };
    let (inside, beside) = (model("initial equation x = 3;", "", "a"), model("", "initial equation a.x = 3;", "a"));
    for text in [inside, beside] {
        let ran = run(&text, 0.5);
        near(ran.event_times()[0], 1.5_f64.ln(), 1e-7);
        assert!(ran.diagnostics.iter().all(|it| it.code != "E0703"), "{:#?}", ran.diagnostics);
    }
}

/// Bodies that are joined, of which one has a fixed speed: that of the other follows, whatever its own start is, and is no past to jump
/// from, also where start values are left limits.
#[test]
fn what_is_tied_to_a_fixed_start_begins_with_it() {
    let joined = [
        ("", "connect(j1.b, j2.b);", 1.0),
        ("Gear gear(n = -1);", "connect(gear.a, j1.b); connect(gear.b, j2.b);", -1.0),
        ("Gear gear(n = 0.5);", "connect(gear.a, j1.b); connect(gear.b, j2.b);", 0.5),
    ];
    let frictions = ["connect(f.a, ground.a); connect(f.b, j2.a);", "connect(f.b, ground.a); connect(f.a, j2.a);"];
    for (library, inertia, torque, [body, position, speed]) in
        [("Rotational", "J", "tauMax", ["Inertia", "phi", "w"]), ("Translational", "m", "fMax", ["Mass", "s", "v"])]
    {
        for ((gear, connected, ratio), friction) in
            joined.iter().flat_map(|it| frictions.map(|friction| (it, friction)))
        {
            for start in ["", ", j1.v(start = 5)", ", j1.v(start = -5)"] {
                let own = start.replace(", j1.v", &format!(", {speed}"));
                let text = format!(
                    "model M import Modeshift.{library}.*; Fixed ground; {body} j1({inertia} = 1{own}); {gear}
                     {body} j2({inertia} = 1, {position}(start = 0, fixed = true), {speed}(start = 1, fixed = true));
                     CoulombFriction f({torque} = 1); equation {connected} {friction} end M;"
                );
                for how in [How::until(4.0), How::until(4.0).impulsive_start()] {
                    let ran = run_text(&text, &how.tolerance(1e-9)).finished();
                    assert!(ran.diagnostics.is_empty(), "{:?}", ran.diagnostics);
                    // Until the friction has taken the momentum of both.
                    check_times(&ran, &[1.0 + ratio * ratio]);
                    near(ran.at(0.0, &format!("j2.{speed}")), 1.0, 1e-12);
                    near(ran.at(0.0, &format!("j1.{speed}")), *ratio, 1e-12);
                    near(ran.last(&format!("j2.{position}")), 0.5 * (1.0 + ratio * ratio), 1e-7);
                }
            }
        }
    }
}

/// The same of charges: a capacitor beside one with a fixed voltage, behind a diode.
#[test]
fn capacitors_beside_one_with_a_fixed_voltage_begin_with_it() {
    for start in ["", ", v(start = 3)"] {
        let text = format!(
            "model M import Modeshift.Electrical.*; Capacitor c1(C = 1, v(start = 1, fixed = true)), c2(C = 1{start}); IdealDiode d;
             Resistor r(R = 1); Ground g; equation connect(c1.p, d.p); connect(c2.p, d.p); connect(d.n, r.p);
             connect(r.n, g.p); connect(c1.n, g.p); connect(c2.n, g.p); end M;"
        );
        for how in [How::until(2.0), How::until(2.0).impulsive_start()] {
            let ran = run_text(&text, &how.tolerance(1e-9)).finished();
            near(ran.last("c2.v"), (-1.0_f64).exp(), 1e-7);
            assert!(ran.events().is_empty(), "{:?}", ran.events());
        }
    }
}

/// A body with a wall that it may come to is a body: friction slides from the start in both directions.
#[test]
fn a_body_with_a_wall_slides_from_the_start_as_one_without() {
    for speed in [2.0, -2.0] {
        for ends in ["connect(f.a, m.a); connect(f.b, g.a);", "connect(f.b, m.a); connect(f.a, g.a);"] {
            let text = format!(
                "model M import Modeshift.Translational.*; HardStop m(s(start = 10, fixed = true), v(start = {speed:?}, fixed = true));
                 Fixed g; CoulombFriction f(fMax = 1); equation {ends} end M;"
            );
            for how in [How::until(3.0), How::until(3.0).impulsive_start()] {
                let ran = run_text(&text, &how.tolerance(1e-9)).finished();
                check_times(&ran, &[2.0]);
                near(ran.at(1.5, "m.v"), 0.25 * speed, 1e-8);
                near(ran.last("m.s"), 10.0 + speed, 1e-7);
            }
        }
    }
}

/// A clutch that closes beside a timer that starts again at the same instant: each does what it does alone.
#[test]
fn a_reinit_elsewhere_is_not_the_business_of_a_clutch() {
    let model = |clauses: &str| {
        format!(
            "model M
  Modeshift.Rotational.Inertia i(phi(start = 0, fixed = true), w(start = 1, fixed = true));
  Modeshift.Rotational.Inertia j(J = 2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  discrete Boolean on(start = false, fixed = true);
  Modeshift.Rotational.Clutch k(engage = on);
  Real z(start = 0, fixed = true);
equation
  connect(i.b, k.a);
  connect(k.b, j.a);
  der(z) = 1;
  {clauses}
end M;"
        )
    };
    let together = "when time >= 0.5 then on = true; reinit(z, 0); end when;";
    let sampled = "when sample(0.2, 0.3) then on = not pre(on); reinit(z, 0); end when;";
    let set = "when time >= 0.5 then on = true; reinit(z, 2*pre(z)); end when;";
    for (clauses, z) in [(together, 0.4), (sampled, 0.1), (set, 1.4)] {
        let ran = run_text(&model(clauses), &How::until(0.9)).finished();
        let values = [ran.last("i.w"), ran.last("j.w"), ran.last("z")];
        let expected = [1.0 / 3.0, 1.0 / 3.0, z];
        let is_near = values.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-9);
        assert!(is_near, "{clauses}: {values:?} instead of {expected:?}");
    }
}

/// The condition of a `when` inside a state begins with `false` where the state begins anew, as other Booleans of the state do: it fires
/// at every such entry where it is true then, the first one or a later one. Without reset it is what it was.
#[test]
fn a_when_inside_a_state_begins_anew_with_it() {
    for condition in ["x > 0.2", "y > 0.4", "p", "edge(p)", "time > 0.1"] {
        for anew in [true, false] {
            let text = format!(
                "model A Integer n(start = 0, fixed = true); Real x(start = 0.5); Real y = 2*x; Boolean p = x > 0.2; equation der(x) = 0;
                 when {condition} then n = pre(n) + 1; end when; end A; model B end B;
                 model M A a; B b; equation initialState(b); transition(b, a, timeInState() > 0.25, reset = {anew});
                 transition(a, b, timeInState() > 0.25); end M;"
            );
            let ran = run_text(&text, &How::until(1.0)).finished();
            // What is true outside the state is true before it is entered, unless it begins anew.
            let fires = if condition.contains("time") && !anew { 0.0 } else { 1.0 };
            assert_eq!([ran.limits(0, "a.n").1, ran.limits(2, "a.n").1], [fires; 2], "{condition} {anew}");
        }
    }
}

/// Three bodies under friction that slide over each other at the start: no mode agrees with the start values literally, and before the start
/// there are no equations.
#[test]
fn bodies_that_slide_over_each_other_at_the_start_come_to_rest() {
    let text = "model M import Modeshift.Rotational.*; Fixed g;
        Inertia b[3](each J = 1, phi(each start = 0, each fixed = true), w(start = {0, 0.5, 1}, each fixed = true));
        CoulombFriction k[3](tauMax = {1, 2, 1});
        equation connect(k[1].a, b[1].a); connect(k[1].b, g.a); connect(k[2].a, b[2].a); connect(k[2].b, b[1].a);
        connect(k[3].a, b[3].a); connect(k[3].b, b[2].a); end M;";
    for tolerance in [1e-4, 1e-6, 1e-9] {
        let ran = run_text(text, &How { interval: Some(0.1), ..How::until(2.0).tolerance(tolerance) }).finished();
        // The first two meet at 0.25 s, the third one joins them at 0.75 s, and the ground stops all at 1.5 s.
        for (time, speeds) in [(0.1, [0.1, 0.4, 0.9]), (0.5, [0.25, 0.25, 0.5]), (1.2, [0.1; 3]), (2.0, [0.0; 3])] {
            for (number, speed) in speeds.into_iter().enumerate() {
                let found = ran.at(time, &format!("b[{}].w", number + 1));
                assert!((found - speed).abs() < 10.0 * tolerance, "{number} at {time}: {found}, not {speed}");
            }
        }
        assert!(ran.diagnostics.is_empty(), "{:?}", ran.diagnostics);
    }
}

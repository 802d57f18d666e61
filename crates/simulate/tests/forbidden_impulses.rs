//! What holds a force of a certain size at most does not pass on an impulse, whatever makes it: at the start, at an event, by a law.

use crate::machines::near;
use crate::support::runs as support;

use modeshift_simulate::integrate::Method;
use support::{How, Ran, run_text};

fn run(text: &str) -> Ran {
    run_until(text, 2.0)
}

fn run_until(text: &str, stop: f64) -> Ran {
    let how = How { interval: Some(0.01), ..How::until(stop) }.tolerance(1e-8).impulsive_start();
    let ran = run_text(text, &how).finished();
    for method in [Method::Esdirk, Method::Explicit] {
        let other = run_text(text, &How { method: Some(method), ..how.clone() }).finished();
        assert_eq!(other.events().len(), ran.events().len(), "{method:?}");
    }
    ran
}

/// Two inertias at the same speed, a friction between them, and what stops the second one; torques in another unit.
fn stopped(friction: &str, stops: &str, speed: f64, unit: f64) -> String {
    let inertia = |name: &str| {
        format!("Inertia {name}(J = {unit:?}, phi(start = 0, fixed = true), w(start = {speed:?}, fixed = true)); ")
    };
    format!(
        "model M import Modeshift.Rotational.*; {}{}
         {friction} f(tauMax = {unit:?}); Fixed ground; {stops}
         equation connect(j1.a, f.a); connect(f.b, j2.a); connect(j2.b, stop.a); connect(stop.b, ground.a); end M;",
        inertia("j1"),
        inertia("j2"),
    )
}

/// The second one stands, the first one slides until it has lost its speed.
#[track_caller]
fn check_sliding(ran: &Ran, from: f64, event: usize, unit: f64) {
    near(ran.at(from + 0.25, "j1.w"), 0.75, 1e-7);
    near(ran.at(from + 0.25, "j2.w"), 0.0, 1e-9);
    near(ran.last("j1.w"), 0.0, 1e-7);
    near(ran.weight(event, "stop.a.tau", "1"), unit, 1e-9 * unit);
    assert!(ran.events()[event].impulses.iter().all(|it| &*it.variable != "f.a.tau"), "{:?}", ran.events()[event]);
    near(ran.event_times()[event + 1], from + 1.0, 1e-7);
}

#[test]
fn friction_slides_where_a_one_way_clutch_closes_at_the_start() {
    for unit in [1.0, 1e-9, 1e9] {
        check_sliding(&run(&stopped("CoulombFriction", "OneWayClutch stop;", 1.0, unit)), 0.0, 0, unit);
        check_sliding(&run(&stopped("CoulombFriction", "Clutch stop(engage = time >= 0);", 1.0, unit)), 0.0, 0, unit);
        check_sliding(&run(&stopped("CoulombFriction", "Clutch stop(engage = time >= 0.5);", 1.0, unit)), 0.5, 0, unit);
    }
    let away = run(&stopped("CoulombFriction", "OneWayClutch stop;", -1.0, 1.0));
    near(away.last("j1.w"), -1.0, 1e-9);
    assert!(away.events().is_empty());
}

/// Behind a second inertia that a clutch joins at 0.5, so that the one-way clutch closes at an event and in the same instant.
#[test]
fn friction_slides_where_a_one_way_clutch_closes_at_an_event() {
    let joined = "Inertia j3(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true)); OneWayClutch o;
        Clutch stop(engage = time >= 0.5); equation connect(stop.b, j3.a); connect(j3.b, o.a); connect(o.b, ground.a);";
    let text = stopped("CoulombFriction", joined, 1.0, 1.0).replace("connect(stop.b, ground.a);", "");
    let text = text.replacen("\n         equation connect(j1.a", "\n         connect(j1.a", 1);
    check_sliding(&run(&text), 0.5, 0, 1.0);
}

/// Laws of an instant without duration: `reinit`, and a body that is thrown back.
#[test]
fn friction_slides_where_a_state_is_set() {
    let text =
        stopped("CoulombFriction", "Free stop; equation when time > 0.5 then reinit(j2.w, 0); end when;", 1.0, 1.0);
    let ran = run(&text.replacen("\n         equation connect(j1.a", "\n         connect(j1.a", 1));
    near(ran.limits(0, "j1.w").1, 1.0, 1e-9);
    near(ran.limits(0, "j2.w").1, 0.0, 1e-12);
    // Both come to half the speed, within half a second.
    near(ran.at(0.75, "j1.w"), 0.75, 1e-7);
    near(ran.event_times()[1], 1.0, 1e-7);
    near(ran.last("j2.w"), 0.5, 1e-7);
}

#[test]
fn friction_slides_where_a_body_is_thrown_back() {
    let ran = run("model M import Modeshift.Translational.*; Mass m1(m = 1, s(start = 1, fixed = true), v(start = -1, fixed = true));
        HardStop m2(m = 1, s(start = 1, fixed = true), v(start = -1, fixed = true), e = 0.5); CoulombFriction f(fMax = 1);
        equation connect(m1.a, f.a); connect(f.b, m2.a); end M;");
    near(ran.event_times()[0], 1.0, 1e-8);
    near(ran.limits(0, "m1.v").1, -1.0, 1e-8);
    near(ran.limits(0, "m2.v").1, 0.5, 1e-8);
    // The force of 1 N on both: m2 turns around at 1.5 s.
    near(ran.at(1.25, "m1.v"), -0.75, 1e-6);
    near(ran.at(1.25, "m2.v"), 0.25, 1e-6);
}

/// A state that is set to what it is makes no impulse, and neither does drift.
#[test]
fn nothing_breaks_where_nothing_jumps() {
    let ran = run("model M import Modeshift.Rotational.*; Inertia j1(J = 1, phi(start = 0.1, fixed = true), w(start = 0, fixed = true)), j2(J = 3);
        Spring c(c = 10); Fixed ground; BreakingShaft f(tauMax = 5);
        equation connect(j1.a, f.a); connect(f.b, j2.a); connect(j2.b, c.a); connect(c.b, ground.a);
        when sample(0.1, 0.1) then reinit(j2.w, pre(j2.w)); end when; end M;");
    assert_eq!(ran.last("activeState(f.intact)"), 1.0);
}

/// What breaks at a torque of either sign breaks, however its condition is written.
#[test]
fn shafts_break_in_an_impulse_however_the_limit_is_written() {
    let conditions = [
        "intact.tau > tauMax or intact.tau < -tauMax",
        "abs(intact.tau) > tauMax",
        "intact.tau^2 > tauMax^2",
        "max(intact.tau, -intact.tau) > tauMax",
    ];
    for condition in conditions {
        for (stop, at) in [("Clutch stop(engage = time >= 0.5);", 0.5), ("OneWayClutch stop;", 0.0)] {
            let shaft = format!(
                "model Shaft import Modeshift.Rotational.*; Flange a, b; parameter Real tauMax = 1; Together intact; Free broken;
                 equation initialState(intact); transition(intact, broken, {condition});
                 connect(a, intact.a); connect(a, broken.a); connect(b, intact.b); connect(b, broken.b); end Shaft; "
            );
            let ran = run(&(shaft + &stopped("Shaft", stop, 1.0, 1.0)));
            near(ran.event_times()[0], at, 1e-8);
            near(ran.last("j1.w"), 1.0, 1e-8);
            near(ran.last("j2.w"), 0.0, 1e-8);
        }
    }
}

/// A diode that conducts at the start and a breaker: the charge does not pass, and nothing jumps.
#[test]
fn breakers_open_in_an_impulse_of_current() {
    let ran = run("model M import Modeshift.Electrical.*; Capacitor c1(C = 1, v(start = 1, fixed = true)), c2(C = 1, v(start = 0, fixed = true));
        Breaker b(iMax = 3); IdealDiode d; Resistor r(R = 1); Ground g;
        equation connect(c1.p, b.p); connect(b.n, d.p); connect(d.n, c2.p); connect(c1.n, g.p); connect(c2.n, g.p);
        connect(r.p, c2.p); connect(r.n, g.p); end M;");
    assert_eq!(ran.last("activeState(b.open)"), 1.0);
    near(ran.last("c1.v"), 1.0, 1e-9);
    near(ran.last("c2.v"), 0.0, 1e-9);
}

/// Two bodies at speeds 3 and 1 with friction of 1 between them. The first loses 1 in a second and the second gains as much until 0.5, where
/// the first one is stopped, for a while or with a `reinit`: from there on the friction slides the other way.
#[track_caller]
fn check_reversed(text: &str, [first, second]: [&str; 2], stands: f64) {
    let ran = run(text);
    assert!(ran.diagnostics.is_empty(), "{:?}", ran.diagnostics);
    near(ran.event_times()[0], 0.5, 1e-8);
    let (left, right) = ran.limits(0, second);
    near(left, 1.5, 1e-7);
    near(right, 1.5, 1e-7);
    near(ran.limits(0, first).1, 0.0, 1e-9);
    assert!(ran.events()[0].impulses.iter().all(|it| !it.variable.starts_with("f.")), "{:?}", ran.events()[0]);
    near(ran.at(0.7, second), 1.3, 1e-7);
    near(ran.at(0.5 + stands + 0.1, first), 0.1, 1e-7);
    let together = (1.5 - stands) / 2.0;
    near(ran.last(first), together, 1e-7);
    near(ran.last(second), together, 1e-7);
}

/// Friction that slides when what drives it is stopped, so that it is to slide the other way at once: it does not hold in between.
#[test]
fn friction_that_slides_is_reversed_without_an_impulse() {
    let stops = [
        ("Clutch c(engage = time >= 0.5 and time < 0.8);", "connect(c.a, j1.a); connect(c.b, ground.a);", 0.3),
        ("Brake c(engage = time >= 0.5 and time < 0.8);", "connect(c.a, j1.a);", 0.3),
        ("", "when time >= 0.5 then reinit(j1.w, 0); end when;", 0.0),
    ];
    for (unit, (stop, connected, stands)) in [1.0, 1e-9, 1e6].iter().flat_map(|unit| stops.map(|it| (unit, it))) {
        for ends in ["connect(f.a, j1.a); connect(f.b, j2.a);", "connect(f.b, j1.a); connect(f.a, j2.a);"] {
            let text = format!(
                "model M import Modeshift.Rotational.*; Fixed ground; CoulombFriction f(tauMax = {unit:?});
                 Inertia j1(J = {unit:?}, phi(start = 0, fixed = true), w(start = 3, fixed = true));
                 Inertia j2(J = {unit:?}, phi(start = 0, fixed = true), w(start = 1, fixed = true)); {stop}
                 equation {ends} {connected} end M;"
            );
            check_reversed(&text, ["j1.w", "j2.w"], stands);
        }
    }
}

/// The same by machines that are written by hand.
#[test]
fn friction_written_by_hand_is_reversed_without_an_impulse() {
    let machines = [
        "Integer k(start = 1, fixed = true); equation
         k = if pre(k) == 1 and v < 0 or pre(k) == -1 and v > 0 then 0 elseif pre(k) == 0 and f > 1 then 1
             elseif pre(k) == 0 and f < -1 then -1 else pre(k);
         0 = if k == 0 then v else f - k;",
        "Boolean p(start = true, fixed = true), n(start = false, fixed = true); equation
         p = if pre(p) then not v < 0 else not pre(n) and f > 1;
         n = if pre(n) then not v > 0 else not pre(p) and f < -1;
         0 = if p then f - 1 elseif n then f + 1 else v;",
    ];
    let stops = [
        ("0 = if time >= 0.5 and time < 0.8 then v1 else g;", 0.3),
        ("g = 0; when time >= 0.5 then reinit(v1, 0); end when;", 0.0),
    ];
    for (machine, (stop, stands)) in machines.iter().flat_map(|machine| stops.map(|it| (machine, it))) {
        let text = format!(
            "model M Real v1(start = 3, fixed = true), v2(start = 1, fixed = true), v = v1 - v2, f, g; {machine}
             der(v1) = -f - g; der(v2) = f; {stop} end M;"
        );
        check_reversed(&text, ["v1", "v2"], stands);
    }
}

/// A body on rough ground that a wall throws back: from -2 to 1, at rest a quarter of a second later, and back again.
#[test]
fn friction_on_the_ground_is_reversed_where_a_body_is_thrown_back() {
    for ends in ["connect(b.a, f.a); connect(f.b, g.a);", "connect(b.a, f.b); connect(f.a, g.a);"] {
        let text = format!(
            "model M import Modeshift.Translational.*; HardStop b(m = 1, e = 0.5, s(start = 1, fixed = true), v(start = 0, fixed = true));
             Fixed g; CoulombFriction f(fMax = 1); ConstantForce u(f = -3); equation {ends} connect(u.a, b.a); end M;"
        );
        let ran = run_until(&text, 1.5);
        assert!(ran.diagnostics.is_empty(), "{:?}", ran.diagnostics);
        let (left, right) = ran.limits(0, "b.v");
        near(left, -2.0, 1e-7);
        near(right, 1.0, 1e-7);
        near(ran.at(1.25, "b.v"), 0.0, 1e-6);
        near(ran.at(1.4, "b.v"), -0.3, 1e-6);
    }
}

/// Another body that comes to rest where the first one is stopped, and has nothing to do with it: nothing is ambiguous.
#[test]
fn friction_that_comes_to_rest_elsewhere_in_the_same_instant_is_no_matter() {
    let text = "model M import Modeshift.Translational.*; CoulombFriction f, g(fMax = 0.5); Fixed ground;
        Mass m1(s(start = 0, fixed = true), v(start = 3, fixed = true)), m2(s(start = 0, fixed = true), v(start = 1, fixed = true));
        Mass m3(m = 0.5, s(start = 0, fixed = true), v(start = -0.5, fixed = true));
        Brake c(engage = time >= 0.5 and time < 0.8);
        equation connect(f.a, m1.a); connect(f.b, m2.a); connect(c.a, m1.a); connect(g.a, ground.a); connect(g.b, m3.a); end M;";
    // The two instants are one, or apart by the rounding of a step.
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        let how = How { method: Some(method), ..How::until(2.0).tolerance(1e-8) };
        let ran = run_text(text, &how).finished();
        assert!(ran.diagnostics.is_empty(), "{method:?}: {:?}", ran.diagnostics);
        near(ran.last("m1.v"), 0.6, 1e-7);
        near(ran.last("m2.v"), 0.6, 1e-7);
        near(ran.last("m3.v"), 0.0, 1e-9);
        near(ran.last("m3.s"), -0.125, 1e-7);
    }
}

//! What holds a force of a certain size at most does not pass on an impulse, whatever makes it: at the start, at an event, by a law.

use crate::machines::near;
use crate::support::runs as support;

use modeshift_simulate::integrate::Method;
use support::{How, Ran, run_text};

fn run(text: &str) -> Ran {
    let how = How { interval: Some(0.01), ..How::until(2.0) }.tolerance(1e-8).impulsive_start();
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

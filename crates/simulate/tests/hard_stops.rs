//! A body before a wall: it is thrown back, comes to rest, rests, and leaves; it is never behind the wall without a word.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, Ran, check, run_text};

/// A body of the library before a wall at 0, with a force that may change, for `stop` seconds.
fn body(restitution: f64, (place, speed): (f64, f64), force: &str, how: &How) -> Ran {
    let text = format!(
        "model M import Modeshift.Translational.*; HardStop b(e = {restitution:?}, s(start = {place:?}, fixed = true),
        v(start = {speed:?}, fixed = true)); SignalForce g(u = {force}); equation connect(g.a, b.a); end M;"
    );
    run_text(&text, how)
}

/// With rows every tenth of a second.
fn until(stop: f64) -> How {
    How { interval: Some(0.1), ..How::until(stop) }
}

/// Where a body is that falls by 10, by its closed form; it rests once its impacts have no length any more.
fn fallen(restitution: f64, (mut place, mut speed): (f64, f64), mut time: f64) -> f64 {
    loop {
        let until_impact = (speed + (speed * speed + 20.0 * place).sqrt()) / 10.0;
        if time < until_impact {
            return place + speed * time - 5.0 * time * time;
        }
        time -= until_impact;
        (place, speed) = (0.0, -restitution * (speed - 10.0 * until_impact));
        if speed < 1e-12 {
            return 0.0;
        }
    }
}

fn lowest(ran: &Ran, name: &str) -> f64 {
    ran.values(name).into_iter().fold(0.0, f64::min)
}

const METHODS: [Method; 4] = [Method::Auto, Method::Bdf, Method::Esdirk, Method::Exact];

#[test]
fn a_body_is_thrown_back_and_comes_to_rest_wherever_it_begins() {
    for restitution in [0.9, 0.5, 0.1, 0.03, 0.01, 1e-3, 1e-6, 1e-9, 0.0] {
        for begin in [(1.0, 0.0), (0.0, 0.0), (0.0, -2.0), (0.0, 3.0), (7.3, -1.0)] {
            for method in METHODS {
                let how = How { method: Some(method), ..until(if restitution > 0.5 { 30.0 } else { 5.0 }) };
                let ran = body(restitution, begin, "-10", &how).finished();
                for time in [0.1, 0.4, 0.7, 1.1, 1.6, 2.3, 5.0] {
                    check("place", ran.at(time, "b.s"), fallen(restitution, begin, time), 1e-4);
                }
                assert!(lowest(&ran, "b.s") >= -1e-9, "{restitution} {begin:?} {method:?}: {}", lowest(&ran, "b.s"));
                assert_eq!(ran.last("activeState(b.resting)"), 1.0, "{restitution} {begin:?} {method:?}");
            }
        }
    }
}

/// With all of its speed it rises to where it was, again and again.
#[test]
fn a_body_that_keeps_its_speed_bounces_on() {
    for method in METHODS {
        let ran = body(1.0, (1.0, 0.0), "-10", &How { method: Some(method), ..until(2.0) }).finished();
        // Impacts every 2*sqrt(0.2) s from sqrt(0.2) s on; at 2 s it falls since 4*sqrt(0.2) s.
        let since = 2.0 - 4.0 * 0.2_f64.sqrt();
        check("height", ran.last("b.s"), 1.0 - 5.0 * since * since, 1e-6);
    }
}

/// Rests from the limit of its impacts on, is lifted by 5 from 3 s to 4 s, falls with 10 from 2.5 m and 5 m/s.
#[test]
fn a_body_at_rest_leaves_where_the_wall_would_have_to_hold_it_back() {
    let force = "if time < 3 then -10 elseif time < 4 then 5 else -10";
    for restitution in [0.5, 0.01, 0.0] {
        for tolerance in [1e-4, 1e-6, 1e-9] {
            let ran = body(restitution, (1.0, 0.0), force, &until(8.0).tolerance(tolerance)).finished();
            let bound = 100.0 * tolerance;
            check("lifted", ran.at(3.6, "b.s"), 0.5 * 5.0 * 0.36, bound);
            check("thrown", ran.at(4.5, "b.s"), fallen(restitution, (2.5, 5.0), 0.5), bound);
            check("back", ran.at(6.0, "b.s"), fallen(restitution, (2.5, 5.0), 2.0), bound);
            check("at rest", ran.last("b.s"), 0.0, 1e-12);
        }
    }
}

/// A wall presses with what the force does not take away, and lets go exactly where that ends.
#[test]
fn a_wall_lets_go_where_its_force_ends() {
    let ran = body(0.3, (0.0, 0.0), "-cos(time)", &until(3.0).tolerance(1e-9)).finished();
    // The first event is the start, where the body lies at its wall.
    check("time", ran.event_times()[1], std::f64::consts::FRAC_PI_2, 1e-8);
    // From the quarter of a circle on, the force is sin of what is beyond it: v = 1 - cos, s = t - sin t.
    let since = 3.0 - std::f64::consts::FRAC_PI_2;
    check("place", ran.last("b.s"), since - since.sin(), 1e-7);
}

/// Two bodies on a spring, each before its wall, as one before its wall on half of the spring.
#[test]
fn two_bodies_on_a_spring_are_each_other_s_mirror_image() {
    for restitution in [0.6, 0.1, 0.01, 0.0] {
        let bodies = "HardStop b(e = E, sMin = -1, s(start = -0.2, fixed = true), v(start = 0, fixed = true));
            HardStop c(e = E, sMin = -1, s(start = -0.2, fixed = true), v(start = 0, fixed = true));
            Gear turn(n = -1); Spring spring(c = 8, length = -4);";
        let text = format!(
            "model M import Modeshift.Translational.*; {bodies} equation connect(spring.a, b.a); connect(turn.a, c.a);
             connect(turn.b, spring.b); end M;"
        );
        let text = text.replace("= E,", &format!("= {restitution:?},"));
        let alone = format!(
            "model M import Modeshift.Translational.*; HardStop b(e = {restitution:?}, sMin = -1, s(start = -0.2, fixed = true),
             v(start = 0, fixed = true)); Spring spring(c = 16, length = -2); Fixed f(s = 0);
             equation connect(spring.a, b.a); connect(spring.b, f.a); end M;"
        );
        let [both, one] = [text, alone].map(|it| run_text(&it, &until(6.0).tolerance(1e-8)).finished());
        for time in [0.5, 1.0, 1.7, 2.9, 6.0] {
            check("first", both.at(time, "b.s"), one.at(time, "b.s"), 1e-5);
            check("second", both.at(time, "c.s"), one.at(time, "b.s"), 1e-5);
        }
        check("at its wall", both.last("b.s"), -1.0, 1e-9);
    }
}

/// Impacts long before those that accumulate say nothing of where these end; one body rests and leaves while the other bounces.
#[test]
fn bodies_of_different_restitution_on_a_spring_come_to_rest_at_every_tolerance() {
    let text = "model M import Modeshift.Translational.*; Spring spring(c = 40, length = -0.4);
        HardStop b(m = 2, e = 0.001, sMin = -1.5, s(start = -0.5, fixed = true), v(start = -1.3, fixed = true)); SignalForce f(u = -3.1);
        HardStop c(m = 0.5, e = 0, sMin = -1.5, s(start = -0.35, fixed = true), v(start = 3, fixed = true));
        SignalForce g(u = -7.7 + 7.9*sin(4*time)); equation connect(f.a, b.a); connect(g.a, c.a); connect(spring.a, b.b);
        connect(spring.b, c.b); end M;";
    let run =
        |method, tolerance| run_text(text, &How { method: Some(method), ..until(4.0).tolerance(tolerance) }).finished();
    let exact = run(Method::Bdf, 1e-10);
    for (method, tolerance) in
        [(Method::Esdirk, 1e-6), (Method::Esdirk, 1e-8), (Method::Bdf, 1e-6), (Method::Auto, 1e-7)]
    {
        let ran = run(method, tolerance);
        for time in [0.5, 1.0, 2.0, 3.0, 4.0] {
            check("b", ran.at(time, "b.s"), exact.at(time, "b.s"), 1e-4);
            check("c", ran.at(time, "c.s"), exact.at(time, "c.s"), 1e-4);
        }
    }
}

/// Between two walls 2 apart: comes to rest at the lower one, at 1 + 2 s of impacts, is driven to the upper one, and rests there.
#[test]
fn a_body_between_two_walls_comes_to_rest_at_each() {
    let text = "model M import Modeshift.Translational.*;
        HardStop lower(m = 1, e = 0.5, sMin = -1, s(start = 0, fixed = true), v(start = 0, fixed = true)), upper(m = 1, e = 0.5, sMin = -1);
        Gear turn(n = -1); SignalForce f(u = if time < 4 then -4 else 6);
        equation connect(f.a, lower.a); connect(lower.b, turn.a); connect(turn.b, upper.a); end M;";
    let ran = run_text(text, &until(9.0).tolerance(1e-8)).finished();
    check("falling", ran.at(0.5, "lower.s"), -0.25, 1e-6);
    check("at rest below", ran.at(3.5, "lower.s"), -1.0, 1e-9);
    // With 3 m/s2 over 2 m: at the upper wall after 2/sqrt(3) s.
    check("driven", ran.at(5.0, "lower.s"), 0.5, 1e-6);
    check("at rest above", ran.last("lower.s"), 1.0, 1e-9);
}

/// The impacts of a body under friction: up it is slowed by 4, down it is driven by 2.
#[test]
fn a_body_under_friction_comes_to_rest_at_its_wall() {
    for restitution in [0.5, 0.01, 0.0] {
        let text = format!(
            "model M import Modeshift.Translational.*; HardStop b(e = {restitution:?}, s(start = 1, fixed = true), v(start = 0, fixed = true));
             CoulombFriction c(fMax = 1); Fixed g; SignalForce f(u = if time < 3 then -3 elseif time < 4 then 3 elseif time < 5 then 0.5 else -0.5);
             equation connect(f.a, b.a); connect(b.b, c.a); connect(c.b, g.a); end M;"
        );
        let ran = run_text(&text, &until(8.0).tolerance(1e-8)).finished();
        // At the wall with 2 m/s, up for 2 e/4 s to (2 e)^2/8.
        let top = (2.0_f64 * restitution).powi(2) / 8.0;
        if top > 1e-2 {
            check("top", ran.at(1.2, "b.s"), top - 0.005, 1e-6);
        }
        check("at rest", ran.at(2.9, "b.s"), 0.0, 1e-9);
        // Lifted by 2 for a second to 1 m, slowed by 0.5: 2 m/s end after 4 s.
        check("thrown", ran.at(4.5, "b.s"), 1.0 + 2.0 * 0.5 - 0.25 * 0.25, 1e-6);
    }
}

/// Bodies that have nothing to do with each other move as each of them alone, and in other units as in these.
#[test]
fn copies_and_units_change_nothing() {
    let several = "model M import Modeshift.Translational.*; parameter Real u = 1, T = 1;
        HardStop b[3](e = {0.5, 0.01, 0.3}, s(start = u*{1, 2, 0}, each fixed = true), v(start = u/T*{0, 0, 2}, each fixed = true));
        ConstantForce g[3](each f = -10*u/T^2); equation connect(g.a, b.a); end M;";
    for (unit, time) in [(1.0, 1.0), (1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e5), (1e-3, 1e3)] {
        let how = How { interval: Some(0.1 * time), ..How::until(5.0 * time) }
            .set("u", &format!("{unit:?}"))
            .set("T", &format!("{time:?}"));
        let ran = run_text(several, &how.tolerance(1e-8)).finished();
        for (name, restitution, begin) in
            [("b[1].s", 0.5, (1.0, 0.0)), ("b[2].s", 0.01, (2.0, 0.0)), ("b[3].s", 0.3, (0.0, 2.0))]
        {
            for at in [0.3, 0.5, 0.8, 1.3, 5.0] {
                check(name, ran.at(at * time, name) / unit, fallen(restitution, begin, at), 1e-5);
            }
        }
    }
}

/// Balls as they are written by hand have no mode of rest: where their impacts accumulate the run stops, however small what is
/// kept of the speed.
#[test]
fn a_ball_without_a_mode_of_rest_does_not_fall_through_the_ground() {
    for restitution in [0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-9] {
        for (height, tolerance) in [(1.0, 1e-4), (1.0, 1e-6), (0.3, 1e-9), (7.3, 1e-6)] {
            for method in METHODS {
                let text = format!(
                    "model M Real h(start = {height:?}, fixed = true), v(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81;
                     when h <= 0 then reinit(v, -{restitution:?}*pre(v)); end when; end M;"
                );
                let ran = run_text(&text, &How { method: Some(method), ..until(8.0).tolerance(tolerance) });
                let bound = 1e-8_f64.max(0.01 * tolerance);
                assert!(lowest(&ran, "h") >= -bound, "{restitution} {method:?} {tolerance}: {}", lowest(&ran, "h"));
                ran.said("E0827");
            }
        }
    }
}

/// One that keeps nothing falls on, as its equations say; the run tells.
#[test]
fn what_is_stopped_and_not_held_is_told() {
    let ball = |speed: &str| {
        format!(
            "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81;
             when h <= 0 then reinit(v, {speed}); end when; end M;"
        )
    };
    let ran = run_text(&ball("0"), &until(1.0)).finished();
    let since = 1.0 - (2.0 / 9.81_f64).sqrt();
    check("place", ran.last("h"), -0.5 * 9.81 * since * since, 1e-6);
    assert!(ran.said("W0843").message.starts_with("what `h <= 0` stops at time = 0.4515"), "{:?}", ran.diagnostics);
    // What is slowed, or has reached where it was to stop, is not told.
    for text in [ball("0.5*pre(v)"), ball("0").replace("-9.81", "if h <= 0 then 9.81 else -9.81")] {
        let ran = run_text(&text, &until(1.0));
        assert!(ran.diagnostics.iter().all(|it| it.code != "W0843"), "{:?}", ran.diagnostics);
    }
}

//! When a run may pass over events that accumulate: bodies that are lifted and pressed in turn, thrown back by no more than a millionth of
//! their speed or by all of it, beside something that has nothing to do with them, against closed forms between impacts; and when it may
//! not: balls on grounds that move, which end a run as one at rest does.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, Ran, check, run_text};

/// A body before a wall at 0 that begins at rest, under `-press + lift sin(rate time)`.
#[derive(Clone, Copy, Debug)]
struct Body {
    restitution: f64,
    press: f64,
    lift: f64,
    rate: f64,
    height: f64,
}

/// How the wall is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wall {
    OfTheLibrary,
    ByHand,
}

impl Body {
    fn force(&self, time: f64) -> f64 {
        self.lift * (self.rate * time).sin() - self.press
    }

    /// Where it is, and how fast, after a flight from a time, a place and a speed.
    fn flown(&self, (from, place, speed): (f64, f64, f64), time: f64) -> (f64, f64) {
        let (Body { press, lift, rate, .. }, since) = (*self, time - from);
        let (sine, cosine) = ((rate * time).sin() - (rate * from).sin(), (rate * time).cos() - (rate * from).cos());
        let drift = speed + lift / rate * (rate * from).cos();
        (
            place + drift * since - 0.5 * press * since * since - lift / rate / rate * sine,
            speed - press * since - lift / rate * cosine,
        )
    }

    /// Places at some times, from impact to impact.
    fn places(&self, times: &[f64]) -> Vec<f64> {
        let (mut at, mut places) = ((0.0, self.height, 0.0), Vec::new());
        let end = times.last().expect("some times") + 0.1;
        loop {
            let until = self.next_impact(at, end);
            let flying = times[places.len()..].iter().take_while(|&&time| time < until);
            places.extend(flying.map(|&time| self.flown(at, time).0).collect::<Vec<f64>>());
            if until >= end {
                return places;
            }
            at = (until, 0.0, -self.restitution * self.flown(at, until).1.min(0.0));
            if at.2 < 1e-11 {
                let leaves = if self.force(until) < 0.0 { self.next_lift(until, end) } else { until };
                let resting = times[places.len()..].iter().take_while(|&&time| time < leaves);
                places.extend(resting.map(|_| 0.0).collect::<Vec<f64>>());
                at = (leaves, 0.0, 0.0);
            }
        }
    }

    /// When it is at the wall again: looked for in steps that begin with a part of its flight and grow.
    fn next_impact(&self, at: (f64, f64, f64), end: f64) -> f64 {
        let flight = if at.1 == 0.0 && at.2 > 0.0 { 0.1 * at.2 / (self.press + self.lift) } else { 1e-3 };
        let (mut before, mut step) = (at.0, flight.min(1e-3));
        while before < end {
            let after = before + step;
            if self.flown(at, after).0 < 0.0 {
                return bisected(before, after, |time| self.flown(at, time).0 >= 0.0);
            }
            (before, step) = (after, (1.1 * step).min(1e-3));
        }
        end
    }

    /// When the force begins to lift it.
    fn next_lift(&self, from: f64, end: f64) -> f64 {
        let mut before = from;
        while before < end {
            if self.force(before + 1e-3) > 0.0 {
                return bisected(before, before + 1e-3, |time| self.force(time) <= 0.0);
            }
            before += 1e-3;
        }
        end
    }

    /// Beside an oscillator of a frequency, whose place is `x`; in other units of length and time.
    fn text(&self, wall: Wall, oscillator: Option<f64>, [length, unit]: [f64; 2]) -> String {
        let Body { restitution, press, lift, rate, height } = *self;
        let (height, rate) = (length * height, rate / unit);
        let force = format!("{:?}*(-{press:?} + {lift:?}*sin({rate:?}*time))", length / unit / unit);
        let starts = format!("s(start = {height:?}, fixed = true), v(start = 0, fixed = true)");
        let wall = match wall {
            Wall::OfTheLibrary => format!(
                "Modeshift.Translational.HardStop b(e = {restitution:?}, {starts}); Modeshift.Translational.SignalForce g(u = {force});
                 equation connect(g.a, b.a);"
            ),
            Wall::ByHand => format!(
                "B b; model B Real {starts}, f, c; Boolean contact; equation contact = c <= 0; der(s) = v; der(v) = {force} + f;
                 0 = if contact then s else f; c = if contact then -f else s; when contact then reinit(v, -{restitution:?}*pre(v)); end when;
                 end B; equation"
            ),
        };
        let beside = oscillator.map_or(String::new(), |frequency| {
            let frequency = frequency / unit;
            format!("der(x) = {frequency:?}*y; der(y) = -{frequency:?}*x;")
        });
        let declared =
            if beside.is_empty() { "" } else { "Real x(start = 1, fixed = true), y(start = 0, fixed = true);" };
        format!("model M {declared} {wall} {beside} end M;")
    }
}

/// Where a truth ends.
fn bisected(mut before: f64, mut after: f64, holds: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (before + after);
        if middle <= before || middle >= after {
            return after;
        }
        if holds(middle) { before = middle } else { after = middle }
    }
}

/// Numbers by chance, the same every time.
struct Chance(u64);

impl Chance {
    fn of<T: Copy>(&mut self, among: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        among[(self.0 >> 33) as usize % among.len()]
    }

    fn body(&mut self) -> Body {
        Body {
            restitution: self.of(&[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0]),
            press: self.of(&[0.5, 1.0, 2.0, 5.0]),
            lift: self.of(&[2.0, 4.0, 8.0, 20.0]),
            rate: 2.0 + 0.01 * f64::from(self.of(&[7, 61, 133, 270, 344, 415, 518, 602, 688])),
            height: self.of(&[0.1, 1.0]),
        }
    }
}

fn run(text: &str, stop: f64, (method, tolerance): (Method, f64), unit: f64) -> Ran {
    let how = How { method: Some(method), interval: Some(0.1 * unit), ..How::until(stop * unit) };
    run_text(text, &how.tolerance(tolerance)).finished()
}

const HOW: [(Method, f64); 5] =
    [(Method::Auto, 1e-4), (Method::Auto, 1e-6), (Method::Bdf, 1e-4), (Method::Esdirk, 1e-5), (Method::Explicit, 1e-6)];

fn times(stop: f64) -> Vec<f64> {
    (1..(10.0 * stop) as usize).map(|at| 0.1 * at as f64).collect()
}

/// Against closed forms: what the body does, within what an error of a start becomes, and what is beside it.
fn holds(body: &Body, wall: Wall, frequency: f64, how: (Method, f64)) {
    let times = times(5.0);
    let expected = body.places(&times);
    let nudge = 1e-7;
    let nudged = Body { height: body.height + nudge, press: body.press * (1.0 + nudge), ..*body }.places(&times);
    let ran = run(&body.text(wall, Some(frequency), [1.0; 2]), 5.0, how, 1.0);
    let (mut growth, what) = (1.0_f64, format!("{body:?} {wall:?} {frequency} {how:?}"));
    for ((&time, &expected), nudged) in times.iter().zip(&expected).zip(nudged) {
        growth = growth.max((nudged - expected).abs() / nudge);
        if 1e3 * how.1 * growth > 0.1 {
            break;
        }
        check(&format!("place at {time} of {what}"), ran.at(time, "b.s"), expected, 30.0 * how.1 * growth);
    }
    for &time in &times {
        let bound = (10.0 + 3.0 * frequency) * how.1;
        check(&format!("oscillator at {time} of {what}"), ran.at(time, "x"), (frequency * time).cos(), bound);
    }
    assert!(ran.diagnostics.is_empty(), "{what}: {:?}", ran.diagnostics);
}

/// After three impacts whose intervals happen to shrink, the run passed over the time up to where they seemed to lead; everything else went
/// straight on.
#[test]
fn intervals_that_shrink_by_chance_lead_nowhere() {
    for (restitution, press, lift, rate) in
        [(1e-4, 2.0, 4.0, 8.0), (1e-6, 1.0, 2.0, 8.99), (1e-5, 2.0, 8.0, 5.0), (1e-3, 2.0, 20.0, 3.0)]
    {
        let body = Body { restitution, press, lift, rate, height: 1.0 };
        HOW.into_iter().for_each(|how| holds(&body, Wall::OfTheLibrary, 2.0, how));
    }
}

#[test]
fn bodies_that_are_lifted_and_pressed_leave_what_is_beside_them_alone() {
    let mut chance = Chance(11);
    for round in 0..40 {
        let wall = if round % 3 == 0 { Wall::ByHand } else { Wall::OfTheLibrary };
        holds(&chance.body(), wall, chance.of(&[2.0, 2.0, 50.0]), HOW[round % HOW.len()]);
    }
}

/// The same events at the same times with and without the oscillator, in other units, and before another end.
#[test]
fn what_is_beside_units_and_the_end_change_no_event() {
    let mut chance = Chance(5);
    for round in 0..12 {
        let (body, how) = (chance.body(), [(Method::Auto, 1e-6), (Method::Esdirk, 1e-7)][round % 2]);
        let alone = run(&body.text(Wall::OfTheLibrary, None, [1.0; 2]), 4.0, how, 1.0);
        let others = [
            run(&body.text(Wall::OfTheLibrary, Some(2.0), [1.0; 2]), 4.0, how, 1.0),
            run(&body.text(Wall::OfTheLibrary, Some(200.0), [1.0; 2]), 4.0, how, 1.0),
            run(&body.text(Wall::OfTheLibrary, None, [1.0; 2]), 5.3, how, 1.0),
            run(&body.text(Wall::OfTheLibrary, Some(2.0), [1e-6, 1.0]), 4.0, how, 1.0),
            run(&body.text(Wall::OfTheLibrary, Some(2.0), [1.0, 1e3]), 4.0, how, 1e3),
        ];
        let scales = [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1e-6, 1.0], [1.0, 1e3]];
        let times = times(4.0);
        let (expected, nudged) = (body.places(&times), Body { height: body.height + 1e-7, ..body }.places(&times));
        let growth = expected.iter().zip(&nudged).map(|(a, b)| (a - b).abs() / 1e-7).fold(1.0, f64::max);
        if growth > 100.0 {
            continue;
        }
        for (number, (other, [length, unit])) in others.iter().zip(scales).enumerate() {
            for &time in &times {
                let what = format!("{number}: place at {time} of {body:?}");
                let bound = 30.0 * how.1 * growth;
                check(&what, other.at(time * unit, "b.s") / length, alone.at(time, "b.s"), bound);
            }
            // Impacts that are no noise are the same, one by one.
            let clear = |ran: &Ran, unit: f64, speed: f64| -> Vec<f64> {
                let events = ran.events().iter().enumerate();
                let is_impact = |number: usize| ran.limits(number, "b.v").0 < -1e-2 * speed;
                let times = events.filter(|&(number, it)| it.time < 3.99 * unit && is_impact(number));
                times.map(|(_, it)| it.time / unit).collect()
            };
            let (impacts, of_other) = (clear(&alone, 1.0, 1.0), clear(other, unit, length / unit));
            assert_eq!(impacts.len(), of_other.len(), "{number}: {body:?}\n{impacts:?}\n{of_other:?}");
            for (time, other) in impacts.iter().zip(of_other) {
                check(&format!("{number}: impact of {body:?}"), other, *time, 100.0 * how.1 * growth);
            }
        }
    }
}

/// Two of them that know nothing of each other.
#[test]
fn two_bodies_do_what_each_of_them_does() {
    let mut chance = Chance(23);
    for round in 0..10 {
        let (bodies, (method, tolerance)) = ([chance.body(), chance.body()], HOW[round % HOW.len()]);
        let of = |name: &str, body: &Body| {
            format!(
                "Modeshift.Translational.HardStop {name}(e = {:?}, s(start = {:?}, fixed = true), v(start = 0, fixed = true));
                 Modeshift.Translational.SignalForce f{name}(u = -{:?} + {:?}*sin({:?}*time));",
                body.restitution, body.height, body.press, body.lift, body.rate
            )
        };
        let [a, b] = [("a", &bodies[0]), ("b", &bodies[1])].map(|(name, body)| of(name, body));
        let text = format!("model M {a} {b} equation connect(fa.a, a.a); connect(fb.a, b.a); end M;");
        let ran = run(&text, 4.0, (method, tolerance), 1.0);
        for (name, body) in [("a.s", &bodies[0]), ("b.s", &bodies[1])] {
            let times = times(4.0);
            let nudged = Body { height: body.height + 1e-7, press: body.press * (1.0 + 1e-7), ..*body }.places(&times);
            let mut growth = 1.0_f64;
            for ((&time, expected), nudged) in times.iter().zip(body.places(&times)).zip(nudged) {
                growth = growth.max((nudged - expected).abs() / 1e-7);
                if 1e3 * tolerance * growth > 0.1 {
                    break;
                }
                let what = format!("{name} at {time} of {bodies:?} {method:?} {tolerance}");
                check(&what, ran.at(time, name), expected, 30.0 * tolerance * growth);
            }
        }
    }
}

/// What is found a little late, where it is noise that events end in, is at zero: a damper makes no jump of that, and the body that it leads to
/// stays where it rests. At 1e-6 this chain was refused.
#[test]
fn rest_that_is_found_late_moves_no_neighbour() {
    let text = "model M import Modeshift.Translational.*;
        HardStop a(m = 1, e = 0.001, sMin = -0.01, s(start = 0.99, fixed = true), v(start = -1, fixed = true));
        HardStop b(m = 1, e = 0.001, sMin = 0.71, s(start = 1.01, fixed = true), v(start = 1, fixed = true));
        HardStop c(m = 1, e = 1, sMin = 1.49, s(start = 1.79, fixed = true), v(start = 0, fixed = true));
        SignalForce f(u = -1 + 2*sin(3.7*time)), g(u = -3 + 6*sin(3.7*time)), h(u = -1);
        Spring k(c = 5, length = 1), l(c = 20, length = 1); Damper d(d = 1), q(d = 1);
        equation connect(f.a, a.a); connect(g.a, b.a); connect(h.a, c.a); connect(k.a, b.a); connect(k.b, a.b); connect(d.a, b.a);
        connect(d.b, a.b); connect(l.a, c.a); connect(l.b, b.b); connect(q.a, c.a); connect(q.b, b.b); end M;";
    let exact = run(text, 4.0, (Method::Auto, 1e-10), 1.0);
    for how in [(Method::Bdf, 1e-6), (Method::Bdf, 1e-5), (Method::Esdirk, 1e-6), (Method::Explicit, 1e-6)] {
        let ran = run(text, 4.0, how, 1.0);
        for time in [1.0, 1.4, 1.5, 2.0, 3.0, 4.0] {
            for name in ["a.s", "b.s", "c.s"] {
                check(&format!("{name} at {time} {how:?}"), ran.at(time, name), exact.at(time, name), 100.0 * how.1);
            }
        }
    }
}

/// Grounds that move: declarations of `p` and `pv`, and equations.
const GROUNDS: [(&str, &str, &str); 9] = [
    ("at rest", "p, pv", "p = 0; pv = 0;"),
    ("that rises", "p, pv", "p = 0.3*time; pv = 0.3;"),
    ("that sinks", "p, pv", "p = -0.7*time; pv = -0.7;"),
    ("that rises ever faster", "p, pv", "p = 0.3*time^2; pv = 0.6*time;"),
    ("that swings", "p, pv", "p = 0.1*sin(4.66*time); pv = 0.466*cos(4.66*time);"),
    ("whose speed is a derivative", "p, pv", "p = 0.1*sin(4.66*time); pv = der(p);"),
    (
        "on a spring",
        "p(start = 0, fixed = true), pv(start = 0.466, fixed = true)",
        "der(p) = pv; der(pv) = -21.7156*p;",
    ),
    (
        "on a pendulum",
        "p(start = 0, fixed = true), pv(start = 0.4, fixed = true)",
        "der(p) = pv; der(pv) = -9.81*sin(p);",
    ),
    ("that is a heavy body", "p(start = 0, fixed = true), pv(start = 0.3, fixed = true)", "der(p) = pv; der(pv) = 0;"),
];

/// A ball above a ground, without a mode of rest; `watched` is the condition of its impacts.
fn ball_on((ground, declared, equations): (&str, &str, &str), watched: &str, restitution: f64) -> String {
    let thrown = match ground {
        "that is a heavy body" => format!(
            "reinit(v, (pre(v) + 1e3*pre(pv) - 1e3*{restitution:?}*(pre(v) - pre(pv)))/1001);
             reinit(pv, (pre(v) + 1e3*pre(pv) + {restitution:?}*(pre(v) - pre(pv)))/1001);"
        ),
        _ => format!("reinit(v, pv - {restitution:?}*(pre(v) - pv));"),
    };
    format!(
        "model M Real s(start = 0.5, fixed = true), v(start = 0, fixed = true), {declared}, gap;
         equation gap = s - p; der(s) = v; der(v) = -9.81; {equations} when {watched} then {thrown} end when; end M;"
    )
}

/// When impacts on a ground that begins at 0 with some speed, and keeps it, accumulate.
fn end_of_impacts(ground: f64, restitution: f64) -> f64 {
    let impact = (ground * ground + 9.81_f64).sqrt();
    (impact - ground) / 9.81 + 2.0 * restitution * impact / 9.81 / (1.0 - restitution)
}

/// The speed of the ball itself does not turn there; the run went on through the ground and said nothing.
#[test]
fn a_ball_does_not_fall_through_a_ground_that_moves() {
    let ways = [(Method::Auto, 1e-6), (Method::Auto, 1e-8), (Method::Bdf, 1e-6), (Method::Explicit, 1e-6)];
    let mut fell = Vec::new();
    for ground in GROUNDS {
        for restitution in [1e-6, 1e-3, 0.01, 0.1, 0.3] {
            for (round, (method, tolerance)) in ways.into_iter().enumerate() {
                let text = ball_on(ground, ["s <= p", "gap <= 0"][round % 2], restitution);
                let ran = run_text(&text, &How { method: Some(method), ..How::until(2.0).tolerance(tolerance) });
                let what = format!("{} {restitution} {method:?} {tolerance}", ground.0);
                let lowest = ran.values("gap").into_iter().fold(0.0, f64::min);
                let told = ran.diagnostics.iter().find(|it| it.code == "E0827");
                let Some(told) = told.filter(|_| lowest >= -1e-8_f64.max(0.01 * tolerance)) else {
                    fell.push(format!("{what}: {lowest}, {:?}", ran.diagnostics));
                    continue;
                };
                let speed = match ground.0 {
                    "at rest" => 0.0,
                    "that rises" => 0.3,
                    "that sinks" => -0.7,
                    _ => continue,
                };
                let end = told.message.rsplit(' ').next().and_then(|time| time.parse().ok()).expect("a time");
                check(&what, end, end_of_impacts(speed, restitution), 1e-5);
            }
        }
    }
    assert!(fell.is_empty(), "{fell:#?}");
}

/// What keeps nothing of its speed stands still on its ground, however that moves, and falls on; the run tells.
#[test]
fn what_is_stopped_on_a_ground_that_moves_and_not_held_is_told() {
    for ground in GROUNDS {
        for watched in ["s <= p", "gap <= 0"] {
            let ran = run_text(&ball_on(ground, watched, 0.0), &How::until(1.0)).finished();
            let codes: Vec<&str> = ran.diagnostics.iter().map(|it| it.code.as_str()).collect();
            assert_eq!(codes, ["W0843"], "{} {watched}", ground.0);
        }
    }
}

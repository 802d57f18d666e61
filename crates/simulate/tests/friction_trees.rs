//! Bodies on each other, in stacks and beside each other, with friction by plain comparisons however they are written: against implicit
//! steps in time, whose forces are found one after the other.

use crate::support::random::Random;
use crate::support::runs as support;

use support::{How, check, run_text};

/// A body: what it lies on, or the ground.
struct Body {
    below: Option<usize>,
    mass: f64,
    friction: f64,
    /// Amplitude and frequency of the force on it.
    force: (f64, f64),
    speed: f64,
    /// How its friction is written.
    form: usize,
    /// Whether another relation, that decides nothing of its motion, is at zero with it.
    is_watched: bool,
}

fn tree(random: &mut Random) -> Vec<Body> {
    let count = 2 + random.below(3);
    let mut bodies: Vec<Body> = Vec::new();
    for number in 0..count {
        let mut between = |low: f64, high: f64| low + (high - low) * random.below(1000) as f64 / 1000.0;
        let (mass, friction) = (between(0.5, 2.0), between(0.5, 4.0));
        let (amplitude, frequency) = (between(2.0, 15.0), between(1.0, 4.0));
        let speed = between(-2.0, 2.0);
        let is_driven = number == 0 || random.below(3) == 0;
        bodies.push(Body {
            below: (number > 0 && random.below(4) > 0).then(|| random.below(number)),
            // Equal masses and limits make ties.
            mass: if random.below(2) == 0 { 1.0 } else { mass },
            friction: if random.below(2) == 0 { 2.0 } else { friction },
            force: if is_driven { (amplitude, frequency) } else { (0.0, 1.0) },
            speed: if random.below(3) == 0 { speed } else { 0.0 },
            form: random.below(5),
            is_watched: random.below(3) == 0,
        });
    }
    bodies
}

fn text(bodies: &[Body]) -> String {
    let (mut declared, mut equations) = (String::new(), String::new());
    for (number, body) in bodies.iter().enumerate() {
        let Body { below, mass, friction, force, speed, form, is_watched } = body;
        declared += &format!("Real v{number}(start = {speed:?}, fixed = true), f{number}, s{number};");
        let slip = match below {
            None => format!("v{number}"),
            Some(below) => format!("(v{number} - v{below})"),
        };
        let law = match form {
            0 => format!("if {slip} > 0 then {friction:?} else -{friction:?}"),
            1 => format!("if {slip} > 0 then {friction:?} elseif {slip} < 0 then -{friction:?} else 0"),
            2 => format!("if {slip} > 0 then {friction:?} elseif {slip} >= 0 then 0 else -{friction:?}"),
            3 => format!("if 0 > {slip} then -{friction:?} elseif 0.5*{slip} > 0 then {friction:?} else 0"),
            _ => format!("if s{number} < 0 then -{friction:?} elseif -3*{slip} < 0 then {friction:?} else 0"),
        };
        let above = bodies.iter().enumerate().filter(|(_, it)| it.below == Some(number));
        let above: String = above.map(|(other, _)| format!(" + f{other}")).collect();
        equations += &format!("s{number} = {slip}; f{number} = {law};");
        equations += &format!("{mass:?}*der(v{number}) = {:?}*sin({:?}*time) - f{number}{above};", force.0, force.1);
        if *is_watched {
            declared += &format!("Boolean b{number};");
            equations += &format!("b{number} = 2*{slip} > 0;");
        }
    }
    format!("model Tree {declared} equation {equations} end Tree;")
}

/// Speeds at the end.
fn stepped(bodies: &[Body], stop: f64, steps: usize) -> Vec<f64> {
    let (count, h) = (bodies.len(), stop / steps as f64);
    let mut v: Vec<f64> = bodies.iter().map(|it| it.speed).collect();
    let mut f = vec![0.0; count];
    for step in 1..=steps {
        let time = h * step as f64;
        let mut w = v.clone();
        let push = |w: &mut Vec<f64>, number: usize, force: f64| {
            w[number] -= h / bodies[number].mass * force;
            if let Some(below) = bodies[number].below {
                w[below] += h / bodies[below].mass * force;
            }
        };
        for (number, body) in bodies.iter().enumerate() {
            w[number] += h / body.mass * body.force.0 * (body.force.1 * time).sin();
        }
        (0..count).for_each(|number| push(&mut w, number, f[number]));
        for _ in 0..400 {
            for (number, body) in bodies.iter().enumerate() {
                let slip = w[number] - body.below.map_or(0.0, |below| w[below]);
                let inverse = 1.0 / body.mass + body.below.map_or(0.0, |below| 1.0 / bodies[below].mass);
                let force = (f[number] + slip / (h * inverse)).clamp(-body.friction, body.friction);
                push(&mut w, number, force - f[number]);
                f[number] = force;
            }
        }
        v = w;
    }
    v
}

fn trees(seed: u64, count: usize) {
    let mut random = Random(seed);
    for number in 0..count {
        let bodies = tree(&mut random);
        let text = text(&bodies);
        let (coarse, fine) = (stepped(&bodies, 2.0, 1000), stepped(&bodies, 2.0, 2000));
        let ran = run_text(&text, &How::until(2.0));
        let ran = if ran.diagnostics.iter().any(|it| it.code.as_str().starts_with('E')) {
            panic!("{number}: {text}\n{:#?}", ran.diagnostics)
        } else {
            ran.finished()
        };
        for (body, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
            // Steps of first order, half the error each time: twice the finer ones less the coarser.
            let name = format!("v{body}");
            check(&format!("{number}: {text}\n{name}"), ran.last(&name), 2.0 * fine - coarse, 5e-3);
        }
    }
}

#[test]
fn bodies_stick_and_slip_however_friction_is_written() {
    trees(11, 12);
}

/// `cargo test --release -p modeshift-simulate --test suite friction_trees -- --ignored`
#[test]
#[ignore = "a few minutes"]
fn many_trees_of_bodies_stick_and_slip() {
    trees(5, 400);
}

/// What came to rest up to the rounding of where it came from is at rest, however long after it something else happens.
#[test]
fn a_body_stays_at_rest_while_others_move() {
    for speed in [0.08071128748845613, 0.3, 1.7, -0.7] {
        let text = format!(
            "model M Real v0(start = 0, fixed = true), v1(start = {speed:?}, fixed = true), f0, f1; equation
             f0 = if v0 > 0 then 1 else -1; der(v0) = 9.450624015174814*sin(3.6920177153614446*time) - f0;
             f1 = if v1 > 0 then 2.1069681697033884 elseif v1 < 0 then -2.1069681697033884 else 0;
             1.7168960682950378*der(v1) = -f1; end M;"
        );
        let ran = run_text(&text, &How::until(12.0)).finished();
        assert!(ran.events().len() > 6);
        check("v1", ran.last("v1"), 0.0, 1e-13);
    }
}

/// One to three shafts with the library's frictions, on the ground or on each other, in other units of time and angle.
fn shafts(random: &mut Random) -> impl Fn(f64, f64) -> (String, usize) + use<> {
    let count = 1 + random.below(3);
    let mut number = |low: f64, high: f64| low + (high - low) * random.below(1000) as f64 / 1000.0;
    let drawn: Vec<[f64; 6]> = (0..count)
        .map(|_| {
            let (inertia, limit, speed) = (number(0.5, 2.0), number(0.5, 4.0), number(-2.0, 2.0));
            [inertia, limit, speed, number(0.0, 6.0), number(1.0, 4.0), number(0.0, 1.0)]
        })
        .collect();
    move |time: f64, angle: f64| {
        let (mut declared, mut connections) = ("Fixed ground;".to_string(), String::new());
        for (k, &[inertia, limit, speed, torque, rate, below]) in drawn.iter().enumerate() {
            let (speed, unit) = (speed * angle / time, angle / (time * time));
            declared += &format!(
                "Inertia i{k}(J = {inertia:?}, phi(start = 0, fixed = true), w(start = {speed:?}, fixed = true));
                 CoulombFriction c{k}(tauMax = {:?});
                 SignalTorque q{k}(u = {:?}*sin({:?}*time)); Real w{k} = i{k}.w;",
                limit * unit,
                torque * unit,
                rate / time,
            );
            let support = if k > 0 && below < 0.7 { format!("i{}.b", k - 1) } else { "ground.a".to_string() };
            connections += &format!("connect(q{k}.a, i{k}.a); connect(i{k}.b, c{k}.a); connect(c{k}.b, {support});");
        }
        let text = format!("model M import Modeshift.Rotational.*; {declared} equation {connections} end M;");
        (text, drawn.len())
    }
}

/// Speeds at the end and the kinds of events, in units in which they are the same.
fn turned(model: &impl Fn(f64, f64) -> (String, usize), (time, angle): (f64, f64)) -> (Vec<f64>, usize) {
    let (text, count) = model(time, angle);
    let ran = run_text(&text, &How::until(2.0 * time));
    assert!(!ran.diagnostics.iter().any(|it| it.code.as_str().starts_with('E')), "{text}\n{:#?}", ran.diagnostics);
    let ran = ran.finished();
    let speeds = (0..count).map(|k| ran.last(&format!("w{k}")) * time / angle).collect();
    (speeds, ran.events().len())
}

fn shafts_in_units(seed: u64, count: usize, units: &[(f64, f64)]) {
    let mut random = Random(seed);
    for _ in 0..count {
        let model = shafts(&mut random);
        let (speeds, events) = turned(&model, (1.0, 1.0));
        for &unit in units {
            let (others, other_events) = turned(&model, unit);
            assert_eq!(events, other_events, "{unit:?}: {}", model(unit.0, unit.1).0);
            for (&speed, &other) in speeds.iter().zip(&others) {
                assert!((speed - other).abs() <= 2e-5, "{unit:?}: {}\n{speeds:?} {others:?}", model(unit.0, unit.1).0);
            }
        }
    }
}

/// A shaft comes to rest at the same events in seconds and in years, radians and nanoradians.
#[test]
fn shafts_come_to_rest_in_all_units() {
    shafts_in_units(3, 6, &[(1e4, 1.0), (1e9, 1.0), (1e-9, 1.0), (1.0, 1e9), (1e3, 1e-9)]);
}

/// `cargo test --release -p modeshift-simulate --test suite friction_trees -- --ignored`
#[test]
#[ignore = "a few minutes"]
fn many_shafts_come_to_rest_in_all_units() {
    shafts_in_units(17, 150, &[(1e3, 1.0), (1e4, 1.0), (1e9, 1.0), (1e-9, 1.0), (1.0, 1e9), (1.0, 1e-9), (1e6, 1e-6)]);
}

/// What stands at its threshold at the start leaves it there, in whatever units: by its second derivative, or by a slope that no state tells.
#[test]
fn thresholds_are_left_at_the_start_in_all_units() {
    let unit_of_time = [1.0, 1e9, 1e15, 1e-9];
    let from_rest = "model M parameter Real T = 1, A = 1; Real x(start = 0, fixed = true), v(start = 0, fixed = true), f; Boolean c, d;
         equation der(x) = v; der(v) = A/T^2 + f; c = f > 0; 0 = if c then v else f; d = x > 0; end M;";
    let at_its_limit = "model M import Modeshift.Rotational.*; parameter Real T = 1, A = 1; Fixed g;
         Inertia i(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true)); CoulombFriction c(tauMax = A/T^2);
         SignalTorque q(u = A/T^2*(1 + time/T)); Real v = i.w;
         equation connect(q.a, i.a); connect(i.b, c.a); connect(c.b, g.a); end M;";
    for (text, expected) in [(from_rest, 1.0), (at_its_limit, 0.5)] {
        for time in unit_of_time {
            for angle in [1.0, 1e-12, 1e12] {
                let text = text.replace("T = 1, A = 1", &format!("T = {time:?}, A = {angle:?}"));
                let ran = run_text(&text, &How::until(time)).finished();
                assert_eq!(ran.events().len(), 1, "{text}");
                check(&text, ran.last("v") * time / angle, expected, 1e-5);
            }
        }
    }
}

/// A `reinit` of a body that many frictions hold to the ground: all are let go, in the direction in which it moves then.
#[test]
fn many_frictions_let_a_body_go() {
    for count in [1, 3, 12] {
        let (mut declared, mut connections) = (String::new(), String::new());
        for k in 0..count {
            declared += &format!("CoulombFriction c{k}(tauMax = {:?});", 0.1 * (k + 1) as f64);
            connections += &format!("connect(c{k}.a, b.b); connect(c{k}.b, ground.a);");
        }
        let text = format!(
            "model M import Modeshift.Rotational.*; Fixed ground; Inertia b(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
             {declared} Real w = b.w; equation {connections} when time > 0.5 then reinit(b.w, -3); end when; end M;"
        );
        let braking: f64 = (1..=count).map(|k| 0.1 * k as f64).sum();
        let ran = run_text(&text, &How::until(0.75)).finished();
        check(&text, ran.last("w"), (-3.0 + 0.25 * braking).min(0.0), 1e-5);
    }
}

//! Mode changes of the closed-form files that are not plain linear systems: each by at least two methods.

use modeshift_dae::Derivative;
use modeshift_structure::one_mode::Column;

use crate::one_change::{LaurentRestart, Laws, Noise, Past, Restart, TransientStructure, laurent_restart, restart};
use crate::one_mode::Jet;
use crate::suite::support;
use crate::suite::support::array_restart::ArrayRestart;
use crate::suite::support::implicit_step::implicit_step;
use serde_json::Value;
use support::model::{Before, Mode};

fn file(text: &str) -> Value {
    serde_json::from_str(text).expect("a JSON file")
}

fn number(value: &Value) -> f64 {
    let text = value.as_str().expect("numbers are strings");
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    numerator.parse::<f64>().expect("a number") / denominator.parse::<f64>().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn check_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1e-3), "{what}: {found}, expected {expected}");
}

/// A change into a mode: right limits and weights by levels, to 1e-9, and by other methods.
struct Change {
    mode: Mode,
    past: Past,
    levels: Restart,
}

impl Change {
    fn new(text: &str, time: f64, before: &[Before], new: &[&str]) -> Self {
        let mode = Mode::new(text);
        let mut past = mode.past(before, new);
        past.jet.time = time;
        let levels = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
        assert!(levels.is_determined(), "{:?}", levels.notes);
        Change { mode, past, levels }
    }

    /// The difference array, extrapolated, agrees with the levels to 1e-6 in all right limits and weights of these.
    fn check_array(&self, names: &[&str], step: f64) {
        let Change { mode, past, levels } = self;
        let found = ArrayRestart::new(&mode.structure, &past.structure(), &mode.equations(), past, step, 0);
        let found = found.expect("a solution");
        self.check_same(names, &found.right, |column| found.weights[column].clone(), levels, "array");
    }

    /// One step as a Laurent series agrees with the levels to 1e-6.
    fn check_step(&self, names: &[&str]) {
        let Change { mode, past, levels } = self;
        let LaurentRestart { right, weights, .. } =
            laurent_restart(&mode.structure, &mode.equations(), &past.jet).expect("a step");
        self.check_same(names, &right, |column| weights[column].clone(), levels, "step");
    }

    fn check_same(
        &self,
        names: &[&str],
        right: &Jet,
        weights: impl Fn(Column) -> Vec<f64>,
        levels: &Restart,
        method: &str,
    ) {
        for name in names {
            let column = self.mode.column(name);
            for order in 0..self.mode.structure.written_order(column).max(1) {
                let what = format!("{method}, {name}, derivative {order}");
                check_close(right.get(column, order), levels.right.get(column, order), 1e-6, &what);
            }
            let first = |weights: &[f64]| weights.first().copied().unwrap_or(0.0);
            let what = format!("{method}, weight of {name}");
            check_close(first(&weights(column)), first(&levels.weights[column]), 1e-6, &what);
        }
    }

    fn right(&self, name: &str, order: u32) -> f64 {
        self.levels.right.get(self.mode.column(name), order)
    }

    fn weight(&self, name: &str) -> f64 {
        self.levels.weights[self.mode.column(name)].first().copied().unwrap_or(0.0)
    }
}

const PENDULUM: &str = "e1: x'' + lambda*x = 0
                        e2: y'' + lambda*y + 9.81 = 0\n";

#[test]
fn the_rope_of_the_cup_and_ball_becomes_straight() {
    let data = file(include_str!("data/closed_form/cup_and_ball_inelastic.json"));
    let (x, y) = (number(&data["x"]), number(&data["y"]));
    let (before, after) = (numbers(&data["v_minus"]), numbers(&data["v_plus"]));
    let (left_x, left_y) = ([x, before[0], 0.0], [y, before[1], -9.81]);
    let known: [Before; 3] = [("x", 2, &left_x), ("y", 2, &left_y), ("lambda", 0, &[0.0])];
    let change = Change::new(&format!("{PENDULUM} k1: 0 = 1 - (x^2 + y^2)"), 0.0, &known, &["k1"]);
    check_close(change.right("x", 0), x, 1e-9, "x");
    check_close(change.right("y", 0), y, 1e-9, "y");
    check_close(change.right("x", 1), after[0], 1e-9, "x'");
    check_close(change.right("y", 1), after[1], 1e-9, "y'");
    check_close(change.weight("lambda"), number(&data["lambda_dirac_weight"]), 1e-9, "weight of lambda");
    check_close(change.right("lambda", 0), number(&data["lambda_after_plus"]), 1e-9, "lambda");
    change.check_array(&["x", "y"], 1e-3);
    let lost = 0.5 * (before[0].powi(2) + before[1].powi(2) - after[0].powi(2) - after[1].powi(2));
    check_close(lost, number(&data["kinetic_energy_loss"]), 1e-9, "kinetic energy");
}

#[test]
fn the_wire_of_a_pendulum_is_cut() {
    let data = file(include_str!("data/closed_form/pendulum_wire_cut.json"));
    let value = |name: &str| number(&data[name]);
    let (x, y) = ([value("x"), value("vx")], [value("y"), value("vy")]);
    let tension = value("lambda_before (x''=-lam x)");
    let known: [Before; 3] = [("x", 2, &x), ("y", 2, &y), ("lambda", 0, &[tension])];
    let change = Change::new(&format!("{PENDULUM} k3: lambda = 0"), value("t_cut"), &known, &["k3"]);
    for (name, left) in [("x", x), ("y", y)] {
        for (order, value) in left.into_iter().enumerate() {
            assert_eq!(change.right(name, order as u32).to_bits(), value.to_bits(), "{name} does not jump");
        }
    }
    assert_eq!((change.right("lambda", 0), change.weight("lambda")), (0.0, 0.0));
    change.check_array(&["x", "y", "lambda"], 1e-3);
    change.check_step(&["x", "y", "lambda"]);
    // Ballistic from there on.
    let (after, later) = (1.0 - value("t_cut"), &data["at_t_1.0"]);
    check_close(x[0] + x[1] * after, number(&later["x"]), 1e-9, "x at 1");
    check_close(y[0] + y[1] * after - 4.905 * after * after, number(&later["y"]), 1e-9, "y at 1");
}

const HALF_WAVE: &str = "l: i' = vl
                         r: vr = i
                         k: sin(time) = u + vl + vr\n";

#[test]
fn the_diode_of_a_half_wave_rectifier_turns_on_and_off() {
    let data = file(include_str!("data/closed_form/halfwave_RL_1_1.json"));
    // On at angle 0 with no current.
    let known: [Before; 4] = [("i", 0, &[0.0]), ("vl", 0, &[0.0]), ("vr", 0, &[0.0]), ("u", 0, &[0.0])];
    let on = Change::new(&format!("{HALF_WAVE} on: u = 0"), 0.0, &known, &["on"]);
    assert_eq!((on.right("i", 0), on.right("vl", 0), on.weight("vl")), (0.0, 0.0, 0.0));
    on.check_step(&["i", "vl", "vr", "u"]);
    // Off at the extinction angle: the current is zero, the voltage of the inductor jumps to zero without an impulse.
    let beta = number(&data["beta_rad"]);
    let voltage = number(&data["inductor_voltage_just_before_off"]);
    check_close(beta.sin(), voltage, 1e-9, "voltage before");
    let known: [Before; 4] = [("i", 1, &[0.0, voltage]), ("vl", 0, &[voltage]), ("vr", 0, &[0.0]), ("u", 0, &[0.0])];
    let off = Change::new(&format!("{HALF_WAVE} off: i = 0"), beta, &known, &["off"]);
    assert_eq!((off.right("i", 0), off.weight("vl"), off.weight("u")), (0.0, 0.0, 0.0));
    check_close(off.right("vl", 0), 0.0, 1e-9, "voltage of the inductor");
    check_close(off.right("u", 0), voltage, 1e-9, "voltage of the diode");
    off.check_step(&["i", "vl", "vr", "u"]);
    off.check_array(&["i", "vl", "vr", "u"], 1e-3);
    // The current in between, i(θ) = (sin θ - cos θ + exp(-θ))/2, is what the file lists.
    for (angle, current) in data["i(theta)"].as_object().expect("a table") {
        let angle: f64 = angle.parse().expect("an angle");
        check_close((angle.sin() - angle.cos() + (-angle).exp()) / 2.0, number(current), 1e-9, "current");
    }
}

#[test]
fn three_clutches_engage_one_after_the_other() {
    let data = file(include_str!("data/closed_form/three_clutch_sequence.json"));
    let inertia = numbers(&data["J"]);
    let mut speeds = numbers(&data["w_minus"]);
    let mut engaged = [false; 3];
    let mut steps: Vec<(String, Vec<f64>)> = data["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| (step[0].as_str().expect("a name").to_string(), numbers(&step[1])))
        .collect();
    let last = steps.last().expect("a step").1.clone();
    steps.push(("TTT->FFF".to_string(), last));
    for (name, expected) in steps {
        let after: Vec<bool> = name.rsplit('>').next().expect("a mode").chars().map(|c| c == 'T').collect();
        let mut text = String::new();
        for (k, inertia) in inertia.iter().enumerate() {
            let torque = |k: usize, sign: &str| if k < 3 { format!("{sign} f{k}") } else { String::new() };
            text += &format!("m{k}: {inertia}*w{k}' = 0 {} {}\n", torque(k.wrapping_sub(1), "+"), torque(k, "-"));
        }
        for (k, &engaged) in after.iter().enumerate() {
            text += &if engaged { format!("c{k}: w{k} = w{}\n", k + 1) } else { format!("c{k}: f{k} = 0\n") };
        }
        let names: Vec<String> = (0..4).map(|k| format!("w{k}")).chain((0..3).map(|k| format!("f{k}"))).collect();
        let left: Vec<Vec<f64>> = speeds.iter().map(|&w| vec![w, 0.0]).chain((0..3).map(|_| vec![0.0])).collect();
        let known: Vec<Before> =
            names.iter().zip(&left).map(|(name, left)| (name.as_str(), left.len() as u32 - 1, &left[..])).collect();
        let new: Vec<String> = (0..3).filter(|&k| after[k] != engaged[k]).map(|k| format!("c{k}")).collect();
        let change = Change::new(&text, 0.0, &known, &new.iter().map(String::as_str).collect::<Vec<_>>());
        let mut torque = 0.0;
        for (k, expected) in expected.iter().enumerate() {
            check_close(change.right(&format!("w{k}"), 0), *expected, 1e-9, &format!("{name}, speed {k}"));
            if k < 3 {
                torque -= inertia[k] * (expected - speeds[k]);
                let weight = change.weight(&format!("f{k}"));
                assert!((weight - torque).abs() <= 1e-9 * 10.0, "{name}: torque {k} {weight}, expected {torque}");
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        change.check_step(&names);
        change.check_array(&names, 1e-3);
        speeds = expected;
        engaged = [after[0], after[1], after[2]];
    }
}

/// `v = -e pre(v)`
struct Rebound {
    velocity: Column,
    restitution: f64,
}

impl Laws for Rebound {
    fn contents(&self) -> Vec<Vec<Derivative<Column>>> {
        vec![vec![Derivative::new(self.velocity, 0)]]
    }

    fn residual(&self, _: usize, left: &Jet, right: &Jet) -> f64 {
        right.get(self.velocity, 0) + self.restitution * left.get(self.velocity, 0)
    }

    fn partials(&self, _: usize, _: &Jet, _: &Jet) -> Vec<(Derivative<Column>, f64)> {
        vec![(Derivative::new(self.velocity, 0), 1.0)]
    }
}

/// An impact with `v = -0.9 pre(v)`: the speed after it by the law, and by a stiff spring, whose damping is such that it
/// leaves 0.9 of the speed.
fn check_impact(time: f64, speed: f64, expected: f64) -> f64 {
    let mode = Mode::new("eh: h' = v\n ev: v' = -9.81");
    let (h, v) = (mode.column("h"), mode.column("v"));
    let laws = Rebound { velocity: v, restitution: 0.9 };
    let nowhere = mode.structure.rows().map(|_| false).collect();
    let transient = TransientStructure::new(&mode.structure, &nowhere, &laws.contents());
    let mut left = Jet::unknown(time, mode.structure.size());
    left.set_all(&[(h, 0), (h, 1), (v, 0)].map(Derivative::from), &[0.0, speed, speed]);
    let after = transient.restart(&mode.structure, &mode.equations(), &laws, &left).expect("a restart");
    check_close(after.right.get(v, 0), expected, 1e-9, "speed after an impact");
    assert_eq!(after.right.get(h, 0), 0.0, "the height is continuous");
    let (stiffness, damping) = stiff_ground(0.9);
    check_close(rebound_of_spring(stiffness, damping, speed), expected, 1e-6, "speed after a stiff spring");
    after.right.get(v, 0)
}

#[test]
fn a_ball_bounces_ten_times_on_its_way_to_rest() {
    let data = file(include_str!("data/closed_form/bouncing_ball.json"));
    let mut time = (2.0_f64 / 9.81).sqrt();
    let mut speed = -(2.0_f64 * 9.81).sqrt();
    for impact in data["impacts"].as_array().expect("impacts") {
        let impact = numbers(impact);
        check_close(time, impact[0], 1e-9, "time of an impact");
        check_close(speed, impact[1], 1e-9, "speed before an impact");
        let after = check_impact(time, speed, impact[2]);
        (time, speed) = (time + 2.0 * after / 9.81, -after);
    }
}

#[test]
fn a_ball_with_a_radius_bounces_once() {
    let data = file(include_str!("data/closed_form/bouncing_ball_omc.json"));
    let impact = numbers(&data["first_impact"]);
    // It falls from 1 to its radius 0.1.
    check_close((2.0 * 0.9_f64 / 9.81).sqrt(), impact[0], 1e-9, "time of the impact");
    check_close(-(2.0 * 0.9 * 9.81_f64).sqrt(), impact[1], 1e-9, "speed before the impact");
    let speed = check_impact(impact[0], impact[1], impact[2]);
    for (time, height) in data["height_exact"].as_object().expect("a table") {
        let since = time.parse::<f64>().expect("a time") - impact[0];
        if since > 0.0 {
            check_close(0.1 + speed * since - 4.905 * since * since, number(height), 1e-9, "height");
        }
    }
}

#[test]
fn the_switch_of_a_boost_converter_opens_and_its_diode_takes_over() {
    let data = file(include_str!("data/closed_form/boost_converter_ccm.json"));
    let rows: Vec<&Vec<Value>> =
        data["rows"].as_array().expect("rows").iter().map(|row| row.as_array().unwrap()).collect();
    let text = "l: 0.001*i' = vl
                k: 5 = vl + u
                c: 0.0001*v' = ic
                n: id = ic + v/50
                j: i = is + id
                s: is = 0
                d: u = v";
    for period in rows.windows(2).take(20) {
        // While the switch is closed, the capacitor discharges over the load alone.
        let (current, voltage) = (number(&period[1][2]), number(&period[0][4]) * (-0.5e-4_f64 / 5e-3).exp());
        check_close(number(&period[0][3]) + 5.0 / 0.001 * 0.5e-4, current, 1e-9, "current at the end");
        let (i, v) = ([current, 5000.0], [voltage, -voltage / 5e-3]);
        let (ic, is) = ([-voltage / 50.0], [current]);
        let known: [Before; 7] = [
            ("i", 1, &i),
            ("v", 1, &v),
            ("vl", 0, &[5.0]),
            ("u", 0, &[0.0]),
            ("ic", 0, &ic),
            ("id", 0, &[0.0]),
            ("is", 0, &is),
        ];
        let change = Change::new(text, 0.5e-4, &known, &["s", "d"]);
        assert_eq!((change.right("i", 0), change.right("v", 0)), (current, voltage), "states do not jump");
        assert_eq!((change.weight("vl"), change.weight("ic")), (0.0, 0.0), "nothing is impulsive");
        check_close(change.right("vl", 0), 5.0 - voltage, 1e-9, "voltage of the inductor");
        check_close(change.right("ic", 0), current - voltage / 50.0, 1e-9, "current of the capacitor");
        change.check_step(&["i", "v", "vl", "u", "ic", "id", "is"]);
    }
}

/// A spring so stiff that gravity does nothing while it is compressed, with the damping that leaves this share of the
/// speed: contact lasts half a period, `e = exp(-π ζ/√(1 - ζ²))`.
fn stiff_ground(restitution: f64) -> (f64, f64) {
    let stiffness: f64 = 1e16;
    let logarithm = -restitution.ln();
    let ratio = logarithm / (std::f64::consts::PI.powi(2) + logarithm.powi(2)).sqrt();
    (stiffness, 2.0 * ratio * stiffness.sqrt())
}

/// `h'' = -k h - c h' - g` from `h = 0` with this speed for half a period, by its exact solution.
fn rebound_of_spring(stiffness: f64, damping: f64, speed: f64) -> f64 {
    let decay = damping / 2.0;
    let frequency = (stiffness - decay * decay).sqrt();
    let angle = std::f64::consts::PI;
    let (offset, time) = (9.81 / stiffness, angle / frequency);
    // h + offset = exp(-decay t) (a cos + b sin), differentiated at half a period.
    let (a, b) = (offset, (speed + decay * offset) / frequency);
    (-decay * time).exp() * (decay * a - frequency * b)
}

#[test]
fn rldc2_jumps_from_the_start_values_printed_in_the_report() {
    let data = file(include_str!("data/closed_form/rldc2_paper_start_jump.json"));
    let text = "k1: 0 = j1 + i1 + i2 + j2
                k2: 10*j1 + w1 = u1 + v1
                k3: u1 + v1 = u2 + v2
                k4: u2 + v2 = 15*j2 + w2
                l1: w1 = j1'
                l2: w2 = 1.5*j2'
                c1: i1 = 0.1*v1'
                c2: i2 = 0.15*v2'
                z1: i1 = 0
                z2: i2 = 0";
    let known: [Before; 4] = [("j1", 1, &[2.0]), ("j2", 1, &[1.0]), ("v1", 1, &[0.5]), ("v2", 1, &[1.0])];
    let all = ["k1", "k2", "k3", "k4", "l1", "l2", "c1", "c2", "z1", "z2"];
    let change = Change::new(text, 0.0, &known, &all);
    let after = numbers(&data["j_plus"]);
    check_close(change.right("j1", 0), after[0], 1e-9, "j1");
    check_close(change.right("j2", 0), after[1], 1e-9, "j2");
    let weight = number(&data["node_voltage_dirac_weight"]);
    check_close(change.weight("u1"), weight, 1e-9, "weight of u1");
    check_close(change.weight("u2"), weight, 1e-9, "weight of u2");
    for (name, value) in ["v1", "v2"].into_iter().zip(numbers(&data["v_plus"])) {
        assert_eq!(change.right(name, 0), value, "{name} is continuous");
    }
    change.check_step(&["j1", "j2", "v1", "v2", "u1", "u2", "w1", "w2"]);
    // One plain step: the jump to first order in the step.
    let step = 1e-8;
    let start: Vec<f64> = change.mode.structure.columns().map(|_| 0.0).collect();
    let stepped = implicit_step(&change.mode.structure, &change.mode.equations(), &change.past.jet, step, &start)
        .expect("a step");
    let at = |name: &str| stepped[change.mode.column(name).0 as usize];
    check_close(at("j1"), after[0], 1e-6, "j1 after a step");
    check_close(at("u1") * step, weight, 1e-6, "weight of u1 in a step");
}

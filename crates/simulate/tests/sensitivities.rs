//! Sensitivities through events: against closed forms, and against differences of runs.

use std::collections::BTreeMap;

use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::NativeFunctions;
use modeshift_simulate::results::Trajectory;
use modeshift_simulate::run::{RunModel, RunSettings, Sensitivities, run, sensitivities};
use modeshift_structure::{Analysis, Options, analyze};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae};

use modeshift_dae::MultimodeDae;

/// Of closed forms.
const EXACTLY: f64 = 1e-8;
/// Of differences of runs.
const NEARLY: f64 = 1e-4;

struct Model {
    dae: MultimodeDae,
    analysis: Analysis,
    natives: NativeFunctions,
}

impl Model {
    fn new(text: &str) -> Self {
        let dae = multimode_dae(text, &NO_OVERRIDES).unwrap();
        let analysis = analyze(&dae, &Options::default()).unwrap();
        let natives = NativeFunctions::of(&dae.model);
        Model { dae, analysis, natives }
    }

    fn settings(&self) -> RunSettings {
        RunSettings { tolerance: 1e-11, ..RunSettings::of(&self.dae.model.experiment) }
    }

    fn sensitivities(&self, by: &[&str]) -> Result<Sensitivities, String> {
        let overrides = BTreeMap::new();
        let Model { dae, analysis, natives } = self;
        let model = RunModel { dae, analysis, natives, overrides: &overrides };
        let by: Vec<String> = by.iter().map(|it| it.to_string()).collect();
        let mut said = Diagnostics::new();
        let found = sensitivities(&model, &self.settings(), &by, &mut said);
        found.ok_or_else(|| said.iter().map(|it| format!("{} {}", it.code, it.message)).collect())
    }

    /// End values and times of events of a run with another value of a parameter or another start value.
    fn run(&self, name: &str, change: f64, of: &[&str]) -> (f64, Vec<f64>) {
        let (mut overrides, mut dae) = (BTreeMap::new(), self.dae.clone());
        let variables = self.dae.model.variables.iter_enumerated();
        let of_start = name.strip_suffix(".start");
        let (id, variable) = variables.into_iter().find(|(_, it)| *it.name == *of_start.unwrap_or(name)).unwrap();
        let literal =
            |it: Option<modeshift_dae::ExpressionId>| it.and_then(|it| self.dae.model.expressions.literal(it)).unwrap();
        let value = literal(if of_start.is_some() { variable.start } else { variable.binding });
        match of_start {
            Some(_) => dae.model.variables[id].start = Some(dae.model.expressions.real(value + change)),
            None => _ = overrides.insert(id, value + change),
        }
        let model = RunModel { dae: &dae, analysis: &self.analysis, natives: &self.natives, overrides: &overrides };
        let mut trajectory = Trajectory::default();
        run(&model, &self.settings(), &mut trajectory, &mut Diagnostics::new()).unwrap();
        let ends = of.iter().map(|name| trajectory.last(name).unwrap());
        (value, ends.chain(trajectory.events().iter().map(|event| event.time)).collect())
    }
}

impl Model {
    /// Why each event of a run happens.
    fn causes(&self) -> Vec<Vec<String>> {
        let (overrides, mut trajectory) = (BTreeMap::new(), Trajectory::default());
        let Model { dae, analysis, natives } = self;
        let model = RunModel { dae, analysis, natives, overrides: &overrides };
        run(&model, &self.settings(), &mut trajectory, &mut Diagnostics::new()).unwrap();
        trajectory.events().iter().map(|event| event.cause.clone()).collect()
    }
}

/// The derivative of a smooth function, by extrapolated differences.
fn derivative(of: &dyn Fn(f64) -> Vec<f64>, step: f64) -> Vec<f64> {
    let central = |step: f64| {
        let pairs = of(step).into_iter().zip(of(-step));
        pairs.map(|(above, below)| (above - below) / (2.0 * step)).collect::<Vec<_>>()
    };
    let rows = [central(step), central(step / 2.0), central(step / 4.0)];
    let number = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == number), "as many events");
    (0..number)
        .map(|at| {
            let [far, middle, near] = [rows[0][at], rows[1][at], rows[2][at]];
            let (one, other) = ((4.0 * middle - far) / 3.0, (4.0 * near - middle) / 3.0);
            (16.0 * other - one) / 15.0
        })
        .collect()
}

fn check_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} {expected:?}");
    let size = expected.iter().fold(0.0, |size: f64, it| size.max(it.abs()));
    for (found, right) in found.iter().zip(expected) {
        assert!(
            (found - right).abs() <= tolerance * right.abs().max(1e-3 * size).max(1e-6),
            "{what}: {found} instead of {right}"
        );
    }
}

/// End values of some variables, then times of events, of some parameters.
fn column(found: &Sensitivities, number: usize, of: &[&str]) -> Vec<f64> {
    let ends = of.iter().map(|name| found.end.iter().find(|it| it.name == *name).unwrap().by[number]);
    ends.chain(found.events.iter().map(|event| event.by[number])).collect()
}

/// Against a closed form: end values and times of events as functions of the parameters.
fn check(text: &str, by: &[(&str, f64)], of: &[&str], closed: impl Fn(&[f64]) -> Vec<f64>) {
    let names: Vec<&str> = by.iter().map(|it| it.0).collect();
    let found = Model::new(text).sensitivities(&names).unwrap();
    let point: Vec<f64> = by.iter().map(|it| it.1).collect();
    for (number, (name, value)) in by.iter().enumerate() {
        let moved = |change: f64| {
            let mut point = point.clone();
            point[number] += change;
            closed(&point)
        };
        let expected = derivative(&moved, 3e-3 * if *value == 0.0 { 1.0 } else { value.abs() });
        check_near(&column(&found, number, of), &expected, EXACTLY, &format!("by {name}"));
    }
    let values = closed(&point);
    let ends = of.iter().map(|name| found.end.iter().find(|it| it.name == *name).unwrap().value);
    let own: Vec<f64> = ends.chain(found.events.iter().map(|event| event.time)).collect();
    check_near(&own, &values, EXACTLY, "values");
}

/// Against differences of runs.
fn check_runs(text: &str, by: &[&str], of: &[&str]) {
    let model = Model::new(text);
    let found = model.sensitivities(by).unwrap();
    assert!(!found.events.is_empty(), "there are events");
    for (number, name) in by.iter().enumerate() {
        let (value, _) = model.run(name, 0.0, of);
        let step = 2e-3 * if value == 0.0 { 1.0 } else { value.abs() };
        let expected = derivative(&|change| model.run(name, change, of).1, step);
        check_near(&column(&found, number, of), &expected, NEARLY, &format!("by {name}"));
    }
}

#[test]
fn a_ball_bounces() {
    let text = "model M
        parameter Real g = 10, e = 0.8;
        Real h(start = 1, fixed = true), v(start = 0, fixed = true);
      equation
        der(h) = v;
        der(v) = -g;
        when h <= 0 then
          reinit(v, -e*pre(v));
        end when;
        annotation(experiment(StopTime = 1.5));
      end M;";
    check(text, &[("g", 10.0), ("e", 0.8), ("h.start", 1.0), ("v.start", 0.0)], &["h", "v"], |p| {
        let [g, e, h, v] = [p[0], p[1], p[2], p[3]];
        let first = (v + (v * v + 2.0 * g * h).sqrt()) / g;
        let up = e * (g * first - v);
        let second = first + 2.0 * up / g;
        let (up, rest) = (e * up, 1.5 - second);
        vec![up * rest - 0.5 * g * rest * rest, up - g * rest, first, second]
    });
}

#[test]
fn two_shafts_are_joined_with_an_impulse() {
    let text = "model M
        parameter Real j1 = 1, j2 = 2, d = 0.3, t1 = 0.5;
        Real w1(start = 3, fixed = true), w2(start = -1, fixed = true), f;
      equation
        j1*der(w1) = -d*w1 - f;
        j2*der(w2) = f;
        0 = if time >= t1 then w1 - w2 else f;
        annotation(experiment(StopTime = 2));
      end M;";
    let by = [("j1", 1.0), ("j2", 2.0), ("d", 0.3), ("t1", 0.5), ("w1.start", 3.0), ("w2.start", -1.0)];
    check(text, &by, &["w1", "w2", "f"], |p| {
        let [j1, j2, d, t1, w1, w2] = [p[0], p[1], p[2], p[3], p[4], p[5]];
        let joined = (j1 * w1 * (-d * t1 / j1).exp() + j2 * w2) / (j1 + j2);
        let end = joined * (-d * (2.0 - t1) / (j1 + j2)).exp();
        vec![end, end, -d * end * j2 / (j1 + j2), t1]
    });
}

#[test]
fn a_thermostat_switches() {
    let text = "model M
        parameter Real low = 1, high = 2, heat = 5, k = 0.7;
        Real x(start = 1.5, fixed = true);
        Boolean on(start = true, fixed = true);
      equation
        der(x) = (if on then heat else 0) - k*x;
        when x >= high then
          on = false;
        elsewhen x <= low then
          on = true;
        end when;
        annotation(experiment(StopTime = 2));
      end M;";
    let by = [("low", 1.0), ("high", 2.0), ("heat", 5.0), ("k", 0.7), ("x.start", 1.5)];
    check(text, &by, &["x"], |p| {
        let [low, high, heat, k, start] = [p[0], p[1], p[2], p[3], p[4]];
        let goal = heat / k;
        let up = |from: f64| ((goal - from) / (goal - high)).ln() / k;
        let first = up(start);
        let second = first + (high / low).ln() / k;
        let third = second + up(low);
        vec![high * (-k * (2.0 - third)).exp(), first, second, third]
    });
}

#[test]
fn a_controller_samples() {
    let text = "model M
        parameter Real k = 0.8, T = 0.3, a = 0.5;
        Real x(start = 1, fixed = true);
        discrete Real u(start = 0, fixed = true);
      equation
        der(x) = a*x + u;
        when sample(T, T) then
          u = -k*x;
        end when;
        annotation(experiment(StopTime = 1));
      end M;";
    check(text, &[("k", 0.8), ("T", 0.3), ("a", 0.5), ("x.start", 1.0)], &["x", "u"], |p| {
        let [k, period, a, mut x] = [p[0], p[1], p[2], p[3]];
        let mut u = 0.0;
        let step = |x: f64, u: f64, length: f64| (a * length).exp() * x + ((a * length).exp() - 1.0) / a * u;
        for _ in 0..3 {
            x = step(x, u, period);
            u = -k * x;
        }
        vec![step(x, u, 1.0 - 3.0 * period), u, period, 2.0 * period, 3.0 * period]
    });
}

#[test]
fn stairs_have_edges() {
    let text = "model M
        parameter Real p = 1.3;
        Real x(start = 0.2, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = p + 0*y;
        der(y) = floor(x);
        annotation(experiment(StopTime = 2));
      end M;";
    check(text, &[("p", 1.3), ("x.start", 0.2)], &["x", "y"], |p| {
        let edge = |step: f64| (step - p[1]) / p[0];
        vec![p[1] + 2.0 * p[0], (2.0 - edge(1.0)) + (2.0 - edge(2.0)), edge(1.0), edge(2.0)]
    });
}

#[test]
fn a_source_is_rectified() {
    let text = "model M
        parameter Real A = 2, w = 5, phase = 0.3;
        Real x(start = 0, fixed = true), u;
      equation
        u = A*sin(w*time + phase) - 0.4;
        der(x) = if u > 0 then u else 0;
        annotation(experiment(StopTime = 1));
      end M;";
    check(text, &[("A", 2.0), ("w", 5.0), ("phase", 0.3)], &["x"], |p| {
        let [a, w, phase] = [p[0], p[1], p[2]];
        let angle = (0.4 / a).asin();
        let (off, on) = ((std::f64::consts::PI - angle - phase) / w, 1.0);
        let area = |from: f64, to: f64| a / w * ((w * from + phase).cos() - (w * to + phase).cos()) - 0.4 * (to - from);
        assert!((2.0 * std::f64::consts::PI + angle - phase) / w > on);
        vec![area((angle - phase).max(0.0) / w, off), (angle - phase).max(0.0) / w, off]
            .into_iter()
            .filter(|&it| it != 0.0)
            .collect()
    });
}

#[test]
fn parameters_follow_from_others() {
    let text = "model M
        parameter Real r = 2, c = 0.25, tau = r*c, threshold = exp(-r);
        Real x(start = 1, fixed = true);
        discrete Real seen(start = 0, fixed = true);
      equation
        der(x) = -x/tau;
        when x < threshold then
          seen = r*time;
        end when;
        annotation(experiment(StopTime = 2));
      end M;";
    check(text, &[("r", 2.0), ("c", 0.25)], &["x", "seen"], |p| {
        let tau = p[0] * p[1];
        vec![(-2.0 / tau).exp(), p[0] * tau * p[0], tau * p[0]]
    });
}

#[test]
fn implicit_equations_and_resets() {
    let text = "model M
        parameter Real a = 1.2, b = 0.5;
        Real x(start = 2, fixed = true), y(start = 0, fixed = true), z;
      equation
        z + b*z^3 = x;
        der(x) = -a*z + 0.1*y;
        der(y) = x*z;
        when x < 0.8 then
          reinit(x, 1.5 + 0.1*y*z);
          reinit(y, 0.5*y);
        end when;
        annotation(experiment(StopTime = 2));
      end M;";
    check_runs(text, &["a", "b", "x.start", "y.start"], &["x", "y", "z"]);
}

#[test]
fn the_clutch_of_the_paper() {
    let text = include_str!("../../../models/ClutchBasic.mo");
    check_runs(text, &["j1", "k2", "t1", "t2", "w01"], &["w1", "w2", "f1"]);
}

#[test]
fn the_diodes_of_the_paper() {
    let text = include_str!("../../../models/RLDC2.mo");
    check_runs(text, &["R1", "L2", "C1", "j1.start"], &["v1", "v2", "j1"]);
}

#[test]
fn a_rope_becomes_straight() {
    // After E22, Figure 23, with parameters and a horizontal throw: the jump is that of the velocity.
    let text = "model M
        parameter Real g = 9.81, L = 1;
        Real x(start = 0.3, fixed = true), y(start = 0, fixed = true), u(start = 0.4, fixed = true), v(start = 0, fixed = true);
        Real lambda, s;
        Boolean gamma(start = false, fixed = true);
      equation
        der(x) = u;
        der(y) = v;
        der(u) + lambda*x = 0;
        der(v) + lambda*y + g = 0;
        gamma = (s <= 0);
        0 = if gamma then L^2 - (x^2 + y^2) else lambda;
        s = if gamma then -lambda else L^2 - (x^2 + y^2);
        annotation(experiment(StopTime = 0.8));
      end M;";
    check_runs(text, &["g", "L", "x.start", "u.start"], &["x", "y", "u", "v"]);
}

fn refused(text: &str, by: &str, why: &str) {
    let message = Model::new(text).sensitivities(&[by]).unwrap_err();
    assert!(message.contains("E0846") && message.contains(why), "{message}");
}

#[test]
fn a_diode_that_blocks_comes_off_its_bound_without_a_touch() {
    // Where the current is zero the capacitor leaves the source tangentially: `s` is a difference of two voltages that are equal there
    // together with their slopes, and what rounding makes of it is on either side of zero for a while.
    for stop in [0.008, 0.055] {
        let text = format!(
            "model M
              parameter Real C = 1e-3, R = 100;
              Real u = 10*sin(100*Modelica.Constants.pi*time), i, s;
              Real v(start = 2, fixed = true);
              Boolean conducts = s > 0;
            equation
              i = if conducts then s else 0;
              u - v = if conducts then 0 else s;
              C*der(v) = i - v/R;
              annotation(experiment(StopTime = {stop}));
            end M;"
        );
        check_runs(&text, &["R", "C", "v.start"], &["v", "s"]);
    }
}

#[test]
fn guards_that_are_touched_without_an_event_are_refused() {
    // `h` is lowest, and zero, at time 1; with a larger `p` it passes below, and `y` grows meanwhile.
    let touched = |p: f64| {
        format!(
            "model M
              parameter Real p = {p};
              Real h(start = 1, fixed = true), v(start = -2, fixed = true), y(start = 0, fixed = true);
            equation
              der(h) = v;
              der(v) = 2*p;
              der(y) = if h < 0 then 1 else 0;
              annotation(experiment(StopTime = 2));
            end M;"
        )
    };
    refused(&touched(1.0), "p", "comes to zero without an event");
    // Clearly above, and clearly below: the derivative exists.
    check(&touched(1.25), &[("p", 1.25)], &["h", "y"], |p| vec![1.0 - 4.0 + 4.0 * p[0], 0.0]);
    check(&touched(0.75), &[("p", 0.75)], &["h", "y"], |p| {
        let (mean, half) = (1.0 / p[0], (1.0 - p[0]).sqrt() / p[0]);
        vec![1.0 - 4.0 + 4.0 * p[0], 2.0 * half, mean - half, mean + half]
    });
    // A corner, a guard of time alone, and one that comes to zero just at the stop time.
    let corner = "model M
        parameter Real p = 0;
        Real x(start = -1, fixed = true), y(start = 0, fixed = true), z;
      equation
        der(x) = 1;
        z = abs(x);
        der(y) = if z + p < 0 then 1 else 0;
        annotation(experiment(StopTime = 2));
      end M;";
    refused(corner, "p", "comes to zero without an event");
    let of_time = "model M
        parameter Real p = 1;
        Real y;
      equation
        y = if p*sin(time) > 1 then 2 else 1;
        annotation(experiment(StopTime = 3));
      end M;";
    refused(of_time, "p", "comes to zero without an event");
    let at_the_stop = "model M
        parameter Real p = 1;
        Real x(start = 0, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = p;
        der(y) = if x > 2 + 1e-9 then 1 else 0;
        annotation(experiment(StopTime = 2));
      end M;";
    refused(at_the_stop, "p", "comes to zero without an event");
    // What does not depend on it may be touched.
    let other = "model M
        parameter Real p = 1;
        Real h(start = 1, fixed = true), v(start = -2, fixed = true), y(start = 0, fixed = true);
      equation
        der(h) = v;
        der(v) = 2;
        der(y) = if h < 0 then 1 else p;
        annotation(experiment(StopTime = 2));
      end M;";
    check(other, &[("p", 1.0)], &["y"], |p| vec![2.0 * p[0]]);
}

/// `x = p*time - 1` passes zero at `1/p`; `y` is what an expression of it amounts to.
fn passing(declarations: &str, slope: &str) -> String {
    format!(
        "model M
          {declarations}
          parameter Real p = 0.8, fixed = 1;
          Real x(start = -1, fixed = true), y(start = 0, fixed = true), other(start = -1, fixed = true);
        equation
          der(x) = p;
          der(other) = 1;
          /* slope: */ der(y) = {slope};
          annotation(experiment(StopTime = 2));
        end M;"
    )
}

#[test]
fn jumps_without_an_event_are_refused() {
    let stairs = "function above
        input Real x;
        output Real y;
      algorithm
        y := 0.5*x;
        if x > 0 then
          y := y + 1;
        end if;
      end above;";
    let wrong = [
        ("", "noEvent(if x > 0 then 1 else 0)"),
        ("", "noEvent(if x >= 0 then 1 else 0)"),
        ("", "sign(x)"),
        ("", "noEvent(sign(x))"),
        ("", "y + noEvent(if x > 0 then 1e-3 else 0)"),
        ("", "noEvent(if x > 0 and y < 10 then 1 + x else x)"),
        ("", "smooth(0, noEvent(if x > 0 then 1 else 0))"),
        ("", "noEvent(if fixed*time > 1/p then 1 else 0)"),
        ("", "noEvent(floor(x + 0.3))"),
        ("", "noEvent(integer(5*x))"),
        ("", "noEvent(mod(x, 0.4))"),
        ("", "if x > 0 then 2 else noEvent(if x > -0.5 then 1 else 0)"),
        ("", "(if x > 0 then 1 else 0) + noEvent(if x > 0 then 1 else 0)"),
        (stairs, "above(x)"),
        (stairs, "above(x + y)^2"),
    ];
    for (declarations, slope) in wrong {
        let text = passing(declarations, slope);
        let found = Model::new(&text).sensitivities(&["p"]);
        match found {
            Err(message) => assert!(message.contains("E0846"), "{slope}: {message}"),
            // What makes an event after all.
            Ok(found) => {
                assert!(!found.events.is_empty(), "{slope}: {found:?}");
                check_runs(&text, &["p"], &["x", "y"]);
            }
        }
    }
    refused(&passing("", "noEvent(if x > 0 then 1 else 0)"), "p", "jumps without an event, in `slope`");
    refused(&passing(stairs, "above(x)"), "p", "jumps without an event, in `slope`");
}

#[test]
fn corners_are_passed_and_jumps_that_stand_still() {
    let corner = "function corner
        input Real x;
        output Real y;
      algorithm
        y := if x > 0 then 3*x else x;
      end corner;";
    let right = [
        ("", "abs(x)"),
        ("", "noEvent(abs(x))"),
        ("", "noEvent(max(x, 2*x))"),
        ("", "max(0, x)*y + 1"),
        ("", "noEvent(if x > 0 then 2*x else x)"),
        ("", "noEvent(if x > 0 then x else 0) + time*p"),
        // Their times do not change.
        ("", "p*noEvent(if time > 1 then 1 else 0)"),
        ("", "p*noEvent(if other > 0 then 1 else 0)"),
        ("", "x*sign(other)"),
        // Branches that are never changed.
        ("", "noEvent(if x > 100 then 1 else p)"),
        ("", "sign(x - 5)*p"),
        (corner, "corner(x)"),
        (corner, "corner(x)*corner(y + 1)"),
    ];
    for (declarations, slope) in right {
        let text = passing(declarations, slope);
        let model = Model::new(&text);
        let found = model.sensitivities(&["p", "x.start"]).unwrap_or_else(|message| panic!("{slope}: {message}"));
        for (number, name) in ["p", "x.start"].iter().enumerate() {
            let ends = |change: f64| model.run(name, change, &["x", "y"]).1[..2].to_vec();
            let of = |it: &str| found.end.iter().find(|end| end.name == it).unwrap().by[number];
            check_near(&[of("x"), of("y")], &derivative(&ends, 2e-3), NEARLY, &format!("{slope} by {name}"));
        }
    }
}

#[test]
fn derivatives_that_differ_on_both_sides_are_refused() {
    // The run stays on the corner; is on it at its end; at a restart; and in a parameter that follows.
    let stays = "model M
        parameter Real p = 0;
        Real x(start = 0, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = p;
        der(y) = noEvent(abs(x));
      end M;";
    refused(stays, "p", "E0846");
    let ends = "model M
        parameter Real p = 1;
        Real x(start = -1, fixed = true), y;
      equation
        der(x) = p;
        y = noEvent(abs(x));
        annotation(experiment(StopTime = 1));
      end M;";
    refused(ends, "p", "smoothly");
    let restarts = "model M
        parameter Real p = 1;
        Real x(start = 0, fixed = true);
      equation
        der(x) = p;
        when time >= 0.5 then
          reinit(x, max(pre(x), 0.5));
        end when;
      end M;";
    refused(restarts, "p", "smoothly");
    let follows = "model M
        parameter Real p = 1, q = abs(p - 1);
        Real x(start = 0, fixed = true);
      equation
        der(x) = q + p;
      end M;";
    refused(follows, "p", "smoothly");
}

#[test]
fn a_start_in_a_corner_of_many_guards_is_refused_without_a_look_at_all_sides() {
    let text = "model M
      parameter Real a = 1;
      Real x[24](each start = 0, each fixed = true), z(start = 0, fixed = true);
    equation
      for i in 1:24 loop der(x[i]) = a*i; end for;
      der(z) = sum(if x[i] > 0 then i else -1 for i in 1:24);
    end M;";
    let begin = std::time::Instant::now();
    refused(text, "x[1].start", "with slightly different values other modes follow");
    // There are 16 million sides.
    assert!(begin.elapsed().as_secs() < 30);
}

#[test]
fn events_that_move_apart_are_refused() {
    let text = "model M
        parameter Real p = 1;
        Real x(start = 0, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = p;
        der(y) = if x >= 1 then 1 else if time >= 1 then 2 else 0;
        annotation(experiment(StopTime = 2));
      end M;";
    refused(text, "p", "several events");
}

/// What happens with the stop happens after it with a slightly larger value: the derivative is one-sided, if there is any.
#[test]
fn what_a_parameter_moves_beyond_the_stop_is_refused() {
    let sampled = |stop: f64| {
        format!(
            "model M
              parameter Real p = 0.1;
              Real x(start = 0, fixed = true);
              discrete Real y(start = 0, fixed = true);
            equation
              der(x) = 1;
              when sample(p, 0.1) then
                y = x;
              end when;
              annotation(experiment(StopTime = {stop}));
            end M;"
        )
    };
    let due = |condition: &str| {
        format!(
            "model M
              parameter Real p = 1, q = 1;
              Real x(start = 0, fixed = true), z(start = 2, fixed = true);
              discrete Real y(start = 0, fixed = true);
            equation
              der(x) = 1;
              der(z) = -q;
              when {condition} then
                y = x;
              end when;
              annotation(experiment(StopTime = 1));
            end M;"
        )
    };
    refused(&sampled(1.0), "p", "with slightly different values other modes follow");
    refused(&due("time >= p"), "p", "E0846");
    refused(&due("x >= p"), "p", "E0846");
    // Elsewhere, or by what does not move it, there is one.
    check(&sampled(0.45), &[("p", 0.1)], &["y"], |p| vec![p[0] + 0.3, p[0], p[0] + 0.1, p[0] + 0.2, p[0] + 0.3]);
    check(&due("time >= p"), &[("q", 1.0)], &["z"], |q| vec![2.0 - q[0], 1.0]);
}

#[test]
fn delays_accumulation_and_sliding_are_refused() {
    let delayed = "model M
        parameter Real p = 1;
        Real x(start = 0, fixed = true);
      equation
        der(x) = p - delay(x, 0.1);
      end M;";
    refused(delayed, "p", "`delay`");
    let zeno = "model M
        parameter Real e = 0.5;
        Real h(start = 1, fixed = true), v(start = 0, fixed = true);
        Boolean flying(start = true, fixed = true);
      equation
        der(h) = v;
        der(v) = if flying then -10 else 0;
        when h <= 0 then
          reinit(v, -e*pre(v));
        end when;
        flying = h > 0 or v > 0 or true;
        annotation(experiment(StopTime = 3));
      end M;";
    let message = Model::new(zeno).sensitivities(&["e"]);
    assert!(message.is_err(), "{message:?}");
    let sliding = "model M
        parameter Real p = 0.3;
        Real x(start = 1, fixed = true);
      equation
        der(x) = p + (if x > 0 then -1 else 1);
        annotation(experiment(StopTime = 3));
      end M;";
    refused(sliding, "p", "slides");
}

#[test]
fn what_is_no_parameter_is_said() {
    let model =
        Model::new("model M parameter Real gain = 1; Real x(start = 0, fixed = true); equation der(x) = gain; end M;");
    let message = model.sensitivities(&["gian"]).unwrap_err();
    assert!(message.contains("E0007") && message.contains("gain"), "{message}");
}

#[test]
fn a_guard_that_leaves_its_own_event_without_a_slope_is_no_touch() {
    // An ideal diode ends to conduct where the source falls as fast as the load discharges: its voltage leaves zero with no slope.
    let text = "model Charger parameter Real C = 1e-3; parameter Real R = 100;
        Real u = 10*sin(314.1592653589793*time); Real v(start = 2, fixed = true); Real i; Real s; Boolean conducts = s > 0;
        equation i = if conducts then s else 0; u - v = if conducts then 0 else s; C*der(v) = i - v/R;
        annotation(experiment(StopTime = 0.015)); end Charger;";
    check_runs(text, &["R", "C"], &["v"]);
}

#[test]
fn the_events_are_those_of_the_run_one_by_one() {
    // Events at the start (a sampling, a relation that begins otherwise), at the stop, and two guards in between.
    let text = "model M
      parameter Real p = 0.6;
      Real x(start = 0, fixed = true);
      Integer n(start = 0, fixed = true), m(start = 0, fixed = true), last(start = 0, fixed = true);
      Boolean b(start = false, fixed = true), c(start = false, fixed = true);
    equation
      der(x) = p;
      b = x > 0.2;
      c = time >= 1;
      when sample(0, 0.5) then n = pre(n) + 1; end when;
      when {initial(), x > 0.4} then m = pre(m) + 1; end when;
      when terminal() then last = 1; end when;
      annotation(experiment(StopTime = 1));
    end M;";
    let model = Model::new(text);
    let found = model.sensitivities(&["p"]).unwrap();
    let (_, told) = model.run("p", 0.0, &[]);
    assert_eq!(found.events.iter().map(|it| it.time).collect::<Vec<_>>(), told);
    for (event, cause) in found.events.iter().zip(model.causes()) {
        assert_eq!(event.cause, cause);
        let own = match cause.iter().any(|it| it.starts_with("x >")) {
            // x = p t
            true => -event.time / 0.6,
            false => 0.0,
        };
        assert!((event.by[0] - own).abs() < 1e-8, "{event:?}");
    }
    assert!(told.first() == Some(&0.0) && told.last() == Some(&1.0), "{told:?}");
}

//! Runs that others integrate: here by a plain Runge-Kutta method with bisection, beside the run itself.

use std::collections::BTreeMap;

use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::NativeFunctions;
use modeshift_simulate::results::Trajectory;
use modeshift_simulate::run::{Exchange, ExchangeEvent, RunModel, RunSettings, run};
use modeshift_structure::{Options, Regularized, regularize};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae};

use crate::support::runs::paper_model;

/// Values at events and at the end agree to this, of what they are or of one.
const NEAR: f64 = 1e-6;

struct Model {
    regularized: Regularized,
    natives: NativeFunctions,
}

impl Model {
    fn new(text: &str) -> Self {
        let dae = multimode_dae(text, &NO_OVERRIDES).unwrap();
        let regularized = regularize(dae, &Options::default(), &|_| None).expect("no limit");
        let natives = NativeFunctions::of(&regularized.dae.model);
        Model { regularized, natives }
    }

    fn with<T>(&self, stop: f64, job: impl FnOnce(&RunModel<'_>, &RunSettings, &mut Diagnostics) -> T) -> (T, String) {
        let overrides = BTreeMap::new();
        let Regularized { dae, analysis, .. } = &self.regularized;
        let model = RunModel { dae, analysis, natives: &self.natives, overrides: &overrides };
        let settings = RunSettings { stop, tolerance: 1e-10, ..RunSettings::of(&dae.model.experiment) };
        let mut said = Diagnostics::new();
        let result = job(&model, &settings, &mut said);
        let messages = said.iter().map(|it| format!("{} {}\n", it.code, it.message)).collect();
        (result, messages)
    }

    fn begin(&self) -> Result<(Exchange, ExchangeEvent), String> {
        let (begun, said) = self.with(1e290, Exchange::begin);
        begun.ok_or(said)
    }
}

/// Somebody who integrates: classical Runge-Kutta steps of one length, cut at events.
struct Environment {
    run: Exchange,
    time: f64,
    states: Vec<f64>,
    next: Option<f64>,
    step: f64,
    /// Times of events that can be seen.
    events: Vec<f64>,
    is_over: bool,
}

impl Environment {
    fn new(model: &Model, step: f64) -> Self {
        let (run, first) = model.begin().unwrap();
        let ExchangeEvent { states, next, .. } = first;
        Environment { run, time: 0.0, states, next, step, events: Vec::new(), is_over: false }
    }

    fn slopes(&mut self, time: f64, states: &[f64]) -> Vec<f64> {
        self.run.at(time, states, &[]).unwrap_or_else(|said| panic!("{said:#?}")).derivatives
    }

    fn moved(&mut self, by: f64) -> Vec<f64> {
        let (time, begin) = (self.time, self.states.clone());
        let along = |slopes: &[f64], by: f64| -> Vec<f64> {
            begin.iter().zip(slopes).map(|(value, slope)| value + by * slope).collect()
        };
        let one = self.slopes(time, &begin);
        let two = self.slopes(time + by / 2.0, &along(&one, by / 2.0));
        let three = self.slopes(time + by / 2.0, &along(&two, by / 2.0));
        let four = self.slopes(time + by, &along(&three, by));
        let mean: Vec<f64> =
            (0..one.len()).map(|at| (one[at] + 2.0 * two[at] + 2.0 * three[at] + four[at]) / 6.0).collect();
        along(&mean, by)
    }

    /// Whether an indicator has another sign some time later.
    fn crosses(&mut self, by: f64, before: &[f64]) -> bool {
        let moved = self.moved(by);
        let point = self.run.at(self.time + by, &moved, &[]).unwrap_or_else(|said| panic!("{said:#?}"));
        assert!(point.indicators.iter().all(|it| it.is_finite()), "{:?} at {}", point.indicators, self.time + by);
        point.indicators.iter().zip(before).any(|(now, before)| (*now > 0.0) != (*before > 0.0))
    }

    fn go(&mut self, stop: f64) {
        while self.time < stop && !self.is_over {
            let (limit, is_due) = match self.next {
                Some(next) if next <= stop => (next, true),
                _ => (stop, false),
            };
            let mut by = self.step.min(limit - self.time);
            let before = self.run.at(self.time, &self.states.clone(), &[]).unwrap().indicators;
            assert!(before.iter().all(|it| *it != 0.0), "an indicator is zero at {}", self.time);
            let is_event = self.crosses(by, &before);
            if is_event {
                let mut low = 0.0;
                while by - low > 4.0 * f64::EPSILON * (self.time + by) {
                    let middle = 0.5 * (low + by);
                    if middle <= low || middle >= by {
                        break;
                    }
                    match self.crosses(middle, &before) {
                        true => by = middle,
                        false => low = middle,
                    }
                }
            }
            self.states = self.moved(by);
            let is_there = !is_event && limit - self.time <= self.step;
            self.time = if is_there { limit } else { self.time + by };
            self.run.at(self.time, &self.states.clone(), &[]).unwrap();
            let is_wanted = self.run.completed().unwrap_or_else(|said| panic!("{said:#?}"));
            if is_event || is_wanted || is_there && is_due {
                self.event();
            }
        }
    }

    fn event(&mut self) {
        let event = self.run.event(&[]).unwrap_or_else(|said| panic!("{said:#?}"));
        (self.states, self.next, self.is_over) = (event.states, event.next, event.is_last);
        if event.is_visible {
            self.events.push(self.time);
        }
        assert!(self.events.len() < 1000, "events without end at {}", self.time);
    }

    fn value(&mut self, name: &str) -> f64 {
        self.run.at(self.time, &self.states.clone(), &[]).unwrap();
        let place = self.run.place(name).unwrap_or_else(|| panic!("no variable {name}"));
        self.run.values().unwrap()[place]
    }
}

fn is_near(one: f64, other: f64) -> bool {
    one.is_nan() && other.is_nan() || (one - other).abs() <= NEAR * other.abs().max(1.0)
}

/// That somebody who integrates comes to the same events and end values as the run.
fn check(text: &str, stop: f64, step: f64, of: &[&str]) -> Vec<f64> {
    let model = Model::new(text);
    let mut trajectory = Trajectory::default();
    let (_, said) = model.with(stop, |model, settings, said| run(model, settings, &mut trajectory, said));
    let mut environment = Environment::new(&model, step);
    environment.go(stop);
    let expected: Vec<f64> = trajectory.events().iter().map(|event| event.time).filter(|it| *it > 0.0).collect();
    // An event just at the stop time is passed by one of them, perhaps.
    let events: Vec<f64> = environment.events.iter().copied().filter(|it| *it < stop * (1.0 - 1e-9)).collect();
    let expected: Vec<f64> = expected.into_iter().filter(|it| *it < stop * (1.0 - 1e-9)).collect();
    assert_eq!(events.len(), expected.len(), "{events:?} instead of {expected:?}\n{said}");
    for (event, right) in events.iter().zip(&expected) {
        assert!((event - right).abs() <= NEAR * stop, "an event at {event} instead of {right}");
    }
    for name in of {
        let (found, right) = (environment.value(name), trajectory.last(name).unwrap_or(f64::NAN));
        assert!(is_near(found, right), "{name} = {found} instead of {right}");
    }
    events
}

const BALL: &str = "model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;";

#[test]
fn a_ball_bounces() {
    let events = check(BALL, 2.5, 1e-2, &["h", "v", "n"]);
    let first = (2.0 / 9.81_f64).sqrt();
    assert!((events[0] - first).abs() < 1e-9, "{events:?}");
}

#[test]
fn a_relay_with_hysteresis_and_a_sampled_controller() {
    let relay = "model Relay
      Real x(start = 0, fixed = true);
      Boolean on(start = true, fixed = true);
    equation
      on = if pre(on) then x < 1 else x <= 0.5;
      der(x) = if on then 2 - x else -x;
    end Relay;";
    check(relay, 6.0, 1e-2, &["x", "on"]);
    let sampled = "model Sampled
      Real speed(start = 0, fixed = true);
      discrete Real command(start = 0, fixed = true);
    equation
      der(speed) = command - speed;
      when sample(0, 0.1) then
        command = 2*(1 - speed);
      end when;
    end Sampled;";
    check(sampled, 2.0, 1e-2, &["speed", "command"]);
    let stairs = "model Stairs
      Real x(start = 0, fixed = true), y(start = 0, fixed = true);
    equation
      der(x) = 1 + 0.3*sin(5*time);
      der(y) = floor(3*x) - y + mod(time, 0.7);
    end Stairs;";
    check(stairs, 3.0, 1e-2, &["x", "y"]);
}

#[test]
fn a_mode_with_fewer_states_of_its_own_keeps_those_of_all() {
    // E22, Figure 9: engaged, both speeds are one state; and a rope that becomes straight, of index 3.
    check(&paper_model("ClutchBasic.mo"), 15.0, 1e-2, &["w1", "w2", "f1", "f2"]);
    let rope = "model M
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
      end M;";
    check(rope, 1.5, 1e-3, &["x", "y", "u", "v", "lambda"]);
}

#[test]
fn switched_circuits() {
    check(&paper_model("RLDC2.mo"), 5.0, 1e-3, &["j1", "j2", "v1", "v2"]);
    check(include_str!("data/multimode/BoostConverter.mo"), 1e-3, 1e-7, &[]);
}

#[test]
fn a_guard_on_what_does_not_exist_in_a_mode_is_no_event_there() {
    // Each state of the diode has the voltage or the current that leads out of it, and the other state has neither.
    let text = "model Halfwave
          Modeshift.Electrical.SineVoltage source(V = 10, f = 50);
          Modeshift.Electrical.IdealDiode diode;
          Modeshift.Electrical.Capacitor C(C = 1e-4, v(start = 0, fixed = true));
          Modeshift.Electrical.Resistor load(R = 100), wire(R = 0.5);
          Modeshift.Electrical.Ground ground;
        equation
          connect(source.p, wire.p); connect(wire.n, diode.p); connect(diode.n, load.p);
          connect(load.p, C.p); connect(C.n, load.n); connect(load.n, source.n); connect(source.n, ground.p);
        end Halfwave;";
    assert!(check(text, 0.06, 2e-6, &["C.v", "load.v"]).len() >= 5);
}

#[test]
fn inputs_move_between_events_and_guards_see_them() {
    let text = "model M
      input Real u(start = 0);
      Real x(start = 0, fixed = true);
      discrete Real seen(start = 0, fixed = true);
      Boolean high(start = false, fixed = true);
    equation
      high = u > 0.5;
      der(x) = u;
      when high then
        seen = x;
      end when;
    end M;";
    let model = Model::new(text);
    let (mut run, first) = model.begin().unwrap();
    let input = run.input("u").unwrap();
    let atom = |run: &mut Exchange, u: f64| {
        let point = run.at(0.1, &[0.25], &[(input, u)]).unwrap();
        assert_eq!(point.derivatives, [u]);
        point.indicators
    };
    let (low, high) = (atom(&mut run, 0.4), atom(&mut run, 0.6));
    let crossed = low.iter().zip(&high).filter(|(low, high)| (**low > 0.0) != (**high > 0.0)).count();
    assert_eq!((crossed, first.next), (1, None));
    let event = run.event(&[]).unwrap();
    assert!(event.is_visible);
    let seen = run.place("seen").unwrap();
    assert_eq!(run.values().unwrap()[seen], 0.25);
    // And jumps at an event.
    let event = run.event(&[(input, 0.0)]).unwrap();
    assert!(event.is_visible);
    let place = run.place("high").unwrap();
    assert_eq!(run.values().unwrap()[place], 0.0);
}

#[test]
fn derivatives_in_a_direction_are_those_of_the_equations() {
    let text = "model M
      input Real u(start = 1);
      Real x(start = 2, fixed = true), y(start = 3, fixed = true), z;
    equation
      der(x) = x*y + u;
      der(y) = u*u;
      z = x + 4*u;
    end M;";
    let (mut run, _) = Model::new(text).begin().unwrap();
    run.at(0.0, &[2.0, 3.0], &[(run.input("u").unwrap(), 5.0)]).unwrap();
    let u = run.input("u").unwrap();
    let by_states = run.tangent(&[1.0, 10.0], &[(u, 0.0)], &["z".to_string()]).unwrap();
    assert_eq!(by_states, [3.0 + 10.0 * 2.0, 0.0, 1.0]);
    let by_input = run.tangent(&[0.0, 0.0], &[(u, 1.0)], &["z".to_string()]).unwrap();
    assert_eq!(by_input, [1.0, 10.0, 4.0]);
}

#[test]
fn a_place_is_come_back_to_in_another_run() {
    let model = Model::new(BALL);
    let mut one = Environment::new(&model, 1e-2);
    one.go(0.7);
    let bytes = one.run.save().unwrap().to_bytes();
    let saved = modeshift_simulate::run::SavedExchange::from_bytes(&bytes).unwrap();
    one.go(1.5);
    let mut other = Environment::new(&model, 1e-2);
    let (time, event) = other.run.restore(&saved).unwrap().expect("a place of this model");
    (other.time, other.states, other.next) = (time, event.states, event.next);
    other.go(1.5);
    assert_eq!((one.time, &one.states), (other.time, &other.states));
    // And back in the same run.
    let (time, event) = one.run.restore(&saved).unwrap().expect("a place of this model");
    (one.time, one.states, one.next) = (time, event.states, event.next);
    one.go(1.5);
    assert_eq!(one.states, other.states);
    let (mut stranger, _) =
        Model::new("model M Real x(start = 0, fixed = true); equation der(x) = 1; end M;").begin().unwrap();
    assert!(stranger.restore(&saved).unwrap().is_none());
}

fn refused(text: &str, why: &str) {
    let said = Model::new(text).begin().err().expect("no states in common");
    assert!(said.contains("E0847") && said.contains(why), "{said}");
}

#[test]
fn what_has_no_states_in_common_is_refused() {
    refused(
        "model M
          Real x(start = 0, fixed = true);
          Boolean p(start = false, fixed = true);
        equation
          p = x >= 1;
          0 = if p then x - 2 else der(x) - 1;
        end M;",
        "`x`",
    );
    refused(
        "model M
          input Real u(start = 0);
          Real x, force;
        equation
          x = u;
          force = der(x);
        end M;",
        "derivative of the input `u`",
    );
    refused(
        "model M
          Real x(start = 0, fixed = true);
        equation
          der(x) = 1 - delay(x, 0.1);
        end M;",
        "`delay`",
    );
}

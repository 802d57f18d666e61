//! The run as an object: stepped, paused, with inputs, read from both sides, sent to threads.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use modeshift_modes::TimeLimit;

use modeshift_simulate::results::{Observer, is_absent};
use modeshift_simulate::run::{
    InputError, NotThisRun, RunEnd, RunSettings, Simulation, Snapshot, StepError, Stepped, begin_inputs,
};

use crate::support::runs::{Analyzed, How, paper_model};

const BALL: &str = "model Ball
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;";

const FOLLOWER: &str = "model Follower
  input Real u(start = 2);
  input Boolean on(start = false);
  input Integer gear(start = 1);
  Real x(start = 0, fixed = true);
  Real y;
  discrete Real last(start = -1, fixed = true);
  discrete Integer switched(start = 0, fixed = true);
  Boolean above(start = false, fixed = true);
equation
  der(x) = u - x;
  y = gear*x;
  above = x > u;
  when on then
    last = x;
    switched = pre(switched) + 1;
  end when;
end Follower;";

/// From 0 to a stop time.
fn simulation(text: &str, stop: f64) -> Simulation {
    with_values(&Analyzed::of_text(text), &[], stop)
}

fn with_values(model: &Analyzed, values: &[(&str, f64)], stop: f64) -> Simulation {
    let simulation = model.simulation(values, &model.settings(&How::until(stop)), Box::new(()));
    simulation.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn value(simulation: &Simulation, name: &str) -> f64 {
    simulation.value(name).unwrap_or_else(|| panic!("no variable {name}"))
}

fn left(simulation: &Simulation, name: &str) -> f64 {
    simulation.left_value(name).unwrap_or_else(|| panic!("no variable {name}"))
}

/// All numbers of a simulation, bit by bit.
fn bits(simulation: &Simulation) -> Vec<u64> {
    let present = simulation.present();
    present.left.iter().chain(&present.right).chain([&present.time]).map(|it| it.to_bits()).collect()
}

#[test]
fn a_time_is_reached_exactly_and_small_steps_change_nothing() {
    for (text, stop) in [(BALL.to_string(), 2.0), (paper_model("CupAndBall.mo"), 1.0)] {
        let (mut long, mut short) = (simulation(&text, stop), simulation(&text, stop));
        let last = 0.97 * stop;
        assert_eq!(long.step_until(last), Ok(Stepped::Paused));
        for k in 1..=1000 {
            let time = if k == 1000 { last } else { last * f64::from(k) / 1000.0 };
            assert_eq!(short.step_until(time), Ok(Stepped::Paused));
            assert_eq!(short.time(), time);
        }
        assert_eq!(bits(&long), bits(&short));
        assert_eq!(long.event(), short.event());
        assert_eq!(long.step_until(2.0 * stop), Ok(Stepped::Ended(RunEnd::Stop)));
        assert_eq!(short.step_until(stop), Ok(Stepped::Ended(RunEnd::Stop)));
        assert_eq!(bits(&long), bits(&short));
    }
}

#[test]
fn a_run_that_is_stepped_is_the_run_of_simulate() {
    let model = Analyzed::of_text(BALL);
    let whole = model.run_with(&[], &How::until(2.0)).finished();
    let mut stepped = with_values(&model, &[], 2.0);
    let mut times = Vec::new();
    while stepped.step_to_event(f64::INFINITY) == Ok(Stepped::Event) {
        times.push(stepped.time());
    }
    assert_eq!(times, whole.event_times());
    let summary = stepped.summary().expect("it has ended");
    assert_eq!((&summary.end, summary.time, summary.events), (&RunEnd::Stop, 2.0, times.len()));
    assert_eq!(value(&stepped, "h").to_bits(), whole.last("h").to_bits());
}

#[test]
fn both_sides_of_an_event_are_read() {
    let mut ball = simulation(BALL, 2.0);
    assert_eq!(ball.step_to_event(2.0), Ok(Stepped::Event));
    let impact = (2.0_f64 / 9.81).sqrt();
    assert!((ball.time() - impact).abs() < 1e-6);
    assert!((left(&ball, "v") + 9.81 * impact).abs() < 1e-5);
    assert!((value(&ball, "v") - 0.8 * 9.81 * impact).abs() < 1e-5);
    assert_eq!((left(&ball, "n"), value(&ball, "n")), (0.0, 1.0));
    let event = ball.event().expect("an impact").clone();
    assert_eq!(event.time, ball.time());
    assert_eq!(ball.step_until(0.9), Ok(Stepped::Paused));
    assert_eq!(ball.event(), Some(&event), "the last event is remembered");
    assert_eq!(ball.present().left, ball.present().right, "no event here");
}

#[test]
fn an_event_at_the_time_of_a_pause_comes_first() {
    let text = "model M discrete Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true);
        equation der(x) = 1; when time >= 0.5 then n = pre(n) + 1; end when; end M;";
    let mut simulation = simulation(text, 1.0);
    assert_eq!(simulation.step_until(0.5), Ok(Stepped::Paused));
    assert_eq!((left(&simulation, "n"), value(&simulation, "n")), (0.0, 1.0));
    assert_eq!(simulation.event().map(|event| event.time), Some(0.5));
}

#[test]
fn inputs_begin_at_their_start_and_change_at_events() {
    let mut simulation = simulation(FOLLOWER, 10.0);
    assert_eq!(simulation.inputs().collect::<Vec<_>>(), ["u", "on", "gear"]);
    assert_eq!((value(&simulation, "u"), value(&simulation, "gear")), (2.0, 1.0));
    simulation.step_until(1.0).expect("forward");
    let x1 = 2.0 * (1.0 - (-1.0_f64).exp());
    assert!((value(&simulation, "x") - x1).abs() < 1e-5);
    simulation.set_input("u", 0.0).expect("an input");
    assert_eq!((left(&simulation, "u"), value(&simulation, "u")), (2.0, 0.0), "what was set is read back");
    assert_eq!(value(&simulation, "above"), 0.0, "nothing has happened yet");
    assert_eq!(simulation.step_until(1.0), Ok(Stepped::Paused), "a step of no length");
    assert_eq!((left(&simulation, "u"), value(&simulation, "u")), (2.0, 0.0));
    assert_eq!((left(&simulation, "above"), value(&simulation, "above")), (0.0, 1.0), "a relation with the input");
    let event = simulation.event().expect("an event");
    assert_eq!((event.time, event.cause[0].as_str()), (1.0, "u = 0"));
    simulation.step_until(2.0).expect("forward");
    assert!((value(&simulation, "x") - x1 * (-1.0_f64).exp()).abs() < 1e-5);
    assert_eq!(simulation.event().map(|event| event.time), Some(1.0), "no event since");
}

#[test]
fn discrete_inputs_fire_when_clauses_and_change_what_depends_on_them() {
    let mut simulation = simulation(FOLLOWER, 10.0);
    simulation.step_until(1.0).expect("forward");
    let x1 = value(&simulation, "x");
    simulation.set_input("on", 1.0).expect("an input");
    simulation.set_input("gear", 3.0).expect("an input");
    simulation.step_until(1.0).expect("no length");
    assert_eq!((value(&simulation, "last"), value(&simulation, "switched")), (x1, 1.0));
    assert_eq!((left(&simulation, "y"), value(&simulation, "y")), (x1, 3.0 * x1));
    assert_eq!(value(&simulation, "x").to_bits(), x1.to_bits(), "a state does not jump");
    simulation.set_input("on", 1.0).expect("an input");
    simulation.step_until(1.5).expect("forward");
    assert_eq!(value(&simulation, "switched"), 1.0, "the same value is no event");
    simulation.set_input("on", 0.0).expect("an input");
    simulation.step_until(1.5).expect("no length");
    simulation.set_input("on", 1.0).expect("an input");
    simulation.step_until(1.5).expect("no length");
    assert_eq!(value(&simulation, "switched"), 2.0);
}

#[test]
fn inputs_that_are_none_are_refused() {
    let mut simulation = simulation(FOLLOWER, 10.0);
    let unknown = simulation.set_input("geer", 1.0).expect_err("no variable at all");
    assert!(unknown.to_string().starts_with("the model has no input `geer`; did you mean"), "{unknown}");
    assert!(matches!(simulation.set_input("x", 1.0), Err(InputError::Unknown(_))), "a state");
    assert_eq!(simulation.set_input("on", 0.5), Err(InputError::NotAValue(0.5)));
    assert_eq!(simulation.set_input("gear", 1.5), Err(InputError::NotAValue(1.5)));
    assert!(simulation.set_input("gear", 1e300).is_err(), "no Integer is that large");
    assert!(simulation.set_input("u", f64::NAN).is_err());
}

#[test]
fn steps_that_cannot_be_made_leave_the_run_where_it_is() {
    let mut simulation = simulation(FOLLOWER, 2.0);
    simulation.step_until(1.0).expect("forward");
    let before = bits(&simulation);
    assert_eq!(simulation.step_until(0.5), Err(StepError::Backwards { from: 1.0, to: 0.5 }));
    assert_eq!(simulation.step_until(f64::NAN), Err(StepError::NotATime));
    assert_eq!(bits(&simulation), before);
    assert_eq!(simulation.step_until(3.0), Ok(Stepped::Ended(RunEnd::Stop)), "the run ends at its stop time");
    assert_eq!(simulation.time(), 2.0);
    assert_eq!(simulation.step_until(4.0), Err(StepError::Ended));
    assert_eq!(simulation.set_input("u", 1.0), Err(InputError::Ended));
    assert!(value(&simulation, "x") > 1.0, "values stay");
}

#[test]
fn a_run_that_fails_can_still_be_read() {
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = 1;
        assert(x < 0.5, \"too much\"); end M;";
    let mut simulation = simulation(text, 1.0);
    assert_eq!(simulation.step_until(0.25), Ok(Stepped::Paused));
    assert_eq!(simulation.step_until(1.0), Ok(Stepped::Ended(RunEnd::Failed)));
    assert!((simulation.time() - 0.5).abs() < 1e-12 && (value(&simulation, "x") - 0.5).abs() < 1e-12);
    assert!(simulation.diagnostics().iter().any(|it| it.code == "E0821" && it.message.contains("too much")));
}

#[test]
fn a_model_or_its_user_ends_a_run() {
    let text = "model M Real x(start = 0, fixed = true); discrete Real last(start = 0, fixed = true);
        equation der(x) = 1; when x > 0.5 then terminate(\"far enough\"); end when;
        when terminal() then last = x; end when; end M;";
    let mut ended = simulation(text, 1.0);
    assert_eq!(ended.step_until(1.0), Ok(Stepped::Ended(RunEnd::Terminated("far enough".to_string()))));
    let mut told = simulation(text, 1.0);
    told.step_until(0.25).expect("forward");
    told.terminate();
    assert_eq!(told.summary().map(|summary| (&summary.end, summary.time)), Some((&RunEnd::Stop, 0.25)));
    assert!((value(&told, "last") - 0.25).abs() < 1e-6, "the last instant is passed");
    told.terminate();
    assert_eq!(told.step_until(0.5), Err(StepError::Ended));
}

#[test]
fn a_reset_run_runs_again() {
    let mut simulation = simulation(FOLLOWER, 10.0);
    let first = bits(&simulation);
    simulation.step_until(1.0).expect("forward");
    let at_one = bits(&simulation);
    simulation.set_input("u", 7.0).expect("an input");
    simulation.step_until(10.0).expect("forward");
    simulation.reset();
    assert_eq!(bits(&simulation), first);
    assert_eq!(simulation.step_until(1.0), Ok(Stepped::Paused));
    assert_eq!(bits(&simulation), at_one);
}

#[test]
fn parameters_are_set_before_the_start() {
    let model = Analyzed::of_text(BALL);
    let mut ball = with_values(&model, &[("e", 0.5)], 2.0);
    assert_eq!(ball.step_to_event(2.0), Ok(Stepped::Event));
    assert!((value(&ball, "v") + 0.5 * left(&ball, "v")).abs() < 1e-9);
}

#[test]
fn variables_of_other_modes_are_absent() {
    let text = "model M Boolean b(start = false, fixed = true); Real x(start = 1, fixed = true); Real y if false;
        equation b = time >= 0.5; der(x) = if b then 0 else -x; end M;";
    let mut simulation = simulation(text, 1.0);
    assert_eq!(simulation.step_to_event(1.0), Ok(Stepped::Event));
    assert_eq!((left(&simulation, "b"), value(&simulation, "b")), (0.0, 1.0));
    assert!(simulation.present().mode.values().any(|it| it));
    assert!(!is_absent(value(&simulation, "x")));
    assert_eq!(simulation.value("nothing"), None);
}

/// Counts rows.
#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<f64>>>);

impl Observer for Rows {
    fn row(&mut self, time: f64, _: &[f64]) {
        self.0.lock().expect("no panic").push(time);
    }
}

#[test]
fn an_observer_sees_nothing_beyond_the_present_time() {
    let (model, rows) = (Analyzed::of_text(FOLLOWER), Rows::default());
    let how = How { interval: Some(0.125), ..How::until(1.0) };
    let mut simulation = model.simulation(&[], &model.settings(&how), Box::new(rows.clone())).expect("a start");
    simulation.step_until(0.5).expect("forward");
    assert_eq!(*rows.0.lock().expect("no panic"), [0.0, 0.125, 0.25, 0.375, 0.5]);
    simulation.set_input("u", 1.0).expect("an input");
    simulation.step_until(1.0).expect("forward");
    assert_eq!(*rows.0.lock().expect("no panic"), [0.0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.5, 0.625, 0.75, 0.875, 1.0]);
}

fn assert_send<Value: Send>() {}

#[test]
fn runs_in_threads_are_the_same_to_the_last_bit() {
    assert_send::<Simulation>();
    let model = Analyzed::of_text(BALL);
    let values = [0.95, 0.9, 0.85, 0.8];
    let start = |e: f64| with_values(&model, &[("e", e)], 2.0);
    let run = |mut simulation: Simulation| {
        assert_eq!(simulation.step_until(1.9), Ok(Stepped::Paused));
        bits(&simulation)
    };
    let alone: Vec<Vec<u64>> = values.iter().map(|&e| run(start(e))).collect();
    let simulations: Vec<Simulation> = values.iter().map(|&e| start(e)).collect();
    let together = thread::scope(|scope| {
        let threads: Vec<_> = simulations.into_iter().map(|it| scope.spawn(move || run(it))).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert_eq!(alone, together);
}

#[test]
fn limits_end_the_analysis_of_the_start() {
    let model = Analyzed::of_text(&paper_model("ClutchBasic.mo"));
    let no_time = |settings: &mut RunSettings| settings.time_limit = Some(TimeLimit::from_now(Duration::ZERO));
    let one_node = |settings: &mut RunSettings| settings.node_limit = Some(1);
    for (limit, text) in [(no_time as fn(&mut RunSettings), "the time limit of 0 s"), (one_node, "limit of 1 decision")]
    {
        let mut settings = model.settings(&How::until(1.0));
        limit(&mut settings);
        let diagnostics = model.simulation(&[], &settings, Box::new(())).err().expect("the limit ends it");
        let said = diagnostics.iter().find(|it| it.code == "E0710").expect("the limit is told");
        assert!(said.message.contains(text), "{}", said.message);
    }
}

#[test]
fn an_impact_without_a_law_stops_a_run_as_check_says() {
    let ran = crate::support::runs::run_text(&paper_model("CupAndBallElasticWithoutLaw.mo"), &How::default());
    assert_eq!(ran.summary.as_ref().map(|summary| &summary.end), Some(&RunEnd::Failed));
    let said = ran.said("E0823");
    assert!(said.notes.iter().any(|note| note.contains("does not determine")), "{said:#?}");
}

#[test]
fn an_underdetermined_start_is_not_passed_in_silence() {
    let text = "model M Real x(start = 1); Real y(start = 2, fixed = true); equation der(x) = -x; der(y) = -y; end M;";
    let ran = crate::support::runs::run_text(text, &How::until(1.0)).finished();
    assert!(ran.said("W0702").message.contains("`x` = 1"), "{:#?}", ran.diagnostics);
}

#[test]
fn a_run_comes_back_to_where_it_was_to_the_last_bit() {
    let mut run = simulation(FOLLOWER, 10.0);
    for step in 1..=20 {
        run.set_input("u", f64::from(step % 3)).expect("an input");
        run.set_input("on", f64::from(step % 2)).expect("an input");
        run.step_until(0.1 * f64::from(step)).expect("a step");
    }
    run.set_input("u", 5.0).expect("an input");
    run.step_to_event(10.0).expect("a step");
    run.set_input("gear", 3.0).expect("an input");
    let snapshot = Snapshot::from_bytes(&run.snapshot().to_bytes()).expect("its own bytes");
    let here = bits(&run);
    run.step_until(9.0).expect("a step");
    let there = bits(&run);
    run.restore(&snapshot).expect("its own");
    assert_eq!(bits(&run), here);
    assert_eq!(run.value("gear"), Some(3.0));
    run.step_until(9.0).expect("a step");
    assert_eq!(bits(&run), there);
    // Another object of the same model comes there too.
    let mut other = simulation(FOLLOWER, 10.0);
    other.restore(&snapshot).expect("one of the same run");
    assert_eq!(bits(&other), here);
}

#[test]
fn a_snapshot_grows_with_inputs_that_are_set_and_not_with_steps() {
    let mut run = simulation(FOLLOWER, 10.0);
    let before = run.snapshot().to_bytes().len();
    (1..=500).for_each(|step| drop(run.step_until(0.01 * f64::from(step))));
    assert!(run.snapshot().to_bytes().len() < before + 100);
}

#[test]
fn a_snapshot_of_another_model_is_refused() {
    let mut run = simulation(FOLLOWER, 10.0);
    run.set_input("u", 1.0).expect("an input");
    let snapshot = run.snapshot();
    let mut ball = simulation(BALL, 1.0);
    ball.step_until(0.5).expect("a step");
    assert_eq!(ball.restore(&snapshot), Err(NotThisRun::Model));
    assert_eq!(ball.time(), 0.5);
    assert!(Snapshot::from_bytes(b"modeshift snapshot 2\n\x01").is_none());
}

#[test]
fn a_snapshot_of_other_equations_parameters_or_settings_is_refused() {
    let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    let snapshot = simulation(text, 10.0).snapshot();
    simulation(text, 10.0).restore(&snapshot).expect("one of the same run");
    let refused = |text: &str, stop: f64| simulation(text, stop).restore(&snapshot).expect_err("another run");
    assert_eq!(refused(&text.replace("-k*x", "-k*x/2"), 10.0), NotThisRun::Model);
    assert_eq!(refused(text, 11.0), NotThisRun::Settings);
    assert_eq!(
        with_values(&Analyzed::of_text(text), &[("k", 2.0)], 10.0).restore(&snapshot),
        Err(NotThisRun::Parameters)
    );
}

#[test]
fn whoever_looks_after_an_input_was_set_sees_what_follows_and_changes_nothing() {
    let ends = [false, true].map(|looks| {
        let mut simulation = simulation(FOLLOWER, 3.0);
        simulation.step_until(1.0).expect("forward");
        let x = value(&simulation, "x");
        simulation.set_input("gear", 3.0).expect("an input");
        assert!(simulation.has_pending_inputs());
        if looks {
            assert_eq!(simulation.settle(), Ok(Some(Stepped::Event)));
            assert_eq!((left(&simulation, "y"), value(&simulation, "y")), (x, 3.0 * x));
            assert_eq!(simulation.settle(), Ok(None), "nothing is left to pass");
        }
        let here = Snapshot::from_bytes(&simulation.snapshot().to_bytes()).expect("its own bytes");
        for _ in 0..2 {
            assert_eq!(simulation.step_to_event(3.0), Ok(Stepped::Event), "the input's own event");
            assert_eq!((simulation.time(), value(&simulation, "y")), (1.0, 3.0 * x));
            assert_eq!(simulation.step_to_event(3.0), Ok(Stepped::Ended(RunEnd::Stop)), "and no other");
            simulation.restore(&here).expect("its own snapshot");
        }
        simulation.step_until(2.5).expect("forward");
        bits(&simulation)
    });
    assert_eq!(ends[0], ends[1]);
}

/// What the start follows from inputs by: states, relations, Booleans that choose a branch, parameters, `when initial()`.
const BEGUN: &str = "model Begun
  type Kind = enumeration(one, two, three);
  input Real u(start = 2);
  input Boolean on(start = false, fixed = true);
  input Integer gear(start = 1);
  input Kind kind(start = Kind.one);
  parameter Real p(fixed = false);
  Real x, y, z(start = 1, fixed = true);
  Boolean above;
  discrete Real kept(start = 0, fixed = true);
initial equation
  x = u^2;
  p = gear*u;
equation
  above = x > 3;
  der(x) = if on then u - x else -x;
  der(z) = if above then p else -p;
  y = if kind == Kind.two then 10*u else u;
  when initial() then kept = u + gear; end when;
end Begun;";

#[test]
fn inputs_are_known_before_the_start_is_solved() {
    let values = [("u", 1.5, "1.5"), ("on", 1.0, "true"), ("gear", 3.0, "3"), ("kind", 2.0, "Kind.two")];
    for chosen in 0..16_usize {
        let chosen: Vec<_> = (0..4).filter(|at| chosen >> at & 1 == 1).map(|at| values[at]).collect();
        let written = chosen.iter().fold(BEGUN.to_string(), |text, (name, _, value)| {
            let begin = text.find(&format!(" {name}(start = ")).expect("declared") + format!(" {name}(start = ").len();
            let end = begin + text[begin..].find([',', ')']).expect("closed");
            format!("{}{value}{}", &text[..begin], &text[end..])
        });
        let inputs: Vec<(String, f64)> = chosen.iter().map(|it| (it.0.to_string(), it.1)).collect();
        let found = {
            let mut model = Analyzed::of_text(BEGUN);
            begin_inputs(model.dae_mut(), &inputs).expect("inputs");
            with_values(&model, &[], 2.0)
        };
        let expected = simulation(&written, 2.0);
        let mut runs = [expected, found];
        assert_eq!(bits(&runs[0]), bits(&runs[1]), "{inputs:?}");
        let events = runs.each_ref().map(|run| run.event().map(|event| (event.cause.clone(), event.jumps.len())));
        assert_eq!(events[0], events[1], "what inputs begin with is no event");
        runs.iter_mut().for_each(|run| assert_eq!(run.step_until(1.0), Ok(Stepped::Paused)));
        assert_eq!(bits(&runs[0]), bits(&runs[1]), "{inputs:?}");
    }
}

#[test]
fn values_that_inputs_cannot_begin_with_are_refused() {
    let mut model = Analyzed::of_text(BEGUN);
    let mut refused = |name: &str, value: f64| {
        begin_inputs(model.dae_mut(), &[(name.to_string(), value)]).expect_err("a value that is none")
    };
    assert!(refused("uu", 1.0).contains("did you mean `u`"));
    assert!(refused("x", 1.0).contains("no input `x`"));
    for (name, value) in [("u", f64::NAN), ("on", 0.5), ("gear", 1.5), ("kind", 0.0), ("kind", 4.0)] {
        assert!(refused(name, value).starts_with(&format!("`{name}`: ")));
    }
}

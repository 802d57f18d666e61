//! Integration against closed forms and published end values, and what happens where there is no way on.

use std::f64::consts::PI;

use modeshift_numerics::Pattern;
use modeshift_simulate::integrate::{EvaluationFailed, FailureReason, Integrator, Method, Ode, Problem, Settings};

const IMPLICIT: [Method; 2] = [Method::Bdf, Method::Esdirk];
const ALL: [Method; 3] = [Method::Bdf, Method::Esdirk, Method::Explicit];

/// `f` and its Jacobian, full, row by row, as functions.
struct Given<F, J> {
    size: usize,
    derivative: F,
    jacobian: J,
}

impl<F: FnMut(f64, &[f64], &mut [f64]), J: FnMut(f64, &[f64], &mut [f64])> Ode for Given<F, J> {
    fn size(&self) -> usize {
        self.size
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        (self.derivative)(time, state, derivative);
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        (self.jacobian)(time, state, entries);
        Ok(())
    }
}

fn given<F: FnMut(f64, &[f64], &mut [f64]), J: FnMut(f64, &[f64], &mut [f64])>(
    size: usize,
    derivative: F,
    jacobian: J,
) -> Given<F, J> {
    Given { size, derivative, jacobian }
}

/// The largest error, in units of `tolerance * max(|reference|, nominal)`, at 200 times and at the ends of all steps.
fn largest_error<System: Ode>(
    system: System,
    start: &[f64],
    stop: f64,
    settings: &Settings,
    exact: impl Fn(f64) -> Vec<f64>,
) -> f64 {
    let problem = Problem::new(system, settings);
    let mut integrator = problem.start(0.0, start, None).expect("a start");
    let mut worst = 0.0f64;
    let mut state = vec![0.0; start.len()];
    let mut outputs = 1;
    while integrator.time() < stop {
        let step = integrator.step(stop).expect("a step");
        let mut times = vec![step.to];
        while outputs as f64 * stop / 200.0 <= step.to {
            times.push((outputs as f64 * stop / 200.0).clamp(step.from, step.to));
            outputs += 1;
        }
        for time in times {
            integrator.interpolate(time, &mut state);
            for ((value, reference), nominal) in state.iter().zip(exact(time)).zip(&settings.nominal) {
                worst = worst.max((value - reference).abs() / (settings.tolerance * reference.abs().max(*nominal)));
            }
        }
    }
    worst
}

fn end_of<System: Ode>(system: System, start: &[f64], stop: f64, settings: &Settings) -> Vec<f64> {
    let problem = Problem::new(system, settings);
    let mut integrator = problem.start(0.0, start, None).expect("a start");
    run_to(&mut integrator, stop);
    integrator.state().to_vec()
}

fn run_to<System: Ode>(integrator: &mut Integrator<System>, stop: f64) {
    while integrator.time() < stop {
        integrator.step(stop).unwrap_or_else(|failure| panic!("{failure}"));
    }
}

fn oscillator() -> impl Ode {
    given(
        2,
        |_, x, dx| {
            dx[0] = x[1];
            dx[1] = -x[0];
        },
        |_, _, entries| entries.copy_from_slice(&[0.0, 1.0, -1.0, 0.0]),
    )
}

fn decay() -> impl Ode {
    given(1, |_, x, dx| dx[0] = -x[0], |_, _, entries| entries[0] = -1.0)
}

/// Follows `cos t` and is pulled to it at this rate (Prothero and Robinson).
fn pulled(rate: f64) -> impl Ode {
    given(1, move |t, x, dx| dx[0] = -rate * (x[0] - t.cos()) - t.sin(), move |_, _, entries| entries[0] = -rate)
}

fn van_der_pol(stiffness: f64) -> impl Ode {
    given(
        2,
        move |_, x, dx| {
            dx[0] = x[1];
            dx[1] = stiffness * ((1.0 - x[0] * x[0]) * x[1] - x[0]);
        },
        move |_, x, entries| {
            let lower = [stiffness * (-2.0 * x[0] * x[1] - 1.0), stiffness * (1.0 - x[0] * x[0])];
            entries.copy_from_slice(&[0.0, 1.0, lower[0], lower[1]]);
        },
    )
}

fn robertson() -> impl Ode {
    given(
        3,
        |_, y, dy| {
            let (slow, fast, quadratic) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
            dy.copy_from_slice(&[-slow + fast, slow - fast - quadratic, quadratic]);
        },
        |_, y, entries| {
            let (by_second, by_third, quadratic) = (1e4 * y[2], 1e4 * y[1], 6e7 * y[1]);
            entries.copy_from_slice(&[
                -0.04,
                by_second,
                by_third,
                0.04,
                -by_second - quadratic,
                -by_third,
                0.0,
                quadratic,
                0.0,
            ]);
        },
    )
}

#[test]
fn closed_forms_are_met_within_ten_tolerances() {
    for tolerance in [1e-6, 1e-9] {
        for method in ALL {
            let settings = |size| Settings::new(tolerance, size).with_method(method);
            let check = |name: &str, error: f64| {
                println!("{name:12} {method:?} {tolerance:e}: {error:.2} tolerances");
                assert!(error <= 10.0, "{name} by {method:?} at {tolerance:e}: {error} tolerances");
            };
            check("decay", largest_error(decay(), &[1.0], 5.0, &settings(1), |t| vec![(-t).exp()]));
            check("pulled", largest_error(pulled(10.0), &[1.0], 10.0, &settings(1), |t| vec![t.cos()]));
            let circle = |t: f64| vec![t.sin(), t.cos()];
            check("oscillator", largest_error(oscillator(), &[0.0, 1.0], 2.0 * PI, &settings(2), circle));
        }
        for method in IMPLICIT {
            let settings = Settings::new(tolerance, 1).with_method(method);
            let error = largest_error(pulled(1e6), &[1.0], 10.0, &settings, |t| vec![t.cos()]);
            assert!(error <= 10.0, "stiff by {method:?} at {tolerance:e}: {error} tolerances");
        }
    }
}

#[test]
fn errors_are_kept_small_where_they_show_large_later() {
    // An oscillator whose error in the small first state is a hundred times larger in the second, a quarter of a period
    // later.
    let rate = 100.0;
    let oscillator = || {
        given(
            2,
            move |_, x, dx| {
                dx[0] = x[1];
                dx[1] = -rate * rate * x[0];
            },
            move |_, _, entries| entries.copy_from_slice(&[0.0, 1.0, -rate * rate, 0.0]),
        )
    };
    for tolerance in [1e-6, 1e-9] {
        for method in ALL {
            let settings = Settings::new(tolerance, 2).with_method(method);
            let exact = |t: f64| vec![(rate * t).sin() / rate, (rate * t).cos()];
            let error = largest_error(oscillator(), &[0.0, 1.0], 2.0 * PI / rate, &settings, exact);
            assert!(error <= 10.0, "{method:?} at {tolerance:e}: {error} tolerances");
        }
    }
}

#[test]
fn published_end_values_are_met() {
    // IVP Test Set (Mazzia, Magherini, Iavernaro; University of Bari): van der Pol with 1e6 until 2, Robertson until 1e11.
    for tolerance in [1e-6, 1e-9] {
        let settings = Settings::new(tolerance, 2);
        let end = end_of(van_der_pol(1e6), &[2.0, 0.0], 2.0, &settings);
        for (value, reference) in end.iter().zip([1.706167732170483, -0.8928097010247975]) {
            let error: f64 = (value - reference).abs() / tolerance;
            assert!(error <= 10.0, "van der Pol at {tolerance:e}: {error} tolerances");
        }
    }
    let settings = Settings::new(1e-9, 3).with_nominal(vec![1e-8, 1e-13, 1.0]);
    let end = end_of(robertson(), &[1.0, 0.0, 0.0], 1e11, &settings);
    let reference = [2.083340149701255e-8, 8.333360770334713e-14, 0.999999979166505];
    for ((value, reference), nominal) in end.iter().zip(reference).zip(&settings.nominal) {
        let error: f64 = (value - reference).abs() / (1e-9 * reference.abs().max(*nominal));
        assert!(error <= 10.0, "Robertson: {error} tolerances");
    }
}

#[test]
fn errors_shrink_with_the_tolerance() {
    for method in ALL {
        let error = |tolerance| {
            let settings = Settings::new(tolerance, 2).with_method(method);
            let exact = |t: f64| vec![t.sin(), t.cos()];
            largest_error(oscillator(), &[0.0, 1.0], 2.0 * PI, &settings, exact) * tolerance
        };
        let (coarse, fine) = (error(1e-4), error(1e-8));
        assert!(fine < 1e-2 * coarse, "{method:?}: {coarse:e} to {fine:e}");
    }
}

/// A system whose errors show a hundred times larger than in its states.
struct Shown<System>(System);

impl<System: Ode> Ode for Shown<System> {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        self.0.derivative(time, state, derivative)
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        self.0.jacobian_pattern()
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        self.0.jacobian(time, state, entries)
    }

    fn shown_error(&mut self, _: f64, _: &[f64], error: &[f64]) -> f64 {
        100.0 * error.iter().fold(0.0, |largest: f64, error| largest.max(error.abs()))
    }
}

#[test]
fn values_inside_steps_of_what_is_not_stiff_cost_no_jacobians() {
    let problem = Problem::new(Shown(oscillator()), &Settings::new(1e-6, 2));
    let mut integrator = problem.start(0.0, &[1.0, 0.0], None).expect("a start");
    let mut state = [0.0; 2];
    while integrator.time() < 20.0 {
        let step = integrator.step(20.0).expect("a step");
        integrator.interpolate(0.5 * (step.from + step.to), &mut state);
    }
    let statistics = integrator.statistics();
    assert!(statistics.steps > 100 && 10 * statistics.jacobians < statistics.steps, "{statistics:?}");
}

#[test]
fn steps_end_exactly_at_the_limit_and_never_beyond() {
    for method in ALL {
        let mut latest = 0.0f64;
        let watched = given(
            1,
            |t, x, dx| {
                latest = latest.max(t);
                dx[0] = -x[0];
            },
            |_, _, entries| entries[0] = -1.0,
        );
        let problem = Problem::new(watched, &Settings::new(1e-6, 1).with_method(method));
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        for limit in [0.1, 0.1 + 1e-9, 1.0 / 3.0, 1.0] {
            while integrator.time() < limit {
                let step = integrator.step(limit).expect("a step");
                assert!(step.from < step.to && step.to <= limit);
            }
            assert_eq!(integrator.time(), limit);
            let mut state = [0.0];
            integrator.interpolate(limit, &mut state);
            assert!((state[0] - (-limit).exp()).abs() < 1e-5);
        }
        drop(integrator);
        drop(problem);
        assert!(latest <= 1.0 + 1e-13, "{method:?} looked at {latest}");
    }
}

#[test]
fn no_step_is_longer_than_allowed() {
    for method in ALL {
        let settings = Settings { longest_step: 0.01, ..Settings::new(1e-3, 1).with_method(method) };
        let problem = Problem::new(decay(), &settings);
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        while integrator.time() < 1.0 {
            let step = integrator.step(1.0).expect("a step");
            assert!(step.to - step.from <= 0.01 * (1.0 + 1e-12));
        }
        assert!(integrator.statistics().steps < 250, "{method:?}: {:?}", integrator.statistics());
    }
}

/// `x' = -rate`, defined for `x >= floor` only.
struct Guarded {
    rate: f64,
    floor: f64,
}

impl Ode for Guarded {
    fn size(&self) -> usize {
        1
    }

    fn derivative(&mut self, _time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        if state[0] < self.floor {
            return Err(EvaluationFailed::with_details("below the floor", state[0]));
        }
        derivative[0] = -self.rate * (state[0] - self.floor).sqrt();
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, _time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        entries[0] = -0.5 * self.rate / (state[0] - self.floor).sqrt();
        Ok(())
    }
}

#[test]
fn evaluations_that_fail_shorten_the_step() {
    // x = (1 - t/2)², defined to its end at t = 2; a step that looks beyond fails and is repeated.
    for method in ALL {
        let settings = Settings::new(1e-6, 1).with_method(method);
        let problem = Problem::new(Guarded { rate: 1.0, floor: 0.0 }, &settings);
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        run_to(&mut integrator, 1.99);
        assert!((integrator.state()[0] - (1.0f64 - 1.99 / 2.0).powi(2)).abs() < 1e-5, "{method:?}");
    }
}

#[test]
fn a_wall_is_reported_with_time_state_and_the_evaluation() {
    for method in ALL {
        let falling = Walled;
        let problem = Problem::new(falling, &Settings::new(1e-6, 1).with_method(method));
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        let failure = loop {
            match integrator.step(2.0) {
                Ok(step) => assert!(step.to <= 1.0 + 1e-9),
                Err(failure) => break failure,
            }
        };
        assert_eq!(failure.reason, FailureReason::StepTooShort, "{method:?}");
        assert!((failure.time - 1.0).abs() < 1e-6 && failure.state[0].abs() < 1e-6, "{method:?}: {failure:?}");
        let evaluation = failure.evaluation.as_ref().expect("what failed");
        assert_eq!(evaluation.message, "through the wall");
        assert!(evaluation.details.as_ref().is_some_and(|details| details.is::<f64>()));
        assert!(failure.to_string().starts_with("no step succeeds at time "), "{failure}");
    }
}

/// `x' = -1`, defined for `x >= 0` only.
struct Walled;

impl Ode for Walled {
    fn size(&self) -> usize {
        1
    }

    fn derivative(&mut self, _time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        derivative[0] = -1.0;
        match state[0] < 0.0 {
            true => Err(EvaluationFailed::with_details("through the wall", state[0])),
            false => Ok(()),
        }
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, _time: f64, _state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        entries[0] = 0.0;
        Ok(())
    }
}

#[test]
fn what_is_not_a_number_is_never_accepted() {
    for method in ALL {
        let logarithm = given(1, |_, x, dx| dx[0] = -1.0 + 0.0 * x[0].ln(), |_, x, entries| entries[0] = 0.0 / x[0]);
        let problem = Problem::new(logarithm, &Settings::new(1e-6, 1).with_method(method));
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        let failure = loop {
            match integrator.step(2.0) {
                Ok(_) => assert!(integrator.state()[0].is_finite()),
                Err(failure) => break failure,
            }
        };
        assert!((failure.time - 1.0).abs() < 1e-6, "{method:?}: {failure}");
        assert!(failure.evaluation.is_some());
    }
}

#[test]
fn a_start_without_derivatives_is_a_failure() {
    let problem = Problem::new(Walled, &Settings::new(1e-6, 1));
    let failure = problem.start(3.0, &[-1.0], None).err().expect("no start");
    assert_eq!((failure.reason, failure.time), (FailureReason::NoDerivative, 3.0));
    assert_eq!(failure.to_string(), "no derivatives at time 3: through the wall");
}

#[test]
fn solutions_that_end_in_infinity_are_followed_to_their_end() {
    // x' = x² from 1 is 1/(1 - t).
    for method in ALL {
        let square = given(1, |_, x, dx| dx[0] = x[0] * x[0], |_, x, entries| entries[0] = 2.0 * x[0]);
        let problem = Problem::new(square, &Settings::new(1e-6, 1).with_method(method));
        let mut integrator = problem.start(0.0, &[1.0], None).expect("a start");
        let failure = loop {
            if let Err(failure) = integrator.step(2.0) {
                break failure;
            }
        };
        assert!((failure.time - 1.0).abs() < 1e-3, "{method:?}: {failure}");
        assert!(failure.state[0].is_finite());
    }
}

#[test]
fn a_state_that_is_zero_but_for_rounding_has_a_first_step() {
    // As a speed where friction reverses: what is left of it is no measure of time.
    for method in ALL {
        for tolerance in [1e-6, 1e-8, 1e-10, 1e-12] {
            for start in [0.0, 1e-18, -4e-16, 1e-15, -3e-14, 1e-12, 1e-9] {
                let system = given(1, |t, _, dx| dx[0] = 2.0 * t.sin() + 1.0, |_, _, entries| entries[0] = 0.0);
                let problem = Problem::new(system, &Settings::new(tolerance, 1).with_method(method));
                let (from, to) = (3.8f64, 4.3f64);
                let mut integrator = problem.start(from, &[start], None).expect("a start");
                run_to(&mut integrator, to);
                let expected = start + 2.0 * (from.cos() - to.cos()) + to - from;
                let error = (integrator.state()[0] - expected).abs() / tolerance;
                assert!(error < 10.0, "{method:?}, {tolerance:e} from {start:e}: {error} tolerances");
                let steps = integrator.statistics().steps;
                assert!(steps < 2000, "{method:?}, {tolerance:e} from {start:e}: {steps} steps");
            }
        }
    }
}

/// Each link of a chain begins to move with one more power of the time than the one before, and powers tell no time.
#[test]
fn what_begins_to_move_from_rest_behind_others_has_a_first_step_of_its_own_time() {
    for method in ALL {
        let derivative = |t: f64, x: &[f64], dx: &mut [f64]| {
            for (link, place) in dx.iter_mut().enumerate() {
                let before = if link == 0 { (314.0 * t).sin() } else { x[link - 1] };
                *place = (before - x[link]) / 1e-3;
            }
        };
        let jacobian = |_: f64, _: &[f64], entries: &mut [f64]| {
            entries.fill(0.0);
            (0..8).for_each(|link| entries[9 * link] = -1e3);
            (1..8).for_each(|link| entries[9 * link - 1] = 1e3);
        };
        let problem = Problem::new(given(8, derivative, jacobian), &Settings::new(1e-6, 8).with_method(method));
        let mut integrator = problem.start(0.0, &[0.0; 8], None).expect("a start");
        let first = integrator.step(0.02).expect("a step").to;
        assert!((1e-12..1e-3).contains(&first), "{method:?}: {first:e}");
    }
}

#[test]
fn too_many_steps_are_a_failure() {
    let settings = Settings { most_steps: 10, ..Settings::new(1e-9, 2) };
    let problem = Problem::new(oscillator(), &settings);
    let mut integrator = problem.start(0.0, &[0.0, 1.0], None).expect("a start");
    let failure = (0..).find_map(|_| integrator.step(10.0).err()).expect("a failure");
    assert_eq!(failure.reason, FailureReason::TooManySteps);
    assert!(failure.time > 0.0 && failure.state.len() == 2);
    assert_eq!(integrator.statistics().steps, 10);
}

#[test]
fn without_states_the_limit_is_reached_at_once() {
    let problem = Problem::new(given(0, |_, _, _| (), |_, _, _| ()), &Settings::new(1e-6, 0));
    let mut integrator = problem.start(1.0, &[], None).expect("a start");
    let step = integrator.step(5.0).expect("a step");
    assert_eq!((step.from, step.to), (1.0, 5.0));
    integrator.interpolate(3.0, &mut []);
    assert_eq!(integrator.state(), &[] as &[f64]);
}

#[test]
fn the_same_run_gives_the_same_bits() {
    for method in ALL {
        let run = || end_of(van_der_pol(10.0), &[2.0, 0.0], 5.0, &Settings::new(1e-7, 2).with_method(method));
        let bits = |state: Vec<f64>| state.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(run()), bits(run()));
    }
}

#[test]
fn a_problem_is_started_as_often_as_wanted() {
    let problem = Problem::new(oscillator(), &Settings::new(1e-8, 2));
    for start in 0..5 {
        let angle = f64::from(start);
        let mut integrator = problem.start(angle, &[angle.sin(), angle.cos()], None).expect("a start");
        run_to(&mut integrator, angle + 1.0);
        assert!((integrator.state()[0] - (angle + 1.0).sin()).abs() < 1e-7);
        let mut derivative = [0.0; 2];
        problem.system().derivative(0.0, &[1.0, 2.0], &mut derivative).expect("defined");
        assert_eq!(derivative, [2.0, -1.0]);
    }
}

/// Heat conduction with a source along a rod, of which the Jacobian has three diagonals; full on request.
struct Rod {
    size: usize,
    pattern: Option<Pattern>,
}

impl Rod {
    fn new(size: usize, sparse: bool) -> Self {
        let row = |row: usize| row.saturating_sub(1) as u32..(row + 2).min(size) as u32;
        Rod { size, pattern: sparse.then(|| Pattern::from_rows(size, (0..size).map(row))) }
    }
}

impl Ode for Rod {
    fn size(&self) -> usize {
        self.size
    }

    fn derivative(&mut self, _time: f64, x: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        let scale = (self.size * self.size) as f64;
        for (row, place) in derivative.iter_mut().enumerate() {
            let left = if row == 0 { 1.0 } else { x[row - 1] };
            let right = if row + 1 == self.size { 0.0 } else { x[row + 1] };
            *place = scale * (left - 2.0 * x[row] + right) + x[row] * (1.0 - x[row]);
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn jacobian(&mut self, _time: f64, x: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let scale = (self.size * self.size) as f64;
        entries.fill(0.0);
        let mut next = 0;
        for (row, value) in x.iter().enumerate() {
            for column in row.saturating_sub(1)..(row + 2).min(self.size) {
                let place = if self.pattern.is_some() { next } else { row * self.size + column };
                entries[place] = if column == row { -2.0 * scale + 1.0 - 2.0 * value } else { scale };
                next += 1;
            }
        }
        Ok(())
    }
}

#[test]
fn sparse_and_full_matrices_give_the_same_solution() {
    for method in IMPLICIT {
        let settings = Settings::new(1e-8, 60).with_method(method);
        let full = end_of(Rod::new(60, false), &[0.0; 60], 0.1, &settings);
        let sparse = end_of(Rod::new(60, true), &[0.0; 60], 0.1, &settings);
        for (full, sparse) in full.iter().zip(&sparse) {
            assert!((full - sparse).abs() <= 1e-8, "{method:?}: {full} and {sparse}");
        }
    }
}

#[test]
fn decoupled_and_resting_states_are_no_trouble() {
    // Rows without entries, on the diagonal neither: resting states among many.
    struct Resting(Pattern);
    impl Ode for Resting {
        fn size(&self) -> usize {
            100
        }
        fn derivative(&mut self, _time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
            derivative.fill(0.0);
            derivative[7] = -state[7];
            Ok(())
        }
        fn jacobian_pattern(&self) -> Option<&Pattern> {
            Some(&self.0)
        }
        fn jacobian(&mut self, _time: f64, _state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
            entries[0] = -1.0;
            Ok(())
        }
    }
    let pattern = Pattern::from_rows(100, (0..100u32).map(|row| (row == 7).then_some(7)));
    for method in ALL {
        let settings = Settings::new(1e-6, 100).with_method(method);
        let end = end_of(Resting(pattern.clone()), &[1.0; 100], 2.0, &settings);
        assert!((end[7] - (-2.0f64).exp()).abs() < 1e-5);
        assert_eq!(end[8], 1.0);
    }
}

/// The orders of the method at work at the beginnings and ends of integrations one after the other, each from the same start.
fn orders<System: Ode>(problem: &Problem<System>, start: &[f64], lengths: &[f64]) -> Vec<usize> {
    let mut orders = Vec::new();
    for &length in lengths {
        let mut integrator = problem.start(0.0, start, None).expect("a start");
        orders.push(integrator.order());
        run_to(&mut integrator, length);
        orders.push(integrator.order());
    }
    orders
}

#[test]
fn integrations_that_are_over_soon_are_explicit_and_long_or_stiff_ones_are_not() {
    const EXPLICIT: usize = 5;
    let settings = || Settings { method: Method::Auto, ..Settings::new(1e-6, 2) };
    let found = orders(&Problem::new(van_der_pol(1.0), &settings()), &[2.0, 0.0], &[1.0, 1.0, 200.0, 1.0]);
    // The first one knows nothing; the third one turns out to be long, and so the fourth one is expected to be.
    assert_eq!((found[0], found[2], found[3], found[4], found[6]), (1, EXPLICIT, EXPLICIT, EXPLICIT, 1), "{found:?}");
    let found = orders(&Problem::new(van_der_pol(1e4), &settings()), &[2.0, 0.0], &[1.0, 1.0]);
    assert_eq!(found[2], 1, "{found:?}");
    // What turned out to be long is as exact as ever.
    let problem = Problem::new(oscillator(), &settings());
    orders(&problem, &[1.0, 0.0], &[1.0]);
    let mut integrator = problem.start(0.0, &[1.0, 0.0], None).expect("a start");
    assert_eq!(integrator.order(), EXPLICIT);
    run_to(&mut integrator, 20.0 * PI);
    assert!((integrator.state()[0] - 1.0).abs() < 1e-4, "{:?}", integrator.state());
}

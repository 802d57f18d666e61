//! An integration of a problem from one point on.

use super::amplification::{LOOKED_AT, Recent};
use super::brief::MOST_STEPS;
use super::evaluations::in_bounds;
use super::methods::{Advance, NoStep};
use super::newton_matrix::{NewtonMatrix, fastest};
use super::problem::Problem;
use super::sizes::Sizes;
use super::sizes::precursors;
use super::{EvaluationFailed, FailureReason, IntegrationFailure, Ode};

/// An evaluation that failed on the way to one of so many last steps may be why there is no further one.
const RECENT: usize = 20;
/// After so many steps it is looked whether errors are amplified.
const INTERVAL: usize = 25;

/// The share of a step in which a fast state is on its way back: short beside what slow ones do, long beside what is stiff.
const SHARE: f64 = 0.1;
/// The slope of an interpolation is that of a difference over this share of the step: exact to a part of it, and clear of rounding.
const SLOPE_SHARE: f64 = 1e-3;
/// What goes back in less than this share of such a step, by itself, is stiff.
const STIFF: f64 = 10.0;
/// What was not stiff by a factor of ten in the Jacobian that a step was made with is not stiff in it: corrections do not converge
/// with a Jacobian that is wrong by more.
const CLEARLY_NOT: f64 = 0.1;
/// So many short implicit steps: each leaves of the error of a stiff state as little as the share of a step is times its rate.
const ROUNDS: usize = 3;

/// A step that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Where it began.
    pub from: f64,
    /// Where it ended.
    pub to: f64,
}

/// What an integration cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Steps made.
    pub steps: usize,
    /// Steps refused because of their error.
    pub errors_too_large: usize,
    /// Attempts at which the Newton iteration did not converge.
    pub not_converged: usize,
    /// Evaluations of `f`, of all integrations of the problem.
    pub derivatives: usize,
    /// Evaluations of the Jacobian, of all integrations of the problem.
    pub jacobians: usize,
}

/// An integration from one point on.
pub struct Integrator<'problem, System: Ode> {
    problem: &'problem Problem<System>,
    advance: Box<dyn Advance + 'problem>,
    /// Where it began.
    begin: f64,
    from: f64,
    to: f64,
    /// The length of the last step; zero before the first.
    last_length: f64,
    step_count: usize,
    /// The last states, and what they say of the errors of steps.
    recent: Recent,
    /// The last evaluation that failed and yet let the integration go on, and the number of steps then.
    overcome: Option<(EvaluationFailed, usize)>,
    /// The matrix of interpolations, where the system is stiff, and the step that it is for.
    interpolation: Option<(Option<NewtonMatrix>, Step)>,
}

impl<'problem, System: Ode> Integrator<'problem, System> {
    pub(super) fn new(
        problem: &'problem Problem<System>,
        advance: Box<dyn Advance + 'problem>,
        time: f64,
        state: &[f64],
    ) -> Self {
        let recent = Recent::new(time, state);
        Integrator {
            problem,
            advance,
            begin: time,
            from: time,
            to: time,
            last_length: 0.0,
            step_count: 0,
            recent,
            overcome: None,
            interpolation: None,
        }
    }

    /// One step, not beyond `limit`, which is not behind. A step that comes as near to it as can be computed ends there.
    pub fn step(&mut self, limit: f64) -> Result<Step, IntegrationFailure> {
        assert!(limit >= self.to, "an integration goes forward");
        self.from = self.to;
        if self.is_at(limit) {
            self.to = limit;
            return Ok(self.last_step());
        }
        if self.step_count >= self.problem.settings().most_steps {
            return Err(self.failure(FailureReason::TooManySteps));
        }
        if self.advance.exact_pace().is_none() {
            self.adapt(limit)?;
        }
        self.advance(limit).map_err(|_| self.failure(FailureReason::StepTooShort))?;
        if !in_bounds(self.advance.state()) {
            return Err(self.failure(FailureReason::NotFinite));
        }
        self.step_count += 1;
        self.last_length = self.advance.time() - self.from;
        if let Some(failed) = self.problem.take_failure() {
            self.overcome = Some((failed, self.step_count));
        }
        self.to = if self.is_at(limit) { limit } else { self.advance.time() };
        self.problem.choice.follow(self.to - self.begin);
        if self.is_looked_at() && self.advance.exact_pace().is_none() && !self.problem.is_at_last_level() {
            self.recent.add(self.to, self.advance.state());
        }
        Ok(self.last_step())
    }

    /// Whether the step made last is one of those that are looked at next: errors are found from the last states before.
    fn is_looked_at(&self) -> bool {
        (self.step_count + LOOKED_AT - 1) % INTERVAL < LOOKED_AT
    }

    fn advance(&mut self, limit: f64) -> Result<(), NoStep> {
        let longest_end = self.advance.time() + self.problem.settings().longest_step;
        self.advance.advance(limit.min(longest_end))?;
        self.look_at_growth();
        Ok(())
    }

    /// Finds the states that grow towards what others are, when it is time for that.
    fn look_at_growth(&mut self) {
        let sizes = self.advance.sizes();
        if sizes.is_growth_due() && self.advance.exact_pace().is_none() {
            let found = match precursors::may_be(sizes) {
                true => self.problem.precursors((self.advance.time(), self.advance.state()), sizes),
                false => Vec::new(),
            };
            self.advance.sizes_mut().follow_others(found);
        }
    }

    /// Goes on with smaller tolerances where errors turn out to be amplified. Of a problem that is new, the first steps
    /// are made twice for that.
    fn adapt(&mut self, limit: f64) -> Result<(), IntegrationFailure> {
        if !self.problem.is_known() {
            let (time, state, sizes) = (self.to, self.advance.state().to_vec(), self.advance.sizes().clone());
            let mut trial = self.recent.clone();
            while !trial.is_full() && self.advance.time() < limit && self.advance(limit).is_ok() {
                trial.add(self.advance.time(), self.advance.state());
            }
            self.problem.learn(&trial, self.advance.sizes());
            self.problem.take_failure();
            self.advance = self.problem.begin(time, &state, Some(&sizes), None)?;
            return Ok(());
        }
        if self.step_count >= MOST_STEPS && self.problem.choice.is_explicit() {
            self.problem.choice.go_on();
            let (state, sizes) = (self.advance.state().to_vec(), self.advance.sizes().clone());
            self.advance = self.problem.begin(self.to, &state, Some(&sizes), None)?;
        }
        let is_due =
            self.step_count.is_multiple_of(INTERVAL) && self.recent.is_full() && !self.problem.is_at_last_level();
        if is_due && self.problem.learn(&self.recent, self.advance.sizes()) {
            self.advance.tighten(self.problem.present_tolerance());
        }
        Ok(())
    }

    /// The step made last.
    pub fn last_step(&self) -> Step {
        Step { from: self.from, to: self.to }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.to
    }

    /// The states there.
    pub fn state(&self) -> &[f64] {
        self.advance.state()
    }

    /// The states at a time inside the last step.
    pub fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        assert!(self.from <= time && time <= self.to, "the time is inside the last step");
        if time == self.to {
            state.copy_from_slice(self.advance.state());
        } else {
            self.advance.interpolate(time.min(self.advance.time()), state);
            if self.problem.is_amplified() && self.advance.exact_pace().is_none() {
                self.correct(time, state);
            }
        }
    }

    /// Whether the system is stiff in steps of this length from here on, which may be longer than those after an event are, and errors
    /// show many times larger than in the states. Of what is solved exactly, no errors are damped: there are none.
    pub fn is_stiff_in_steps_of(&self, length: f64) -> bool {
        if self.advance.exact_pace().is_some() {
            return false;
        }
        let is_stiff = || self.matrix_if_stiff(self.to, self.advance.state(), SHARE * length).is_some();
        self.problem.is_amplified() && is_stiff()
    }

    /// Takes interpolated states to where the system leads those that are fast. At the ends of a step the error of a fast state is far
    /// below the tolerance, since it follows the slow ones; a polynomial in between has all of it, and what shows it many
    /// times larger, as the current through a tiny resistance, would be nothing but that. So the states there are those whose
    /// slopes are the slopes of the polynomial, after short implicit steps towards them.
    fn correct(&mut self, time: f64, state: &mut [f64]) {
        let step = self.last_step();
        let length = step.to - step.from;
        let (share, distance) = (SHARE * length, SLOPE_SHARE * length);
        if self.interpolation.as_ref().is_none_or(|(_, known)| *known != step) {
            let is_clearly_not = self.advance.fastest_rate().is_some_and(|rate| share * rate < CLEARLY_NOT * STIFF);
            let matrix = if is_clearly_not { None } else { self.stiff_matrix(time, state, share) };
            self.interpolation = Some((matrix, step));
        }
        let Some((Some(matrix), _)) = &mut self.interpolation else { return };
        let (before, after) = ((time - distance).max(step.from), (time + distance).min(self.advance.time()));
        let (mut slope, mut change) = (vec![0.0; state.len()], vec![0.0; state.len()]);
        self.advance.interpolate(before, &mut change);
        self.advance.interpolate(after, &mut slope);
        slope.iter_mut().zip(&change).for_each(|(slope, low)| *slope = (*slope - low) / (after - before));
        let evaluations = self.problem.evaluations();
        let mut corrected = state.to_vec();
        for _ in 0..ROUNDS {
            if !evaluations.derivative(time, &corrected, &mut change) {
                // The states as they are serve to find out where values end.
                evaluations.take_failure();
                return;
            }
            change.iter_mut().zip(&slope).for_each(|(change, slope)| *change = share * (*change - slope));
            matrix.solve(&mut change);
            corrected.iter_mut().zip(&change).for_each(|(value, change)| *value += change);
        }
        if in_bounds(&corrected) {
            state.copy_from_slice(&corrected);
        }
    }

    /// The matrix of implicit steps of this length, where the system is stiff on their scale, with its factors.
    fn stiff_matrix(&self, time: f64, state: &[f64], share: f64) -> Option<NewtonMatrix> {
        let mut matrix = self.matrix_if_stiff(time, state, share)?;
        matrix.factor(share);
        Some(matrix)
    }

    /// The same without factors: it shows in its diagonal whether the system is stiff. Where it is not, no matrix is made.
    fn matrix_if_stiff(&self, time: f64, state: &[f64], share: f64) -> Option<NewtonMatrix> {
        let evaluations = self.problem.evaluations();
        let mut found = None;
        evaluations.newton_jacobian(time, state, |entries| {
            let system = evaluations.system();
            let pattern = system.jacobian_pattern();
            if fastest(pattern, state.len(), entries, share) >= STIFF {
                let mut matrix = NewtonMatrix::new(state.len(), pattern);
                matrix.set_jacobian(entries);
                matrix.set_values(share);
                found = Some(matrix);
            }
        });
        found
    }

    /// The sizes of the states, as the solution has shown them so far.
    pub fn sizes(&self) -> &Sizes {
        self.advance.sizes()
    }

    /// Tells what rounding makes of slopes.
    pub fn set_slope_noise(&mut self, state: usize, noise: f64) {
        self.advance.sizes_mut().slope_noise[state] = noise;
    }

    /// Tells what rounding makes of a state in a step.
    pub fn set_rounding(&mut self, state: usize, rounding: f64) {
        self.advance.sizes_mut().rounding[state] = rounding;
    }

    /// The rate with which each state goes back, or on, by itself, here.
    pub fn own_rates(&self) -> Vec<f64> {
        self.problem.own_rates(self.advance.time(), self.advance.state())
    }

    /// The length that the next step would have.
    pub fn step_length(&self) -> f64 {
        self.advance.next_step().0
    }

    /// Where values inside steps are exact, however long these are: a time in which the solution changes little.
    pub fn exact_pace(&self) -> Option<f64> {
        self.advance.exact_pace()
    }

    /// Of a step that is exact, this part was taken: what is beyond is no part of the solution.
    pub fn follow_until(&mut self, from: f64, until: f64) {
        self.advance.follow_until(from, until);
    }

    /// The order of the method now.
    pub fn order(&self) -> usize {
        self.advance.next_step().1
    }

    /// What it cost so far.
    pub fn statistics(&self) -> Statistics {
        let (derivatives, jacobians) = self.problem.counts();
        let (errors_too_large, not_converged) = self.advance.refusals();
        Statistics { steps: self.step_count, errors_too_large, not_converged, derivatives, jacobians }
    }

    /// As near as times can be told apart after steps like the last one.
    fn is_at(&self, limit: f64) -> bool {
        let time = self.advance.time();
        (limit - time).abs() <= 100.0 * f64::EPSILON * (time.abs() + self.last_length)
    }

    fn failure(&mut self, reason: FailureReason) -> IntegrationFailure {
        let recent = self.overcome.take().filter(|(_, step)| step + RECENT > self.step_count);
        IntegrationFailure {
            reason,
            time: self.to,
            state: self.advance.state().to_vec(),
            step: self.step_length(),
            evaluation: self.problem.take_failure().or(recent.map(|(failed, _)| failed)),
        }
    }
}

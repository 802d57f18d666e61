//! Runge–Kutta methods at work: a step looks at slopes in several stages, and nothing but the step before is behind it.
//!
//! What the methods share is here: the length of steps, their error as the difference from the embedded method, and the
//! polynomial of the last step, which gives the values inside it and leads ahead into the next one. How slopes are found
//! is a method's own ([`Stages`]): by formulas (`explicit`) or by Newton's iteration (`esdirk`). Everything is in place: the
//! last step and the next one are two sets of vectors that change their parts when a step is taken.

use super::Ode;
use super::evaluations::Evaluations;
use super::methods::{Advance, NoStep, Start, shortest_step};
use super::sizes::{LEAST, Sizes, Weights};
use super::tableau::Tableau;

/// Steps are made this much shorter than their errors allow: longer ones would be refused too often.
const SAFETY: f64 = 0.85;
/// Lengths grow by at most this: the error of a short step says little of a much longer one.
const MOST_GROWTH: f64 = 5.0;
/// Lengths shrink by at most this where an error is too large.
const MOST_SHRINK: f64 = 0.2;
/// And by this where slopes have no values or the iteration for them does not converge.
const NO_SLOPES_SHRINK: f64 = 0.25;

/// Errors of values inside steps are of this power of the length: they have order 4.
const INSIDE_POWER: i32 = 5;

/// How the slopes of a step are found.
pub(super) trait Stages<const STAGES: usize> {
    /// The coefficients.
    const TABLEAU: &'static Tableau<STAGES>;

    /// Finds the slopes of a step, of which the first is there, and the state at its end; whether there are any.
    fn find<System: Ode>(&mut self, evaluations: &Evaluations<System>, attempt: Attempt<'_>, weights: &Allowed)
    -> bool;

    /// How much the length may change, where this is what the error allows.
    fn worthwhile(factor: f64) -> f64 {
        factor
    }

    /// The error inside a step that was found, in units of the error allowed.
    fn error_inside(&mut self, _step: &Span, _allowed: &Allowed) -> f64 {
        0.0
    }

    /// A step was taken.
    fn count_step(&mut self) {}
}

/// A step: where it begins, and the slopes of its stages.
pub(super) struct Span {
    pub from: f64,
    pub length: f64,
    /// Where it begins.
    pub state: Vec<f64>,
    /// One after the other.
    pub slopes: Vec<f64>,
}

impl Span {
    fn new(size: usize, stages: usize) -> Self {
        Span { from: 0.0, length: 0.0, state: vec![0.0; size], slopes: vec![0.0; stages * size] }
    }

    pub(super) fn slope(&self, stage: usize) -> &[f64] {
        &self.slopes[stage * self.state.len()..][..self.state.len()]
    }

    pub(super) fn slope_mut(&mut self, stage: usize) -> &mut [f64] {
        let size = self.state.len();
        &mut self.slopes[stage * size..][..size]
    }

    /// The state that shares of the slopes lead to.
    pub(super) fn lead(&self, shares: &[f64], state: &mut [f64]) {
        state.copy_from_slice(&self.state);
        self.add(shares, state);
    }

    /// Adds shares of the slopes, times the length.
    pub(super) fn add(&self, shares: &[f64], place: &mut [f64]) {
        for (stage, &share) in shares.iter().enumerate() {
            if share != 0.0 {
                let factor = self.length * share;
                place.iter_mut().zip(self.slope(stage)).for_each(|(place, slope)| *place += factor * slope);
            }
        }
    }

    /// The share of the step at a time.
    fn share(&self, time: f64) -> f64 {
        (time - self.from) / self.length
    }

    /// The share of the step that is so much time after its end. From lengths alone: of short steps late in a run, times are
    /// too coarse to tell the shares.
    pub(super) fn share_ahead(&self, time: f64) -> f64 {
        1.0 + time / self.length
    }
}

/// A step to be found.
pub(super) struct Attempt<'run> {
    /// The step before, if there is one, and this one.
    pub last: Option<&'run Span>,
    pub step: &'run mut Span,
    /// When it ends, and with which state.
    pub end: f64,
    pub state: &'run mut [f64],
}

impl Attempt<'_> {
    /// The time of a stage; the end itself, not what rounding makes of it.
    pub(super) fn time(&self, share: f64) -> f64 {
        if share == 1.0 { self.end } else { self.step.from + share * self.step.length }
    }
}

/// The errors allowed in a step.
pub(super) struct Allowed {
    pub relative: f64,
    /// One by the error allowed in each state.
    pub inverse: Vec<f64>,
}

impl Allowed {
    /// The root mean square in units of the error allowed.
    pub(super) fn norm(&self, vector: &[f64]) -> f64 {
        let shares = vector.iter().zip(&self.inverse).map(|(value, inverse)| value * inverse);
        (shares.map(|share| share * share).sum::<f64>() / vector.len() as f64).sqrt()
    }
}

/// A method at work.
pub(super) struct RungeKutta<'problem, System, Method, const STAGES: usize> {
    evaluations: &'problem Evaluations<System>,
    method: Method,
    weights: Weights,
    allowed: Allowed,
    time: f64,
    state: Vec<f64>,
    /// The length that the next step is to have.
    planned: f64,
    last: Span,
    next: Span,
    /// Whether there is a last step; without one, only its last slope is the first of the next.
    has_last: bool,
    /// The state at the end of the step that is found, and the difference from the embedded method there.
    scratch: Vec<f64>,
    difference: Vec<f64>,
    errors_too_large: usize,
    not_converged: usize,
}

impl<'problem, System: Ode, Method: Stages<STAGES>, const STAGES: usize> RungeKutta<'problem, System, Method, STAGES> {
    pub(super) fn new(evaluations: &'problem Evaluations<System>, method: Method, start: &Start) -> Self {
        let size = evaluations.size;
        let mut last = Span::new(size, STAGES);
        last.slope_mut(STAGES - 1).copy_from_slice(start.derivative);
        RungeKutta {
            evaluations,
            method,
            weights: start.weights.clone(),
            allowed: Allowed { relative: start.weights.relative, inverse: vec![0.0; size] },
            time: start.time,
            state: start.state.to_vec(),
            planned: start.step,
            last,
            next: Span::new(size, STAGES),
            has_last: false,
            scratch: vec![0.0; size],
            difference: vec![0.0; size],
            errors_too_large: 0,
            not_converged: 0,
        }
    }

    /// The length of the next step, and whether it ends at `stop`: not beyond, nor so near that nothing were left.
    fn length(&self, stop: f64) -> (f64, bool) {
        let ends = self.time + self.planned * (1.0 + 1e-9) >= stop;
        (if ends { stop - self.time } else { self.planned }, ends)
    }

    /// The next step begins where the last one ended.
    fn begin(&mut self) {
        self.next.from = self.time;
        self.next.state.copy_from_slice(&self.state);
        self.next.slope_mut(0).copy_from_slice(self.last.slope(STAGES - 1));
        self.allowed.relative = self.weights.relative;
        let (weights, state) = (&self.weights, &self.state);
        let changes = self.difference.iter_mut().zip(self.next.slope(0));
        changes.for_each(|(change, slope)| *change = self.planned * slope);
        weights.set_inverse(&mut self.allowed.inverse, (self.time, self.planned), state, &self.difference);
    }

    /// Finds the slopes of the next step and the state at its end, which is then in `scratch`; whether there are any.
    fn find(&mut self, end: f64) -> bool {
        let (last, step) = (self.has_last.then_some(&self.last), &mut self.next);
        let attempt = Attempt { last, step, end, state: &mut self.scratch };
        self.method.find(self.evaluations, attempt, &self.allowed)
    }

    /// Whether a state that has no size begins to move in the step.
    fn begins(&self) -> bool {
        self.allowed.inverse.iter().zip(&self.scratch).any(|(&inverse, &end)| inverse == 0.0 && end.abs() > LEAST)
    }

    /// By how much the error of the step allows longer ones; nothing where it is too large.
    fn judge(&mut self) -> Result<f64, f64> {
        self.difference.fill(0.0);
        self.next.add(&Method::TABLEAU.error, &mut self.difference);
        let mut error = self.allowed.norm(&self.difference);
        if self.begins() {
            error = error.max(self.weights.beginning(self.time, self.next.length));
        }
        let at_end = Judged::of(error, Method::TABLEAU.power);
        let inside = Judged::of(self.method.error_inside(&self.next, &self.allowed), INSIDE_POWER);
        let factor = at_end.factor.min(inside.factor);
        if at_end.is_small && inside.is_small { Ok(factor.min(MOST_GROWTH)) } else { Err(factor.max(MOST_SHRINK)) }
    }

    /// Takes the step that was found.
    fn accept(&mut self, end: f64) {
        std::mem::swap(&mut self.last, &mut self.next);
        std::mem::swap(&mut self.state, &mut self.scratch);
        self.has_last = true;
        self.weights.follow(self.last.length, &self.state);
        self.time = end;
        self.method.count_step();
    }
}

/// An error in units of the error allowed.
struct Judged {
    is_small: bool,
    /// How long steps may be, in shares of the present one.
    factor: f64,
}

impl Judged {
    /// An error that changes by this power of the length. What is not a number is too large.
    fn of(error: f64, power: i32) -> Self {
        let factor = SAFETY * error.max(1e-12).powf(-1.0 / f64::from(power));
        Judged { is_small: error <= 1.0, factor: if error.is_finite() { factor } else { 0.0 } }
    }
}

impl<System: Ode, Method: Stages<STAGES>, const STAGES: usize> Advance for RungeKutta<'_, System, Method, STAGES> {
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        self.begin();
        let mut is_repeated = false;
        loop {
            let (length, ends) = self.length(stop);
            if length < shortest_step(self.time) {
                return Err(NoStep);
            }
            let end = if ends { stop } else { self.time + length };
            self.next.length = length;
            if !self.find(end) {
                self.not_converged += 1;
                self.planned = NO_SLOPES_SHRINK * length;
                is_repeated = true;
                continue;
            }
            match self.judge() {
                Err(factor) => {
                    self.errors_too_large += 1;
                    self.planned = factor * length;
                    is_repeated = true;
                }
                Ok(factor) => {
                    self.accept(end);
                    // After a refusal a longer step would be refused again.
                    let factor = if is_repeated { factor.min(1.0) } else { Method::worthwhile(factor) };
                    let next = factor * length;
                    // A step that was short only because of where it had to end says nothing against longer ones.
                    self.planned = if ends { self.planned.max(next) } else { next };
                    return Ok(());
                }
            }
        }
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        &self.state
    }

    fn next_step(&self) -> (f64, usize) {
        (self.planned, Method::TABLEAU.order)
    }

    fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        // Before the first step, as of a run that is about to end, there is the start alone.
        if self.last.length == 0.0 {
            state.copy_from_slice(&self.state);
            return;
        }
        self.last.lead(&Method::TABLEAU.shares_at(self.last.share(time)), state);
    }

    fn tighten(&mut self, tolerance: f64) {
        let factor = (tolerance / self.weights.relative).powf(1.0 / f64::from(Method::TABLEAU.power));
        self.weights.relative = tolerance;
        self.planned *= factor.min(1.0);
    }

    fn sizes(&self) -> &Sizes {
        &self.weights.sizes
    }

    fn sizes_mut(&mut self) -> &mut Sizes {
        &mut self.weights.sizes
    }

    fn refusals(&self) -> (usize, usize) {
        (self.errors_too_large, self.not_converged)
    }
}

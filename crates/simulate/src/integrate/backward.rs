//! Backward differentiation of orders 1 to 5: the NDF family in steps of piecewise constant length.
//!
//! L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM Journal on Scientific Computing 18 (1997). The past is
//! held as backward differences `D[0] = x`, `D[j] = D[j-1] - D[j-1]` one step before, at distances of one step length;
//! another length is a linear transformation of the differences ([`rescaling`]). A step predicts with all differences and
//! finds by Newton's iteration the correction `d` to the prediction, which is the next difference.
//!
//! Most of the time of a run is spent here, so everything is in place, and what can be used again is:
//!
//! - The Jacobian serves for many steps, and the matrix `1 - c J` as long as their length stays the same.
//! - How fast the iteration converges is remembered from step to step, so that one iteration often is enough.
//! - Of the length and order of the next step, what was decided after a step is done at the beginning of the next one:
//!   inside a step the values are those of the polynomial that was integrated.

use super::Ode;
use super::evaluations::{Evaluations, in_bounds};
use super::methods::{Advance, NoStep, Start, shortest_step};
use super::newton_matrix::{Home, Lent};
use super::sizes::{LEAST, Sizes, Weights};

/// The highest order.
const HIGHEST: usize = 5;
/// Differences that are kept: the highest order needs two more to judge the next one.
const ROWS: usize = HIGHEST + 3;
/// By order: what makes the numerical differentiation formulas of backward differentiation.
const KAPPA: [f64; HIGHEST + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];
/// By order: `1 + 1/2 + … + 1/order`.
const GAMMA: [f64; HIGHEST + 1] = [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// Iterations after which a correction is given up.
const MOST_ITERATIONS: usize = 4;
/// The error of a correction that is not converged, in shares of the error allowed for a step.
const ITERATION_ERROR: f64 = 0.03;
/// What rounding leaves of a correction, relative to a state, in units of the least distance of numbers.
const ROUNDING: f64 = 100.0;
/// An iteration that makes the correction larger by this diverges.
const DIVERGING: f64 = 2.0;
/// With a new Jacobian an iteration is taken to make errors smaller by at least this.
const FRESH_RATE: f64 = 0.5;
/// The Jacobian serves for so many steps.
const JACOBIAN_STEPS: usize = 50;
/// Steps are made this much shorter than their errors allow: longer ones would be refused too often.
const SAFETY: f64 = 0.8;
/// Lengths grow by at most this.
const MOST_GROWTH: f64 = 2.0;
/// A growth by less is not worth the new matrix.
const LEAST_GROWTH: f64 = 1.2;
/// Lengths shrink by at most this where an error is too large.
const MOST_SHRINK: f64 = 0.2;
/// And by this where the iteration does not converge.
const UNCONVERGED_SHRINK: f64 = 0.25;
/// After so many refusals of a step its order is lowered.
const PATIENCE: usize = 3;

/// The leading coefficient.
fn alpha(order: usize) -> f64 {
    (1.0 - KAPPA[order]) * GAMMA[order]
}

/// The error of a step is this times its correction.
fn error_constant(order: usize) -> f64 {
    KAPPA[order] * GAMMA[order] + 1.0 / (order + 1) as f64
}

/// Backward differentiation at work.
pub(super) struct Backward<'problem, System> {
    evaluations: &'problem Evaluations<System>,
    matrix: Lent<'problem>,
    weights: Weights,
    time: f64,
    step: f64,
    order: usize,
    /// Steps since length or order changed.
    equal_steps: usize,
    /// Factor of the step length and order that the next step begins with.
    plan: (f64, usize),
    /// The backward differences, one after the other.
    differences: Vec<f64>,
    /// How much smaller an iteration makes the error of the correction.
    rate: f64,
    work: Work,
    errors_too_large: usize,
    not_converged: usize,
}

/// Vectors of a step.
struct Work {
    /// One by the error allowed in each state.
    inverse_weights: Vec<f64>,
    predicted: Vec<f64>,
    /// What the prediction says of `c f`.
    slope: Vec<f64>,
    state: Vec<f64>,
    correction: Vec<f64>,
    iterate: Vec<f64>,
}

impl<'problem, System: Ode> Backward<'problem, System> {
    /// From a start on; the matrix is taken from its home, where one is from an earlier integration of the problem.
    pub(super) fn new(evaluations: &'problem Evaluations<System>, home: &'problem Home, start: &Start) -> Self {
        let size = evaluations.size;
        let zeros = || vec![0.0; size];
        let mut differences = vec![0.0; ROWS * size];
        differences[..size].copy_from_slice(start.state);
        let first = differences[size..].iter_mut().zip(start.derivative);
        first.for_each(|(place, derivative)| *place = start.step * derivative);
        Backward {
            evaluations,
            matrix: Lent::from(home, evaluations),
            weights: start.weights.clone(),
            time: start.time,
            step: start.step,
            order: 1,
            equal_steps: 0,
            plan: (1.0, 1),
            differences,
            rate: FRESH_RATE,
            work: Work {
                inverse_weights: zeros(),
                predicted: zeros(),
                slope: zeros(),
                state: zeros(),
                correction: zeros(),
                iterate: zeros(),
            },
            errors_too_large: 0,
            not_converged: 0,
        }
    }

    fn size(&self) -> usize {
        self.evaluations.size
    }

    fn difference(&self, row: usize) -> &[f64] {
        &self.differences[row * self.size()..][..self.size()]
    }

    /// Changes the length of steps.
    fn rescale(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        let (size, order) = (self.size(), self.order);
        let rescaling = rescaling(order, factor);
        for state in 0..size {
            let mut column = [0.0; HIGHEST];
            for (row, place) in column.iter_mut().enumerate().take(order) {
                *place = self.differences[(row + 1) * size + state];
            }
            for (row, factors) in rescaling.iter().enumerate().take(order) {
                let sum: f64 = factors.iter().zip(&column).take(order).map(|(factor, value)| factor * value).sum();
                self.differences[(row + 1) * size + state] = sum;
            }
        }
        self.step *= factor;
        self.equal_steps = 0;
    }

    /// Does what was planned, and not more than leads to `stop`; whether the step ends there.
    fn prepare(&mut self, stop: f64) -> bool {
        let (factor, order) = self.plan;
        if order != self.order {
            self.order = order;
            self.equal_steps = 0;
        }
        self.plan = (1.0, order);
        self.rescale(factor);
        self.end_at(stop)
    }

    /// Shortens a step that would lead beyond `stop`, or so near to it that nothing were left; whether it ends there.
    fn end_at(&mut self, stop: f64) -> bool {
        let rest = stop - self.time;
        let ends = self.time + self.step * (1.0 + 1e-9) >= stop;
        if ends && rest > 0.0 {
            self.rescale(rest / self.step);
        }
        ends
    }

    /// The errors allowed in the next step.
    fn weigh(&mut self) {
        let (state, others) = self.differences.split_at(self.evaluations.size);
        self.weights.set_inverse(&mut self.work.inverse_weights, (self.time, self.step), state, others);
    }

    /// The prediction for the end of the step.
    fn predict(&mut self) {
        let size = self.size();
        let share = 1.0 / alpha(self.order);
        let (first, others) = self.differences.split_at(size);
        self.work.predicted.copy_from_slice(first);
        self.work.slope.fill(0.0);
        for (row, difference) in others.chunks_exact(size).enumerate().take(self.order) {
            let factor = share * GAMMA[row + 1];
            let places = self.work.predicted.iter_mut().zip(&mut self.work.slope).zip(difference);
            for ((predicted, slope), difference) in places {
                *predicted += difference;
                *slope += factor * difference;
            }
        }
    }

    /// The root mean square in units of the error allowed.
    fn norm(&self, vector: &[f64]) -> f64 {
        let squares = vector.iter().zip(&self.work.inverse_weights).map(|(value, weight)| {
            let share = value * weight;
            share * share
        });
        (squares.sum::<f64>() / vector.len() as f64).sqrt()
    }

    /// Whether a state that has no size begins to move in the step.
    fn begins(&self) -> bool {
        let states = self.work.inverse_weights.iter().zip(&self.work.correction);
        states.fold(false, |any, (&inverse, &correction)| any | (inverse == 0.0) & (correction.abs() > LEAST))
    }

    /// Newton's iteration for the correction, with the matrix at hand; whether it converges.
    fn correct(&mut self, time: f64) -> bool {
        let share = self.step / alpha(self.order);
        let rounding = ROUNDING * f64::EPSILON / self.weights.relative;
        let allowed = (ITERATION_ERROR / error_constant(self.order)).max(rounding);
        self.work.state.copy_from_slice(&self.work.predicted);
        self.work.correction.fill(0.0);
        let mut before = 0.0;
        for iteration in 0..MOST_ITERATIONS {
            let work = &mut self.work;
            if !self.evaluations.derivative(time, &work.state, &mut work.iterate) {
                return false;
            }
            for ((iterate, slope), correction) in work.iterate.iter_mut().zip(&work.slope).zip(&work.correction) {
                *iterate = share * *iterate - slope - correction;
            }
            self.matrix.solve(&mut work.iterate);
            let changes = work.iterate.iter().zip(&mut work.correction).zip(&mut work.state).zip(&work.predicted);
            let mut squares = 0.0;
            for ((((change, correction), state), predicted), weight) in changes.zip(&work.inverse_weights) {
                *correction += change;
                *state = predicted + *correction;
                squares += (change * weight) * (change * weight);
            }
            let size = (squares / work.state.len() as f64).sqrt();
            if !size.is_finite() {
                return false;
            }
            if iteration > 0 {
                let found = size / before;
                if found > DIVERGING {
                    return false;
                }
                self.rate = found.max(0.3 * self.rate);
            }
            if size == 0.0 || size * self.rate.min(1.0) <= allowed {
                return true;
            }
            before = size;
        }
        false
    }

    /// Makes the matrix fit for the step; `anew` with a Jacobian at its prediction.
    fn renew_matrix(&mut self, time: f64, anew: bool) {
        let share = self.step / alpha(self.order);
        if anew || self.matrix.needs_jacobian(JACOBIAN_STEPS) {
            let matrix = &mut self.matrix;
            self.evaluations.newton_jacobian(time, &self.work.predicted, |entries| matrix.set_jacobian(entries));
            self.rate = FRESH_RATE;
        } else if self.matrix.is_for(share) {
            return;
        }
        self.matrix.factor(share);
    }

    /// A correction that converges, if need be with a new matrix; whether there is one.
    fn converge(&mut self, time: f64) -> bool {
        self.predict();
        if !in_bounds(&self.work.predicted) {
            return false;
        }
        self.renew_matrix(time, false);
        if self.correct(time) {
            return true;
        }
        if self.matrix.is_fresh() {
            return false;
        }
        self.renew_matrix(time, true);
        self.correct(time)
    }

    /// Takes the step: the correction is a new difference.
    fn accept(&mut self, time: f64) {
        let (size, order) = (self.size(), self.order);
        let (lower, above) = self.differences.split_at_mut((order + 2) * size);
        let last = lower[(order + 1) * size..].iter_mut();
        for ((above, last), correction) in above.iter_mut().zip(last).zip(&self.work.correction) {
            *above = correction - *last;
            *last = *correction;
        }
        // Row by row, so that states are added side by side.
        for row in (0..=order).rev() {
            let (sums, next) = self.differences[row * size..].split_at_mut(size);
            sums.iter_mut().zip(&*next).for_each(|(sum, next)| *sum += next);
        }
        self.weights.follow(self.step, &self.differences[..size]);
        self.time = time;
        self.equal_steps += 1;
        self.matrix.count_step();
    }

    /// Decides with which length and order to go on after a step with this error.
    fn choose_next(&mut self, error: f64) {
        let order = self.order;
        if self.equal_steps <= order {
            return;
        }
        let mut best = Choice { order, error };
        if order > 1 {
            best = best.or(order - 1, self.norm(self.difference(order)));
        }
        if order < HIGHEST {
            best = best.or(order + 1, self.norm(self.difference(order + 2)));
        }
        if best.order < order || best.allows(LEAST_GROWTH) {
            self.plan = ((SAFETY * best.factor()).min(MOST_GROWTH), best.order);
        }
    }

    /// Makes the step smaller after a refusal.
    fn shrink(&mut self, factor: f64, refusals: usize) {
        if refusals >= PATIENCE && self.order > 1 {
            self.order -= 1;
            self.plan = (1.0, self.order);
        }
        self.rescale(factor);
        self.equal_steps = 0;
    }
}

/// An order with the error that a step of the present length would make by it, in units of the error allowed.
#[derive(Clone, Copy)]
struct Choice {
    order: usize,
    error: f64,
}

impl Choice {
    /// This one, or another order, with the size of its correction, if that allows longer steps.
    fn or(self, order: usize, correction: f64) -> Self {
        let other = Choice { order, error: error_constant(order) * correction };
        // The roots of the errors compared, without roots.
        let power = |choice: Choice, of: Choice| choice.error.max(1e-12).powi(of.order as i32 + 1);
        if power(other, self) < power(self, other) { other } else { self }
    }

    /// How much longer steps may be.
    fn factor(self) -> f64 {
        self.error.max(1e-12).powf(-1.0 / (self.order + 1) as f64)
    }

    /// Whether steps may be longer by this, with safety.
    fn allows(self, growth: f64) -> bool {
        self.error <= (SAFETY / growth).powi(self.order as i32 + 1)
    }
}

/// The matrix that turns the differences 1 to `order` at one distance into those at `factor` times the distance.
///
/// Differences of the polynomial `Σ D[j] Π (s + i) / j!`, with `s` in steps from the end, at `s = -factor m`: a triangular
/// system that is solved by taking differences.
fn rescaling(order: usize, factor: f64) -> [[f64; HIGHEST]; HIGHEST] {
    let mut result = [[0.0; HIGHEST]; HIGHEST];
    for column in 0..order {
        // Values of the basis polynomial `column + 1` at the new points, the last first.
        let mut values = [0.0; HIGHEST + 1];
        for (point, value) in values.iter_mut().enumerate().take(order + 1) {
            let at = -factor * point as f64;
            *value = (0..=column).map(|index| (at + index as f64) / (index + 1) as f64).product();
        }
        for (index, row) in result.iter_mut().enumerate().take(order) {
            for point in 0..order - index {
                values[point] -= values[point + 1];
            }
            row[column] = values[0];
        }
    }
    result
}

impl<System: Ode> Advance for Backward<'_, System> {
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        let mut ends = self.prepare(stop);
        self.weigh();
        let mut refusals = 0;
        loop {
            if self.step < shortest_step(self.time) {
                return Err(NoStep);
            }
            let time = if ends { stop } else { self.time + self.step };
            if !self.converge(time) {
                self.not_converged += 1;
                refusals += 1;
                self.shrink(UNCONVERGED_SHRINK, refusals);
                ends = false;
                continue;
            }
            let error = error_constant(self.order) * self.norm(&self.work.correction);
            let error = if self.begins() { error.max(self.weights.beginning(self.time, self.step)) } else { error };
            if error > 1.0 {
                self.errors_too_large += 1;
                refusals += 1;
                let factor = (SAFETY * error.powf(-1.0 / (self.order + 1) as f64)).max(MOST_SHRINK);
                self.shrink(factor, refusals);
                ends = false;
                continue;
            }
            self.accept(time);
            self.choose_next(error);
            return Ok(());
        }
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        self.difference(0)
    }

    fn next_step(&self) -> (f64, usize) {
        (self.plan.0 * self.step, self.plan.1)
    }

    fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        let size = self.size();
        let at = (time - self.time) / self.step;
        state.copy_from_slice(&self.differences[..size]);
        let mut factor = 1.0;
        for row in 0..self.order {
            factor *= (at + row as f64) / (row + 1) as f64;
            let difference = &self.differences[(row + 1) * size..][..size];
            state.iter_mut().zip(difference).for_each(|(place, difference)| *place += factor * difference);
        }
    }

    fn tighten(&mut self, tolerance: f64) {
        let factor = (tolerance / self.weights.relative).powf(1.0 / (self.order + 1) as f64);
        self.weights.relative = tolerance;
        self.plan.0 *= factor.min(1.0);
    }

    fn fastest_rate(&self) -> Option<f64> {
        self.matrix.fastest_rate()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of a polynomial of the highest degree at a distance, from the definition.
    fn differences(distance: f64) -> [f64; HIGHEST + 1] {
        let mut values: [f64; HIGHEST + 1] = std::array::from_fn(|point| {
            let t = 1.0 - distance * point as f64;
            1.0 + t * (2.0 + t * (-3.0 + t * (0.5 + t * (1.5 - t))))
        });
        for order in 1..=HIGHEST {
            for point in (order..=HIGHEST).rev() {
                values[point] = values[point - 1] - values[point];
            }
        }
        values
    }

    #[test]
    fn rescaled_differences_are_those_of_the_polynomial() {
        for factor in [0.1, 0.5, 1.0, 1.7, 8.0] {
            let (before, after) = (differences(0.1), differences(0.1 * factor));
            let rescaling = rescaling(HIGHEST, factor);
            for row in 0..HIGHEST {
                let found: f64 = (0..HIGHEST).map(|column| rescaling[row][column] * before[column + 1]).sum();
                let rounding = 1e-14 * factor.max(1.0).powi(HIGHEST as i32);
                assert!((found - after[row + 1]).abs() < rounding, "{factor} {row}: {found} {}", after[row + 1]);
            }
        }
    }

    #[test]
    fn constants_are_the_published_ones() {
        // Table 1 of Shampine and Reichelt: steps of the same accuracy are longer than those of BDFs by these percents.
        let percents = [26.0, 26.0, 26.0, 12.0, 0.0];
        for order in 1..=HIGHEST {
            let share = error_constant(order) * (order + 1) as f64;
            let longer = share.powf(-1.0 / (order + 1) as f64);
            assert!((100.0 * (longer - 1.0) - percents[order - 1]).abs() < 6.0, "{order}: {longer}");
        }
    }
}

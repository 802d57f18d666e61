//! The implicit method of Kennedy and Carpenter: the slope of each stage is that at its own state, found by Newton's
//! iteration.
//!
//! All stages have the same matrix `1 - γ h J`. As in backward differentiation the Jacobian serves for many steps, the
//! matrix as long as their length stays the same, and how fast the iteration converges is remembered from stage to stage
//! and from step to step, so that one iteration often is enough. The matrix goes home in the end, for the next stay in
//! the mode.
//!
//! The iteration of the first implicit stage, in the middle of the step, begins where the polynomial of the last step
//! leads; those of later ones where the stages before lead. How far the last polynomial misses the middle also tells the
//! error of the values inside the step, which the difference from the embedded method, at its end, does not.

use super::Ode;
use super::evaluations::{Evaluations, in_bounds};
use super::newton_matrix::{Home, Lent};
use super::runge_kutta::{Allowed, Attempt, Span, Stages};
use super::tableau::{GAMMA, KENNEDY_CARPENTER, Tableau};

/// Iterations after which a stage is given up.
const MOST_ITERATIONS: usize = 4;
/// The error of a stage that is not converged, in shares of the error allowed for a step.
const ITERATION_ERROR: f64 = 0.05;
/// What rounding leaves of a stage, relative to a state, in units of the least distance of numbers.
const ROUNDING: f64 = 100.0;
/// An iteration that makes the change larger by this diverges.
const DIVERGING: f64 = 2.0;
/// With a new Jacobian an iteration is taken to make errors smaller by at least this.
const FRESH_RATE: f64 = 0.5;
/// The Jacobian serves for so many steps.
const JACOBIAN_STEPS: usize = 20;
/// More iterations than this in a step cost more than a new Jacobian for the next ones.
const MANY_ITERATIONS: usize = 12;
/// A growth by less is not worth the new matrix.
const LEAST_GROWTH: f64 = 1.2;
/// Nor is a step so little shorter.
const LEAST_SHRINK: f64 = 0.95;
/// The error allowed inside a step, in those allowed at its end.
const INSIDE: f64 = 10.0;
/// The least difference from the middle of the next step, by the fifth derivative, that the last polynomial is taken
/// to have: it crosses the solution near its end, where the difference tells nothing.
const LEAST_MISS: f64 = 4e-4;

/// The largest difference inside, by the fifth derivative.
const LARGEST_INSIDE: f64 = 3.8143e-4;
/// Stages, of which the first is explicit.
const STAGES: usize = 6;

/// What is remembered from step to step.
pub(super) struct Esdirk<'problem> {
    matrix: Lent<'problem>,
    /// How much smaller an iteration makes the error of a stage.
    rate: f64,
    /// Of the last step.
    iterations: usize,
    /// What the slopes before lead to, for the stage that is iterated.
    base: Vec<f64>,
    iterate: Vec<f64>,
    /// Where the polynomial of the last step leads in the middle of this one, and how much of a difference there is an
    /// error inside; no number where there was no last step.
    middle: Vec<f64>,
    middle_share: f64,
}

impl<'problem> Esdirk<'problem> {
    /// With the matrix from its home, where one is from an earlier integration of the problem.
    pub(super) fn new<System: Ode>(evaluations: &Evaluations<System>, home: &'problem Home) -> Self {
        let size = evaluations.size;
        let matrix = Lent::from(home, evaluations);
        let zeros = || vec![0.0; size];
        let (base, iterate, middle) = (zeros(), zeros(), zeros());
        Esdirk { matrix, rate: FRESH_RATE, iterations: 0, base, iterate, middle, middle_share: 0.0 }
    }

    /// Makes the matrix fit for a step; `anew` with a Jacobian at its beginning.
    fn renew_matrix<System: Ode>(&mut self, evaluations: &Evaluations<System>, step: &Span, anew: bool) {
        let share = GAMMA * step.length;
        if anew || self.iterations > MANY_ITERATIONS || self.matrix.needs_jacobian(JACOBIAN_STEPS) {
            let matrix = &mut self.matrix;
            evaluations.newton_jacobian(step.from, &step.state, |entries| matrix.set_jacobian(entries));
            self.rate = FRESH_RATE;
            self.iterations = 0;
        } else if self.matrix.is_for(share) {
            return;
        }
        self.matrix.factor(share);
    }

    /// Where the polynomial of the last step leads in the middle of this one.
    fn look_ahead(&mut self, last: Option<&Span>, step: &Span) {
        self.middle_share = 0.0;
        if let Some(last) = last {
            let middle = last.share_ahead(0.5 * step.length);
            last.lead(&KENNEDY_CARPENTER.shares_at(middle), &mut self.middle);
            let ratio = step.length / last.length;
            self.middle_share = ratio.powi(5) * LARGEST_INSIDE / miss(middle).abs().max(LEAST_MISS);
        }
    }

    /// All implicit stages; whether they converge.
    fn iterate_stages<System: Ode>(
        &mut self,
        evaluations: &Evaluations<System>,
        attempt: &mut Attempt<'_>,
        allowed: &Allowed,
    ) -> bool {
        self.iterations = 0;
        (1..STAGES).all(|stage| self.iterate_stage(evaluations, attempt, stage, allowed))
    }

    /// Newton's iteration for the state of a stage, with the matrix at hand; whether it converges.
    fn iterate_stage<System: Ode>(
        &mut self,
        evaluations: &Evaluations<System>,
        attempt: &mut Attempt<'_>,
        stage: usize,
        allowed: &Allowed,
    ) -> bool {
        let (share, time) = (GAMMA * attempt.step.length, attempt.time(KENNEDY_CARPENTER.c[stage]));
        self.predict(attempt, stage);
        if !in_bounds(attempt.state) || !self.converge(evaluations, time, share, attempt.state, allowed) {
            return false;
        }
        let states = attempt.state.iter().zip(&self.base);
        let slope = attempt.step.slope_mut(stage).iter_mut();
        slope.zip(states).for_each(|(slope, (state, base))| *slope = (state - base) / share);
        true
    }

    /// The state that the iteration of a stage begins with: with the slope that the polynomial of the last step has
    /// there, or, in a first step, with the slope of the stage before.
    fn predict(&mut self, attempt: &mut Attempt<'_>, stage: usize) {
        let Attempt { step, last, state, .. } = attempt;
        step.lead(&KENNEDY_CARPENTER.a[stage][..stage], &mut self.base);
        state.copy_from_slice(&self.base);
        let share = GAMMA * step.length;
        match last {
            Some(last) => {
                let at = last.share_ahead(KENNEDY_CARPENTER.c[stage] * step.length);
                let shares = KENNEDY_CARPENTER.slope_shares_at(at).map(|it| it * share / last.length);
                last.add(&shares, state);
            }
            None => {
                let before = step.slope(stage - 1);
                state.iter_mut().zip(before).for_each(|(place, slope)| *place += share * slope);
            }
        }
    }

    fn converge<System: Ode>(
        &mut self,
        evaluations: &Evaluations<System>,
        time: f64,
        share: f64,
        state: &mut [f64],
        allowed: &Allowed,
    ) -> bool {
        let enough = ITERATION_ERROR.max(ROUNDING * f64::EPSILON / allowed.relative);
        let mut before = 0.0;
        for iteration in 0..MOST_ITERATIONS {
            self.iterations += 1;
            if !evaluations.derivative(time, state, &mut self.iterate) {
                return false;
            }
            for ((iterate, state), base) in self.iterate.iter_mut().zip(state.iter()).zip(&self.base) {
                *iterate = share * *iterate + (base - state);
            }
            self.matrix.solve(&mut self.iterate);
            state.iter_mut().zip(&self.iterate).for_each(|(state, change)| *state += change);
            let size = allowed.norm(&self.iterate);
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
            if size == 0.0 || size * self.rate.min(1.0) <= enough {
                return true;
            }
            before = size;
        }
        false
    }
}

impl Stages<STAGES> for Esdirk<'_> {
    const TABLEAU: &'static Tableau<STAGES> = &KENNEDY_CARPENTER;

    fn find<System: Ode>(
        &mut self,
        evaluations: &Evaluations<System>,
        mut attempt: Attempt<'_>,
        allowed: &Allowed,
    ) -> bool {
        self.look_ahead(attempt.last, attempt.step);
        self.renew_matrix(evaluations, attempt.step, false);
        if self.iterate_stages(evaluations, &mut attempt, allowed) {
            return true;
        }
        if self.matrix.is_fresh() {
            return false;
        }
        self.renew_matrix(evaluations, attempt.step, true);
        self.iterate_stages(evaluations, &mut attempt, allowed)
    }

    fn worthwhile(factor: f64) -> f64 {
        if (LEAST_SHRINK..LEAST_GROWTH).contains(&factor) { 1.0 } else { factor }
    }

    fn error_inside(&mut self, step: &Span, allowed: &Allowed) -> f64 {
        if self.middle_share == 0.0 {
            return 0.0;
        }
        step.lead(&KENNEDY_CARPENTER.shares_at(0.5), &mut self.iterate);
        self.iterate.iter_mut().zip(&self.middle).for_each(|(place, ahead)| *place -= ahead);
        self.middle_share * allowed.norm(&self.iterate) / INSIDE
    }

    fn count_step(&mut self) {
        self.matrix.count_step();
    }
}

/// How far the polynomial of a step of length 1 is from the solution at this share of it, or ahead of it, where the fifth
/// derivative is 1 and nothing depends on states.
fn miss(theta: f64) -> f64 {
    let shares = KENNEDY_CARPENTER.shares_at(theta).into_iter().zip(KENNEDY_CARPENTER.c);
    (theta.powi(5) / 5.0 - shares.map(|(share, c)| share * c.powi(4)).sum::<f64>()) / 24.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_inside_miss_the_solution_most_at_the_end() {
        let largest = (0..=100).map(|share| miss(f64::from(share) / 100.0).abs()).fold(0.0, f64::max);
        assert!((largest - LARGEST_INSIDE).abs() < 1e-5, "{largest}");
    }
}

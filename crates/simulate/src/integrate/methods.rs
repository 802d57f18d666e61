//! What all methods have in common: where they begin, how they are driven, and polynomials through last values.

use super::Method;
use super::sizes::{Sizes, Weights};

/// Where an integration begins.
pub(super) struct Start<'start> {
    /// What errors are measured against.
    pub weights: Weights,
    pub time: f64,
    pub state: &'start [f64],
    pub derivative: &'start [f64],
    pub step: f64,
}

/// No step that is long enough to change the time has an error small enough.
#[derive(Debug)]
pub(super) struct NoStep;

/// A method at work.
pub(super) trait Advance {
    /// One step, not beyond `stop`, which is ahead.
    fn advance(&mut self, stop: f64) -> Result<(), NoStep>;
    /// The time reached.
    fn time(&self) -> f64;
    /// The states there.
    fn state(&self) -> &[f64];
    /// The length of the next step, and the order of the method now.
    fn next_step(&self) -> (f64, usize);
    /// The states at a time inside the last step.
    fn interpolate(&mut self, time: f64, state: &mut [f64]);
    /// Goes on with smaller errors allowed.
    fn tighten(&mut self, tolerance: f64);
    /// The sizes of the states, as the solution has shown them.
    fn sizes(&self) -> &Sizes;
    /// The same, to tell what else is known of them.
    fn sizes_mut(&mut self) -> &mut Sizes;
    /// Where values inside steps are exact, however long these are: a time in which the solution changes little.
    fn exact_pace(&self) -> Option<f64> {
        None
    }
    /// The rate with which the fastest state goes back by itself, as far as the steps made last know it.
    fn fastest_rate(&self) -> Option<f64> {
        None
    }
    /// Of a step that is exact, this part was taken: what is beyond is no part of the solution.
    fn follow_until(&mut self, _from: f64, _until: f64) {}
    /// How many steps were refused because of their error, and how many because the iteration did not converge.
    fn refusals(&self) -> (usize, usize);
}

/// The orders that methods begin with.
pub(super) fn first_order(method: Method) -> i32 {
    match method {
        Method::Auto | Method::Exact | Method::Bdf => 1,
        Method::Esdirk => 3,
        Method::Explicit => 5,
    }
}

/// Shorter steps would not change the time.
pub(super) fn shortest_step(time: f64) -> f64 {
    (4.0 * f64::EPSILON * time.abs()).max(1e-290)
}

/// The most times that a polynomial leads through here.
pub(crate) const MOST_TIMES: usize = 4;

/// The factors of the values at these times in the polynomial through them, at another time; zero beyond.
pub(crate) fn lagrange(times: &[f64], at: f64) -> [f64; MOST_TIMES] {
    assert!(times.len() <= MOST_TIMES, "a cubic polynomial at most");
    let mut factors = [0.0; MOST_TIMES];
    for (index, factor) in factors.iter_mut().enumerate().take(times.len()) {
        let others = times.iter().enumerate().filter(|&(other, _)| other != index);
        // Quotients one by one: the products of very short times would vanish.
        *factor = others.map(|(_, other)| (at - other) / (times[index] - other)).product();
    }
    factors
}

//! Whether the values inside a step are as good as those at its ends.
//!
//! Inside a step of a Runge–Kutta method the values are those of the cubic polynomial with the values and derivatives at
//! both ends, whose error in the middle is `h⁴/384` times the fourth derivative. The fourth derivative shows in how far
//! the polynomial of the step before misses the middle of this one. A step is refused where that error is too large, and
//! the length of the next steps is bounded so that this is rare.

use super::first_step::Weights;

/// The error allowed inside a step, in tolerances of one step at its end.
const ALLOWED: f64 = 20.0;

/// What is known of the step before.
pub(super) struct Interior {
    weights: Weights,
    /// Four times of the step before, and the values there; no times before the first step.
    times: Option<[f64; 4]>,
    samples: [Vec<f64>; 4],
    middle: Vec<f64>,
    difference: Vec<f64>,
    longest_step: f64,
}

impl Interior {
    pub(super) fn new(weights: Weights, size: usize) -> Self {
        let zeros = || vec![0.0; size];
        Interior {
            weights,
            times: None,
            samples: std::array::from_fn(|_| zeros()),
            middle: zeros(),
            difference: zeros(),
            longest_step: f64::INFINITY,
        }
    }

    /// Steps longer than this would be refused.
    pub(super) fn longest_step(&self) -> f64 {
        self.longest_step
    }

    /// Whether the step from `from` to `to`, with the values that `interpolate` gives, is good enough; if so, it is the
    /// step before the next one.
    pub(super) fn accepts(&mut self, from: f64, to: f64, mut interpolate: impl FnMut(f64, &mut [f64])) -> bool {
        let length = to - from;
        let center = from + 0.5 * length;
        interpolate(center, &mut self.middle);
        let error = self.error(center, length) / ALLOWED;
        let factor = (0.8 * error.max(1e-10).powf(-0.25)).clamp(0.1, 10.0);
        self.longest_step = length * factor;
        if error > 1.0 {
            return false;
        }
        let times = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|share| (from + share * length).min(to));
        for (time, sample) in times.iter().zip(&mut self.samples) {
            interpolate(*time, sample);
        }
        self.times = Some(times);
        true
    }

    /// The error in the middle of a step of this length, in tolerances. None is known of the first step, nor after steps
    /// so short that the times inside them cannot be told apart.
    fn error(&mut self, center: f64, length: f64) -> f64 {
        let Some(times) = self.times else { return 0.0 };
        let factors = lagrange(&times, center);
        for (index, place) in self.difference.iter_mut().enumerate() {
            let extrapolated: f64 =
                self.samples.iter().zip(factors).map(|(sample, factor)| factor * sample[index]).sum();
            *place = extrapolated - self.middle[index];
        }
        let distances: f64 = times.iter().map(|time| center - time).product();
        let error = length.powi(4) / (16.0 * distances) * self.weights.norm(&self.difference, &self.middle);
        if error.is_finite() { error } else { 0.0 }
    }
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

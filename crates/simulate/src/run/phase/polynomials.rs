//! What moves, over a step: polynomials through values at a few of its times.
//!
//! Inside a step all methods of integration give states as polynomials of at most the fifth degree, so that six values tell
//! everything. Of what the states determine they tell what is smooth; how far the polynomial may be off is taken to be the size
//! of its last term.

use crate::run::phase::intervals::{Interval, Stretch};

/// The values that a polynomial leads through.
pub(crate) const POINTS: usize = 6;

/// Where they are in a step, which leads from -1 to 1: at cosines, denser towards its ends, where a polynomial is worst.
pub(crate) const PLACES: [f64; POINTS] =
    [-1.0, -0.809_016_994_374_947_5, -0.309_016_994_374_947_45, 0.309_016_994_374_947_45, 0.809_016_994_374_947_5, 1.0];

/// By place: the polynomial that is 1 there and 0 at the others.
const BASIS: [[f64; POINTS]; POINTS] = {
    let mut basis = [[0.0; POINTS]; POINTS];
    let mut place = 0;
    while place < POINTS {
        basis[place][0] = 1.0;
        let mut other = 0;
        while other < POINTS {
            if other != place {
                let length = PLACES[place] - PLACES[other];
                let mut power = POINTS - 1;
                while power > 0 {
                    basis[place][power] = (basis[place][power - 1] - PLACES[other] * basis[place][power]) / length;
                    power -= 1;
                }
                basis[place][0] *= -PLACES[other] / length;
            }
            other += 1;
        }
        place += 1;
    }
    basis
};

/// A polynomial on a step, which leads from -1 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polynomial {
    coefficients: [f64; POINTS],
    /// How far it may be off.
    error: f64,
}

impl Polynomial {
    /// The one with these values at [`PLACES`].
    pub fn through(values: &[f64; POINTS], is_exact: bool) -> Self {
        let mut coefficients = [0.0; POINTS];
        for (value, basis) in values.iter().zip(&BASIS) {
            for (coefficient, share) in coefficients.iter_mut().zip(basis) {
                *coefficient += share * value;
            }
        }
        let error = if is_exact { 0.0 } else { coefficients[POINTS - 1].abs() };
        Polynomial { coefficients, error }
    }

    /// The same value everywhere, to the last bit.
    pub fn constant(value: f64) -> Self {
        let mut coefficients = [0.0; POINTS];
        coefficients[0] = value;
        Polynomial { coefficients, error: 0.0 }
    }

    /// A derivative at a point.
    pub fn derivative(&self, at: f64, order: u32) -> f64 {
        let coefficients = (0..order).fold(self.coefficients, |it, _| derivative(it));
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * at + coefficient)
    }

    /// Its bounds within a distance of a point.
    pub fn within(&self, middle: f64, radius: f64) -> Stretch {
        let mut shifted = self.coefficients;
        for first in 0..POINTS - 1 {
            for power in (first..POINTS - 1).rev() {
                shifted[power] += middle * shifted[power + 1];
            }
        }
        let mut value = bounds(shifted, radius);
        value = Interval::new(value.low - self.error, value.high + self.error);
        let slope = derivative(shifted);
        Stretch { value, slope: bounds(slope, radius), curvature: bounds(derivative(slope), radius) }
    }
}

fn derivative(coefficients: [f64; POINTS]) -> [f64; POINTS] {
    std::array::from_fn(|power| coefficients.get(power + 1).map_or(0.0, |it| (power + 1) as f64 * it))
}

/// Bounds of a polynomial near zero: odd powers have both signs there, even ones none.
fn bounds(coefficients: [f64; POINTS], radius: f64) -> Interval {
    let (mut low, mut high, mut power) = (coefficients[0], coefficients[0], 1.0);
    for (number, coefficient) in coefficients.into_iter().enumerate().skip(1) {
        power *= radius;
        let term = coefficient * power;
        if number % 2 == 1 {
            (low, high) = (low - term.abs(), high + term.abs());
        } else {
            (low, high) = (low + term.min(0.0), high + term.max(0.0));
        }
    }
    Interval::new(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_the_fifth_degree_is_told_by_its_values() {
        let function = |t: f64| 1.0 + t * (2.0 + t * (-3.0 + t * (0.5 + t * (1.5 - t))));
        let polynomial = Polynomial::through(&PLACES.map(function), true);
        for (middle, radius) in [(0.0, 1.0), (-0.4, 0.3), (0.9, 0.01), (0.2, 0.0)] {
            let found = polynomial.within(middle, radius);
            for share in 0..=20 {
                let at = middle + radius * (0.1 * f64::from(share) - 1.0);
                let value = function(at);
                assert!(found.value.low - 1e-13 <= value && value <= found.value.high + 1e-13, "{found:?} at {at}");
                let slope = 2.0 + at * (-6.0 + at * (1.5 + at * (6.0 - at * 5.0)));
                assert!(found.slope.low - 1e-12 <= slope && slope <= found.slope.high + 1e-12, "{found:?} at {at}");
            }
        }
        let point = polynomial.within(0.2, 0.0).value;
        assert!((point.high - point.low).abs() < 1e-14 && (point.low - function(0.2)).abs() < 1e-14, "{point:?}");
    }
}

//! Formal power series in ∂ (RR8933 A.2).
//!
//! A hyperreal is known by its expansion `∂^v (a0 + a1 ∂ + …)`. Its order (A.1) is `-v`: how often it has to be multiplied
//! by ∂ to become finite and not zero. Its standard part is the coefficient of `∂^0`, where nothing is infinite.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use crate::values::number::Number;

/// Terms that are kept. A change loses at most as many by cancelling as its offsets and instants say, far fewer.
const TERMS: usize = 32;
/// What begins this late is what cancelling has left of lost terms: zero.
const NOTHING: i32 = 16;

/// `∂^valuation (a0 + a1 ∂ + …)` with `a0` not zero; zero has no terms.
#[derive(Clone, Debug)]
pub struct Series {
    valuation: i32,
    terms: Vec<Number>,
}

/// What tells series apart: where they begin, and their coefficients.
pub(crate) type SeriesKey = (i32, Vec<u64>);

impl Series {
    /// Zero.
    pub fn zero() -> Self {
        Series { valuation: 0, terms: Vec::new() }
    }

    /// `a ∂^power`
    pub fn monomial(a: Number, power: i32) -> Self {
        Series { valuation: power, terms: vec![a] }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.terms.pop_if(|last| last.is_zero()).is_some() {}
        let zeros = self.terms.iter().take_while(|term| term.is_zero()).count();
        self.terms.drain(..zeros);
        self.valuation += zeros as i32;
        self.terms.truncate(TERMS);
        if self.terms.is_empty() || self.valuation >= NOTHING { Series::zero() } else { self }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The order of A.1: positive for what is infinite; nothing for zero, whose order is -∞.
    pub fn order(&self) -> Option<i32> {
        (!self.is_zero()).then_some(-self.valuation)
    }

    /// The coefficient of a power of ∂.
    pub fn coefficient(&self, power: i32) -> f64 {
        let place = usize::try_from(power - self.valuation).ok().filter(|_| !self.is_zero());
        place.and_then(|place| self.terms.get(place)).map_or(0.0, |term| term.value())
    }

    /// The standard part; nothing for what is infinite.
    pub fn standard_part(&self) -> Option<f64> {
        self.order().is_none_or(|order| order <= 0).then(|| self.coefficient(0))
    }

    /// What tells it from other series.
    pub(crate) fn key(&self) -> SeriesKey {
        (self.valuation, self.terms.iter().map(|term| term.key()).collect())
    }

    /// The constant and the rest of what is finite: `a0`, and the infinitesimal beside it.
    pub(crate) fn split(&self) -> Option<(Number, Series)> {
        if self.order().is_some_and(|order| order > 0) {
            return None;
        }
        let constant = if self.valuation == 0 { self.terms.first().copied() } else { None };
        let constant = constant.unwrap_or(Number::ZERO);
        Some((constant, self - &Series::monomial(constant, 0)))
    }

    fn sum(&self, other: &Series, sign: impl Fn(Number) -> Number) -> Series {
        if self.is_zero() {
            return Series { valuation: other.valuation, terms: other.terms.iter().map(|&it| sign(it)).collect() };
        }
        if other.is_zero() {
            return self.clone();
        }
        let valuation = self.valuation.min(other.valuation);
        let at = |series: &Series, place: usize| {
            let place = place as i32 + valuation - series.valuation;
            usize::try_from(place).ok().and_then(|place| series.terms.get(place).copied()).unwrap_or(Number::ZERO)
        };
        let end = |series: &Series| (series.valuation - valuation) as usize + series.terms.len();
        let length = end(self).max(end(other)).min(TERMS);
        let terms = (0..length).map(|place| at(self, place) + sign(at(other, place))).collect();
        Series { valuation, terms }.trimmed()
    }

    /// The inverse of what is not zero.
    pub fn inverse(&self) -> Series {
        assert!(!self.is_zero(), "zero has no inverse");
        let first = self.terms[0].inverse();
        let mut terms = vec![first];
        let length = if self.terms.len() == 1 { 1 } else { TERMS };
        for place in 1..length {
            let known = (1..=place.min(self.terms.len() - 1)).map(|at| self.terms[at] * terms[place - at]);
            terms.push(-known.fold(Number::ZERO, |sum, term| sum + term) * first);
        }
        Series { valuation: -self.valuation, terms }.trimmed()
    }
}

impl Add for &Series {
    type Output = Series;
    fn add(self, other: &Series) -> Series {
        self.sum(other, |it| it)
    }
}

impl Sub for &Series {
    type Output = Series;
    fn sub(self, other: &Series) -> Series {
        self.sum(other, |it| -it)
    }
}

impl Mul for &Series {
    type Output = Series;
    fn mul(self, other: &Series) -> Series {
        if self.is_zero() || other.is_zero() {
            return Series::zero();
        }
        let length = (self.terms.len() + other.terms.len() - 1).min(TERMS);
        let mut terms = vec![Number::ZERO; length];
        for (place, &a) in self.terms.iter().enumerate() {
            for (other_place, &b) in other.terms.iter().enumerate().take(length.saturating_sub(place)) {
                terms[place + other_place] = terms[place + other_place] + a * b;
            }
        }
        Series { valuation: self.valuation + other.valuation, terms }.trimmed()
    }
}

/// Solves a square linear system of series; nothing where it is singular.
pub fn solve(mut matrix: Vec<Vec<Series>>, mut right: Vec<Series>) -> Option<Vec<Series>> {
    let size = matrix.len();
    for at in 0..size {
        let candidates = (at..size).filter(|&row| !matrix[row][at].is_zero());
        // Among those of the highest order the largest, for the precision of values.
        let key = |row: usize| (matrix[row][at].valuation, -matrix[row][at].terms[0].value().abs());
        let pivot = candidates.min_by(|&one, &other| key(one).partial_cmp(&key(other)).unwrap_or(Ordering::Equal))?;
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        let inverse = matrix[at][at].inverse();
        for row in 0..size {
            if row == at || matrix[row][at].is_zero() {
                continue;
            }
            let factor = &matrix[row][at] * &inverse;
            let pivot = matrix[at].clone();
            for (entry, by) in matrix[row].iter_mut().zip(&pivot).skip(at) {
                *entry = &*entry - &(&factor * by);
            }
            matrix[row][at] = Series::zero();
            right[row] = &right[row] - &(&factor * &right[at]);
        }
    }
    Some((0..size).map(|at| &right[at] * &matrix[at][at].inverse()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_times_its_inverse_is_one() {
        let series = &Series::monomial(Number::integer(3), -2) + &Series::monomial(Number::integer(5), 1);
        let product = &series * &series.inverse();
        assert_eq!(product.order(), Some(0));
        assert!((&product - &Series::monomial(Number::integer(1), 0)).is_zero());
    }

    #[test]
    fn orders_add_and_cancel() {
        let (a, b) = (
            Series::monomial(Number::integer(7), -1),
            &Series::monomial(Number::integer(7), -1) + &Series::monomial(Number::integer(2), 0),
        );
        assert_eq!((&a * &b).order(), Some(2));
        assert_eq!((&b - &a).order(), Some(0));
        assert_eq!((&a - &a).order(), None);
    }

    #[test]
    fn the_dominant_terms_of_a_clutch() {
        // (22): w - w1 = ∂ b1 t, w - w2 = -∂ b2 t with w1, w2 different: t has order 1, w has order 0.
        let one = |a: i64| Series::monomial(Number::integer(a), 0);
        let matrix = vec![
            vec![one(1), &Series::zero() - &Series::monomial(Number::integer(2), 1)],
            vec![one(1), Series::monomial(Number::integer(3), 1)],
        ];
        let solution = solve(matrix, vec![one(10), one(20)]).expect("a regular system");
        assert_eq!(solution.iter().map(Series::order).collect::<Vec<_>>(), [Some(0), Some(1)]);
        // (25): w = (b2 w1 + b1 w2)/(b1 + b2)
        assert!((&(&one(5) * &solution[0]) - &one(3 * 10 + 2 * 20)).is_zero());
    }
}

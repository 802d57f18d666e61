//! Formal power series in ∂ (RR8933 A.2), over a large prime field: sizes that are exact for generic coefficients.
//!
//! A hyperreal is known by its expansion `∂^v (a0 + a1 ∂ + …)`. Its order (A.1) is `-v`: how often it has to be multiplied
//! by ∂ to become finite and not zero. Coefficients are numbers modulo a prime, so that sums that cancel are zero
//! exactly, and what does not cancel for one generic choice of numbers does not cancel for almost all.

use std::ops::{Add, Mul, Sub};

/// 2^61 - 1, a prime.
pub const PRIME: u64 = (1 << 61) - 1;
/// Terms that are kept. A change loses at most as many by cancelling as its offsets and instants say, far fewer.
const TERMS: usize = 32;
/// What begins this late is what cancelling has left of lost terms: zero.
const NOTHING: i32 = 16;

fn add(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn negate(a: u64) -> u64 {
    (PRIME - a) % PRIME
}

/// The product modulo the prime.
pub fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// The inverse of a number that is not zero modulo the prime.
pub fn inverse(a: u64) -> u64 {
    let (mut result, mut power, mut exponent) = (1, a % PRIME, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, power);
        }
        power = multiply(power, power);
        exponent >>= 1;
    }
    result
}

/// A number that depends on a key alone and has no other pattern.
pub fn generic(key: [u64; 4]) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for word in key {
        state ^= word.wrapping_add(0x9E37_79B9_7F4A_7C15);
        state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^= state >> 31;
    }
    state % (PRIME - 1) + 1
}

/// `∂^valuation (a0 + a1 ∂ + …)` with `a0` not zero; zero has no terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    valuation: i32,
    terms: Vec<u64>,
}

impl Series {
    /// Zero.
    pub fn zero() -> Self {
        Series { valuation: 0, terms: Vec::new() }
    }

    /// `a ∂^power`
    pub fn monomial(a: u64, power: i32) -> Self {
        Series { valuation: power, terms: vec![a % PRIME] }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let zeros = self.terms.iter().take_while(|&&term| term == 0).count();
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

    fn sum(&self, other: &Series, sign: impl Fn(u64) -> u64) -> Series {
        if self.is_zero() {
            return Series { valuation: other.valuation, terms: other.terms.iter().map(|&it| sign(it)).collect() };
        }
        if other.is_zero() {
            return self.clone();
        }
        let valuation = self.valuation.min(other.valuation);
        let at = |series: &Series, place: usize| {
            let place = place as i32 + valuation - series.valuation;
            usize::try_from(place).ok().and_then(|place| series.terms.get(place).copied()).unwrap_or(0)
        };
        let terms = (0..TERMS).map(|place| add(at(self, place), sign(at(other, place)))).collect();
        Series { valuation, terms }.trimmed()
    }

    /// The inverse of what is not zero.
    pub fn inverse(&self) -> Series {
        assert!(!self.is_zero(), "zero has no inverse");
        let first = inverse(self.terms[0]);
        let mut terms = vec![first];
        for place in 1..TERMS {
            let known = (1..=place.min(self.terms.len() - 1)).map(|at| multiply(self.terms[at], terms[place - at]));
            terms.push(multiply(negate(known.fold(0, add)), first));
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
        self.sum(other, negate)
    }
}

impl Mul for &Series {
    type Output = Series;
    fn mul(self, other: &Series) -> Series {
        if self.is_zero() || other.is_zero() {
            return Series::zero();
        }
        let length = (self.terms.len() + other.terms.len() - 1).min(TERMS);
        let mut terms = vec![0; length];
        for (place, &a) in self.terms.iter().enumerate() {
            for (other_place, &b) in other.terms.iter().enumerate().take(length.saturating_sub(place)) {
                terms[place + other_place] = add(terms[place + other_place], multiply(a, b));
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
        let pivot = candidates.min_by_key(|&row| matrix[row][at].valuation)?;
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
        let series = &Series::monomial(3, -2) + &Series::monomial(5, 1);
        let product = &series * &series.inverse();
        assert_eq!(product.order(), Some(0));
        assert!((&product - &Series::monomial(1, 0)).is_zero());
    }

    #[test]
    fn orders_add_and_cancel() {
        let (a, b) = (Series::monomial(7, -1), &Series::monomial(7, -1) + &Series::monomial(2, 0));
        assert_eq!((&a * &b).order(), Some(2));
        assert_eq!((&b - &a).order(), Some(0));
        assert_eq!((&a - &a).order(), None);
    }

    #[test]
    fn the_dominant_terms_of_a_clutch() {
        // (22): w - w1 = ∂ b1 t, w - w2 = -∂ b2 t with w1, w2 different: t has order 1, w has order 0.
        let one = |a: u64| Series::monomial(a, 0);
        let matrix =
            vec![vec![one(1), &Series::zero() - &Series::monomial(2, 1)], vec![one(1), Series::monomial(3, 1)]];
        let solution = solve(matrix, vec![one(10), one(20)]).expect("a regular system");
        assert_eq!(solution.iter().map(Series::order).collect::<Vec<_>>(), [Some(0), Some(1)]);
        // (25): w = (b2 w1 + b1 w2)/(b1 + b2)
        assert!((&(&one(5) * &solution[0]) - &one(3 * 10 + 2 * 20)).is_zero());
    }
}

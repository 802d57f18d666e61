//! Numbers to step with: ordinary ones, and pairs of them with twice the digits.
//!
//! Tiny resistances beside steps of 1e-4 leave ordinary numbers without digits, so that pivoting goes in circles by rounding alone.
//! With 32 digits it ends, as it should for positive definite matrices.

use std::ops::{Add, Mul, Sub};

/// What stepping computes with.
pub trait Number: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// What rounding leaves of a sum that is zero, relative to its terms, with room for some thousands of operations.
    const NOISE: f64;

    fn of(value: f64) -> Self;

    fn rounded(self) -> f64;

    fn inverse(self) -> Self;

    fn is_negative(self) -> bool {
        self < Self::of(0.0)
    }
}

impl Number for f64 {
    const NOISE: f64 = 1e-12;

    fn of(value: f64) -> Self {
        value
    }

    fn rounded(self) -> f64 {
        self
    }

    fn inverse(self) -> Self {
        1.0 / self
    }
}

/// The sum of two numbers, the second below the last digit of the first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Pair {
    high: f64,
    low: f64,
}

/// The rounded sum, and what rounding left out of it (Knuth).
fn exact_sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    let of_b = high - a;
    Pair { high, low: (a - (high - of_b)) + (b - of_b) }
}

impl Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        let sum = exact_sum(self.high, other.high);
        exact_sum(sum.high, sum.low + self.low + other.low)
    }
}

impl Sub for Pair {
    type Output = Pair;

    fn sub(self, other: Pair) -> Pair {
        self + Pair { high: -other.high, low: -other.low }
    }
}

impl Mul for Pair {
    type Output = Pair;

    fn mul(self, other: Pair) -> Pair {
        let high = self.high * other.high;
        let left_out = self.high.mul_add(other.high, -high);
        exact_sum(high, left_out + (self.high * other.low + self.low * other.high))
    }
}

impl Number for Pair {
    const NOISE: f64 = 1e-18;

    fn of(value: f64) -> Self {
        Pair { high: value, low: 0.0 }
    }

    fn rounded(self) -> f64 {
        self.high
    }

    /// Two steps of Newton from the rounded inverse, each of which doubles the digits.
    fn inverse(self) -> Self {
        let better = |guess: Pair| guess * (Pair::of(2.0) - self * guess);
        better(better(Pair::of(1.0 / self.high)))
    }
}

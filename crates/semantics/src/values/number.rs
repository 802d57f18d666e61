//! Numbers that know exactly whether they are zero: a rational modulo a large prime, and its value beside.
//!
//! Coefficients are generic integers. Sums that cancel are zero modulo the prime, exactly, and what does not cancel for one
//! generic choice of numbers does not cancel for almost all; the floating-point value says how large the number is, and
//! nothing is ever decided by it.

use std::ops::{Add, Mul, Neg, Sub};

/// 2^61 - 1, a prime.
const PRIME: u64 = (1 << 61) - 1;
/// Generic integers are this large at most, so that products of a few are exact as values, too.
const LARGEST: u64 = 1 << 20;

/// A rational number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    residue: u64,
    value: f64,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number { residue: 0, value: 0.0 };
    /// One.
    pub const ONE: Number = Number { residue: 1, value: 1.0 };

    /// An integer.
    pub fn integer(value: i64) -> Self {
        let residue = value.unsigned_abs() % PRIME;
        let number = Number { residue, value: value.unsigned_abs() as f64 };
        if value < 0 { -number } else { number }
    }

    /// A floating-point number, exactly: an integer times a power of two, and 2^61 is one modulo the prime.
    pub fn exactly(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let residue = multiply(mantissa, 1 << power.rem_euclid(61));
        let number = number(residue, value.abs());
        Some(if value < 0.0 { -number } else { number })
    }

    /// What tells it from other numbers, for keys.
    pub(crate) fn key(self) -> u64 {
        self.residue
    }

    /// An integer that depends on a key alone and has no other pattern; never zero.
    pub fn generic(key: [u64; 4]) -> Self {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for word in key {
            state ^= word.wrapping_add(0x9E37_79B9_7F4A_7C15);
            state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            state ^= state >> 31;
        }
        let size = (state >> 1) % LARGEST + 1;
        Number::integer(if state & 1 == 0 { size as i64 } else { -(size as i64) })
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self.residue == 0
    }

    /// Its value, to the precision of floating point.
    pub fn value(self) -> f64 {
        self.value
    }

    /// Its inverse; it is not zero.
    pub fn inverse(self) -> Number {
        assert!(!self.is_zero(), "zero has no inverse");
        let (mut result, mut power, mut exponent) = (1, self.residue, PRIME - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = multiply(result, power);
            }
            power = multiply(power, power);
            exponent >>= 1;
        }
        Number { residue: result, value: 1.0 / self.value }
    }
}

/// Modulo 2^61 - 1 the bits above the 61st count as if they were the lowest.
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product & u128::from(PRIME)) as u64 + (product >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// A value that is zero exactly where the residue is: rounding is not to look like a number.
fn number(residue: u64, value: f64) -> Number {
    Number { residue, value: if residue == 0 { 0.0 } else { value } }
}

impl Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        number((self.residue + other.residue) % PRIME, self.value + other.value)
    }
}

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        number((PRIME - self.residue) % PRIME, -self.value)
    }
}

impl Sub for Number {
    type Output = Number;
    fn sub(self, other: Number) -> Number {
        self + -other
    }
}

impl Mul for Number {
    type Output = Number;
    fn mul(self, other: Number) -> Number {
        number(multiply(self.residue, other.residue), self.value * other.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_is_zero_exactly() {
        let third = Number::integer(3).inverse();
        let sum = third + third + third - Number::ONE;
        assert!(sum.is_zero() && sum.value() == 0.0);
        assert!(!(third - Number::integer(-7).inverse()).is_zero());
    }

    #[test]
    fn floating_point_numbers_are_exact() {
        let exactly = |value| Number::exactly(value).expect("a finite number");
        assert!((exactly(0.25) * Number::integer(4) - Number::ONE).is_zero());
        assert!((exactly(-1e18) + Number::integer(1_000_000_000_000_000_000)).is_zero());
        assert!(exactly(0.0).is_zero() && Number::exactly(f64::NAN).is_none());
        assert!(!exactly(5e-324).is_zero() && !exactly(f64::MAX).is_zero());
    }

    #[test]
    fn values_follow_residues() {
        let number = Number::generic([1, 2, 3, 4]) * Number::integer(-6).inverse();
        assert!((number.value() * -6.0 - Number::generic([1, 2, 3, 4]).value()).abs() < 1e-6);
    }
}

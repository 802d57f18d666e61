//! Natural numbers of any size, as far as counting modes needs them.

use std::fmt;

/// A natural number of any size. Prints in decimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Natural {
    /// Least significant first; the last is not 0.
    limbs: Vec<u32>,
}

impl Natural {
    /// 0.
    pub fn zero() -> Natural {
        Natural::default()
    }

    /// 1.
    pub fn one() -> Natural {
        Natural::from(1)
    }

    /// 2 to the power of `exponent`.
    pub fn power_of_two(exponent: usize) -> Natural {
        Natural::one().shifted(exponent)
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// The number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match *self.limbs.as_slice() {
            [] => Some(0),
            [low] => Some(u64::from(low)),
            [low, high] => Some(u64::from(high) << 32 | u64::from(low)),
            _ => None,
        }
    }

    /// This number times 2 to the power of `exponent`.
    pub fn shifted(&self, exponent: usize) -> Natural {
        let (whole, bits) = (exponent / 32, exponent % 32);
        let mut limbs = vec![0; if self.is_zero() { 0 } else { whole }];
        let mut carry = 0;
        for &limb in &self.limbs {
            let wide = u64::from(limb) << bits | carry;
            limbs.push(wide as u32);
            carry = wide >> 32;
        }
        limbs.push(carry as u32);
        Natural::trimmed(limbs)
    }

    /// The sum of two numbers.
    pub fn plus(&self, other: &Natural) -> Natural {
        let (long, short) = if self.limbs.len() >= other.limbs.len() { (self, other) } else { (other, self) };
        let mut limbs = long.limbs.clone();
        let mut carry = 0;
        for (index, limb) in limbs.iter_mut().enumerate() {
            let addend = short.limbs.get(index).copied().unwrap_or(0);
            let sum = u64::from(*limb) + u64::from(addend) + carry;
            *limb = sum as u32;
            carry = sum >> 32;
        }
        limbs.push(carry as u32);
        Natural::trimmed(limbs)
    }

    /// The difference of two numbers, the second not larger than the first.
    pub fn minus(&self, other: &Natural) -> Natural {
        let mut limbs = self.limbs.clone();
        let mut borrow = 0;
        for (index, limb) in limbs.iter_mut().enumerate() {
            let subtrahend = i64::from(other.limbs.get(index).copied().unwrap_or(0));
            let difference = i64::from(*limb) - subtrahend - borrow;
            *limb = difference as u32;
            borrow = i64::from(difference < 0);
        }
        assert!(borrow == 0 && other.limbs.len() <= self.limbs.len(), "a natural number would become negative");
        Natural::trimmed(limbs)
    }

    /// The product of two numbers.
    pub fn times(&self, other: &Natural) -> Natural {
        let mut limbs = vec![0u32; self.limbs.len() + other.limbs.len()];
        for (place, &left) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            for (index, &right) in other.limbs.iter().enumerate() {
                let wide = u64::from(left) * u64::from(right) + u64::from(limbs[place + index]) + carry;
                limbs[place + index] = wide as u32;
                carry = wide >> 32;
            }
            limbs[place + other.limbs.len()] = carry as u32;
        }
        Natural::trimmed(limbs)
    }

    /// The product of many numbers, multiplied in pairs of similar size.
    pub fn product(mut factors: Vec<Natural>) -> Natural {
        while factors.len() > 1 {
            factors = factors
                .chunks(2)
                .map(|pair| if let [left, right] = pair { left.times(right) } else { pair[0].clone() })
                .collect();
        }
        factors.pop().unwrap_or_else(Natural::one)
    }

    fn trimmed(mut limbs: Vec<u32>) -> Natural {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Natural { limbs }
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Natural {
        Natural::trimmed(vec![number as u32, (number >> 32) as u32])
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHUNK: u64 = 1_000_000_000;
        let mut rest = self.limbs.clone();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let mut remainder = 0;
            for limb in rest.iter_mut().rev() {
                let wide = remainder << 32 | u64::from(*limb);
                *limb = (wide / CHUNK) as u32;
                remainder = wide % CHUNK;
            }
            chunks.push(remainder);
            rest = Natural::trimmed(rest).limbs;
        }
        let mut digits = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.into_iter().rev() {
            digits.push_str(&format!("{chunk:09}"));
        }
        formatter.pad_integral(true, "", &digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_agrees_with_machine_numbers_across_limb_boundaries() {
        let samples = [0u64, 1, 2, 3, 0xFFFF_FFFF, 0x1_0000_0000, 0xFFFF_FFFF_FFFF, 0x1234_5678_9ABC];
        for left in samples {
            for right in samples {
                let (small, large) = (left.min(right), left.max(right));
                let [left_number, right_number] = [left, right].map(Natural::from);
                let wide = u128::from(left) * u128::from(right);
                assert_eq!(left_number.times(&right_number).to_string(), wide.to_string());
                assert_eq!(left_number.plus(&right_number), Natural::from(left + right));
                assert_eq!(Natural::from(large).minus(&Natural::from(small)), Natural::from(large - small));
                assert_eq!(left_number.shifted(37).to_string(), (u128::from(left) << 37).to_string());
            }
        }
    }

    #[test]
    fn large_powers_print_in_decimal() {
        assert_eq!(Natural::power_of_two(128).to_string(), "340282366920938463463374607431768211456");
        let factors = vec![Natural::from(1_000_000_000); 7];
        assert_eq!(Natural::product(factors).to_string(), format!("1{}", "0".repeat(63)));
        assert_eq!(Natural::product(vec![]), Natural::one());
    }
}

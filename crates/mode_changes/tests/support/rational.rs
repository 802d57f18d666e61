//! Exact fractions that notice when they no longer fit.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };

    pub fn integer(value: i128) -> Self {
        Rational { numerator: value, denominator: 1 }
    }

    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        (denominator != 0).then(|| Rational { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// `"3/4"` or `"-2"`
    pub fn parse(text: &str) -> Self {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        Rational::new(numerator.parse().unwrap(), denominator.parse().unwrap()).unwrap()
    }

    pub fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn negate(self) -> Self {
        Rational { numerator: -self.numerator, denominator: self.denominator }
    }

    pub fn multiply(self, other: Self) -> Option<Self> {
        let a = Rational::new(self.numerator, other.denominator)?;
        let b = Rational::new(other.numerator, self.denominator)?;
        Some(Rational {
            numerator: a.numerator.checked_mul(b.numerator)?,
            denominator: a.denominator.checked_mul(b.denominator)?,
        })
    }

    pub fn divide(self, other: Self) -> Option<Self> {
        self.multiply(Rational::new(other.denominator, other.numerator)?)
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

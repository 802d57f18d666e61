//! Expressions as polynomials with exact rational coefficients: what is the same function is the same polynomial.
//!
//! Variables, derivatives and time are letters, and so is every part that is no polynomial of them (`sin(x)`, `x/y`): equal
//! parts are one letter, so that a linear relation between polynomials holds for the expressions, whatever their values.
//! Literals are the decimal numbers that were written. What would not fit is a letter as well: less is known then, and
//! nothing wrong.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ArithmeticOperator as Operator, Builtin, Derivative, ExpressionId, Node, VariableId};

use crate::system::DifferenceSystem;

/// Powers above this are letters.
const HIGHEST_POWER: f64 = 6.0;
/// Polynomials with more terms than this are letters.
const MOST_TERMS: usize = 64;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rational {
    numerator: i128,
    denominator: i128,
}

fn greatest_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

impl Rational {
    pub(crate) const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = i128::try_from(greatest_divisor(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        (denominator != 0).then(|| Rational { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The shortest decimal number that is read as this floating-point number.
    fn decimal(value: f64) -> Option<Self> {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e')?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let power = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
        let scale = 10_i128.checked_pow(power.unsigned_abs())?;
        if power < 0 { Rational::new(digits, scale) } else { Rational::new(digits.checked_mul(scale)?, 1) }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(crate) fn plus(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let sum = left.checked_add(other.numerator.checked_mul(self.denominator)?)?;
        Rational::new(sum, self.denominator.checked_mul(other.denominator)?)
    }

    pub(crate) fn times(self, other: Rational) -> Option<Rational> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    pub(crate) fn negated(self) -> Rational {
        Rational { numerator: -self.numerator, denominator: self.denominator }
    }

    pub(crate) fn inverse(self) -> Option<Rational> {
        Rational::new(self.denominator, self.numerator)
    }
}

/// What a polynomial is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Letter {
    Time,
    Variable(Derivative<VariableId>),
    Part(ExpressionId),
}

/// Letters, each as often as it is a factor.
pub(crate) type Monomial = Vec<Letter>;

/// A sum of monomials with coefficients that are not zero.
pub(crate) type Polynomial = BTreeMap<Monomial, Rational>;

/// `a + factor b`; nothing where a number does not fit.
pub(crate) fn sum(a: &Polynomial, factor: Rational, b: &Polynomial) -> Option<Polynomial> {
    let mut sum = a.clone();
    for (monomial, &coefficient) in b {
        let term = factor.times(coefficient)?;
        let total = sum.get(monomial).map_or(Some(term), |known| known.plus(term))?;
        if total.is_zero() {
            sum.remove(monomial)
        } else {
            sum.insert(monomial.clone(), total)
        };
    }
    Some(sum)
}

fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let mut total = Polynomial::new();
    for (one, &factor) in a {
        let extended = |(other, &coefficient): (&Monomial, &Rational)| {
            let mut monomial = [one.as_slice(), other.as_slice()].concat();
            monomial.sort_unstable();
            (monomial, coefficient)
        };
        total = sum(&total, factor, &b.iter().map(extended).collect())?;
    }
    (total.len() <= MOST_TERMS).then_some(total)
}

fn letter(letter: Letter) -> Polynomial {
    Polynomial::from([(vec![letter], Rational::ONE)])
}

fn constant(value: Rational) -> Polynomial {
    if value.is_zero() { Polynomial::new() } else { Polynomial::from([(Monomial::new(), value)]) }
}

/// The value of what contains no letter.
fn constant_value(of: &Polynomial) -> Option<Rational> {
    match of.len() {
        0 => Rational::new(0, 1),
        1 => of.get(&Monomial::new()).copied(),
        _ => None,
    }
}

impl DifferenceSystem {
    /// The difference of two sides before a change, where left limits are values.
    pub(crate) fn difference(&self, [left, right]: [ExpressionId; 2]) -> Option<Polynomial> {
        sum(&self.polynomial(left)?, Rational::ONE.negated(), &self.polynomial(right)?)
    }

    fn polynomial(&self, root: ExpressionId) -> Option<Polynomial> {
        let mut parts = BTreeSet::new();
        self.expressions.for_each(root, |id, _| parts.insert(id));
        // Operands are older than what is made of them.
        let mut known: BTreeMap<ExpressionId, Polynomial> = BTreeMap::new();
        for part in parts {
            let polynomial = self.of_parts(part, &known).unwrap_or_else(|| letter(Letter::Part(part)));
            known.insert(part, polynomial);
        }
        known.remove(&root)
    }

    fn of_parts(&self, id: ExpressionId, known: &BTreeMap<ExpressionId, Polynomial>) -> Option<Polynomial> {
        let of = |id: ExpressionId| known.get(&id);
        let minus = Rational::ONE.negated();
        match self.expressions.node(id) {
            Node::Real(value) => Rational::decimal(value.value()).map(constant),
            Node::Integer(value) => Rational::new(i128::from(value), 1).map(constant),
            Node::Time => Some(letter(Letter::Time)),
            Node::Variable(variable, order) => Some(letter(Letter::Variable(Derivative::new(variable, order)))),
            Node::Pre(a) => match self.expressions.node(a) {
                Node::Variable(variable, _) if self.unknown_of.contains_key(&variable) => of(a).cloned(),
                _ => None,
            },
            Node::Negate(a) => sum(&Polynomial::new(), minus, of(a)?),
            Node::Arithmetic(Operator::Add, a, b) => sum(of(a)?, Rational::ONE, of(b)?),
            Node::Arithmetic(Operator::Subtract, a, b) => sum(of(a)?, minus, of(b)?),
            Node::Arithmetic(Operator::Multiply, a, b) => product(of(a)?, of(b)?),
            Node::Arithmetic(Operator::Divide, a, b) => {
                sum(&Polynomial::new(), constant_value(of(b)?)?.inverse()?, of(a)?)
            }
            Node::Arithmetic(Operator::Power, a, b) => {
                let exponent = self.expressions.literal(b).filter(|it| it.fract() == 0.0)?;
                let factors = (0.0..=HIGHEST_POWER).contains(&exponent).then_some(exponent as u32)?;
                (0..factors).try_fold(constant(Rational::ONE), |power, _| product(&power, of(a)?))
            }
            Node::Call(Builtin::NoEvent, list) => of(self.expressions.argument_list(list)[0]).cloned(),
            _ => None,
        }
    }
}

/// Whether a polynomial is a sum of multiples of others, by elimination; also no where a number does not fit.
pub(crate) fn follows(of: &Polynomial, from: &[Polynomial]) -> bool {
    remainder(of, from).is_some_and(|rest| rest.is_empty())
}

/// What elimination leaves of a polynomial. Letters with constants are eliminated as well: `0 = 1` is not among equations
/// that can be satisfied.
fn remainder(of: &Polynomial, from: &[Polynomial]) -> Option<Polynomial> {
    let mut rows: Vec<(Monomial, Polynomial)> = Vec::new();
    let reduced = |of: &Polynomial, rows: &[(Monomial, Polynomial)]| {
        rows.iter().try_fold(of.clone(), |rest, (pivot, row)| match rest.get(pivot) {
            Some(&factor) => sum(&rest, factor.negated(), row),
            None => Some(rest),
        })
    };
    for row in from {
        let row = reduced(row, &rows)?;
        let Some((pivot, &first)) = row.last_key_value() else { continue };
        let row = sum(&Polynomial::new(), first.inverse()?, &row)?;
        rows.push((pivot.clone(), row));
    }
    reduced(of, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_what_was_written() {
        let decimal = |value| Rational::decimal(value).expect("it fits");
        assert_eq!(decimal(0.1).times(decimal(3.0)), Some(decimal(0.3)));
        assert_eq!(decimal(1e-7).times(decimal(3.0)), Some(decimal(3e-7)));
        assert_ne!(decimal(1.000001), decimal(1.0));
        assert_eq!(decimal(-250.0), Rational::new(-500, 2).expect("it fits"));
        assert_eq!(Rational::decimal(1e300), None);
    }

    #[test]
    fn multiples_follow_and_factors_do_not() {
        let x = letter(Letter::Time);
        let difference = |a: &Polynomial, b: f64| {
            sum(a, Rational::ONE.negated(), &constant(Rational::decimal(b).expect("it fits"))).expect("it fits")
        };
        let square = difference(&product(&x, &x).expect("it fits"), 4.0);
        assert!(!follows(&difference(&x, 2.0), std::slice::from_ref(&square)));
        let twice = sum(&square, Rational::ONE, &square).expect("it fits");
        assert!(follows(&twice, &[difference(&x, 7.0), square]));
    }
}

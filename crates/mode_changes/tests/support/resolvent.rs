//! Right limits and impulse weights of `Σ a x^(k) = u` in exact arithmetic.
//!
//! With memory `x^(l)⁻`, the Laplace transform gives `P(s) X(s)` with `P[i, j] = Σ a s^k`; `s X(s)` expanded at
//! infinity has the right limit of `x^(l)` as coefficient of `s^-l` and the weight of `δ^(p)` as that of `s^(p+1)`.
//! By Cramer's rule on integer polynomials, so nothing has to be decided by tolerances.

use super::rational::Rational;

/// An equation with integer coefficients: `(variable, order, coefficient)`.
pub type Equation = Vec<(usize, u32, i128)>;

/// What exact arithmetic says about one variable.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Right limits of the variable and its derivatives.
    pub right: Vec<Rational>,
    /// Weights: `weights[p]` of `δ^(p)`, without trailing zeros.
    pub weights: Vec<Rational>,
}

/// A polynomial in `s`, lowest coefficient first.
type Polynomial = Vec<Rational>;

/// Right limits of `count` derivatives and all weights; `None` if the pencil is singular or numbers overflow.
pub fn restart(equations: &[Equation], memory: &[Vec<Rational>], count: usize) -> Option<Vec<Exact>> {
    let size = equations.len();
    let matrix: Vec<Vec<Polynomial>> = equations.iter().map(|equation| polynomials(equation, size)).collect();
    let right: Vec<Polynomial> =
        equations.iter().map(|equation| initial_terms(equation, memory)).collect::<Option<_>>()?;
    let determinant = determinant(&matrix)?;
    if determinant.is_empty() {
        return None;
    }
    (0..size)
        .map(|column| {
            let mut replaced = matrix.clone();
            for (row, value) in right.iter().enumerate() {
                replaced[row][column] = value.clone();
            }
            expand(&self::determinant(&replaced)?, &determinant, count)
        })
        .collect()
}

/// Whether the matrix of integers, given by rows, is singular.
pub fn is_singular(matrix: &[Vec<i128>]) -> bool {
    let constant = |value: &i128| trimmed(vec![Rational::integer(*value)]);
    let polynomial: Vec<Vec<Polynomial>> = matrix.iter().map(|row| row.iter().map(constant).collect()).collect();
    determinant(&polynomial).expect("small integers do not overflow").is_empty()
}

fn polynomials(equation: &Equation, size: usize) -> Vec<Polynomial> {
    let mut row = vec![Vec::new(); size];
    for &(column, order, coefficient) in equation {
        let polynomial: &mut Polynomial = &mut row[column];
        if polynomial.len() <= order as usize {
            polynomial.resize(order as usize + 1, Rational::ZERO);
        }
        polynomial[order as usize] = Rational::integer(coefficient);
    }
    row
}

/// `Σ a Σ_{l < k} s^(k - l) x^(l)⁻`
fn initial_terms(equation: &Equation, memory: &[Vec<Rational>]) -> Option<Polynomial> {
    let mut sum = Vec::new();
    for &(column, order, coefficient) in equation {
        for l in 0..order {
            let mut term = vec![Rational::ZERO; (order - l) as usize];
            term.push(Rational::integer(coefficient).multiply(memory[column][l as usize])?);
            sum = add(&sum, &term)?;
        }
    }
    Some(sum)
}

fn trimmed(mut polynomial: Polynomial) -> Polynomial {
    while polynomial.last().is_some_and(|last| last.is_zero()) {
        polynomial.pop();
    }
    polynomial
}

fn add(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let get = |polynomial: &Polynomial, k: usize| polynomial.get(k).copied().unwrap_or(Rational::ZERO);
    let sum: Option<Polynomial> = (0..a.len().max(b.len())).map(|k| get(a, k).add(get(b, k))).collect();
    Some(trimmed(sum?))
}

fn multiply(a: &Polynomial, b: &Polynomial, negative: bool) -> Option<Polynomial> {
    let mut product = vec![Rational::ZERO; (a.len() + b.len()).saturating_sub(1)];
    for (i, &x) in a.iter().enumerate() {
        for (k, &y) in b.iter().enumerate() {
            let term = x.multiply(y)?;
            product[i + k] = product[i + k].add(if negative { term.negate() } else { term })?;
        }
    }
    Some(trimmed(product))
}

/// By expansion along rows, with the minors of the last rows stored by the set of their columns.
fn determinant(matrix: &[Vec<Polynomial>]) -> Option<Polynomial> {
    let size = matrix.len();
    let mut minors: Vec<Polynomial> = vec![Vec::new(); 1 << size];
    minors[0] = vec![Rational::integer(1)];
    for columns in 1..1_usize << size {
        let row = size - columns.count_ones() as usize;
        let mut sum = Vec::new();
        let mut negative = false;
        for column in (0..size).filter(|column| columns >> column & 1 == 1) {
            let term = multiply(&matrix[row][column], &minors[columns & !(1 << column)], negative)?;
            sum = add(&sum, &term)?;
            negative = !negative;
        }
        minors[columns] = sum;
    }
    minors.pop()
}

/// `numerator / denominator` at infinity, from its highest power down to `s^(1 - count)`.
fn expand(numerator: &Polynomial, denominator: &Polynomial, count: usize) -> Option<Exact> {
    let mut exact = Exact { right: vec![Rational::ZERO; count], weights: Vec::new() };
    let leading = *denominator.last()?;
    let mut rest: Vec<Rational> = numerator.iter().rev().copied().collect();
    let mut power = numerator.len() as i64 - denominator.len() as i64;
    exact.weights = vec![Rational::ZERO; power.max(0) as usize];
    rest.resize(rest.len().max(denominator.len()) + count + power.unsigned_abs() as usize, Rational::ZERO);
    let mut at = 0;
    while power > -(count as i64) {
        let quotient = rest[at].divide(leading)?;
        for (k, &coefficient) in denominator.iter().rev().enumerate() {
            if at + k < rest.len() {
                rest[at + k] = rest[at + k].add(coefficient.multiply(quotient)?.negate())?;
            }
        }
        match power {
            1.. => exact.weights[power as usize - 1] = quotient,
            _ => exact.right[-power as usize] = quotient,
        }
        (at, power) = (at + 1, power - 1);
    }
    exact.weights = trimmed(exact.weights);
    Some(exact)
}

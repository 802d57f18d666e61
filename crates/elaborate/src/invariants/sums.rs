//! Sums of terms with exact coefficients: what relations compare.
//!
//! Every operation is either exact in floating point or gives nothing, so that what follows from two relations is never a
//! matter of rounding.

use std::collections::BTreeMap;

use modeshift_dae::{ArithmeticOperator as Op, ExpressionId, FlatModel, Node, Variability};

/// A linear combination with exact coefficients.
pub(crate) struct Sum {
    pub(crate) terms: Vec<(ExpressionId, f64)>,
    pub(crate) constant: f64,
}

/// Beyond so many steps a side of a relation is left as it is.
const STEPS: usize = 64;

impl Sum {
    /// `a - b`, where that can be had exactly.
    pub(crate) fn difference(model: &FlatModel, a: ExpressionId, b: ExpressionId) -> Option<Sum> {
        let mut terms: BTreeMap<ExpressionId, f64> = BTreeMap::new();
        let mut constant = 0.0;
        let mut pending = vec![(b, -1.0), (a, 1.0)];
        for _ in 0..STEPS {
            let Some((id, factor)) = pending.pop() else {
                let terms = terms.into_iter().filter(|&(_, coefficient)| coefficient != 0.0).collect();
                return Some(Sum { terms, constant });
            };
            if let Some(value) = literal_value(model, id) {
                constant = exact_sum(constant, exact_product(factor, value)?)?;
                continue;
            }
            match model.expressions.node(id) {
                Node::Negate(inner) => pending.push((inner, -factor)),
                Node::Arithmetic(Op::Add, left, right) => pending.extend([(right, factor), (left, factor)]),
                Node::Arithmetic(Op::Subtract, left, right) => pending.extend([(right, -factor), (left, factor)]),
                Node::Arithmetic(Op::Multiply, left, right) if literal_value(model, left).is_some() => {
                    pending.push((right, exact_product(factor, literal_value(model, left)?)?));
                }
                Node::Arithmetic(Op::Multiply, left, right) if literal_value(model, right).is_some() => {
                    pending.push((left, exact_product(factor, literal_value(model, right)?)?));
                }
                Node::Arithmetic(Op::Divide, left, right) if literal_value(model, right).is_some() => {
                    pending.push((left, exact_quotient(factor, literal_value(model, right)?)?));
                }
                _ => {
                    let coefficient = terms.entry(id).or_insert(0.0);
                    *coefficient = exact_sum(*coefficient, factor)?;
                }
            }
        }
        None
    }

    /// `a - b` with both sides as terms.
    pub(crate) fn opaque_difference(a: ExpressionId, b: ExpressionId) -> Sum {
        let mut terms = if a == b { vec![] } else { vec![(a, 1.0), (b, -1.0)] };
        terms.sort_by_key(|&(term, _)| term);
        Sum { terms, constant: 0.0 }
    }

    /// All coefficients divided, where that is exact.
    pub(crate) fn divided(&self, divisor: f64) -> Option<Sum> {
        let terms: Option<Vec<(ExpressionId, f64)>> =
            self.terms.iter().map(|&(term, coefficient)| Some((term, exact_quotient(coefficient, divisor)?))).collect();
        Some(Sum { terms: terms?, constant: exact_quotient(self.constant, divisor)? })
    }

    pub(crate) fn with_sign(&self, sign: f64) -> Sum {
        let terms = self.terms.iter().map(|&(term, coefficient)| (term, coefficient * sign)).collect();
        Sum { terms, constant: self.constant * sign }
    }
}

/// The number that a literal or a constant with a literal value stands for.
fn literal_value(model: &FlatModel, id: ExpressionId) -> Option<f64> {
    match model.expressions.node(id) {
        Node::Variable(variable, 0) if model.variables[variable].variability == Variability::Constant => {
            model.expressions.literal(model.variables[variable].binding?)
        }
        _ => model.expressions.literal(id),
    }
}

pub(crate) fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    (error == 0.0).then_some(sum)
}

pub(crate) fn exact_product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    (product.is_finite() && a.mul_add(b, -product) == 0.0).then_some(product)
}

fn exact_quotient(a: f64, b: f64) -> Option<f64> {
    let quotient = a / b;
    (quotient.is_finite() && quotient.mul_add(b, -a) == 0.0).then_some(quotient)
}

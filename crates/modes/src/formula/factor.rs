//! Factored forms: from a sum of products to a formula in which common parts are written once.
//!
//! Algebraic factoring with a divisor found by its most frequent literal, after R. Brayton, Factoring logic functions,
//! IBM Journal 31(2), 1987.

use crate::formula::cover::{
    Cover, Literal, Product, common_literals, divide, most_frequent_literal, without, without_common_literals,
};
use crate::formula::expression::Expression;

/// A formula for the sum of `cover`'s products. Its depth is at most the number of products.
pub(crate) fn factored(cover: &[Product]) -> Expression {
    match cover {
        [] => return Expression::Constant(false),
        [product] => return conjunction(product),
        _ => {}
    }
    let common = common_literals(cover);
    if !common.is_empty() {
        let rest: Cover = cover.iter().map(|product| without(product, &common)).collect();
        return Expression::and(vec![conjunction(&common), factored(&rest)]);
    }
    match most_frequent_literal(cover) {
        None => Expression::or(cover.iter().map(|product| conjunction(product)).collect()),
        Some(literal) => divided(cover, literal),
    }
}

/// `cover` as a product of two factors, one of which was multiplied by `literal`, and a remainder.
fn divided(cover: &[Product], literal: Literal) -> Expression {
    let (beside_literal, _) = divide(cover, &[vec![literal]]);
    let divisor = without_common_literals(&beside_literal);
    let (quotient, remainder) = divide(cover, &divisor);
    if quotient.len() == 1 {
        return multiplied(&quotient, &divisor, &remainder);
    }
    let quotient = without_common_literals(&quotient);
    let (divisor, remainder) = divide(cover, &quotient);
    multiplied(&quotient, &divisor, &remainder)
}

fn multiplied(quotient: &[Product], divisor: &[Product], remainder: &[Product]) -> Expression {
    let product = Expression::and(vec![factored(quotient), factored(divisor)]);
    if remainder.is_empty() { product } else { Expression::or(vec![product, factored(remainder)]) }
}

pub(crate) fn conjunction(product: &[Literal]) -> Expression {
    Expression::and(product.iter().map(|&literal| Expression::Literal(literal)).collect())
}

//! Sums, products and quotients of expressions with signs pulled out, so that formulas read as one would write them:
//! `a - (-2)*b` becomes `a + 2*b`.

use modeshift_dae::{ArithmeticOperator as Op, ExpressionId, Expressions, Node};

/// An expression as a sign and what it is the sign of.
#[derive(Clone, Copy)]
struct Signed {
    negative: bool,
    magnitude: ExpressionId,
}

/// Signs further down than this stay where they are: the search doubles with each level.
const DEPTH: u32 = 8;

fn signed(expressions: &mut Expressions, id: ExpressionId) -> Signed {
    signed_below(expressions, id, DEPTH)
}

fn signed_below(expressions: &mut Expressions, id: ExpressionId, depth: u32) -> Signed {
    let Some(depth) = depth.checked_sub(1) else { return Signed { negative: false, magnitude: id } };
    match expressions.node(id) {
        Node::Real(number) if number.value() == 0.0 => Signed { negative: false, magnitude: expressions.real(0.0) },
        Node::Real(number) if number.value() < 0.0 => {
            Signed { negative: true, magnitude: expressions.real(-number.value()) }
        }
        Node::Negate(inner) => {
            let inner = signed_below(expressions, inner, depth);
            Signed { negative: !inner.negative, ..inner }
        }
        Node::Arithmetic(operator @ (Op::Multiply | Op::Divide), a, b) => {
            let (a, b) = (signed_below(expressions, a, depth), signed_below(expressions, b, depth));
            let magnitude = expressions.arithmetic(operator, a.magnitude, b.magnitude);
            Signed { negative: a.negative != b.negative, magnitude }
        }
        Node::Arithmetic(Op::Add, a, b) => {
            let (left, right) = (signed_below(expressions, a, depth), signed_below(expressions, b, depth));
            let both = left.negative && right.negative;
            let magnitude = if both { expressions.sum(left.magnitude, right.magnitude) } else { id };
            Signed { negative: both, magnitude }
        }
        _ => Signed { negative: false, magnitude: id },
    }
}

fn unsigned(expressions: &mut Expressions, negative: bool, magnitude: ExpressionId) -> ExpressionId {
    match expressions.node(magnitude) {
        _ if !negative => magnitude,
        Node::Arithmetic(Op::Subtract, left, right) => expressions.difference(right, left),
        _ => expressions.negate(magnitude),
    }
}

/// `-a`
pub(crate) fn negation(expressions: &mut Expressions, a: ExpressionId) -> ExpressionId {
    let a = signed(expressions, a);
    unsigned(expressions, !a.negative, a.magnitude)
}

/// `a + b`
pub(crate) fn sum(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let (a, b) = (signed(expressions, a), signed(expressions, b));
    match (a.negative, b.negative) {
        _ if a.negative != b.negative && a.magnitude == b.magnitude => expressions.real(0.0),
        (false, false) => expressions.sum(a.magnitude, b.magnitude),
        (false, true) => expressions.difference(a.magnitude, b.magnitude),
        (true, false) => expressions.difference(b.magnitude, a.magnitude),
        (true, true) => {
            let sum = expressions.sum(a.magnitude, b.magnitude);
            expressions.negate(sum)
        }
    }
}

/// `a - b`
pub(crate) fn difference(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let b = negation(expressions, b);
    sum(expressions, a, b)
}

/// `a * b`
pub(crate) fn product(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let (a, b) = (signed(expressions, a), signed(expressions, b));
    let is_zero = |id: ExpressionId| expressions.literal(id) == Some(0.0);
    let product = match (reciprocal(expressions, a.magnitude), reciprocal(expressions, b.magnitude)) {
        (Some(divisor), _) if !is_zero(b.magnitude) => expressions.quotient(b.magnitude, divisor),
        (_, Some(divisor)) if !is_zero(a.magnitude) => expressions.quotient(a.magnitude, divisor),
        _ => expressions.product(a.magnitude, b.magnitude),
    };
    unsigned(expressions, a.negative != b.negative, product)
}

/// `b`, of `1/b`.
fn reciprocal(expressions: &Expressions, id: ExpressionId) -> Option<ExpressionId> {
    match expressions.node(id) {
        Node::Arithmetic(Op::Divide, a, b) if expressions.literal(a) == Some(1.0) => Some(b),
        _ => None,
    }
}

/// `a / b`, with `b` not zero
pub(crate) fn quotient(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let (a, b) = (signed(expressions, a), signed(expressions, b));
    if expressions.literal(a.magnitude) == Some(0.0) {
        return a.magnitude;
    }
    let quotient = expressions.quotient(a.magnitude, b.magnitude);
    unsigned(expressions, a.negative != b.negative, quotient)
}

//! Whether a matrix of expressions is regular at a random point, in arithmetic that does not round.
//!
//! A long chain of elements can be so badly conditioned at every point that is tried that floating-point numbers take it for
//! singular. In the field of integers modulo a prime nothing is rounded: if the determinant is not zero at one random point it
//! is no zero polynomial, and if it is zero there it is one but for a chance of some 2^-50 (J. Schwartz, R. Zippel, 1979/80).
//! Fractional powers stand for random numbers of their base, so that `u^0.25` is `u` times `u^(-0.75)`; exponentials and logarithms
//! for random numbers of their arguments, conditions on relations for truths drawn by lot. What other functions there are makes
//! no claim here: identities such as that of sine and cosine would not be seen.

use modeshift_dae::{ArithmeticOperator, Builtin, ExpressionId, Expressions, Id, Memo, Node, RelationOperator};

/// 2^61 - 1, a prime.
const PRIME: u64 = (1 << 61) - 1;

/// Whether the square matrix with these rows is regular at a random point; nothing where an entry is not made of
/// sums, products, quotients, powers, exponentials and branches.
pub(crate) fn is_regular(expressions: &Expressions, rows: &[Vec<(u32, ExpressionId)>]) -> Option<bool> {
    let mut known = Memo::new();
    let size = rows.len();
    let mut matrix = vec![vec![0; size]; size];
    for (row, entries) in rows.iter().enumerate() {
        for &(column, entry) in entries {
            matrix[row][column as usize] = value_of(expressions, &mut known, entry)?;
        }
    }
    Some(has_full_rank(matrix))
}

fn value_of(expressions: &Expressions, known: &mut Memo<(), Option<u64>>, root: ExpressionId) -> Option<u64> {
    expressions.fold_up(known, root, |_, node, known| match node {
        Node::Real(number) => of_float(number.value()),
        Node::Integer(value) => Some(of_integer(value)),
        Node::Time => Some(random(1, 0)),
        Node::Variable(variable, order) => Some(random(2 + u64::from(order), variable.index() as u64)),
        Node::Negate(a) => Some(difference(0, known[a]?)),
        Node::Arithmetic(operator, a, b) => {
            let (left, right) = (known[a]?, known[b]?);
            match operator {
                ArithmeticOperator::Add => Some(difference(left, difference(0, right))),
                ArithmeticOperator::Subtract => Some(difference(left, right)),
                ArithmeticOperator::Multiply => Some(product(left, right)),
                ArithmeticOperator::Divide => (right != 0).then(|| product(left, inverse(right))),
                ArithmeticOperator::Power => fractional_power(left, expressions.literal(b)?),
            }
        }
        Node::Boolean(value) => Some(u64::from(value)),
        Node::Not(a) => Some(1 - known[a]?),
        Node::And(a, b) => Some(known[a]? & known[b]?),
        Node::Or(a, b) => Some(known[a]? | known[b]?),
        Node::Relation(operator, a, b) => Some(drawn_truth(operator, known[a]?, known[b]?)),
        Node::If(condition, a, b) => {
            if known[condition]? == 1 {
                known[a]
            } else {
                known[b]
            }
        }
        Node::Call(builtin, arguments) => {
            let argument = known[*expressions.argument_list(arguments).last()?]?;
            match builtin {
                Builtin::NoEvent | Builtin::Smooth => Some(argument),
                Builtin::Sqrt => fractional_power(argument, 0.5),
                Builtin::Exp | Builtin::Log | Builtin::Log10 => Some(random(u64::MAX - builtin as u64, argument)),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The truth of a relation at a random point: drawn by lot, opposite ones differ, and nothing is equal by chance.
fn drawn_truth(operator: RelationOperator, left: u64, right: u64) -> u64 {
    let is_less = random(0, difference(left, right)) & 1;
    match operator {
        RelationOperator::Less | RelationOperator::LessEqual => is_less,
        RelationOperator::Greater | RelationOperator::GreaterEqual => 1 - is_less,
        RelationOperator::Equal => u64::from(left == right),
        RelationOperator::NotEqual => u64::from(left != right),
    }
}

/// `base^exponent`: the whole part as it is, the fraction as a random number of base and fraction.
fn fractional_power(base: u64, exponent: f64) -> Option<u64> {
    let whole = exponent.floor();
    let fraction = exponent - whole;
    if whole.abs() > 1e6 || base == 0 {
        return None;
    }
    let of_whole = power(if whole < 0.0 { inverse(base) } else { base }, whole.abs() as u64);
    let of_fraction = if fraction == 0.0 { 1 } else { random(base, fraction.to_bits()) };
    Some(product(of_whole, of_fraction))
}

/// A number as the quotient that it is: mantissa times a power of two.
fn of_float(value: f64) -> Option<u64> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i64, bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let shift = exponent.max(1) - 1075;
    let two = if shift < 0 { inverse(2) } else { 2 };
    let size = product(mantissa, power(two, shift.unsigned_abs()));
    Some(if value < 0.0 { difference(0, size) } else { size })
}

fn of_integer(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn difference(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, square);
        }
        square = product(square, square);
        exponent >>= 1;
    }
    result
}

/// By Fermat's little theorem.
fn inverse(a: u64) -> u64 {
    power(a, PRIME - 2)
}

/// The same number for the same keys: the finalizer of splitmix64.
fn random(key: u64, other: u64) -> u64 {
    let mut bits = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ other.wrapping_add(0x2545_F491_4F6C_DD1D).rotate_left(29);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits ^ (bits >> 31)) % PRIME
}

/// Gaussian elimination.
fn has_full_rank(mut matrix: Vec<Vec<u64>>) -> bool {
    for step in 0..matrix.len() {
        let Some(pivot) = (step..matrix.len()).find(|&row| matrix[row][step] != 0) else { return false };
        matrix.swap(step, pivot);
        let (above, below) = matrix.split_at_mut(step + 1);
        let pivot_row = &above[step];
        let scale = inverse(pivot_row[step]);
        for row in below.iter_mut().filter(|row| row[step] != 0) {
            let factor = product(row[step], scale);
            for (entry, above) in row.iter_mut().zip(pivot_row).skip(step).filter(|(_, above)| **above != 0) {
                *entry = difference(*entry, product(factor, *above));
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_numbers_are_the_quotients_that_they_are() {
        assert_eq!(of_float(0.75), Some(product(3, inverse(4))));
        assert_eq!(of_float(-1e5), Some(of_integer(-100_000)));
        let tenth = of_float(0.1).expect("finite");
        assert_ne!(product(tenth, 10), 1, "0.1 is no tenth");
    }

    #[test]
    fn powers_that_differ_by_a_whole_number_have_the_base_as_quotient() {
        let base = random(5, 7);
        let quarter = fractional_power(base, 0.25).expect("a power");
        let less = fractional_power(base, -0.75).expect("a power");
        assert_eq!(quarter, product(base, less));
    }

    #[test]
    fn a_matrix_with_equal_rows_is_singular_and_the_smallest_change_makes_it_regular() {
        let rows = vec![vec![2, 3], vec![2, 3]];
        assert!(!has_full_rank(rows));
        assert!(has_full_rank(vec![vec![2, 3], vec![2, 4]]));
    }
}

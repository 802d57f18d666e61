//! Conditions that cannot hold at once, as far as their form shows it: `x > 1` and `x <= 1`, `c` and `not c`, bounds with
//! nothing between them. Parameters count with the values that they have.

use modeshift_dae::{ArithmeticOperator, ExpressionId, FlatModel, Node, RelationOperator, Variability};

/// Parameters that are defined by parameters are followed so far.
const MOST_BINDINGS: u32 = 32;

/// Whether two conditions exclude each other: in every pair of their alternatives there are two parts that do.
pub(super) fn exclude_each_other(model: &mut FlatModel, a: ExpressionId, b: ExpressionId) -> bool {
    if model.expressions.not(a) == b || model.expressions.not(b) == a {
        return true;
    }
    let (a, b) = (alternatives(model, a), alternatives(model, b));
    a.iter().all(|a| b.iter().all(|b| a.iter().any(|&a| b.iter().any(|&b| parts_exclude(model, a, b)))))
}

/// A condition as alternatives, each of which is a list of parts that hold together.
fn alternatives(model: &mut FlatModel, condition: ExpressionId) -> Vec<Vec<ExpressionId>> {
    match model.expressions.node(condition) {
        Node::Or(a, b) => [alternatives(model, a), alternatives(model, b)].concat(),
        Node::And(a, b) => match (&alternatives(model, a)[..], &alternatives(model, b)[..]) {
            ([a], [b]) => vec![[&a[..], b].concat()],
            _ => vec![vec![condition]],
        },
        Node::Not(inner) => match model.expressions.node(inner) {
            Node::Relation(operator, a, b) => vec![vec![model.expressions.relation(operator.negated(), a, b)]],
            _ => vec![vec![condition]],
        },
        _ => vec![vec![condition]],
    }
}

fn parts_exclude(model: &mut FlatModel, a: ExpressionId, b: ExpressionId) -> bool {
    if model.expressions.not(a) == b || model.expressions.not(b) == a {
        return true;
    }
    match (bound(model, a), bound(model, b)) {
        (Some(a), Some(b)) => a.excludes(&b),
        _ => false,
    }
}

/// `x operator limit`
struct Bound {
    of: ExpressionId,
    operator: RelationOperator,
    limit: Limit,
}

/// A number, or something of which no number is known.
#[derive(Clone, Copy)]
enum Limit {
    Number(f64),
    Other(ExpressionId),
}

impl Bound {
    fn excludes(&self, other: &Bound) -> bool {
        use RelationOperator::{Equal, NotEqual};
        if self.of != other.of {
            return false;
        }
        match (self.limit, other.limit) {
            (Limit::Other(a), Limit::Other(b)) if a == b => self.outcomes() & other.outcomes() == 0,
            (Limit::Number(a), Limit::Number(b)) if a == b => self.outcomes() & other.outcomes() == 0,
            (Limit::Number(a), Limit::Number(b)) => match (self.operator, other.operator) {
                (NotEqual, _) | (_, NotEqual) => false,
                (Equal, Equal) => true,
                _ if a > b => self.outcomes() & BELOW == 0 && other.outcomes() & ABOVE == 0,
                _ => self.outcomes() & ABOVE == 0 && other.outcomes() & BELOW == 0,
            },
            _ => false,
        }
    }

    /// Where `x` may be, beside its limit.
    fn outcomes(&self) -> u8 {
        match self.operator {
            RelationOperator::Less => BELOW,
            RelationOperator::LessEqual => BELOW | AT,
            RelationOperator::Greater => ABOVE,
            RelationOperator::GreaterEqual => ABOVE | AT,
            RelationOperator::Equal => AT,
            RelationOperator::NotEqual => BELOW | ABOVE,
        }
    }
}

const BELOW: u8 = 1;
const AT: u8 = 2;
const ABOVE: u8 = 4;

fn bound(model: &FlatModel, relation: ExpressionId) -> Option<Bound> {
    let Node::Relation(operator, left, right) = model.expressions.node(relation) else { return None };
    Some(match (value(model, left, 0), value(model, right, 0)) {
        (Some(limit), None) => bare(model, right, operator.mirrored(), limit),
        (_, Some(limit)) => bare(model, left, operator, limit),
        _ if left <= right => Bound { of: left, operator, limit: Limit::Other(right) },
        _ => Bound { of: right, operator: operator.mirrored(), limit: Limit::Other(left) },
    })
}

/// A bound without the numbers that are added to what it bounds, or subtracted: `x - 1 > 0` is `x > 1`. Not with other factors, whose
/// rounding might let two bounds that meet overlap.
fn bare(model: &FlatModel, mut of: ExpressionId, mut operator: RelationOperator, mut limit: f64) -> Bound {
    for _ in 0..MOST_BINDINGS {
        let (inner, mirrors, moved) = match model.expressions.node(of) {
            Node::Negate(a) => (a, true, -limit),
            Node::Arithmetic(ArithmeticOperator::Add, a, b) => match (value(model, a, 0), value(model, b, 0)) {
                (Some(number), None) => (b, false, limit - number),
                (None, Some(number)) => (a, false, limit - number),
                _ => break,
            },
            Node::Arithmetic(ArithmeticOperator::Subtract, a, b) => match (value(model, a, 0), value(model, b, 0)) {
                (Some(number), None) => (b, true, number - limit),
                (None, Some(number)) => (a, false, limit + number),
                _ => break,
            },
            _ => break,
        };
        (of, limit) = (inner, moved);
        operator = if mirrors { operator.mirrored() } else { operator };
    }
    Bound { of, operator, limit: Limit::Number(limit) }
}

/// The number that an expression of parameters is.
fn value(model: &FlatModel, id: ExpressionId, depth: u32) -> Option<f64> {
    if depth > MOST_BINDINGS {
        return None;
    }
    match model.expressions.node(id) {
        Node::Variable(variable, 0) if model.variables[variable].variability <= Variability::Parameter => {
            value(model, model.variables[variable].binding?, depth + 1)
        }
        Node::Negate(a) => Some(-value(model, a, depth + 1)?),
        Node::Arithmetic(operator, a, b) => {
            let (a, b) = (value(model, a, depth + 1)?, value(model, b, depth + 1)?);
            Some(match operator {
                ArithmeticOperator::Add => a + b,
                ArithmeticOperator::Subtract => a - b,
                ArithmeticOperator::Multiply => a * b,
                ArithmeticOperator::Divide => a / b,
                ArithmeticOperator::Power => a.powf(b),
            })
        }
        _ => model.expressions.literal(id),
    }
}

//! The conditions of `elseif` branches: a branch holds where its condition does and none before it.
//!
//! Of conditions that compare one expression with numbers, only the tightest say something: behind `t < 1` and `t < 2` it is
//! enough that `t < 2` is false. So the guard of a branch does not grow with the number of branches before it.

use modeshift_dae::{ExpressionId, Expressions, Node, RelationOperator};

/// What is known where no branch so far holds.
pub(super) struct Open {
    guard: ExpressionId,
    /// The conditions around the `if`, then those that no branch so far fulfilled.
    conjuncts: Vec<ExpressionId>,
}

/// A comparison with a number: `of >= value`, or `of <= value`.
#[derive(Clone, Copy, PartialEq)]
struct Bound {
    of: ExpressionId,
    is_upper: bool,
    value: f64,
    /// Whether the value itself is excluded.
    is_strict: bool,
}

impl Open {
    pub(super) fn new(around: ExpressionId) -> Open {
        Open { guard: around, conjuncts: vec![around] }
    }

    pub(super) fn guard(&self) -> ExpressionId {
        self.guard
    }

    /// A branch with this condition has been dealt with.
    pub(super) fn exclude(&mut self, expressions: &mut Expressions, condition: ExpressionId) {
        let negated = expressions.not(condition);
        let Some(new) = bound(expressions, negated) else { return self.push(expressions, negated) };
        let mut bounds = self.conjuncts.iter().enumerate().skip(1);
        let known =
            bounds.find_map(|(at, &it)| bound(expressions, it).filter(|it| it.is_like(&new)).map(|it| (at, it)));
        match known {
            None => self.push(expressions, negated),
            Some((_, known)) if known.implies(&new) => {}
            Some((at, _)) => {
                self.conjuncts.remove(at);
                self.conjuncts.push(negated);
                let guard = self.conjuncts.iter().copied().reduce(|all, it| expressions.and(all, it));
                self.guard = guard.unwrap_or(self.guard);
            }
        }
    }

    fn push(&mut self, expressions: &mut Expressions, conjunct: ExpressionId) {
        self.conjuncts.push(conjunct);
        self.guard = expressions.and(self.guard, conjunct);
    }
}

impl Bound {
    fn is_like(&self, other: &Bound) -> bool {
        self.of == other.of && self.is_upper == other.is_upper
    }

    /// Whether what fulfils this bound fulfils the other, which is like it.
    fn implies(&self, other: &Bound) -> bool {
        let is_tighter = if self.is_upper { self.value < other.value } else { self.value > other.value };
        is_tighter || (self.value == other.value && (self.is_strict || !other.is_strict))
    }
}

/// The bound that a condition is.
fn bound(expressions: &Expressions, condition: ExpressionId) -> Option<Bound> {
    let (operator, one, other) = match expressions.node(condition) {
        Node::Relation(operator, one, other) => (operator, one, other),
        Node::Not(inside) => match expressions.node(inside) {
            Node::Relation(operator, one, other) => (operator.negated(), one, other),
            _ => return None,
        },
        _ => return None,
    };
    let (operator, of, value) = match (expressions.literal(other), expressions.literal(one)) {
        (Some(value), None) => (operator, one, value),
        (None, Some(value)) => (operator.mirrored(), other, value),
        _ => return None,
    };
    let (is_upper, is_strict) = match operator {
        RelationOperator::Less => (true, true),
        RelationOperator::LessEqual => (true, false),
        RelationOperator::Greater => (false, true),
        RelationOperator::GreaterEqual => (false, false),
        RelationOperator::Equal | RelationOperator::NotEqual => return None,
    };
    Some(Bound { of, is_upper, value, is_strict })
}

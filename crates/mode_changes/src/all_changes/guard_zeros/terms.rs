//! The terms of a sum, so that sums can be compared and combined.

use modeshift_dae::{ArithmeticOperator, Descent, ExpressionId, Expressions, Node};

/// A term of a sum, and how often it is added and subtracted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    pub of: ExpressionId,
    pub added: u64,
    pub subtracted: u64,
}

impl Term {
    /// Whether it is in the sum once.
    pub fn is_single(&self) -> bool {
        self.added.saturating_add(self.subtracted) == 1
    }
}

/// The terms of a sum in order, the first one added: the same for whatever vanishes together by its form.
pub(super) fn normalized_terms(expressions: &Expressions, sum: ExpressionId) -> Vec<Term> {
    let mut terms = terms(expressions, sum);
    if terms.first().is_some_and(|first| first.added == 0) {
        terms.iter_mut().for_each(|term| std::mem::swap(&mut term.added, &mut term.subtracted));
    }
    terms
}

/// The terms of a sum in order, without those that cancel.
pub(super) fn terms(expressions: &Expressions, sum: ExpressionId) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let together = |(a, b): (u64, u64), (c, d): (u64, u64)| (a.saturating_add(c), b.saturating_add(d));
    let mut descent = Descent::new();
    descent.hand(sum, (1, 0), together);
    while let Some((of, (added, subtracted))) = descent.next() {
        let (as_it_is, negated) = ((added, subtracted), (subtracted, added));
        match expressions.node(of) {
            Node::Arithmetic(ArithmeticOperator::Add, a, b) => {
                [a, b].into_iter().for_each(|term| descent.hand(term, as_it_is, together))
            }
            Node::Arithmetic(ArithmeticOperator::Subtract, a, b) => {
                descent.hand(a, as_it_is, together);
                descent.hand(b, negated, together);
            }
            Node::Negate(a) => descent.hand(a, negated, together),
            _ if expressions.literal(of) == Some(0.0) => {}
            _ => {
                let both = added.min(subtracted);
                terms.push(Term { of, added: added - both, subtracted: subtracted - both });
            }
        }
    }
    terms.retain(|term| term.added + term.subtracted > 0);
    terms.sort_unstable();
    terms
}

//! Small decisions on formulas: light simplification of nested guards, and whether a few guards cover all modes.

use modeshift_dae::{ExpressionId, Expressions, Node};

/// Beyond so many conjuncts a guard is left as it is.
const CONJUNCTS: usize = 64;

/// Beyond so many different atoms no truth table is made.
const ATOMS: usize = 10;

/// A conjunction without repeated members; `false` where it contains a formula and its negation.
pub(crate) fn simplified(expressions: &mut Expressions, formula: ExpressionId) -> ExpressionId {
    let Node::And(..) = expressions.node(formula) else { return formula };
    let Some(members) = conjuncts(expressions, formula) else { return formula };
    let mut kept: Vec<ExpressionId> = Vec::new();
    for &member in &members {
        let opposite = expressions.not(member);
        if kept.contains(&opposite) {
            return expressions.boolean(false);
        }
        if !kept.contains(&member) {
            kept.push(member);
        }
    }
    if kept.len() == members.len() {
        return formula;
    }
    let mut result = kept[0];
    for &member in &kept[1..] {
        result = expressions.and(result, member);
    }
    result
}

/// The members of a conjunction from left to right, if they are few.
fn conjuncts(expressions: &Expressions, formula: ExpressionId) -> Option<Vec<ExpressionId>> {
    let mut members = Vec::new();
    let mut pending = vec![formula];
    while let Some(id) = pending.pop() {
        match expressions.node(id) {
            Node::And(a, b) => pending.extend([b, a]),
            _ => members.push(id),
        }
        if members.len() + pending.len() > CONJUNCTS {
            return None;
        }
    }
    Some(members)
}

/// Whether one of the formulas holds under every valuation of their atoms; `None` if there are too many atoms to
/// try them all. An atom is whatever is not made by `not`, `and`, `or`.
pub(crate) fn cover_everything(expressions: &Expressions, formulas: &[ExpressionId]) -> Option<bool> {
    let mut atoms: Vec<ExpressionId> = Vec::new();
    for &formula in formulas {
        let mut few = true;
        expressions.for_each(formula, |id, node| {
            let composite = matches!(node, Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Boolean(_));
            if !composite && !atoms.contains(&id) {
                atoms.push(id);
            }
            few &= atoms.len() <= ATOMS;
            composite && few
        });
        if !few {
            return None;
        }
    }
    let holds_at = |valuation: u32| formulas.iter().any(|&formula| holds(expressions, formula, &atoms, valuation));
    Some((0..1u32 << atoms.len()).all(holds_at))
}

/// The truth value of a formula; bit `k` of the valuation is the value of the `k`-th atom.
fn holds(expressions: &Expressions, root: ExpressionId, atoms: &[ExpressionId], valuation: u32) -> bool {
    let mut pending = vec![(root, false)];
    let mut values: Vec<bool> = Vec::new();
    while let Some((id, children_done)) = pending.pop() {
        let node = expressions.node(id);
        match (node, children_done) {
            (Node::Boolean(value), _) => values.push(value),
            (Node::Not(_), true) => {
                let value = values.pop().expect("the operand was evaluated");
                values.push(!value);
            }
            (Node::And(..) | Node::Or(..), true) => {
                let right = values.pop().expect("the right operand was evaluated");
                let left = values.pop().expect("the left operand was evaluated");
                values.push(if matches!(node, Node::And(..)) { left && right } else { left || right });
            }
            (Node::Not(a), false) => pending.extend([(id, true), (a, false)]),
            (Node::And(a, b) | Node::Or(a, b), false) => pending.extend([(id, true), (b, false), (a, false)]),
            _ => {
                let position = atoms.iter().position(|&atom| atom == id).expect("every atom was collected");
                values.push(valuation >> position & 1 == 1);
            }
        }
    }
    values.pop().expect("a formula has a value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(expressions: &mut Expressions) -> [ExpressionId; 2] {
        [expressions.string("p"), expressions.string("q")]
    }

    #[test]
    fn the_branches_of_an_if_with_else_cover_everything() {
        let mut expressions = Expressions::new();
        let [p, q] = atoms(&mut expressions);
        let (not_p, not_q) = (expressions.not(p), expressions.not(q));
        let (second, third) = (expressions.and(not_p, q), expressions.and(not_p, not_q));
        assert_eq!(cover_everything(&expressions, &[p, second, third]), Some(true));
        assert_eq!(cover_everything(&expressions, &[p, second]), Some(false));
    }

    #[test]
    fn a_guard_that_contradicts_the_guard_around_it_is_false() {
        let mut expressions = Expressions::new();
        let [p, q] = atoms(&mut expressions);
        let not_p = expressions.not(p);
        let (inner, outer) = (expressions.and(not_p, q), p);
        let both = expressions.and(outer, inner);
        assert_eq!(simplified(&mut expressions, both), expressions.boolean(false));
        let (twice, once) = (expressions.and(p, q), expressions.and(p, q));
        let twice = expressions.and(p, twice);
        assert_eq!(simplified(&mut expressions, twice), once);
    }
}

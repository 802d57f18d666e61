//! Small decisions on formulas: light simplification of nested guards, and whether a few guards cover all modes.

use std::convert::Infallible;

use modeshift_dae::{ExpressionId, Expressions, Fold, Memo, Node, Operands};

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
    let (mut tables, mut known) = (TruthTables { expressions, atoms: &atoms }, Memo::new());
    let mut covered = Table([0; WORDS]);
    for &formula in formulas {
        let Ok(table) = tables.fold(&mut known, formula, ());
        covered = covered.with(table, |a, b| a | b);
    }
    Some(covered.0.iter().all(|&word| word == u64::MAX))
}

/// As many words as the truth table of a formula of so many atoms has.
const WORDS: usize = 1 << (ATOMS - 6);

/// The truth values of a formula: bit `k` of the number of a place is the value of the `k`-th atom there.
#[derive(Clone, Copy)]
struct Table([u64; WORDS]);

impl Table {
    fn of_literal(value: bool) -> Self {
        Table([if value { u64::MAX } else { 0 }; WORDS])
    }

    /// That of the `k`-th atom: within a word it alternates, or it is the same all over it.
    fn of_atom(k: usize) -> Self {
        let within = (0..64).filter(|place| place >> k & 1 == 1).fold(0, |word: u64, place| word | 1 << place);
        let over = |word: usize| if word << 6 >> k & 1 == 1 { u64::MAX } else { 0 };
        Table(std::array::from_fn(|word| if k < 6 { within } else { over(word) }))
    }

    fn with(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Table(std::array::from_fn(|word| f(self.0[word], other.0[word])))
    }
}

struct TruthTables<'a> {
    expressions: &'a Expressions,
    atoms: &'a [ExpressionId],
}

impl Fold for TruthTables<'_> {
    type Context = ();
    type Value = Table;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<Table> {
        match self.expressions.node(id) {
            Node::Boolean(value) => Some(Table::of_literal(value)),
            Node::Not(_) | Node::And(..) | Node::Or(..) => {
                operands.extend(self.expressions.children(id), ());
                None
            }
            _ => {
                let position = self.atoms.iter().position(|&atom| atom == id);
                Some(Table::of_atom(position.expect("every atom was collected")))
            }
        }
    }

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), Table>) -> Result<Table, Infallible> {
        Ok(match self.expressions.node(id) {
            Node::Not(a) => known[a].with(known[a], |a, _| !a),
            Node::And(a, b) => known[a].with(known[b], |a, b| a & b),
            Node::Or(a, b) => known[a].with(known[b], |a, b| a | b),
            _ => unreachable!("`open` knows all others"),
        })
    }
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
    fn many_atoms_are_covered_by_one_and_its_negation_only() {
        let mut expressions = Expressions::new();
        let atoms: Vec<ExpressionId> = (0..ATOMS).map(|k| expressions.string(&format!("p{k}"))).collect();
        let all = atoms.iter().copied().reduce(|a, b| expressions.and(a, b)).expect("atoms");
        for &atom in &atoms {
            let (not_atom, not_all) = (expressions.not(atom), expressions.not(all));
            assert_eq!(cover_everything(&expressions, &[all, atom, not_atom]), Some(true));
            assert_eq!(cover_everything(&expressions, &[all, not_atom]), Some(false));
            assert_eq!(cover_everything(&expressions, &[atom, not_all]), Some(true));
        }
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

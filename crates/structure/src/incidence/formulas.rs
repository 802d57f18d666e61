//! From formulas over mode variables to sets of modes.
//!
//! Formulas are made of `true`, `false`, `not`, `and`, `or` and mode variables. The modes in which a mode variable is
//! true may be given projected onto the valid modes; as the projection commutes with every Boolean operation, all
//! formulas then come out projected, and the invariant can be forgotten until something is printed.

use modeshift_dae::{ExpressionId, Expressions, Id, ModeVariableId, MultimodeDae, Node};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether an expression is a formula over mode variables.
pub(crate) fn is_formula(expressions: &Expressions, root: ExpressionId) -> bool {
    if let Node::Boolean(_) | Node::Mode(_) = expressions.node(root) {
        return true;
    }
    let mut formula = true;
    expressions.for_each(root, |_, node| {
        formula &= matches!(node, Node::Boolean(_) | Node::Mode(_) | Node::Not(_) | Node::And(..) | Node::Or(..));
        formula
    });
    formula
}

/// Calls `visit` with the mode variables of a formula, from right to left, each once. Of a very long one, such as the guard of the last
/// branch of a table, only the last ones.
pub(crate) fn for_each_mode_variable(
    expressions: &Expressions,
    root: ExpressionId,
    mut visit: impl FnMut(ModeVariableId),
) {
    let mut root = root;
    while let Node::Not(operand) = expressions.node(root) {
        root = operand;
    }
    match expressions.node(root) {
        Node::Boolean(_) => {}
        Node::Mode(mode) => visit(mode),
        _ => {
            let (mut pending, mut seen) = (vec![root], FxHashSet::default());
            while let Some(part) = pending.pop().filter(|_| seen.len() < MOST_PARTS) {
                if !seen.insert(part) {
                    continue;
                }
                match expressions.node(part) {
                    Node::Mode(mode) => visit(mode),
                    _ => pending.extend(expressions.children(part)),
                }
            }
        }
    }
}

/// So many parts of a formula are looked at for what is near what: each branch of a table has all conditions of those before it, and what
/// is farther away is told by these.
const MOST_PARTS: usize = 3_000;

/// So many operands of a chain of `and` or `or` are met together, which keeps what is met on the way small.
const MOST_OPERANDS: usize = 32;

/// Sets of modes of formulas, each computed once.
pub struct Formulas<'a> {
    space: &'a ModeSpace,
    expressions: &'a Expressions,
    /// The modes in which each mode variable is true.
    literals: Vec<ModeSet>,
    known: FxHashMap<ExpressionId, ModeSet>,
}

impl<'a> Formulas<'a> {
    /// Formulas over all modes, valid or not.
    pub fn new(space: &'a ModeSpace, expressions: &'a Expressions) -> Self {
        Formulas::with_literals(space, expressions, |variable| space.literal(variable))
    }

    /// Literals are made in the order of the diagrams, so that those of neighbours are near each other in memory.
    fn with_literals(
        space: &'a ModeSpace,
        expressions: &'a Expressions,
        literal: impl Fn(ModeVariable) -> ModeSet,
    ) -> Self {
        let mut literals = vec![ModeSet::EMPTY; space.variable_count()];
        for &variable in space.order() {
            literals[variable.index()] = literal(variable);
        }
        Formulas { space, expressions, literals, known: FxHashMap::default() }
    }

    /// Formulas projected onto the modes that `invariant` allows.
    pub(crate) fn projected(space: &'a ModeSpace, expressions: &'a Expressions, invariant: &Invariant) -> Self {
        Formulas::with_literals(space, expressions, |variable| invariant.projected_literal(space, variable))
    }

    /// Where the sets are from.
    pub(crate) fn space(&self) -> &'a ModeSpace {
        self.space
    }

    /// The modes in which a formula holds, or nothing if it is none. Without recursion: formulas may be deep.
    pub fn modes(&mut self, root: ExpressionId) -> Option<ModeSet> {
        if let Some(modes) = self.known_modes(root) {
            return Some(modes);
        }
        let mut pending = vec![root];
        while let Some(&formula) = pending.last() {
            if self.known.contains_key(&formula) {
                pending.pop();
                continue;
            }
            let operands = self.operands(formula);
            let before = pending.len();
            pending.extend(operands.iter().filter(|&&operand| self.known_modes(operand).is_none()));
            if pending.len() == before {
                let modes = self.combine(formula, &operands)?;
                self.known.insert(formula, modes);
            }
        }
        Some(self.known[&root])
    }

    /// The modes of a formula that was computed before, or is a literal.
    fn known_modes(&self, formula: ExpressionId) -> Option<ModeSet> {
        self.modes_of_literal(formula).or_else(|| self.known.get(&formula).copied())
    }

    /// The modes of `true`, `false`, a mode variable or its negation: most guards.
    fn modes_of_literal(&self, formula: ExpressionId) -> Option<ModeSet> {
        match self.expressions.node(formula) {
            Node::Boolean(value) => Some(if value { ModeSet::ALL } else { ModeSet::EMPTY }),
            Node::Mode(mode) => Some(self.literals[mode.index()]),
            Node::Not(operand) => match self.expressions.node(operand) {
                Node::Mode(mode) => Some(!self.literals[mode.index()]),
                _ => None,
            },
            _ => None,
        }
    }

    /// The operands of a formula's outermost operator; of `a and (b and c)` all three. Of a long chain the last ones, and what is
    /// before them as one: the branches of a table have these prefixes in common.
    fn operands(&self, formula: ExpressionId) -> Vec<ExpressionId> {
        let conjunction = match self.expressions.node(formula) {
            Node::Not(operand) => return vec![operand],
            Node::And(..) => true,
            Node::Or(..) => false,
            _ => return Vec::new(),
        };
        let (mut operands, mut opened) = (Vec::new(), 0);
        self.expressions.for_each(formula, |operand, node| {
            let is_opened =
                opened < MOST_OPERANDS && matches!((node, conjunction), (Node::And(..), true) | (Node::Or(..), false));
            if is_opened {
                opened += 1;
            } else {
                operands.push(operand);
            }
            is_opened
        });
        operands
    }

    fn combine(&self, formula: ExpressionId, operands: &[ExpressionId]) -> Option<ModeSet> {
        let mut sets = operands.iter().map(|&operand| self.known_modes(operand).expect("operands are computed before"));
        match self.expressions.node(formula) {
            Node::Not(_) => sets.next().map(|operand| !operand),
            Node::And(..) => Some(self.space.intersection(sets)),
            Node::Or(..) => Some(self.space.union(sets)),
            _ => None,
        }
    }
}

/// The modes that a model allows: its invariants, and these values of mode variables where only some modes are asked for.
pub fn invariant_of(space: &ModeSpace, dae: &MultimodeDae, within: &[(ModeVariableId, bool)]) -> Invariant {
    let mut formulas = Formulas::new(space, &dae.model.expressions);
    let mut conjuncts = Vec::new();
    for invariant in &dae.model.invariants {
        if let (Some(guard), Some(condition)) = (formulas.modes(invariant.guard), formulas.modes(invariant.condition)) {
            conjuncts.push(space.or(!guard, condition));
        }
    }
    conjuncts.extend(within.iter().map(|&(mode, value)| space.assignment(ModeVariable(mode.0), value)));
    Invariant::new(space, &conjuncts)
}

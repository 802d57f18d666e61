//! What is left of an expression in some modes, in terms of the target: partial evaluation π and renaming σ in one.
//!
//! A condition that holds in all the modes in question, or in none, is decided; of the others the shortest is asked that
//! says the same in these modes. Below a branch the modes are those that take it, and a variable is what holds its value
//! there. E22 §10.4.

use modeshift_dae::{ExpressionId, Expressions, Node, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::{BlockId, Derivative};
use rustc_hash::FxHashMap;

use crate::draft::Draft;

/// Specializes expressions to sets of modes.
pub(crate) struct Specialization<'a, 'c> {
    draft: &'a mut Draft<'c>,
    /// The block whose unknowns are meant, if any.
    block: Option<BlockId>,
    known: FxHashMap<(ExpressionId, ModeSet), ExpressionId>,
}

/// What is to be done with a subexpression, on a stack instead of by recursion.
#[derive(Clone, Copy)]
enum Step {
    Open,
    Close,
}

/// An if-expression in some modes.
enum Choice {
    Then,
    Else,
    /// The condition that is left, and the modes of the branches.
    Both(ExpressionId, ModeSet, ModeSet),
    /// The condition is no formula over mode variables.
    NotAboutModes,
}

impl<'a, 'c> Specialization<'a, 'c> {
    pub(crate) fn new(draft: &'a mut Draft<'c>, block: Option<BlockId>) -> Self {
        Specialization { draft, block, known: FxHashMap::default() }
    }

    /// The expression in the modes of `context`.
    pub(crate) fn of(&mut self, root: ExpressionId, context: ModeSet) -> ExpressionId {
        let mut pending = vec![(root, context, Step::Open)];
        while let Some((id, modes, step)) = pending.pop() {
            if self.known.contains_key(&(id, modes)) {
                continue;
            }
            match step {
                Step::Open => {
                    pending.push((id, modes, Step::Close));
                    self.operands(id, modes, &mut pending);
                }
                Step::Close => {
                    let result = self.result(id, modes);
                    self.known.insert((id, modes), result);
                }
            }
        }
        self.known[&(root, context)]
    }

    fn choice(&mut self, condition: ExpressionId, modes: ModeSet) -> Choice {
        let Some(holds) = self.draft.conditions.modes(condition) else { return Choice::NotAboutModes };
        let space = self.draft.conditions.space();
        let (yes, no) = (space.and(modes, holds), space.difference(modes, holds));
        if no.is_empty() {
            Choice::Then
        } else if yes.is_empty() {
            Choice::Else
        } else {
            Choice::Both(self.draft.condition_within(holds, modes), yes, no)
        }
    }

    fn operands(&mut self, id: ExpressionId, modes: ModeSet, pending: &mut Vec<(ExpressionId, ModeSet, Step)>) {
        match self.draft.target.model.expressions.node(id) {
            Node::If(condition, a, b) => match self.choice(condition, modes) {
                Choice::Then => pending.push((a, modes, Step::Open)),
                Choice::Else => pending.push((b, modes, Step::Open)),
                Choice::Both(_, yes, no) => pending.extend([(a, yes, Step::Open), (b, no, Step::Open)]),
                Choice::NotAboutModes => {
                    pending.extend([condition, a, b].map(|operand| (operand, modes, Step::Open)));
                }
            },
            // Left limits are of the instant before, which may have been in any mode.
            Node::Pre(a) => pending.push((a, ModeSet::ALL, Step::Open)),
            _ => {
                let children = self.draft.target.model.expressions.children(id);
                pending.extend(children.map(|child| (child, modes, Step::Open)));
            }
        }
    }

    fn result(&mut self, id: ExpressionId, modes: ModeSet) -> ExpressionId {
        match self.draft.target.model.expressions.node(id) {
            Node::Variable(variable, order) if self.draft.replicates.is_unknown(variable) => {
                self.variable(variable, order, modes)
            }
            Node::Mode(mode) => {
                let boolean = self.draft.conditions.booleans[mode];
                self.draft.value(boolean)
            }
            Node::If(condition, a, b) => match self.choice(condition, modes) {
                Choice::Then => self.known[&(a, modes)],
                Choice::Else => self.known[&(b, modes)],
                Choice::Both(asked, yes, no) => {
                    let (a, b) = (self.known[&(a, yes)], self.known[&(b, no)]);
                    self.draft.expressions().if_then_else(asked, a, b)
                }
                Choice::NotAboutModes => {
                    let [condition, a, b] = [condition, a, b].map(|operand| self.known[&(operand, modes)]);
                    self.draft.expressions().if_then_else(condition, a, b)
                }
            },
            Node::Pre(a) => {
                let inner = self.known[&(a, ModeSet::ALL)];
                self.draft.expressions().pre(inner)
            }
            _ => {
                let known = &self.known;
                rebuilt(self.draft.expressions(), id, |operand| known[&(operand, modes)])
            }
        }
    }

    fn variable(&mut self, variable: VariableId, order: u32, modes: ModeSet) -> ExpressionId {
        let written = self.block.filter(|&block| {
            let writes = self.draft.conditions.analysis.graph.block(block).writes;
            writes.binary_search(&Derivative { of: variable, order }).is_ok()
        });
        let value = match written {
            Some(block) => Some(self.draft.replicates.written(block, variable)),
            None => self.draft.holder(variable, order, modes),
        };
        match value {
            Some(value) => self.draft.value(value),
            None => self.draft.expressions().real(0.0),
        }
    }
}

/// The expression with other operands, folded where these have become literals.
pub(crate) fn rebuilt(
    expressions: &mut Expressions,
    id: ExpressionId,
    operand: impl Fn(ExpressionId) -> ExpressionId,
) -> ExpressionId {
    match expressions.node(id) {
        Node::Negate(a) => expressions.negate(operand(a)),
        Node::Not(a) => expressions.not(operand(a)),
        Node::Arithmetic(operator, a, b) => expressions.arithmetic(operator, operand(a), operand(b)),
        Node::Relation(operator, a, b) => expressions.relation(operator, operand(a), operand(b)),
        Node::And(a, b) => expressions.and(operand(a), operand(b)),
        Node::Or(a, b) => expressions.or(operand(a), operand(b)),
        Node::If(condition, a, b) => expressions.if_then_else(operand(condition), operand(a), operand(b)),
        Node::Pre(a) => expressions.pre(operand(a)),
        _ => expressions.map_children(id, |_, child| operand(child)),
    }
}

//! What is left of an expression in some modes, in terms of the target: partial evaluation π and renaming σ in one.
//!
//! A condition that holds in all the modes in question, or in none, is decided; of the others the shortest is asked that
//! says the same in these modes. Below a branch the modes are those that take it, and a variable is what holds its value
//! there. E22 §10.4.
//!
//! Of the modes of a branch only what its expression can tell apart is kept: in a chain `y2 = if p then y1 else 2*y1`, `y1` does not depend
//! on `p`, and is specialized once instead of once for every path that leads to it.

use std::convert::Infallible;

use modeshift_dae::{Derivative, ExpressionId, Expressions, Fold, Memo, Node, Operands, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::BlockId;

use crate::draft::Draft;

/// Specializes expressions to sets of modes.
pub(crate) struct Specialization<'a, 'c> {
    draft: &'a mut Draft<'c>,
    /// The block whose unknowns are meant, if any.
    block: Option<BlockId>,
    known: Memo<ModeSet, ExpressionId>,
    /// The mode variables that what is left of an expression may depend on, as the conjunction of them.
    supports: Memo<(), ModeSet>,
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
        Specialization { draft, block, known: Memo::new(), supports: Memo::new() }
    }

    /// The expression in the modes of `context`.
    pub(crate) fn of(&mut self, root: ExpressionId, context: ModeSet) -> ExpressionId {
        let mut known = std::mem::take(&mut self.known);
        let Ok(result) = self.fold(&mut known, root, context);
        self.known = known;
        result
    }

    /// What is asked in these modes, and the modes of the branches as far as these tell them apart.
    fn choice(&mut self, [condition, a, b]: [ExpressionId; 3], modes: ModeSet) -> Choice {
        let Some(holds) = self.draft.conditions.modes(condition) else { return Choice::NotAboutModes };
        let space = self.draft.conditions.space();
        let (yes, no) = (space.and(modes, holds), space.difference(modes, holds));
        if no.is_empty() {
            Choice::Then
        } else if yes.is_empty() {
            Choice::Else
        } else {
            Choice::Both(self.draft.condition_within(holds, modes), self.told_apart(a, yes), self.told_apart(b, no))
        }
    }

    /// The modes that an expression cannot tell from these.
    fn told_apart(&mut self, expression: ExpressionId, modes: ModeSet) -> ModeSet {
        let (own, space) = (self.support(expression), self.draft.conditions.space());
        let own = space.support(own);
        let mut others = space.support(modes);
        others.retain(|variable| own.binary_search(variable).is_err());
        if others.is_empty() { modes } else { space.exists(modes, &others) }
    }

    /// The mode variables of the conditions in an expression and of the sources of its variables, as a conjunction.
    fn support(&mut self, expression: ExpressionId) -> ModeSet {
        let Draft { conditions, replicates, target } = &mut *self.draft;
        let (space, expressions) = (conditions.space(), &target.model.expressions);
        let conjunction = |sets: &[ModeSet]| {
            let variables = space.support_of_all(sets);
            space.intersection(variables.into_iter().map(|variable| space.literal(variable)))
        };
        expressions.fold_up(&mut self.supports, expression, |id, node, known| match node {
            Node::Variable(of, order) if replicates.is_unknown(of) => {
                let level = replicates.levels(of).get(order as usize);
                let sources = level.into_iter().flat_map(|level| level.sources.iter().map(|source| source.modes));
                conjunction(&sources.collect::<Vec<_>>())
            }
            Node::If(condition, a, b) => {
                let asked = match conditions.modes(condition) {
                    Some(holds) => conjunction(&[holds]),
                    None => known[condition],
                };
                space.intersection([asked, known[a], known[b]])
            }
            _ => space.intersection(expressions.children(id).map(|child| known[child])),
        })
    }

    fn variable(&mut self, derivative: Derivative<VariableId>, modes: ModeSet) -> ExpressionId {
        let written = self.block.filter(|&block| {
            let writes = self.draft.conditions.analysis.graph.block(block).writes;
            writes.binary_search(&derivative).is_ok()
        });
        let value = match written {
            Some(block) => Some(self.draft.replicates.written(block, derivative.of)),
            None => self.draft.holder(derivative, modes),
        };
        match value {
            Some(value) => self.draft.value(value),
            None => self.draft.expressions().real(0.0),
        }
    }
}

impl Fold for Specialization<'_, '_> {
    type Context = ModeSet;
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.draft.target.model.expressions
    }

    fn open(&mut self, id: ExpressionId, modes: ModeSet, operands: &mut Operands<ModeSet>) -> Option<ExpressionId> {
        match self.expressions().node(id) {
            Node::If(condition, a, b) => match self.choice([condition, a, b], modes) {
                Choice::Then => operands.push(a, modes),
                Choice::Else => operands.push(b, modes),
                Choice::Both(_, yes, no) => {
                    operands.push(a, yes);
                    operands.push(b, no);
                }
                Choice::NotAboutModes => operands.extend([condition, a, b], modes),
            },
            // Left limits are of the instant before, which may have been in any mode.
            Node::Pre(a) => operands.push(a, ModeSet::ALL),
            _ => operands.extend(self.expressions().children(id), modes),
        }
        None
    }

    /// The modes have decided, in `open`.
    fn branches(
        &mut self,
        _: [ExpressionId; 3],
        _: ModeSet,
        _: &Memo<ModeSet, ExpressionId>,
        _: &mut Operands<ModeSet>,
    ) {
    }

    fn close(
        &mut self,
        id: ExpressionId,
        modes: ModeSet,
        known: &Memo<ModeSet, ExpressionId>,
    ) -> Result<ExpressionId, Infallible> {
        let of = |operand: ExpressionId| known.at(operand, modes);
        Ok(match self.expressions().node(id) {
            Node::Variable(of, order) if self.draft.replicates.is_unknown(of) => {
                self.variable(Derivative { of, order }, modes)
            }
            Node::Mode(mode) => {
                let boolean = self.draft.conditions.booleans[mode];
                self.draft.value(boolean)
            }
            Node::If(condition, a, b) => match self.choice([condition, a, b], modes) {
                Choice::Then => of(a),
                Choice::Else => of(b),
                Choice::Both(asked, yes, no) => {
                    self.draft.expressions().if_then_else(asked, known.at(a, yes), known.at(b, no))
                }
                Choice::NotAboutModes => self.draft.expressions().if_then_else(of(condition), of(a), of(b)),
            },
            Node::Pre(a) => self.draft.expressions().pre(known.at(a, ModeSet::ALL)),
            _ => self.draft.expressions().rebuilt(id, of),
        })
    }
}

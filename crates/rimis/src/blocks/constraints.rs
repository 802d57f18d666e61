//! Constraints that stay constraints: what every mode differentiates alike is not differentiated here.
//!
//! An equation that is differentiated, and only then solved, holds because it held before: nothing enforces it, and the
//! errors of every step add up. A tool that reduces the index of a model itself keeps the equation beside its derivatives
//! and takes some of its variables as algebraic, so that nothing drifts. Ordinary tools can do that wherever the
//! structure is the same in all modes. So a block of all modes is written with its equations as they are where
//!
//! - its constraints do not change with the mode, and what they and their derivatives constrain are states in all modes;
//! - these states do not jump at mode changes: a tool could not know which of them to set. What a `reinit` of the source
//!   sets, the source has chosen.
//!
//! Derivatives that nothing else asks for then need no names: the tool finds them.

use modeshift_dae::{Derivative, EquationId, Node, VariableId};
use modeshift_mode_changes::AllChanges;
use modeshift_structure::{Analysis, Block, BlockId};
use rustc_hash::FxHashSet;

use crate::draft::Draft;
use crate::restarts::Jumps;
use crate::target::Item;
use crate::target::Target;

/// The blocks whose constraints stay.
#[derive(Debug, Default)]
pub(crate) struct KeptConstraints {
    blocks: FxHashSet<BlockId>,
    equations: FxHashSet<EquationId>,
    /// The variables whose derivatives they write; ascending.
    written: Vec<(VariableId, BlockId)>,
}

impl KeptConstraints {
    /// Finds the blocks whose constraints can stay.
    pub(crate) fn new(analysis: &Analysis, changes: &AllChanges, jumps: &Jumps) -> Self {
        let jumping = jumps.states.iter().map(|jump| jump.of).collect();
        let search = Search { analysis, changes, jumping };
        let mut kept = KeptConstraints::default();
        for (id, block) in analysis.graph.blocks() {
            if search.stays(block) {
                kept.blocks.insert(id);
                kept.equations.extend(block.equations.iter().map(|equation| equation.of));
                let derivatives = block.writes.iter().filter(|write| write.order > 0);
                kept.written.extend(derivatives.map(|write| (write.of, id)));
            }
        }
        kept.written.sort_unstable();
        kept
    }

    /// Whether no constraint stays.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether a block is written with its equations as they are.
    pub(crate) fn contains(&self, block: BlockId) -> bool {
        self.blocks.contains(&block)
    }

    /// Whether an equation is written as it is.
    pub(crate) fn contains_equation(&self, equation: EquationId) -> bool {
        self.equations.contains(&equation)
    }

    /// Whether states of a variable may follow from constraints that stay.
    pub(crate) fn constrain(&self, variable: VariableId) -> bool {
        self.written.binary_search_by_key(&variable, |&(written, _)| written).is_ok()
    }

    /// Forgets derivatives that none of these equations ask for.
    pub(crate) fn forget_unused_derivatives<'i>(&self, draft: &mut Draft, items: impl Iterator<Item = &'i Item>) {
        if self.is_empty() {
            return;
        }
        let asked_for = variables_of(&draft.target, items);
        let mut forgotten = Vec::new();
        for &(of, block) in &self.written {
            let levels = draft.replicates.levels(of).iter().enumerate().skip(1).rev();
            let unused = levels.take_while(|(_, level)| !asked_for.contains(&level.sources[0].variable));
            if let Some((order, _)) = unused.last() {
                forgotten.push((Derivative { of, order: order as u32 }, block));
            }
        }
        draft.replicates.forget_derivatives(&forgotten);
    }
}

struct Search<'a> {
    analysis: &'a Analysis,
    changes: &'a AllChanges<'a>,
    /// States that jump at mode changes, as derivatives of variables.
    jumping: FxHashSet<Derivative<VariableId>>,
}

impl Search<'_> {
    /// Whether a block has constraints, and all of them can stay.
    fn stays(&self, block: Block<'_>) -> bool {
        let mut constraints = block.equations.iter().filter(|equation| equation.order > 0).peekable();
        block.guard.is_all() && constraints.peek().is_some() && constraints.all(|constraint| self.is_shared(constraint))
    }

    /// Whether a constraint is the same in all modes, on states of all modes that do not jump.
    fn is_shared(&self, constraint: &Derivative<EquationId>) -> bool {
        let incidence = &self.analysis.incidence;
        let is_state = |edge| {
            let variable = incidence.variable(edge);
            let offset = &self.analysis.offsets.variables[variable];
            incidence.orders(edge).iter().all(|&(order, _)| {
                let above = order + constraint.order;
                let mut levels = order..above;
                offset.at_least(above).is_all()
                    && levels.all(|level| !self.jumping.contains(&Derivative::new(variable, level)))
            })
        };
        self.changes.is_new[constraint.of].is_empty() && incidence.edges_of_equation(constraint.of).all(is_state)
    }
}

/// The variables that occur in some equations or are set there.
fn variables_of<'a>(target: &Target, items: impl Iterator<Item = &'a Item>) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    for item in items {
        found.extend(item.set_at_events());
        for expression in item.expressions() {
            target.model.expressions.for_each(expression, |_, node| {
                if let Node::Variable(variable, _) = node {
                    found.insert(variable);
                }
                true
            });
        }
    }
    found
}

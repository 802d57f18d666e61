//! Which expressions are continuous unknowns or their derivatives, and in which modes these exist.
//!
//! A walk over equations asks this of expressions and variables all over the model. The answers are bits, so that they
//! stay in the caches of the processor whatever the order in which the model is written.

use modeshift_dae::{ExpressionId, FlatModel, Id, IndexVec, Node, VariableId};

use crate::locality::bits::Bits;

/// The continuous unknowns of a model.
pub(crate) struct Unknowns {
    /// The expressions that are unknowns, differentiated or not.
    expressions: Bits,
    /// The unknowns that do not exist in all modes.
    guarded: Bits,
    guards: IndexVec<VariableId, ExpressionId>,
}

impl Unknowns {
    pub(crate) fn of(model: &FlatModel) -> Unknowns {
        let mut variables = Bits::new(model.variables.len());
        let mut guarded = Bits::new(model.variables.len());
        for (id, variable) in model.variables.iter_enumerated().filter(|(_, it)| it.is_continuous_unknown()) {
            variables.insert(id.index());
            if model.expressions.node(variable.guard) != Node::Boolean(true) {
                guarded.insert(id.index());
            }
        }
        let mut expressions = Bits::new(model.expressions.len());
        for at in 0..model.expressions.len() {
            if let Node::Variable(variable, _) = model.expressions.node(ExpressionId::from_index(at))
                && variables.contains(variable.index())
            {
                expressions.insert(at);
            }
        }
        let guards = model.variables.iter().map(|variable| variable.guard).collect();
        Unknowns { expressions, guarded, guards }
    }

    /// Whether an expression is an unknown or a derivative of one.
    #[inline]
    pub(crate) fn contains(&self, expression: ExpressionId) -> bool {
        self.expressions.contains(expression.index())
    }

    /// The guard of an unknown; nothing for those that exist in all modes.
    #[inline]
    pub(crate) fn guard(&self, variable: VariableId) -> Option<ExpressionId> {
        self.guarded.contains(variable.index()).then(|| self.guards[variable])
    }
}

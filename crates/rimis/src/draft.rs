//! The draft of the target: its variables, who gives their values, and conditions on its modes.
//!
//! All steps add to it what they need, and read it in terms of the source: an expression, a derivative, a set of modes.

use modeshift_dae::{Derivative, ExpressionId, Expressions, MultimodeDae, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::Analysis;

use crate::blocks::Replicates;
use crate::blocks::Specialization;
use crate::modes::Conditions;
use crate::modes::declare_modes;
use crate::target::Target;

/// What all steps work on.
pub(crate) struct Draft<'a> {
    pub(crate) conditions: Conditions<'a>,
    pub(crate) replicates: Replicates,
    pub(crate) target: Target,
}

impl<'a> Draft<'a> {
    /// Declares the variables of the source, its modes and replicates; `names` are those of the mode variables.
    pub(crate) fn new(dae: &'a MultimodeDae, analysis: &'a Analysis, names: &'a [String]) -> Self {
        let mut target = Target::new(&dae.model);
        let booleans = declare_modes(dae, &mut target);
        let conditions = Conditions::new(dae, analysis, names, booleans);
        let replicates = Replicates::new(&conditions, &mut target);
        Draft { conditions, replicates, target }
    }

    /// The expressions of the target.
    pub(crate) fn expressions(&mut self) -> &mut Expressions {
        self.target.expressions()
    }

    /// A variable of the target as an expression.
    pub(crate) fn value(&mut self, variable: VariableId) -> ExpressionId {
        self.target.value(variable)
    }

    /// An expression of the source in terms of the target, in any mode.
    pub(crate) fn written(&mut self, expression: ExpressionId) -> ExpressionId {
        Specialization::new(self, None).of(expression, ModeSet::ALL)
    }

    /// The shortest condition that holds, among the modes of `context`, exactly in `modes`.
    pub(crate) fn condition_within(&mut self, modes: ModeSet, context: ModeSet) -> ExpressionId {
        self.conditions.expression(self.target.expressions(), modes, context)
    }

    /// The shortest condition that holds exactly in these modes.
    pub(crate) fn condition(&mut self, modes: ModeSet) -> ExpressionId {
        self.condition_within(modes, ModeSet::ALL)
    }

    /// What holds a derivative in the modes of `context`; nothing where it has no value in any of them.
    pub(crate) fn holder(&mut self, derivative: Derivative<VariableId>, context: ModeSet) -> Option<VariableId> {
        self.replicates.value(&self.conditions, &mut self.target, derivative, context)
    }

    /// The value of a derivative in all modes in which it has one.
    pub(crate) fn signal(&mut self, derivative: Derivative<VariableId>) -> ExpressionId {
        let signal = self.replicates.signal(&mut self.target, derivative);
        self.target.value(signal)
    }

    /// `value` in these modes, `otherwise` in others.
    pub(crate) fn in_modes(&mut self, modes: ModeSet, value: ExpressionId, otherwise: ExpressionId) -> ExpressionId {
        let condition = self.condition(modes);
        self.expressions().if_then_else(condition, value, otherwise)
    }
}

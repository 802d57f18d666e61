//! `sign` where it decides what is discrete: `Integer dir = sign(w)`, `sign(u) == 1` in a condition, `when sign(u) < 0`.
//!
//! The language spells `sign(v)` out as a choice by relations (Modelica 3.6, 3.7.1). In a continuous equation its values are taken as
//! they come, as `noEvent` asks. What is discrete changes at events only: there the relations are written, so that each change
//! is one. For the same reason `noEvent` around the whole value of a discrete variable says nothing.

use std::convert::Infallible;

use modeshift_dae::{
    Builtin, Definition, ExpressionId, Expressions, FlatModel, Fold, MultimodeDae, Node, Operands, RelationOperator,
    Rewritten,
};

use crate::run::prepare::variability::Contents;

/// Writes the relations in the definitions of discrete variables and modes, and in the conditions of `when` clauses.
pub(crate) fn spell_out_signs(dae: &mut MultimodeDae, inputs_move: bool) {
    let contents = Contents::of(&dae.model, inputs_move);
    let MultimodeDae { model, mode_variables, discrete, .. } = dae;
    let mut signs = Signs { model, contents, memo: Rewritten::new() };
    for definition in discrete.definitions.iter_mut().flatten() {
        if let Definition::Equation { value, in_all_modes, .. } = definition {
            *value = signs.of_value(*value);
            *in_all_modes = signs.of_value(*in_all_modes);
        }
    }
    for mode in mode_variables.iter_mut() {
        mode.definition = mode.definition.map(|definition| signs.spelled_out(definition));
    }
    let mut clauses = std::mem::take(&mut signs.model.when_clauses);
    for branch in clauses.iter_mut().flat_map(|clause| &mut clause.branches) {
        branch.conditions.iter_mut().for_each(|condition| *condition = signs.spelled_out(*condition));
    }
    signs.model.when_clauses = clauses;
}

struct Signs<'a> {
    model: &'a mut FlatModel,
    contents: Contents,
    memo: Rewritten,
}

impl Signs<'_> {
    /// The value of a discrete variable, without `noEvent` around it where it moves between events.
    fn of_value(&mut self, value: ExpressionId) -> ExpressionId {
        let inner = match self.model.expressions.node(value) {
            Node::Call(Builtin::NoEvent, arguments) if self.contents.get(value).changes_continuously() => {
                self.model.expressions.argument_list(arguments)[0]
            }
            _ => value,
        };
        self.spelled_out(inner)
    }

    fn spelled_out(&mut self, root: ExpressionId) -> ExpressionId {
        let mut memo = std::mem::take(&mut self.memo);
        let Ok(result) = self.fold(&mut memo, root, ());
        self.memo = memo;
        result
    }

    /// `if a > 0 then 1 else if a < 0 then -1 else 0`
    fn choice(&mut self, a: ExpressionId) -> ExpressionId {
        let expressions = &mut self.model.expressions;
        let [zero, plus, minus] = [0, 1, -1].map(|value| expressions.integer(value));
        let above = expressions.relation(RelationOperator::Greater, a, zero);
        let below = expressions.relation(RelationOperator::Less, a, zero);
        let rest = expressions.if_then_else(below, minus, zero);
        expressions.if_then_else(above, plus, rest)
    }
}

impl Fold for Signs<'_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        if matches!(self.model.expressions.node(id), Node::Call(Builtin::NoEvent, _)) {
            return Some(id);
        }
        operands.extend(self.model.expressions.children(id), ());
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        let moves = self.contents.get(id).changes_continuously();
        let rebuilt = self.model.expressions.map_children(id, |_, child| known[child]);
        Ok(match self.model.expressions.node(rebuilt) {
            Node::Call(Builtin::Sign, arguments) if moves => {
                let argument = self.model.expressions.argument_list(arguments)[0];
                self.choice(argument)
            }
            _ => rebuilt,
        })
    }
}

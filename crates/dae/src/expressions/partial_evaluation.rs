//! Partial evaluation π_q: what is left of an expression under assumptions about modes and values.
//!
//! A mode variable that is assumed true or false, and a parameter whose value is known, are replaced by literals;
//! everything that follows is folded, and of an if-expression with a decided condition only the branch taken is
//! looked at. Left limits are of the instant before: an assumption about a mode says nothing about `pre(mode)`,
//! while parameters are the same on both sides.
//!
//! E22 §4.1: the equations of one mode are the partial evaluations of the multimode equations.

use std::convert::Infallible;

use super::arena::{Builtin, Expressions, Node};
use super::fold::{Fold, Memo, Operands};
use super::walk::Context;
use crate::{ExpressionId, ModeVariableId, VariableId};

/// The expression under assumptions about mode variables alone.
pub fn assume_modes(
    expressions: &mut Expressions,
    expression: ExpressionId,
    modes: impl Fn(ModeVariableId) -> Option<bool>,
) -> ExpressionId {
    PartialEvaluation::new(modes, |_| None).of(expressions, expression)
}

/// Partial evaluation under fixed assumptions, remembered: for many expressions that share subexpressions.
pub struct PartialEvaluation<Modes, Values> {
    modes: Modes,
    values: Values,
    known: Memo<Context, ExpressionId>,
}

impl<Modes, Values> PartialEvaluation<Modes, Values>
where
    Modes: Fn(ModeVariableId) -> Option<bool>,
    Values: Fn(VariableId) -> Option<ExpressionId>,
{
    /// `modes` are the assumed mode variables; `values` gives literals for parameters and constants.
    pub fn new(modes: Modes, values: Values) -> Self {
        PartialEvaluation { modes, values, known: Memo::new() }
    }

    /// What is left of an expression, always of the same arena.
    pub fn of(&mut self, expressions: &mut Expressions, root: ExpressionId) -> ExpressionId {
        let mut evaluation = Evaluation { expressions, modes: &self.modes, values: &self.values };
        let Ok(left) = evaluation.fold(&mut self.known, root, Context::NOW);
        left
    }
}

/// The fold; contexts tell left limits apart and nothing else.
struct Evaluation<'a, Modes, Values> {
    expressions: &'a mut Expressions,
    modes: &'a Modes,
    values: &'a Values,
}

impl<Modes, Values> Fold for Evaluation<'_, Modes, Values>
where
    Modes: Fn(ModeVariableId) -> Option<bool>,
    Values: Fn(VariableId) -> Option<ExpressionId>,
{
    type Context = Context;
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, side: Context, operands: &mut Operands<Context>) -> Option<ExpressionId> {
        operands.of_sides(self.expressions, id, side);
        None
    }

    fn decided(&self, condition: ExpressionId) -> Option<bool> {
        self.expressions.literal_boolean(condition)
    }

    fn close(
        &mut self,
        id: ExpressionId,
        side: Context,
        known: &Memo<Context, ExpressionId>,
    ) -> Result<ExpressionId, Infallible> {
        let of = |operand: ExpressionId| known.at(operand, side);
        let before = |operand: ExpressionId| known.at(operand, Context::LEFT_LIMIT);
        let e = &mut *self.expressions;
        Ok(match e.node(id) {
            Node::Variable(variable, 0) => (self.values)(variable).unwrap_or(id),
            Node::Mode(mode) if side == Context::NOW => match (self.modes)(mode) {
                Some(value) => e.boolean(value),
                None => id,
            },
            Node::Pre(a) => e.pre(before(a)),
            Node::If(condition, a, b) => match e.literal_boolean(of(condition)) {
                Some(true) => of(a),
                Some(false) => of(b),
                None => e.if_then_else(of(condition), of(a), of(b)),
            },
            Node::Call(builtin @ (Builtin::Edge | Builtin::Change), arguments) => {
                let a = e.argument_list(arguments)[0];
                flank(e, builtin, of(a), before(a))
            }
            Node::Call(builtin, arguments) => {
                let list: Vec<ExpressionId> = e.argument_list(arguments).iter().map(|&argument| of(argument)).collect();
                fold_call(e, builtin, &list)
            }
            _ => e.rebuilt(id, of),
        })
    }
}

/// `edge(b)` is `b and not pre(b)`, `change(b)` is `b <> pre(b)`: kept as they are unless `b` is decided now.
fn flank(e: &mut Expressions, builtin: Builtin, now: ExpressionId, before: ExpressionId) -> ExpressionId {
    let left_limit = e.pre(before);
    match (builtin, e.literal_boolean(now)) {
        (_, Some(true)) => e.not(left_limit),
        (Builtin::Edge, Some(false)) => now,
        (_, Some(false)) => left_limit,
        (_, None) => e.call(builtin, &[now]),
    }
}

/// A call of literals is its value, where that is a number.
fn fold_call(e: &mut Expressions, builtin: Builtin, list: &[ExpressionId]) -> ExpressionId {
    if matches!(builtin, Builtin::NoEvent) && e.literal_boolean(list[0]).is_some() {
        return list[0];
    }
    let numbers: Option<Vec<f64>> = list.iter().map(|&argument| e.literal(argument)).collect();
    let value = numbers.and_then(|numbers| builtin.value(&numbers)).filter(|value| value.is_finite());
    let integers = list.iter().all(|&a| matches!(e.node(a), Node::Integer(_)));
    match value {
        Some(value) if builtin.gives_integer(integers) => whole_number(e, builtin, list, value),
        Some(value) => e.real(value),
        None => e.call(builtin, list),
    }
}

/// An Integer literal, as long as the value is exact; beyond, the call stays.
fn whole_number(e: &mut Expressions, builtin: Builtin, list: &[ExpressionId], value: f64) -> ExpressionId {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    if value.abs() < EXACT { e.integer(value as i64) } else { e.call(builtin, list) }
}

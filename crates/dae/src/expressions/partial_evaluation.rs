//! Partial evaluation π_q: what is left of an expression under assumptions about modes and values.
//!
//! A mode variable that is assumed true or false, and a parameter whose value is known, are replaced by literals;
//! everything that follows is folded, and of an if-expression with a decided condition only the branch taken is
//! looked at. Left limits are of the instant before: an assumption about a mode says nothing about `pre(mode)`,
//! while parameters are the same on both sides.
//!
//! E22 §4.1: the equations of one mode are the partial evaluations of the multimode equations.

use rustc_hash::FxHashMap;

use super::arena::{Builtin, Expressions, Node};
use crate::{Arguments, ExpressionId, ModeVariableId, VariableId};

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
    known: FxHashMap<(ExpressionId, Side), ExpressionId>,
}

/// On which side of the instant a subexpression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Now,
    Before,
}

/// What is to be done with a subexpression, on a stack instead of by recursion.
#[derive(Clone, Copy)]
enum Step {
    /// Its operands, or of an if-expression the condition.
    Open,
    /// The branches of an if-expression that its condition leaves.
    Branches,
    /// The result, from those of the operands.
    Close,
}

impl<Modes, Values> PartialEvaluation<Modes, Values>
where
    Modes: Fn(ModeVariableId) -> Option<bool>,
    Values: Fn(VariableId) -> Option<ExpressionId>,
{
    /// `modes` are the assumed mode variables; `values` gives literals for parameters and constants.
    pub fn new(modes: Modes, values: Values) -> Self {
        PartialEvaluation { modes, values, known: FxHashMap::default() }
    }

    /// What is left of an expression, always of the same arena.
    pub fn of(&mut self, expressions: &mut Expressions, root: ExpressionId) -> ExpressionId {
        let mut pending = vec![(root, Side::Now, Step::Open)];
        while let Some((id, side, step)) = pending.pop() {
            if self.known.contains_key(&(id, side)) {
                continue;
            }
            match step {
                Step::Open => self.open(expressions, id, side, &mut pending),
                Step::Branches => self.branches(expressions, id, side, &mut pending),
                Step::Close => {
                    let result = self.fold(expressions, id, side);
                    self.known.insert((id, side), result);
                }
            }
        }
        self.known[&(root, Side::Now)]
    }

    fn open(&self, e: &Expressions, id: ExpressionId, side: Side, pending: &mut Vec<(ExpressionId, Side, Step)>) {
        match e.node(id) {
            Node::If(condition, ..) => {
                pending.extend([(id, side, Step::Branches), (condition, side, Step::Open)]);
            }
            Node::Pre(a) => pending.extend([(id, side, Step::Close), (a, Side::Before, Step::Open)]),
            Node::Call(Builtin::Edge | Builtin::Change, arguments) => {
                let a = e.argument_list(arguments)[0];
                pending.extend([(id, side, Step::Close), (a, side, Step::Open), (a, Side::Before, Step::Open)]);
            }
            _ => {
                pending.push((id, side, Step::Close));
                pending.extend(e.children(id).map(|child| (child, side, Step::Open)));
            }
        }
    }

    fn branches(
        &mut self,
        e: &Expressions,
        id: ExpressionId,
        side: Side,
        pending: &mut Vec<(ExpressionId, Side, Step)>,
    ) {
        let Node::If(condition, a, b) = e.node(id) else { unreachable!("only if-expressions have branches") };
        pending.push((id, side, Step::Close));
        match e.literal_boolean(self.known[&(condition, side)]) {
            Some(true) => pending.push((a, side, Step::Open)),
            Some(false) => pending.push((b, side, Step::Open)),
            None => pending.extend([(a, side, Step::Open), (b, side, Step::Open)]),
        }
    }

    /// The result of a node whose operands are known.
    fn fold(&self, e: &mut Expressions, id: ExpressionId, side: Side) -> ExpressionId {
        let known = |operand: ExpressionId| self.known[&(operand, side)];
        match e.node(id) {
            Node::Real(_) | Node::Integer(_) | Node::Boolean(_) | Node::String(_) | Node::Time => id,
            Node::Variable(variable, 0) => (self.values)(variable).unwrap_or(id),
            Node::Variable(..) => id,
            Node::Mode(mode) if side == Side::Now => match (self.modes)(mode) {
                Some(value) => e.boolean(value),
                None => id,
            },
            Node::Mode(_) => id,
            Node::Pre(a) => e.pre(self.known[&(a, Side::Before)]),
            Node::Negate(a) => e.negate(known(a)),
            Node::Not(a) => e.not(known(a)),
            Node::Arithmetic(operator, a, b) => e.arithmetic(operator, known(a), known(b)),
            Node::Relation(operator, a, b) => e.relation(operator, known(a), known(b)),
            Node::And(a, b) => e.and(known(a), known(b)),
            Node::Or(a, b) => e.or(known(a), known(b)),
            Node::If(condition, a, b) => match e.literal_boolean(known(condition)) {
                Some(true) => known(a),
                Some(false) => known(b),
                None => e.if_then_else(known(condition), known(a), known(b)),
            },
            Node::Call(builtin @ (Builtin::Edge | Builtin::Change), arguments) => {
                let a = e.argument_list(arguments)[0];
                flank(e, builtin, known(a), self.known[&(a, Side::Before)])
            }
            Node::Call(builtin, arguments) => {
                let list = self.operands(e, arguments, side);
                fold_call(e, builtin, &list)
            }
            Node::Function(function, arguments) => {
                let list = self.operands(e, arguments, side);
                e.function(function, &list)
            }
            Node::Output(call, which) => {
                let call = known(call);
                e.add(Node::Output(call, which))
            }
        }
    }

    fn operands(&self, e: &Expressions, arguments: Arguments, side: Side) -> Vec<ExpressionId> {
        e.argument_list(arguments).iter().map(|&argument| self.known[&(argument, side)]).collect()
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

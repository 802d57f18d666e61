//! The walk over the different subexpressions of an equation, and which of their variables matter at the current instant.
//!
//! An if-expression whose condition is a formula over mode variables has one branch or the other, depending on the mode.
//! Under `noEvent` both branches count in all modes, and so do the variables of the condition.
//!
//! An expression that is an unknown is not remembered, but listed as often as it occurs: unlike sums and products, those
//! of one equation are far apart in the arena.

use modeshift_dae::{Context, ExpressionId, Expressions, Id, Node};
use rustc_hash::FxHashSet;

use crate::incidence::formulas::is_formula;
use crate::incidence::unknowns::Unknowns;

/// A subexpression to be visited, and whether inside `noEvent`.
pub(crate) type Visit = (ExpressionId, bool);

/// Whether an if-expression with this condition has one branch or the other, depending on the mode.
pub(crate) fn splits(expressions: &Expressions, condition: ExpressionId, inside: bool) -> bool {
    !inside && is_formula(expressions, condition)
}

/// The subexpressions whose variables matter at the current instant.
pub(crate) fn for_each_child(expressions: &Expressions, (expression, inside): Visit, mut visit: impl FnMut(Visit)) {
    if let Node::If(condition, yes, no) = expressions.node(expression)
        && splits(expressions, condition, inside)
    {
        visit((yes, inside));
        visit((no, inside));
        return;
    }
    let context = if inside { Context::NO_EVENT } else { Context::NOW };
    expressions.for_each_operand(expression, context, |operand, context| {
        if !context.is(Context::HIDDEN) {
            visit((operand, context.is(Context::NO_EVENT)));
        }
    });
}

/// The walk over one equation after the other for its unknowns and conditions.
pub(crate) struct Walk<'a> {
    expressions: &'a Expressions,
    unknowns: &'a Unknowns,
    /// Per expression: the equation in which it was last met.
    met: Vec<u32>,
    /// The expressions inside `noEvent` that were met in the current equation.
    met_inside: FxHashSet<ExpressionId>,
    round: u32,
    /// Empty between visits; kept for its memory.
    pending: Vec<Visit>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(expressions: &'a Expressions, unknowns: &'a Unknowns) -> Self {
        let met = vec![0; expressions.len()];
        Walk { expressions, unknowns, met, met_inside: FxHashSet::default(), round: 0, pending: Vec::new() }
    }

    /// Appends the unknowns of an equation and the conditions of its branches.
    pub(crate) fn visit(
        &mut self,
        sides: [ExpressionId; 2],
        found: &mut Vec<ExpressionId>,
        conditions: &mut Vec<ExpressionId>,
    ) {
        self.round += 1;
        self.met_inside.clear();
        self.pending.extend(sides.map(|side| (side, false)));
        while let Some((expression, inside)) = self.pending.pop() {
            if self.unknowns.contains(expression) {
                found.push(expression);
                continue;
            }
            let node = self.expressions.node(expression);
            if matches!(node, Node::Variable(..)) || !self.is_first_visit((expression, inside)) {
                continue;
            }
            if let Node::If(condition, ..) = node
                && splits(self.expressions, condition, inside)
            {
                conditions.push(condition);
            }
            for_each_child(self.expressions, (expression, inside), |child| self.pending.push(child));
        }
    }

    fn is_first_visit(&mut self, (expression, inside): Visit) -> bool {
        match inside {
            true => self.met_inside.insert(expression),
            false => std::mem::replace(&mut self.met[expression.index()], self.round) != self.round,
        }
    }
}

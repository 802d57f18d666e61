//! An equation solved for its variable, as an ordinary tool writes it down: `x = -b/a`, where `a` is the pivot.
//!
//! ```text
//! 0 = if g then w1 - w2 else f1     f1 = -(if g then w1 - w2 else 0)/(if g then 0 else 1)
//! ```
//!
//! Both are guarded expressions: conditions stay in them, which is why the pivot can be zero (E22 (1) and (3), RR9459 (4)).
//! An equation that is not affine in its variable is solved by iteration, which divides by the pivot as well.

use modeshift_dae::{
    Derivative, Derivatives, ExpressionId, Expressions, Memo, MultimodeDae, Node, VariableId, partial_derivative,
};

use super::{Approximate, RowKind, UnitedBlock};

/// An equation solved for its variable.
#[derive(Clone, Copy, Debug)]
pub struct Pivot {
    /// What it is solved for.
    pub variable: Derivative<VariableId>,
    /// The partial derivative of the equation by it.
    pub pivot: ExpressionId,
    /// `-b/a`, where the equation is affine in it.
    pub solved: Option<ExpressionId>,
}

/// The pivots of blocks of one equation, in the expressions of this model, which grow; nothing for blocks of several, and
/// where an equation would have to be differentiated that has no derivative.
pub fn pivots<'a>(
    dae: &mut MultimodeDae,
    approximate: &Approximate,
    blocks: impl Iterator<Item = &'a UnitedBlock>,
) -> Vec<Option<Pivot>> {
    blocks.map(|block| pivot(dae, approximate, block)).collect()
}

fn pivot(dae: &mut MultimodeDae, approximate: &Approximate, block: &UnitedBlock) -> Option<Pivot> {
    let (&[row], &[column]) = (&block.rows[..], &block.columns[..]) else { return None };
    if approximate.united.rows[row as usize].kind == RowKind::Dummy {
        return None;
    }
    let mut residual = residual(dae, approximate, row);
    let model = &mut dae.model;
    let mut by_time = Derivatives::by_time(&model.variables, &model.functions);
    for _ in 0..approximate.row_offsets[row as usize] {
        residual = by_time.of(&mut model.expressions, residual).ok()?;
    }
    let order = approximate.column_offsets[column as usize];
    let variable = Derivative { of: approximate.united.columns[column as usize], order };
    let mut pivot = partial_derivative(model, residual, variable).ok()?;
    if let Node::Negate(inner) = model.expressions.node(pivot) {
        (pivot, residual) = (inner, model.expressions.negate(residual));
    }
    let unknown = Node::Variable(variable.of, variable.order);
    let is_affine = !model.expressions.contains(pivot, |node| node == unknown);
    let solved = is_affine.then(|| {
        let rest = without(&mut model.expressions, residual, unknown);
        let quotient = model.expressions.quotient(rest, pivot);
        model.expressions.negate(quotient)
    });
    Some(Pivot { variable, pivot, solved })
}

/// What is zero where a row holds: the branches of its equations, by their guards.
fn residual(dae: &mut MultimodeDae, approximate: &Approximate, row: u32) -> ExpressionId {
    let row = &approximate.united.rows[row as usize];
    let model = &mut dae.model;
    let mut branches = row.equations.iter().rev().map(|&id| {
        let equation = &model.equations[id];
        (equation.guard, equation.left, equation.right)
    });
    let (mut guard, left, right) = branches.next().expect("a row has an equation");
    let branches: Vec<(ExpressionId, ExpressionId, ExpressionId)> = branches.collect();
    let mut whole = zero_form(&mut model.expressions, left, right);
    for (next, left, right) in branches {
        let form = zero_form(&mut model.expressions, left, right);
        whole = model.expressions.if_then_else(next, form, whole);
        guard = model.expressions.or(guard, next);
    }
    if row.modes.is_all() {
        return whole;
    }
    let zero = model.expressions.integer(0);
    model.expressions.if_then_else(guard, whole, zero)
}

/// `right` of `0 = right`, `right - 1` of `1 = right`, else `left - right`.
fn zero_form(expressions: &mut Expressions, left: ExpressionId, right: ExpressionId) -> ExpressionId {
    match expressions.literal(left) {
        Some(_) => expressions.difference(right, left),
        None => expressions.difference(left, right),
    }
}

/// The expression with 0 in the place of an unknown.
fn without(expressions: &mut Expressions, root: ExpressionId, unknown: Node) -> ExpressionId {
    let zero = expressions.integer(0);
    let replaced = |expressions: &mut Expressions, id: ExpressionId| match expressions.node(id) {
        node if node == unknown => zero,
        Node::Negate(_) | Node::Arithmetic(..) | Node::If(..) => expressions.rebuilt(id, |operand| operand),
        _ => id,
    };
    let is_kept = |node: Node| matches!(node, Node::Pre(_));
    expressions.rewrite_outside(root, &mut Memo::new(), is_kept, replaced)
}

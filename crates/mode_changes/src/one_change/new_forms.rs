//! A change between two modes of a model as a run sees it: which equations are new, and the past in terms of the new
//! mode.

use modeshift_dae::{EquationId, ExpressionId, FlatModel, IndexVec, ModeVariableId, Node, VariableId};
use rustc_hash::FxHashMap;

use crate::one_change::left_limits::values::Past;
use crate::one_mode::jet::Jet;
use crate::one_mode::mode_structure::{Column, ModeStructure, Row};

/// Whether an equation has another form after the change: an if-expression in it takes another branch, or a variable
/// that changes at events only has another value. (Whether it held before at all is for its guard to say.)
pub fn has_new_form(
    model: &FlatModel,
    equation: EquationId,
    before: &dyn Fn(ModeVariableId) -> bool,
    after: &dyn Fn(ModeVariableId) -> bool,
    changed: &dyn Fn(VariableId) -> bool,
) -> bool {
    let expressions = &model.expressions;
    let mut pending = vec![model.equations[equation].left, model.equations[equation].right];
    while let Some(id) = pending.pop() {
        match expressions.node(id) {
            Node::If(condition, yes, no) => match (holds(model, condition, before), holds(model, condition, after)) {
                (Some(was), Some(is)) if was != is => return true,
                (Some(_), Some(is)) => pending.push(if is { yes } else { no }),
                _ => pending.extend([condition, yes, no]),
            },
            Node::Mode(mode) if before(mode) != after(mode) => return true,
            Node::Variable(variable, _) if changed(variable) => return true,
            _ => pending.extend(expressions.children(id)),
        }
    }
    false
}

/// The truth of a formula over mode variables in a mode; `None` if it is none. Formulas are evaluated on a stack.
pub(crate) fn holds(model: &FlatModel, formula: ExpressionId, mode: &dyn Fn(ModeVariableId) -> bool) -> Option<bool> {
    let expressions = &model.expressions;
    let mut known: FxHashMap<ExpressionId, bool> = FxHashMap::default();
    let mut pending = vec![formula];
    while let Some(&id) = pending.last() {
        let node = expressions.node(id);
        let is_formula = matches!(node, Node::Not(_) | Node::And(..) | Node::Or(..));
        let unknown = expressions.children(id).filter(|operand| is_formula && !known.contains_key(operand));
        let count = pending.len();
        pending.extend(unknown.collect::<Vec<_>>());
        if pending.len() > count {
            continue;
        }
        let value = match node {
            Node::Boolean(value) => value,
            Node::Not(a) => !known[&a],
            Node::And(a, b) => known[&a] && known[&b],
            Node::Or(a, b) => known[&a] || known[&b],
            Node::Mode(variable) => mode(variable),
            _ => return None,
        };
        known.insert(id, value);
        pending.pop();
    }
    Some(known[&formula])
}

impl Past {
    /// The past of `after` from a stay in `before` that ended with left limits `jet`, in columns of `before`.
    ///
    /// `new_form` says of equations of both modes whether they changed; `start` gives start values.
    pub fn between(
        before: &ModeStructure,
        jet: &Jet,
        after: &ModeStructure,
        new_form: impl Fn(EquationId) -> bool,
        start: impl Fn(VariableId) -> Option<f64>,
    ) -> Past {
        let old_column = |column: Column| before.column(after.variable(column));
        let limits = |column: Column| match old_column(column) {
            Some(old) => {
                let derivatives = jet.derivatives(old);
                &derivatives[..derivatives.len().min(before.variable_offset(old) as usize + 1)]
            }
            None => &[],
        };
        let old_row = |row: Row| before.row(after.equation(row));
        let is_new: IndexVec<Row, bool> =
            after.rows().map(|row| old_row(row).is_none() || new_form(after.equation(row))).collect();
        let offset = |row: Row| {
            let old = old_row(row).filter(|_| !is_new[row]);
            old.map_or(0, |old| before.equation_offset(old))
        };
        Past {
            jet: Jet::new(jet.time, after.columns().map(limits)),
            leading_order: after
                .columns()
                .map(|c| old_column(c).map_or(0, |old| before.variable_offset(old)))
                .collect(),
            offset: after.rows().map(offset).collect(),
            is_new,
            start: after.columns().map(|column| start(after.variable(column))).collect(),
        }
    }
}

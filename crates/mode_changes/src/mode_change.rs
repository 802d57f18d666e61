//! A change between two modes of a model as a run sees it: which equations are new, and the past in terms of the new
//! mode.

use modeshift_dae::{EquationId, ExpressionId, FlatModel, IndexVec, ModeVariableId, Node, VariableId};
use rustc_hash::FxHashMap;

use crate::jet::Jet;
use crate::left::Past;
use crate::mode_structure::{Column, ModeStructure, Row};

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
fn holds(model: &FlatModel, formula: ExpressionId, mode: &dyn Fn(ModeVariableId) -> bool) -> Option<bool> {
    let expressions = &model.expressions;
    let mut known: FxHashMap<ExpressionId, bool> = FxHashMap::default();
    let mut pending = vec![formula];
    while let Some(&id) = pending.last() {
        let operands: Vec<ExpressionId> = expressions.children(id).collect();
        let unknown: Vec<ExpressionId> =
            operands.iter().copied().filter(|operand| !known.contains_key(operand)).collect();
        if !unknown.is_empty() {
            pending.extend(unknown);
            continue;
        }
        let value = match expressions.node(id) {
            Node::Boolean(value) => value,
            Node::Mode(variable) => mode(variable),
            Node::Not(a) => !known[&a],
            Node::And(a, b) => known[&a] && known[&b],
            Node::Or(a, b) => known[&a] || known[&b],
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
        let old_columns: FxHashMap<VariableId, Column> =
            before.columns().map(|column| (before.variable(column), column)).collect();
        let old_rows: FxHashMap<EquationId, Row> = before.rows().map(|row| (before.equation(row), row)).collect();
        let old_column = |column: Column| old_columns.get(&after.variable(column)).copied();
        let limits = |column: Column| {
            let known = |old: Column| {
                let derivatives = jet.derivatives(old);
                derivatives[..derivatives.len().min(before.variable_offset(old) as usize + 1)].to_vec()
            };
            old_column(column).map_or(Vec::new(), known)
        };
        let is_new = |row: Row| {
            let equation = after.equation(row);
            !old_rows.contains_key(&equation) || new_form(equation)
        };
        let offset = |row: Row| {
            let old = old_rows.get(&after.equation(row)).filter(|_| !is_new(row));
            old.map_or(0, |&old| before.equation_offset(old))
        };
        Past {
            jet: Jet::new(jet.time, after.columns().map(limits).collect::<IndexVec<Column, Vec<f64>>>()),
            leading_order: after
                .columns()
                .map(|c| old_column(c).map_or(0, |old| before.variable_offset(old)))
                .collect(),
            offset: after.rows().map(offset).collect(),
            is_new: after.rows().map(is_new).collect(),
            start: after.columns().map(|column| start(after.variable(column))).collect(),
        }
    }
}

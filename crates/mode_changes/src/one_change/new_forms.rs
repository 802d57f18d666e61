//! A change between two modes of a model as a run sees it: which equations are new, and the past in terms of the new
//! mode.

use modeshift_dae::{
    Context, EquationId, ExpressionId, Expressions, FlatModel, Fold, IndexVec, Memo, Mode, Node, Operands, VariableId,
    Walk,
};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::left_limits::values::Past;
use crate::one_mode::Jet;

/// Whether an equation has another form after the change: an if-expression in it takes another branch, or a variable
/// that changes at events only has another value. (Whether it held before at all is for its guard to say.)
pub fn has_new_form(
    model: &FlatModel,
    equation: EquationId,
    before: &Mode,
    after: &Mode,
    changed: &dyn Fn(VariableId) -> bool,
) -> bool {
    let expressions = &model.expressions;
    let mut walk = Walk::new();
    walk.add(model.equations[equation].left, Context::NOW);
    walk.add(model.equations[equation].right, Context::NOW);
    while let Some((id, context)) = walk.next() {
        match expressions.node(id) {
            Node::If(condition, yes, no) => match (holds(model, condition, before), holds(model, condition, after)) {
                (Some(was), Some(is)) if was != is => return true,
                (Some(_), Some(is)) => walk.add(if is { yes } else { no }, context),
                _ => walk.add_operands(expressions, id, context),
            },
            Node::Mode(mode) if before[mode] != after[mode] => return true,
            Node::Variable(variable, _) if changed(variable) => return true,
            _ => walk.add_operands(expressions, id, context),
        }
    }
    false
}

/// The truth of a formula over mode variables in a mode; `None` if it is none. Formulas are evaluated on a stack.
pub(crate) fn holds(model: &FlatModel, formula: ExpressionId, mode: &Mode) -> Option<bool> {
    let expressions = &model.expressions;
    Truth { expressions, mode }.fold(&mut Memo::new(), formula, ()).ok()
}

struct Truth<'a> {
    expressions: &'a Expressions,
    mode: &'a Mode,
}

/// That an expression is no formula over mode variables.
struct NoFormula;

impl Fold for Truth<'_> {
    type Context = ();
    type Value = bool;
    type Error = NoFormula;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<bool> {
        if matches!(self.expressions.node(id), Node::Not(_) | Node::And(..) | Node::Or(..)) {
            operands.extend(self.expressions.children(id), ());
        }
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), bool>, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), bool>) -> Result<bool, NoFormula> {
        match self.expressions.node(id) {
            Node::Boolean(value) => Ok(value),
            Node::Not(a) => Ok(!known[a]),
            Node::And(a, b) => Ok(known[a] && known[b]),
            Node::Or(a, b) => Ok(known[a] || known[b]),
            Node::Mode(variable) => Ok(self.mode[variable]),
            _ => Err(NoFormula),
        }
    }
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

    /// The same past, but some variables begin: with these left limits, from the value on, whatever was before. Those
    /// without any are left to constraints, and are 0 where these say nothing. Equations with any of them are new.
    pub fn beginning_with(mut self, after: &ModeStructure, beginnings: &[(VariableId, Option<Vec<f64>>)]) -> Past {
        let mut limits: IndexVec<Column, Vec<f64>> =
            after.columns().map(|column| self.jet.derivatives(column).to_vec()).collect();
        for (variable, values) in beginnings {
            let Some(column) = after.column(*variable) else { continue };
            // Nothing else remembers: what is not differentiated follows from what is.
            let written = after.written_order(column) as usize;
            let known = values.as_ref().map_or(0, |values| values.len().min(written));
            limits[column] = values.as_ref().map_or(Vec::new(), |values| values[..known].to_vec());
            self.leading_order[column] = known as u32;
            self.start[column] = self.start[column].or(Some(0.0));
            for &(row, _) in after.occurrences(column) {
                self.is_new[row] = true;
                self.offset[row] = 0;
            }
        }
        self.jet = Jet::new(self.jet.time, limits.iter());
        self
    }
}

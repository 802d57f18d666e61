//! Products that a mode change leaves undefined.
//!
//! A Dirac impulse times something that jumps at the same instant has no value that the model fixes: where
//! `∂²f/∂a∂b` does not vanish and `a` is impulsive, the orders of `a` and `b` must not add up to more than zero. Here
//! coefficients are taken at left limits (E22 (42)); other conventions give other restarts, so this is worth a warning.
//! An impulsive quantity inside a nonlinear function is the same with `b = a`.

use modeshift_dae::{
    Derivative, ExpressionId, FlatModel, Mode, Node, NotDifferentiable, VariableId, assume_modes, partial_derivative,
};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};
use rustc_hash::FxHashMap;

use super::impulse_order::Potentials;
use crate::formulas::Order;

/// A product whose value the model does not fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedProduct {
    /// The equation.
    pub row: Row,
    /// The impulsive quantity and its order.
    pub impulsive: (Derivative<Column>, i64),
    /// The other factor and its order; the same quantity where it stands in a nonlinear function.
    pub factor: (Derivative<Column>, i64),
}

impl UndefinedProduct {
    /// Whether both factors are impulsive, or one that stands in a nonlinear function: no convention gives that a value.
    pub(crate) fn is_of_impulses(&self) -> bool {
        self.impulsive.1 > 0 && self.factor.1 > 0
    }

    /// The warning: which equation, which factors, which orders, which convention. `own` is the order of the impulsive
    /// quantity, which nonlinear functions may have changed.
    pub(crate) fn message(&self, model: &FlatModel, structure: &ModeStructure, own: Order) -> String {
        let name = |Derivative { of: column, order }: Derivative<Column>| {
            model.name_of_variable(Derivative::new(structure.variable(column), order)).to_string()
        };
        let equation = &model.equations[structure.equation(self.row)].name;
        let (a, b) = (name(self.impulsive.0), name(self.factor.0));
        if self.impulsive.0 == self.factor.0 {
            return format!("in {equation}, {a} is impulsive (order {own}) inside a nonlinear function");
        }
        if self.is_of_impulses() {
            return format!(
                "in {equation}, the product of {a} (order {own}) and {b} (order {}), two impulses, has no value",
                self.factor.1
            );
        }
        format!(
            "in {equation}, the product of {a} (order {own}) and {b} (order {}) is not defined at this change; \
             {b} is taken at its left limit",
            self.factor.1
        )
    }
}

/// The undefined products of a change into a mode, by equation.
pub fn undefined_products(
    model: &mut FlatModel,
    structure: &ModeStructure,
    potentials: &Potentials,
    mode: &Mode,
) -> Result<Vec<UndefinedProduct>, NotDifferentiable> {
    let mut found = Vec::new();
    let columns: FxHashMap<VariableId, Column> =
        structure.columns().map(|column| (structure.variable(column), column)).collect();
    let column_of = |variable: VariableId| columns.get(&variable).copied();
    for row in structure.rows().filter(|&row| potentials.reaches(row)) {
        let equation = &model.equations[structure.equation(row)];
        let (left, right) = (equation.left, equation.right);
        let residual = model.expressions.difference(left, right);
        let residual = assume_modes(&mut model.expressions, residual, |variable| Some(mode[variable]));
        let order = |Derivative { of: column, order }: Derivative<Column>| {
            Some(potentials.order(structure, column)? + i64::from(order))
        };
        for impulsive in leaves(model, residual, &column_of) {
            let Some(own) = order(impulsive).filter(|&own| own > 0) else { continue };
            let partial = partial_derivative(
                model,
                residual,
                Derivative::new(structure.variable(impulsive.of), impulsive.order),
            )?;
            for factor in leaves(model, partial, &column_of) {
                let Some(other) = order(factor).filter(|other| own + other > 0) else { continue };
                let known = UndefinedProduct { row, impulsive: (factor, other), factor: (impulsive, own) };
                if !found.contains(&known) {
                    found.push(UndefinedProduct { row, impulsive: (impulsive, own), factor: (factor, other) });
                }
            }
        }
    }
    Ok(found)
}

/// Variables of the mode in an expression, with the orders that are written; left limits are none.
fn leaves(
    model: &FlatModel,
    root: ExpressionId,
    column_of: &dyn Fn(VariableId) -> Option<Column>,
) -> Vec<Derivative<Column>> {
    let mut found = Vec::new();
    model.expressions.for_each(root, |_, node| {
        if let Node::Variable(variable, order) = node {
            found.extend(column_of(variable).map(|column| Derivative::new(column, order)));
        }
        !matches!(node, Node::Pre(_))
    });
    found.sort_unstable();
    found.dedup();
    found
}

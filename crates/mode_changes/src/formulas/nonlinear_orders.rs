//! Impulse orders behind nonlinear functions: fractions after powers, `inf` after `exp` (E22 §9, after Definition 5).
//!
//! Shortest paths give the orders of what is linear in impulsive quantities. Where an equation is not, and is solved
//! for one variable, the calculus of [`solved_order`] says what its order is, and so for what reads it.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, FlatModel, Mode, VariableId, assume_modes};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::order_calculus::{Order, solved_order};
use crate::one_change::{Potentials, UndefinedProduct};

/// The orders of a change that are not those of shortest paths, by variable.
pub(crate) fn nonlinear_orders(
    model: &mut FlatModel,
    structure: &ModeStructure,
    potentials: &Potentials,
    products: &[UndefinedProduct],
    mode: &Mode,
) -> BTreeMap<Column, Order> {
    let mut found: BTreeMap<Column, Order> = BTreeMap::new();
    let is_nonlinear = |row: Row| products.iter().any(|it| it.row == row && it.is_of_impulses());
    if !products.iter().any(|product| is_nonlinear(product.row)) {
        return found;
    }
    for block in structure.blocks() {
        let (&[row], &[column]) = (&block.rows[..], &block.columns[..]) else { continue };
        let reads = structure.incidence(row).iter().any(|entry| found.contains_key(&entry.column));
        if !is_nonlinear(row) && !reads {
            continue;
        }
        let equation = &model.equations[structure.equation(row)];
        let sides = [equation.left, equation.right];
        let [left, right] = sides.map(|side| assume_modes(&mut model.expressions, side, |it| Some(mode[it])));
        let order_of = |it: Derivative<VariableId>| {
            // What is not impulsive is finite, and its derivatives are so too until one jumps.
            let column = structure.column(it.of);
            let known = column.and_then(|column| found.get(&column).map(|order| order.value()));
            let linear = || column.and_then(|column| potentials.order(structure, column)).map(|order| order as f64);
            Order::new((known.or_else(linear).unwrap_or(f64::NEG_INFINITY) + f64::from(it.order)).max(0.0))
        };
        let order = solved_order(&model.expressions, left, right, structure.variable(column), &order_of);
        found.extend(order.map(|order| (column, order)));
    }
    found
}

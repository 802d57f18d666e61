//! Implicit Euler steps of a nonlinear mode: how values grow as the step shrinks.
//!
//! "Brute force" of E22 §9.3: one step of length `h` from the left limits, for a few ever smaller `h`. A value that
//! grows like `h^-o` has impulse order `o`, which may be a fraction (`x^2 = y` with `y` of order 1); where steps do not
//! converge, or values outgrow every power, there is no order. It confirms what `solved_order` says.

use crate::one_mode::{Jet, Residuals};
use modeshift_dae::{Id, IndexVec};
use modeshift_numerics::residual_newton::{self, Failure, Linearity, Linearization};
use modeshift_structure::one_mode::{Column, ModeStructure};

/// One step of length `h` from left limits, with Newton's method from `start`: the values after it.
pub fn implicit_step(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    left: &Jet,
    h: f64,
    start: &[f64],
) -> Result<Vec<f64>, Failure> {
    residual_newton::solve(start.to_vec(), Linearity::Nonlinear, |values, _| {
        let jet = after_step(structure, left, h, values);
        let mut system = Linearization::zero(values.len());
        for row in structure.rows() {
            system.residual[row.index()] = equations.residual(row, &jet, 0)[0];
            for partial in equations.partials(row, &jet, 0) {
                let slope = partial.derivatives[0] / h.powi(partial.order as i32);
                system.jacobian.add(row.index(), partial.column.index(), slope);
            }
        }
        system
    })
}

/// `x^(k) = (x^(k-1) - x^(k-1)⁻)/h`
fn after_step(structure: &ModeStructure, left: &Jet, h: f64, values: &[f64]) -> Jet {
    let mut jet = Jet::unknown(left.time + h, structure.size());
    for column in structure.columns() {
        let mut derivative = values[column.index()];
        jet.set(column, 0, derivative);
        for order in 1..=structure.written_order(column) {
            derivative = (derivative - left.get(column, order - 1)) / h;
            jet.set(column, order, derivative);
        }
    }
    jet
}

/// Impulse orders of all variables as growth rates over halved steps, the last of `count` of them; 0 for what stays
/// bounded. Newton's method starts at left limits, at 1 where those are zero and no state, and from there each step at
/// the one before: so begin with a step of the model's time scale, not with a short one.
pub fn growth_orders(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    left: &Jet,
    first_step: f64,
    count: u32,
) -> Result<IndexVec<Column, f64>, Failure> {
    let start = |column: Column| match left.get(column, 0) {
        value if value.is_nan() || (value == 0.0 && structure.written_order(column) == 0) => 1.0,
        value => value,
    };
    let mut values: Vec<f64> = structure.columns().map(start).collect();
    let mut before = values.clone();
    for halving in 0..count.max(2) {
        before = values;
        values = implicit_step(structure, equations, left, first_step * (-f64::from(halving)).exp2(), &before)?;
    }
    let rate =
        |(new, old): (&f64, &f64)| if *new == 0.0 || *old == 0.0 { 0.0 } else { (new / old).abs().log2().max(0.0) };
    Ok(values.iter().zip(&before).map(rate).collect())
}

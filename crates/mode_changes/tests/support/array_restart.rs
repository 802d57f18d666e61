//! Restart values by the difference array (E22 §8.4): the kept equations are solved for a few small steps and extrapolated.
//!
//! Derivatives are divided differences at instants `t[0], t[1], …`; right limits are those at the last of the erased
//! instants, weights are moments over all instants. It knows nothing of levels.

use crate::one_change::{Arrangement, EquationAt, Past, PastStructure, Unknowns};
use crate::one_mode::{Jet, Residuals, binomial};
use modeshift_dae::IndexVec;
use modeshift_numerics::residual_newton::{self, Failure, Linearity, Linearization};
use modeshift_structure::one_mode::{Column, ModeStructure};

/// The array with its numbers.
struct Array {
    kept: Vec<EquationAt>,
    unknowns: Unknowns,
    instants: u32,
}

/// Restart values by extrapolation of the array.
#[derive(Clone, Debug)]
pub struct ArrayRestart {
    /// Right limits of values and derivatives up to the leading orders.
    pub right: Jet,
    /// Weights: `weights[j][p]` belongs to `δ^(p)`; what is zero is so up to extrapolation.
    pub weights: IndexVec<Column, Vec<f64>>,
}

impl ArrayRestart {
    /// Right limits of all derivatives up to the leading ones, and weights of impulses up to `δ^(highest_weight)`,
    /// by extrapolation from steps that begin with `first_step`.
    pub fn new(
        structure: &ModeStructure,
        before: &PastStructure,
        equations: &dyn Residuals,
        past: &Past,
        first_step: f64,
        highest_weight: u32,
    ) -> Result<Self, Failure> {
        let Arrangement { unknowns, kept_and_refused: (kept, _), .. } = Arrangement::new(structure, before);
        let array = Array { kept, unknowns, instants: structure.highest_offset() };
        let mut table: Vec<Vec<f64>> = Vec::new();
        for halving in 0..8 {
            let step = first_step / f64::from(1 << halving);
            let values = array.solve_step(structure, equations, past, step)?;
            table.push(array.quantities(structure, past, &values, step, highest_weight));
        }
        let limits: Vec<f64> = (0..table[0].len()).map(|at| extrapolate(table.iter().map(|row| row[at]))).collect();
        Ok(array.restart(structure, past.jet.time, &limits, highest_weight))
    }
}

impl Array {
    fn solve_step(
        &self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        past: &Past,
        step: f64,
    ) -> Result<Vec<f64>, Failure> {
        let start =
            self.unknowns.list.iter().map(|&(column, instant)| predicted(past, column, instant, step)).collect();
        residual_newton::solve(start, Linearity::Nonlinear, |values, _| {
            self.linearize(structure, equations, past, values, step)
        })
    }

    fn value(&self, past: &Past, values: &[f64], step: f64, column: Column, instant: u32) -> f64 {
        match self.unknowns.index(column, instant) {
            Some(unknown) => values[unknown],
            None => predicted(past, column, instant, step),
        }
    }

    /// The derivative of a variable at an instant as a divided difference.
    fn difference(&self, past: &Past, values: &[f64], step: f64, column: Column, order: u32, instant: u32) -> f64 {
        let term = |r: u32| share(order, r, step) * self.value(past, values, step, column, instant + r);
        (0..=order).map(term).sum()
    }

    fn linearize(
        &self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        past: &Past,
        values: &[f64],
        step: f64,
    ) -> Linearization {
        let mut system = Linearization::zero(values.len());
        for (at, &(row, instant)) in self.kept.iter().enumerate() {
            let mut jet = Jet::unknown(past.jet.time + f64::from(instant) * step, structure.size());
            for entry in structure.incidence(row) {
                for order in 0..=entry.order {
                    let value = self.difference(past, values, step, entry.column, order, instant);
                    jet.set(entry.column, order, value);
                }
            }
            system.residual[at] = equations.residual(row, &jet, 0)[0];
            for partial in equations.partials(row, &jet, 0) {
                for r in 0..=partial.order {
                    if let Some(unknown) = self.unknowns.index(partial.column, instant + r) {
                        system.jacobian.add(at, unknown, partial.derivatives[0] * share(partial.order, r, step));
                    }
                }
            }
        }
        system
    }

    /// Per variable its right limits, then its moments.
    fn quantities(
        &self,
        structure: &ModeStructure,
        past: &Past,
        values: &[f64],
        step: f64,
        highest_weight: u32,
    ) -> Vec<f64> {
        let mut quantities = Vec::new();
        for column in structure.columns() {
            for order in 0..=structure.variable_offset(column) {
                quantities.push(self.difference(past, values, step, column, order, self.instants));
            }
            for p in 0..=highest_weight {
                let moment = |instant: u32| {
                    let distance = -f64::from(instant) * step;
                    let factor = step * distance.powi(p as i32) / (1..=p).map(f64::from).product::<f64>();
                    factor * self.value(past, values, step, column, instant)
                };
                quantities.push((0..self.instants).map(moment).sum());
            }
        }
        quantities
    }

    fn restart(&self, structure: &ModeStructure, time: f64, limits: &[f64], highest_weight: u32) -> ArrayRestart {
        let mut limits = limits.iter().copied();
        let mut right = Jet::unknown(time, structure.size());
        let mut weights = IndexVec::new();
        for column in structure.columns() {
            for order in 0..=structure.variable_offset(column) {
                right.set(column, order, limits.next().expect("one limit per derivative"));
            }
            weights.push((0..=highest_weight).map(|_| limits.next().expect("one limit per moment")).collect());
        }
        ArrayRestart { right, weights }
    }
}

/// The share of `x(t + r δ)` in the divided difference for the derivative of an order.
fn share(order: u32, r: u32, step: f64) -> f64 {
    let sign = if (order - r).is_multiple_of(2) { 1.0 } else { -1.0 };
    sign * binomial(order, r) / step.powi(order as i32)
}

/// What the left limits predict for an instant: `Σ binom(k, r) δ^r x^(r)⁻`.
fn predicted(past: &Past, column: Column, instant: u32, step: f64) -> f64 {
    let known = past.jet.derivatives(column).iter().take_while(|value| !value.is_nan());
    let terms = known.take(instant as usize + 1).enumerate();
    terms.map(|(r, value)| binomial(instant, r as u32) * step.powi(r as i32) * value).sum()
}

/// The limit at step zero of a sequence computed with halved steps (Neville).
fn extrapolate(sequence: impl Iterator<Item = f64>) -> f64 {
    let mut column: Vec<f64> = sequence.collect();
    let mut ratio = 2.0;
    while column.len() > 1 {
        column = column.windows(2).map(|pair| pair[1] + (pair[1] - pair[0]) / (ratio - 1.0)).collect();
        ratio *= 2.0;
    }
    column[0]
}

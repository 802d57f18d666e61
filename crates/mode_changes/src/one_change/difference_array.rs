//! The difference array of a mode change (E22 §8.4–8.5): an implementation independent of the levels.
//!
//! Derivatives are expanded by explicit Euler steps, `x^(k)(t) = Σ (-1)^(k-r) binom(k, r) x(t + r δ) / δ^k`, and the
//! equations of the new mode are written at instants `t[0], t[1], …`. What the old mode sets, `x(t[k])` for `k` below
//! both the old leading order and the written order, is known. Equations are taken instant by instant; one that is
//! structurally dependent on those kept so far is *erased*. (Algorithm 2 of E22 read literally erases the whole
//! overdetermined part; on models of first order that takes `der(x) = u` with it.)
//!
//! With numbers, the kept equations are solved for a few small steps and extrapolated: right limits are divided
//! differences at the last of the erased instants, weights are moments over all instants.

use modeshift_dae::IndexVec;

use crate::one_change::growing_matching::GrowingMatching;
use crate::one_change::left_limits::remembered::{Constraint, PastStructure};
use crate::one_change::left_limits::values::Past;
use crate::one_mode::jet::{Jet, Residuals, binomial};
use crate::one_mode::newton::{self, Failure, Linearization};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

/// The array with its verdict.
#[derive(Clone, Debug)]
pub struct DifferenceArray {
    /// Erased equations with their instants, less those that were constraints of the old mode, by equation.
    pub erased: Vec<Constraint>,
    /// Variables that no equation determines, with the first of their instants.
    pub undetermined: Vec<(Column, u32)>,
    kept: Vec<Constraint>,
    unknowns: Unknowns,
    instants: u32,
}

/// Values at instants that are not set by the past.
#[derive(Clone, Debug)]
struct Unknowns {
    first: IndexVec<Column, u32>,
    base: IndexVec<Column, u32>,
    list: Vec<(Column, u32)>,
}

impl Unknowns {
    fn new(structure: &ModeStructure, past: &PastStructure, instants: u32) -> Self {
        let mut unknowns = Unknowns { first: IndexVec::new(), base: IndexVec::new(), list: Vec::new() };
        for column in structure.columns() {
            let first = past.leading_order[column].min(structure.written_order(column));
            unknowns.first.push(first);
            unknowns.base.push(unknowns.list.len() as u32);
            let last = instants + structure.variable_offset(column);
            unknowns.list.extend((first..=last).map(|instant| (column, instant)));
        }
        unknowns
    }

    fn index(&self, column: Column, instant: u32) -> Option<usize> {
        let offset = instant.checked_sub(self.first[column])?;
        Some((self.base[column] + offset) as usize)
    }
}

impl DifferenceArray {
    /// Writes the array of a change and removes its conflicts.
    pub fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let instants = structure.highest_offset();
        let unknowns = Unknowns::new(structure, past, instants);
        let mut order: Vec<Constraint> = structure
            .rows()
            .flat_map(|row| (0..=instants + structure.equation_offset(row)).map(move |instant| (row, instant)))
            .collect();
        order.sort_by_key(|&(row, instant)| (instant, past.is_new[row], row));
        let mut matching = GrowingMatching::new(unknowns.list.len());
        let (mut kept, mut erased) = (Vec::new(), Vec::new());
        for (row, instant) in order {
            if matching.add(entries(structure, &unknowns, row, instant)) {
                kept.push((row, instant));
            } else {
                let held = if past.is_new[row] { 0 } else { past.offset[row] };
                erased.extend((instant >= held).then_some((row, instant)));
            }
        }
        erased.sort_unstable();
        let undetermined = matching.undetermined().into_iter().map(|unknown| unknowns.list[unknown]).collect();
        let undetermined = first_of_each(undetermined);
        DifferenceArray { erased, undetermined, kept, unknowns, instants }
    }

    /// Whether nothing is undetermined.
    pub fn is_determined(&self) -> bool {
        self.undetermined.is_empty()
    }

    /// Right limits of all derivatives up to the leading ones, and weights of impulses up to `δ^(highest_weight)`,
    /// by extrapolation from steps that begin with `first_step`.
    pub fn solve(
        &self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        past: &Past,
        first_step: f64,
        highest_weight: u32,
    ) -> Result<ArrayRestart, Failure> {
        let mut table: Vec<Vec<f64>> = Vec::new();
        for halving in 0..8 {
            let step = first_step / f64::from(1 << halving);
            let values = self.solve_step(structure, equations, past, step)?;
            table.push(self.quantities(structure, past, &values, step, highest_weight));
        }
        let limits: Vec<f64> = (0..table[0].len()).map(|at| extrapolate(table.iter().map(|row| row[at]))).collect();
        Ok(self.restart(structure, past.jet.time, &limits, highest_weight))
    }

    fn solve_step(
        &self,
        structure: &ModeStructure,
        equations: &dyn Residuals,
        past: &Past,
        step: f64,
    ) -> Result<Vec<f64>, Failure> {
        let start =
            self.unknowns.list.iter().map(|&(column, instant)| predicted(past, column, instant, step)).collect();
        newton::solve(start, |values| self.linearize(structure, equations, past, values, step))
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

/// Restart values by extrapolation of the array.
#[derive(Clone, Debug)]
pub struct ArrayRestart {
    /// Right limits of values and derivatives up to the leading orders.
    pub right: Jet,
    /// Weights: `weights[j][p]` belongs to `δ^(p)`; what is zero is so up to extrapolation.
    pub weights: IndexVec<Column, Vec<f64>>,
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

fn entries(structure: &ModeStructure, unknowns: &Unknowns, row: Row, instant: u32) -> Vec<usize> {
    let of_entry = |entry: &modeshift_structure::one_mode::Entry| {
        let column = entry.column;
        (instant..=instant + entry.order).map(move |at| (column, at))
    };
    let all = structure.incidence(row).iter().flat_map(of_entry);
    all.filter_map(|(column, at)| unknowns.index(column, at)).collect()
}

/// The first instant of each variable.
fn first_of_each(mut list: Vec<(Column, u32)>) -> Vec<(Column, u32)> {
    list.sort_unstable();
    list.dedup_by_key(|&mut (column, _)| column);
    list
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

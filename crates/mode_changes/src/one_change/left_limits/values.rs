//! Left limits as the new mode needs them: taken from the old mode, completed by birth, continuity and start values.
//!
//! Two jets result. Births are solved by the equations of the new mode, also for derivatives that the old mode gave
//! another value: those are only means to an end there. Coefficients and defects are taken at true left limits, as
//! far as the old mode computed them.

use std::collections::BTreeSet;

use modeshift_dae::{Derivative, IndexVec};

use modeshift_numerics::residual_newton::{self, Linearity, Linearization, Wanted};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::remembered::{BirthBlock, Constraint, Memory, PastStructure, Source};
use crate::one_mode::{Jet, Residuals, binomial};

/// What is known of the old mode at the instant of change, in terms of the new mode.
#[derive(Clone, Debug)]
pub struct Past {
    /// Left limits: values and derivatives up to the old leading orders; nothing for variables that did not exist.
    pub jet: Jet,
    /// Old leading orders; 0 for variables that did not exist.
    pub leading_order: IndexVec<Column, u32>,
    /// Old offsets of equations; 0 for new ones.
    pub offset: IndexVec<Row, u32>,
    /// Whether an equation is new.
    pub is_new: IndexVec<Row, bool>,
    /// Start values.
    pub start: IndexVec<Column, Option<f64>>,
}

impl Past {
    /// What it is made of, without values.
    pub fn structure(&self) -> PastStructure {
        let known = |column: Column| {
            let unknown = self.jet.derivatives(column).iter().position(|value| value.is_nan());
            unknown.unwrap_or(self.jet.derivatives(column).len()) as u32
        };
        PastStructure {
            is_new: self.is_new.clone(),
            offset: self.offset.clone(),
            leading_order: self.leading_order.clone(),
            computed: self.leading_order.ids().map(known).collect(),
            has_start: self.start.iter().map(Option::is_some).collect(),
        }
    }
}

/// Left limits, completed.
pub(crate) struct LeftLimits {
    /// True left limits where the old mode computed them, else as in `memory`.
    pub complete: Jet,
    /// The memory, and what the new mode's constraints make of it.
    pub memory: Jet,
    /// Constraints of birth blocks that could not be solved: regular in their structure, not in their numbers.
    pub unsolved: Vec<Constraint>,
    /// Memory that was to follow from them.
    pub unborn: Vec<Derivative<Column>>,
}

/// Completes the left limits.
pub(crate) fn complete(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    past: &Past,
    memory: &Memory,
) -> LeftLimits {
    let mut extension = Jet::unknown(past.jet.time, structure.size());
    for column in structure.columns() {
        for (order, &value) in past.jet.derivatives(column).iter().enumerate() {
            extension.set(column, order as u32, value);
        }
        if let Some(start) = past.start[column].filter(|_| !extension.knows(column, 0)) {
            extension.set(column, 0, start);
        }
    }
    for &(Derivative { of: column, order }, source) in &memory.missing {
        if source == Source::Undetermined && !extension.knows(column, order) {
            extension.set(column, order, 0.0);
        }
    }
    let (mut unsolved, mut unborn) = (Vec::new(), Vec::new());
    for block in &memory.births {
        if !solve_birth(equations, &mut extension, block) {
            unsolved.extend(block.constraints.iter().copied());
            unborn.extend(block.unknowns.iter().copied().filter(|&unknown| was_missing(memory, unknown)));
        }
    }
    let mut complete = extension.clone();
    for column in structure.columns() {
        for (order, &value) in past.jet.derivatives(column).iter().enumerate() {
            if !value.is_nan() && !was_missing(memory, Derivative::new(column, order as u32)) {
                complete.set(column, order as u32, value);
            }
        }
    }
    follow(structure, equations, past, memory, &mut complete);
    LeftLimits { complete, memory: extension, unsolved, unborn }
}

/// What exists since this instant and remembers nothing has left limits by the constraints of the new mode, one after the other: the pin of
/// a diode that closes is where the wire is, and the voltage between its pins is what it was. So a constraint that the past
/// violates is one that says something of it, and not that its variables had no value.
fn follow(structure: &ModeStructure, equations: &dyn Residuals, past: &Past, memory: &Memory, complete: &mut Jet) {
    let born: BTreeSet<Derivative<Column>> = memory.births.iter().flat_map(|block| &block.unknowns).copied().collect();
    let is_open = |&column: &Column| {
        let remembers = structure.written_order(column) > 0 || structure.variable_offset(column) == 0;
        let is_given = past.jet.knows(column, 0) || born.contains(&Derivative::new(column, 0));
        !remembers && !is_given && complete.knows(column, 0)
    };
    let open: Vec<(Column, f64)> =
        structure.columns().filter(is_open).map(|column| (column, complete.get(column, 0))).collect();
    open.iter().for_each(|&(column, _)| complete.set(column, 0, f64::NAN));
    let mut pending: Vec<Row> =
        open.iter().flat_map(|&(column, _)| structure.occurrences(column)).map(|&(row, _)| row).collect();
    while let Some(row) = pending.pop() {
        if structure.equation_offset(row) == 0 {
            continue;
        }
        let mut unknown = structure.incidence(row).iter().filter(|entry| !complete.knows(entry.column, entry.order));
        let (Some(only), None) = (unknown.next(), unknown.next()) else { continue };
        let column = only.column;
        if only.order > 0 || open.binary_search_by_key(&column, |it| it.0).is_err() {
            continue;
        }
        let (constraint, unknown) = (Derivative::new(row, 0), Derivative::new(column, 0));
        let block = BirthBlock { constraints: vec![constraint], unknowns: vec![unknown] };
        if solve_birth(equations, complete, &block) {
            pending.extend(structure.occurrences(column).iter().map(|&(row, _)| row));
        }
    }
    // What they do not say is as if it had begun with its start value.
    for (column, start) in open {
        if !complete.knows(column, 0) {
            complete.set(column, 0, start);
        }
    }
}

fn was_missing(memory: &Memory, derivative: Derivative<Column>) -> bool {
    memory.missing.binary_search_by_key(&derivative, |&(missing, _)| missing).is_ok()
}

fn solve_birth(equations: &dyn Residuals, extension: &mut Jet, block: &BirthBlock) -> bool {
    let before: Vec<f64> = block.unknowns.iter().map(|unknown| extension.get(unknown.of, unknown.order)).collect();
    let start = before.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
    let linearity = match block.constraints.iter().all(|it| equations.is_linear(it.of)) {
        true => Linearity::Linear,
        false => Linearity::Nonlinear,
    };
    let solution = residual_newton::solve(start, linearity, |values, wanted| {
        extension.set_all(&block.unknowns, values);
        linearize(equations, extension, block, wanted)
    });
    extension.set_all(&block.unknowns, solution.as_ref().unwrap_or(&before));
    solution.is_ok()
}

fn linearize(equations: &dyn Residuals, jet: &Jet, block: &BirthBlock, wanted: Wanted) -> Linearization {
    let mut system = Linearization::zero(block.unknowns.len());
    for (at, &Derivative { of: row, order: derivative }) in block.constraints.iter().enumerate() {
        system.residual[at] = equations.derivative(row, jet, derivative);
        if wanted == Wanted::Residual {
            continue;
        }
        for partial in equations.partials(row, jet, derivative) {
            for (unknown_at, &Derivative { of: column, order }) in block.unknowns.iter().enumerate() {
                if column == partial.column {
                    let share = share_of_derivative(&partial.derivatives, partial.order, derivative, order);
                    system.jacobian.add(at, unknown_at, share);
                }
            }
        }
    }
    system
}

/// What `a x^(k)` with `a = ∂f/∂x^(k)` contributes to `∂f^(m)/∂x^(l)`: `binom(m, r) a^(r)` with `r = k + m - l`.
fn share_of_derivative(partial: &[f64], k: u32, m: u32, l: u32) -> f64 {
    match (k + m).checked_sub(l) {
        Some(r) if r <= m => binomial(m, r) * partial[r as usize],
        _ => 0.0,
    }
}

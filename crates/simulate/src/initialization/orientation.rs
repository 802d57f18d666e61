//! Which of several starts is held: the orientation of the equations at each of them.
//!
//! Equations that are continuous across the boundaries of modes have solutions that come and go in pairs, one with a positive and one with
//! a negative determinant of the Jacobian (the Brouwer degree, their sum, stays). A Schmitt trigger is at rest at one or the other limit of its
//! amplifier, and once more between them, where nothing holds it: that solution has the determinant of the other sign.

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_numerics::{Block, NonlinearSystem};
use modeshift_structure::initialization::OneModeBlock;

use super::point::StartMode;
use super::problem::InitialProblem;
use super::solve::ModeSolution;

/// Larger systems are left as they are: the elimination is dense.
const LARGEST: usize = 1000;

/// The sign of the determinant, and of which equations and unknowns it is.
#[derive(PartialEq)]
pub(super) struct Orientation {
    equations: Vec<EquationId>,
    variables: Vec<VariableId>,
    is_positive: bool,
}

impl Orientation {
    /// Which of several solutions of the same equations have the sign that more of them have; all where that cannot be said.
    pub(super) fn of_most(all: &[Option<Orientation>]) -> Vec<bool> {
        let first = all.first().and_then(Option::as_ref);
        let is_same = |it: &Option<Orientation>| {
            let (Some(it), Some(first)) = (it, first) else { return false };
            it.equations == first.equations && it.variables == first.variables
        };
        let is_positive = |it: &Option<Orientation>| it.as_ref().is_some_and(|it| it.is_positive);
        let positive = all.iter().filter(|&it| is_positive(it)).count();
        if !all.iter().all(is_same) || 2 * positive == all.len() {
            return vec![true; all.len()];
        }
        all.iter().map(|it| is_positive(it) == (2 * positive > all.len())).collect()
    }
}

impl InitialProblem<'_> {
    /// The orientation of the equations of a mode at its solution.
    pub(super) fn orientation(&self, mode: &StartMode, solution: &ModeSolution) -> Option<Orientation> {
        let one_mode = self.start.one_mode(|variable| mode.is_on(variable));
        let mut all = OneModeBlock { equations: Vec::new(), variables: Vec::new() };
        for block in &one_mode.blocks {
            all.equations.extend(&block.equations);
            all.variables.extend(&block.variables);
        }
        if all.variables.len() > LARGEST {
            return None;
        }
        all.equations.sort_unstable();
        all.variables.sort_unstable();
        let equations = self.compile(&all, &solution.point, false).ok()?;
        let unknowns: Vec<f64> = all.variables.iter().map(|&it| solution.point.values[it.index()]).collect();
        let size = unknowns.len();
        let (mut residuals, mut entries) = (vec![0.0; size], vec![0.0; equations.pattern().entry_count()]);
        let mut block = Block::new(&equations, &[]);
        block.jacobian(&unknowns, &mut residuals, &mut entries);
        let mut rows = vec![vec![0.0; size]; size];
        for (row, place) in rows.iter_mut().enumerate() {
            equations.pattern().row_entries(&entries, row).for_each(|(column, value)| place[column] = value);
        }
        let is_positive = is_determinant_positive(rows)?;
        Some(Orientation { equations: all.equations, variables: all.variables, is_positive })
    }
}

/// The sign of a determinant, by elimination with pivots that are large in their rows.
fn is_determinant_positive(mut rows: Vec<Vec<f64>>) -> Option<bool> {
    let mut is_positive = true;
    for row in &mut rows {
        let largest = row.iter().fold(0.0, |largest: f64, it| largest.max(it.abs()));
        row.iter_mut().for_each(|it| *it /= largest);
    }
    for column in 0..rows.len() {
        let pivot = (column..rows.len()).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        let value = rows[pivot][column];
        if !value.is_normal() {
            return None;
        }
        is_positive ^= (value < 0.0) != (pivot != column);
        rows.swap(pivot, column);
        let (above, below) = rows.split_at_mut(column + 1);
        for row in below.iter_mut().filter(|row| row[column] != 0.0) {
            let share = row[column] / value;
            row.iter_mut().zip(&above[column]).skip(column).for_each(|(place, it)| *place -= share * it);
        }
    }
    Some(is_positive)
}

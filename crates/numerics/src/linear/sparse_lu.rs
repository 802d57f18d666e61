//! Sparse LU factors for blocks of hundreds to thousands of unknowns.
//!
//! The first matrix of a pattern is analyzed: pivots of least Markowitz cost among those that are large enough in
//! their row, which fixes the order and where the factors have entries. Later matrices of the same pattern are only
//! computed with, row by row, until a pivot becomes too small or an entry too large for the order to be good; then it is analyzed
//! anew.

use std::collections::BTreeSet;

use super::singular::diagnose_dense;
use super::solver::{FactorFailure, LinearSolver, Scaling, Singular, inverse_norm, singular_condition};
use super::sparse::Pattern;

/// A pivot is at least this share of the largest entry of its row when an order is chosen.
const CHOICE: f64 = 0.1; // the usual threshold of Markowitz pivoting: one digit given for sparsity
/// An order is kept as long as pivots are at least this share of the largest entry of their row.
const KEEP: f64 = 1e-2; // another digit given for not choosing again
/// And as long as no entry of the factors outgrows the scaled matrix, whose entries are near 1, by more than this.
const GROWTH: f64 = 1e2;
/// So many of the shortest rows are searched for a pivot.
const SEARCH: usize = 4; // the shortest rows have the cheapest pivots, and a look at more costs more than it saves
/// Up to this size a singular matrix is explained by complete pivoting.
const EXPLAIN: usize = 600; // 600³ operations take a tenth of a second

/// Factors of the last matrix.
#[derive(Clone, Debug, Default)]
pub struct SparseLu {
    pattern: Option<Pattern>,
    scaling: Scaling,
    order: Order,
    /// Values of `lower` and `upper` of the order, and the pivots.
    lower: Vec<f64>,
    upper: Vec<f64>,
    pivots: Vec<f64>,
    condition: f64,
    /// The row that is being reduced.
    row: Vec<f64>,
}

/// The order of pivots, and where the factors have entries beside the diagonal.
#[derive(Clone, Debug, Default)]
struct Order {
    /// Row and column of the matrix at each step.
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// The step at which each column is eliminated.
    step_of_column: Vec<usize>,
    /// Steps below each step that its row is reduced by, ascending.
    lower: Rows,
    /// Steps above each step, of the columns where its row has entries.
    upper: Rows,
}

/// Rows of indices, one after the other.
#[derive(Clone, Debug, Default)]
struct Rows {
    starts: Vec<usize>,
    indices: Vec<usize>,
}

impl Rows {
    fn from_rows(rows: Vec<Vec<usize>>) -> Self {
        let mut result = Rows { starts: vec![0], indices: Vec::new() };
        for mut row in rows {
            row.sort_unstable();
            result.indices.extend(row);
            result.starts.push(result.indices.len());
        }
        result
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
}

impl SparseLu {
    /// Nothing analyzed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries the factors have.
    pub fn entry_count(&self) -> usize {
        self.lower.len() + self.upper.len() + self.pivots.len()
    }

    fn analyze(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), FactorFailure> {
        self.pattern = None;
        let mut elimination = Elimination::of(pattern, values, &self.scaling);
        while let Some(pivot) = elimination.choose() {
            elimination.eliminate(pivot);
        }
        match elimination.into_order() {
            Ok(order) => {
                self.lower = vec![0.0; order.lower.indices.len()];
                self.upper = vec![0.0; order.upper.indices.len()];
                self.pivots = vec![0.0; order.rows.len()];
                self.order = order;
                self.pattern = Some(pattern.clone());
                Ok(())
            }
            Err(singular) => Err(FactorFailure::Singular(self.explain(pattern, values, singular))),
        }
    }

    fn explain(&self, pattern: &Pattern, values: &[f64], singular: Singular) -> Singular {
        if pattern.row_count() <= EXPLAIN { diagnose_dense(pattern, values, &self.scaling) } else { singular }
    }

    /// The factors in the known order; `false` if the order is not good for these values.
    fn compute(&mut self, pattern: &Pattern, values: &[f64]) -> bool {
        let size = self.pivots.len();
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.resize(size, 0.0);
        let mut good = true;
        for step in 0..size {
            for (column, value) in self.scaling.row(pattern, values, self.order.rows[step]) {
                row[self.order.step_of_column[column]] = value;
            }
            self.reduce(step, &mut row);
            good &= self.gather(step, &mut row);
        }
        self.row = row;
        good
    }

    fn reduce(&mut self, step: usize, row: &mut [f64]) {
        for place in self.order.lower.range(step) {
            let by = self.order.lower.indices[place];
            let multiplier = row[by] / self.pivots[by];
            row[by] = 0.0;
            self.lower[place] = multiplier;
            for place in self.order.upper.range(by) {
                row[self.order.upper.indices[place]] -= multiplier * self.upper[place];
            }
        }
    }

    fn gather(&mut self, step: usize, row: &mut [f64]) -> bool {
        let mut largest = 0.0f64;
        for place in self.order.upper.range(step) {
            let index = self.order.upper.indices[place];
            self.upper[place] = std::mem::take(&mut row[index]);
            largest = largest.max(self.upper[place].abs());
        }
        self.pivots[step] = std::mem::take(&mut row[step]);
        let pivot = self.pivots[step].abs();
        pivot != 0.0 && pivot >= KEEP * largest && pivot.max(largest) <= GROWTH
    }

    fn solve_factors(&self, vector: &mut [f64]) {
        for step in 0..vector.len() {
            let range = self.order.lower.range(step);
            let entries = self.order.lower.indices[range.clone()].iter().zip(&self.lower[range]);
            let known: f64 = entries.map(|(&index, l)| l * vector[index]).sum();
            vector[step] -= known;
        }
        for step in (0..vector.len()).rev() {
            let range = self.order.upper.range(step);
            let entries = self.order.upper.indices[range.clone()].iter().zip(&self.upper[range]);
            let known: f64 = entries.map(|(&index, u)| u * vector[index]).sum();
            vector[step] = (vector[step] - known) / self.pivots[step];
        }
    }

    fn solve_factors_transposed(&self, vector: &mut [f64]) {
        for step in 0..vector.len() {
            vector[step] /= self.pivots[step];
            let value = vector[step];
            for place in self.order.upper.range(step) {
                vector[self.order.upper.indices[place]] -= self.upper[place] * value;
            }
        }
        for step in (0..vector.len()).rev() {
            let value = vector[step];
            for place in self.order.lower.range(step) {
                vector[self.order.lower.indices[place]] -= self.lower[place] * value;
            }
        }
    }

    fn norm(&self, pattern: &Pattern, values: &[f64]) -> f64 {
        let mut sums = vec![0.0; pattern.column_count()];
        for row in 0..pattern.row_count() {
            for (column, value) in self.scaling.row(pattern, values, row) {
                sums[column] += value.abs();
            }
        }
        sums.into_iter().fold(0.0, f64::max)
    }
}

impl LinearSolver for SparseLu {
    fn factor(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), FactorFailure> {
        self.scaling = Scaling::of(pattern, values)?;
        let known = self.pattern.as_ref() == Some(pattern);
        if !known || !self.compute(pattern, values) {
            self.analyze(pattern, values)?;
            self.compute(pattern, values);
        }
        let inverse = inverse_norm(self.pivots.len(), |v| self.solve_factors(v), |v| self.solve_factors_transposed(v));
        self.condition = self.norm(pattern, values) * inverse;
        if self.condition <= singular_condition(self.pivots.len()) {
            return Ok(());
        }
        let rank = self.pivots.len() - 1;
        let singular = Singular { rank, dependent_rows: Vec::new(), open_columns: Vec::new() };
        Err(FactorFailure::Singular(self.explain(pattern, values, singular)))
    }

    fn refactor(&mut self, pattern: &Pattern, values: &[f64]) -> bool {
        self.pattern.as_ref() == Some(pattern) && self.compute(pattern, values)
    }

    fn solve_with(&self, right_hand_side: &mut [f64], vector: &mut Vec<f64>) {
        vector.clear();
        vector.extend(self.order.rows.iter().map(|&row| right_hand_side[row] * self.scaling.rows[row]));
        self.solve_factors(vector);
        for (&column, value) in self.order.columns.iter().zip(vector) {
            right_hand_side[column] = *value * self.scaling.columns[column];
        }
    }

    fn condition(&self) -> f64 {
        self.condition
    }
}

/// The part of the matrix that is still to be eliminated, and what has been.
struct Elimination {
    /// Entries of each row: column and value. Those of rows done are rows of `U`.
    rows: Vec<Vec<(usize, f64)>>,
    /// Rows not yet done with an entry in each column.
    rows_of_column: Vec<Vec<usize>>,
    /// Rows not yet done, by number of entries.
    by_length: BTreeSet<(usize, usize)>,
    /// Steps by which each row has been reduced.
    reduced_by: Vec<Vec<usize>>,
    pivots: Vec<(usize, usize)>,
    /// Where a column stands in the row at hand.
    place: Vec<usize>,
    negligible: f64,
}

const NOWHERE: usize = usize::MAX;

impl Elimination {
    fn of(pattern: &Pattern, values: &[f64], scaling: &Scaling) -> Self {
        let size = pattern.row_count();
        let rows: Vec<Vec<_>> = (0..size).map(|row| scaling.row(pattern, values, row).collect()).collect();
        let mut rows_of_column = vec![Vec::new(); size];
        for (row, entries) in rows.iter().enumerate() {
            entries.iter().for_each(|&(column, _): &(usize, f64)| rows_of_column[column].push(row));
        }
        let by_length = rows.iter().enumerate().map(|(row, entries)| (entries.len(), row)).collect();
        Elimination {
            rows,
            rows_of_column,
            by_length,
            reduced_by: vec![Vec::new(); size],
            pivots: Vec::new(),
            place: vec![NOWHERE; size],
            negligible: f64::EPSILON * size as f64,
        }
    }

    /// The pivot of least Markowitz cost in the shortest rows that have one.
    fn choose(&self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, f64, (usize, usize))> = None;
        let mut searched = 0;
        for &(length, row) in &self.by_length {
            let largest = self.rows[row].iter().fold(0.0f64, |largest, entry| largest.max(entry.1.abs()));
            if largest <= self.negligible {
                continue;
            }
            for &(column, value) in self.rows[row].iter().filter(|entry| entry.1.abs() >= CHOICE * largest) {
                let cost = (length - 1) * (self.rows_of_column[column].len() - 1);
                let better =
                    |&(least, size, _): &(usize, f64, _)| cost < least || (cost == least && value.abs() > size);
                if best.as_ref().is_none_or(better) {
                    best = Some((cost, value.abs(), (row, column)));
                }
            }
            searched += 1;
            if searched == SEARCH || best.is_some_and(|(cost, ..)| cost == 0) {
                break;
            }
        }
        best.map(|(_, _, pivot)| pivot)
    }

    fn eliminate(&mut self, (pivot_row, pivot_column): (usize, usize)) {
        let step = self.pivots.len();
        self.pivots.push((pivot_row, pivot_column));
        self.by_length.remove(&(self.rows[pivot_row].len(), pivot_row));
        let pivot_entries = std::mem::take(&mut self.rows[pivot_row]);
        for &(column, _) in &pivot_entries {
            self.rows_of_column[column].retain(|&row| row != pivot_row);
        }
        let pivot = pivot_entries.iter().find(|entry| entry.0 == pivot_column).expect("the pivot is in its row").1;
        for row in std::mem::take(&mut self.rows_of_column[pivot_column]) {
            self.reduce(row, pivot_column, pivot, &pivot_entries);
            self.reduced_by[row].push(step);
        }
        self.rows[pivot_row] = pivot_entries;
    }

    /// Subtracts the pivot row, so that the entry in the pivot's column is gone.
    fn reduce(&mut self, row: usize, pivot_column: usize, pivot: f64, pivot_entries: &[(usize, f64)]) {
        let mut entries = std::mem::take(&mut self.rows[row]);
        self.by_length.remove(&(entries.len(), row));
        let own = entries.iter().position(|entry| entry.0 == pivot_column).expect("the column lists this row");
        let multiplier = entries.swap_remove(own).1 / pivot;
        for (position, &(column, _)) in entries.iter().enumerate() {
            self.place[column] = position;
        }
        for &(column, value) in pivot_entries.iter().filter(|entry| entry.0 != pivot_column) {
            if self.place[column] == NOWHERE {
                self.place[column] = entries.len();
                self.rows_of_column[column].push(row);
                entries.push((column, 0.0));
            }
            entries[self.place[column]].1 -= multiplier * value;
        }
        entries.iter().for_each(|&(column, _)| self.place[column] = NOWHERE);
        self.by_length.insert((entries.len(), row));
        self.rows[row] = entries;
    }

    fn into_order(self) -> Result<Order, Singular> {
        let size = self.rows.len();
        if self.pivots.len() < size {
            return Err(self.rest());
        }
        let mut step_of_column = vec![0; size];
        for (step, &(_, column)) in self.pivots.iter().enumerate() {
            step_of_column[column] = step;
        }
        let above = |step: usize, row: usize| {
            let steps = self.rows[row].iter().map(|&(column, _)| step_of_column[column]);
            steps.filter(|&other| other != step).collect::<Vec<usize>>()
        };
        let upper = self.pivots.iter().enumerate().map(|(step, &(row, _))| above(step, row)).collect();
        let lower = self.pivots.iter().map(|&(row, _)| self.reduced_by[row].clone()).collect();
        Ok(Order {
            rows: self.pivots.iter().map(|pivot| pivot.0).collect(),
            columns: self.pivots.iter().map(|pivot| pivot.1).collect(),
            step_of_column,
            lower: Rows::from_rows(lower),
            upper: Rows::from_rows(upper),
        })
    }

    /// The rows and columns without a pivot, each for itself.
    fn rest(&self) -> Singular {
        let mut column_done = vec![false; self.rows.len()];
        self.pivots.iter().for_each(|&(_, column)| column_done[column] = true);
        let mut rows: Vec<usize> = self.by_length.iter().map(|&(_, row)| row).collect();
        rows.sort_unstable();
        Singular {
            rank: self.pivots.len(),
            dependent_rows: rows.into_iter().map(|row| vec![(row, 1.0)]).collect(),
            open_columns: (0..column_done.len()).filter(|&c| !column_done[c]).map(|c| vec![(c, 1.0)]).collect(),
        }
    }
}

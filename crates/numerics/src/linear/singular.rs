//! Rank and null vectors of a singular matrix, by elimination with complete pivoting.
//!
//! From `P A Q = L U` with the last rows of `U` zero: row `k` of `L⁻¹ P` is a combination of rows that vanishes,
//! and back-substitution from a free column gives a direction that no row determines.

use super::solver::{Scaling, Singular};
use super::sparse::Pattern;

/// Weights below this share of the largest are rounding, not dependence.
const NOISE: f64 = 1e-8; // half of the digits

/// Rank and null vectors of a matrix that is known to be singular.
pub(crate) fn diagnose_dense(pattern: &Pattern, values: &[f64], scaling: &Scaling) -> Singular {
    let mut elimination = Elimination::of(pattern, values, scaling);
    elimination.run();
    let free = elimination.rank..elimination.size;
    Singular {
        rank: elimination.rank,
        dependent_rows: free.clone().map(|step| elimination.vanishing_rows(step, &scaling.rows)).collect(),
        open_columns: free.map(|step| elimination.open_direction(step, &scaling.columns)).collect(),
    }
}

struct Elimination {
    size: usize,
    /// Row by row, in place: multipliers below the diagonal, `U` from there on.
    entries: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    rank: usize,
}

impl Elimination {
    fn of(pattern: &Pattern, values: &[f64], scaling: &Scaling) -> Self {
        let size = pattern.row_count();
        let mut entries = vec![0.0; size * size];
        for row in 0..size {
            for (column, value) in scaling.row(pattern, values, row) {
                entries[row * size + column] = value;
            }
        }
        Elimination { size, entries, rows: (0..size).collect(), columns: (0..size).collect(), rank: 0 }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// Until the rest is rounding, at the latest before the last row: the matrix is singular.
    fn run(&mut self) {
        let mut first = None;
        while self.rank + 1 < self.size {
            let (row, column) = self.largest();
            let pivot = self.at(row, column).abs();
            if pivot <= f64::EPSILON * 10.0 * self.size as f64 * *first.get_or_insert(pivot) {
                return;
            }
            self.exchange(row, column);
            self.eliminate();
            self.rank += 1;
        }
    }

    fn largest(&self) -> (usize, usize) {
        let rest = self.rank..self.size;
        let places = rest.clone().flat_map(|row| rest.clone().map(move |column| (row, column)));
        let size = |(row, column): (usize, usize)| self.at(row, column).abs();
        places.fold((self.rank, self.rank), |best, place| if size(place) > size(best) { place } else { best })
    }

    fn exchange(&mut self, row: usize, column: usize) {
        for index in 0..self.size {
            self.entries.swap(self.rank * self.size + index, row * self.size + index);
        }
        for index in 0..self.size {
            self.entries.swap(index * self.size + self.rank, index * self.size + column);
        }
        self.rows.swap(self.rank, row);
        self.columns.swap(self.rank, column);
    }

    fn eliminate(&mut self) {
        let (size, step) = (self.size, self.rank);
        let (above, below) = self.entries.split_at_mut((step + 1) * size);
        let pivot_row = &above[step * size..];
        for row in below.chunks_exact_mut(size) {
            let multiplier = row[step] / pivot_row[step];
            row[step] = multiplier;
            row[step + 1..].iter_mut().zip(&pivot_row[step + 1..]).for_each(|(x, u)| *x -= multiplier * u);
        }
    }

    /// Row `step` of `L⁻¹`, in terms of the rows as they were given.
    fn vanishing_rows(&self, step: usize, scale: &[f64]) -> Vec<(usize, f64)> {
        let mut weights = vec![0.0; self.size];
        weights[step] = 1.0;
        for row in (0..self.size).rev().filter(|&row| row == step || row < self.rank) {
            let weight = weights[row];
            for (column, place) in weights[..row.min(self.rank)].iter_mut().enumerate() {
                *place -= weight * self.entries[row * self.size + column];
            }
        }
        named_weights(&self.rows, &weights, scale)
    }

    fn open_direction(&self, step: usize, scale: &[f64]) -> Vec<(usize, f64)> {
        let mut direction = vec![0.0; self.size];
        direction[step] = 1.0;
        for row in (0..self.rank).rev() {
            let known: f64 = (row + 1..self.size).map(|column| self.at(row, column) * direction[column]).sum();
            direction[row] = -known / self.at(row, row);
        }
        named_weights(&self.columns, &direction, scale)
    }
}

/// The weights that count, by row or column of the unscaled matrix, the largest 1 in size.
fn named_weights(order: &[usize], weights: &[f64], scale: &[f64]) -> Vec<(usize, f64)> {
    let largest = weights.iter().fold(0.0f64, |largest, weight| largest.max(weight.abs()));
    let counting = order.iter().zip(weights).filter(|(_, weight)| weight.abs() > NOISE * largest);
    let mut named: Vec<(usize, f64)> = counting.map(|(&index, weight)| (index, weight * scale[index])).collect();
    let largest = named.iter().fold(0.0f64, |largest, (_, weight)| largest.max(weight.abs()));
    named.iter_mut().for_each(|(_, weight)| *weight /= largest);
    named.sort_by_key(|&(index, _)| index);
    named
}

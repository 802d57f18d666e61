//! Dense LU factors with partial pivoting.

use super::singular::diagnose_dense;
use super::solver::{FactorFailure, LinearSolver, Scaling, inverse_norm, singular_condition};
use super::sparse::Pattern;

/// Factors `P R A C = L U` of the last matrix: `R` and `C` scale, `P` permutes rows.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    size: usize,
    scaling: Scaling,
    /// Row by row: `L` below the diagonal, which is 1, and `U` from the diagonal on.
    factors: Vec<f64>,
    /// One by each entry of the diagonal of `U`.
    inverse_pivots: Vec<f64>,
    /// The row of the matrix that became each row of the factors.
    row_order: Vec<usize>,
    condition: f64,
}

impl DenseLu {
    /// Nothing factored yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The scaled matrix, not yet eliminated.
    fn fill(&mut self, pattern: &Pattern, values: &[f64]) {
        self.size = pattern.row_count();
        self.factors.clear();
        self.factors.resize(self.size * self.size, 0.0);
        for row in 0..self.size {
            for (column, value) in self.scaling.row(pattern, values, row) {
                self.factors[row * self.size + column] = value;
            }
        }
        self.row_order.clear();
        self.row_order.extend(0..self.size);
    }

    /// Whether all pivots are within a range in which scaling and condition need no second look.
    fn has_good_pivots(&self) -> bool {
        const RANGE: f64 = 1e7; // half of the digits are still right
        let pivots = (0..self.size).map(|step| self.factors[step * self.size + step].abs());
        let (least, largest) =
            pivots.fold((f64::INFINITY, 0.0f64), |(least, largest), pivot| (least.min(pivot), largest.max(pivot)));
        let finite = self.factors.iter().all(|factor| factor.is_finite());
        finite && least * RANGE >= largest && largest <= RANGE
    }

    /// Eliminates column by column; `false` if a pivot is exactly zero.
    fn eliminate(&mut self) -> bool {
        let size = self.size;
        self.inverse_pivots.clear();
        for step in 0..size {
            let pivot_row = self.largest_in_column(step);
            if self.factors[pivot_row * size + step] == 0.0 {
                return false;
            }
            self.exchange_rows(step, pivot_row);
            let (above, below) = self.factors.split_at_mut((step + 1) * size);
            let pivot_row = &above[step * size..];
            let inverse = 1.0 / pivot_row[step];
            self.inverse_pivots.push(inverse);
            for row in below.chunks_exact_mut(size) {
                let multiplier = row[step] * inverse;
                row[step] = multiplier;
                if multiplier != 0.0 {
                    let targets = row[step + 1..].iter_mut().zip(&pivot_row[step + 1..]);
                    targets.for_each(|(target, &pivot)| *target -= multiplier * pivot);
                }
            }
        }
        true
    }

    fn largest_in_column(&self, step: usize) -> usize {
        let entry = |row: usize| self.factors[row * self.size + step].abs();
        (step..self.size).fold(step, |best, row| if entry(row) > entry(best) { row } else { best })
    }

    fn exchange_rows(&mut self, a: usize, b: usize) {
        if a != b {
            self.row_order.swap(a, b);
            let (above, below) = self.factors.split_at_mut(b * self.size);
            above[a * self.size..][..self.size].swap_with_slice(&mut below[..self.size]);
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.factors[row * self.size..][..self.size]
    }

    /// `L U x = b`, permutation and scaling aside.
    fn solve_factors(&self, vector: &mut [f64]) {
        for step in 1..self.size {
            let known: f64 = self.row(step)[..step].iter().zip(&*vector).map(|(l, x)| l * x).sum();
            vector[step] -= known;
        }
        for step in (0..self.size).rev() {
            let row = self.row(step);
            let known: f64 = row[step + 1..].iter().zip(&vector[step + 1..]).map(|(u, x)| u * x).sum();
            vector[step] = (vector[step] - known) * self.inverse_pivots[step];
        }
    }

    /// `Uᵀ Lᵀ x = b`
    fn solve_factors_transposed(&self, vector: &mut [f64]) {
        for step in 0..self.size {
            let row = self.row(step);
            vector[step] *= self.inverse_pivots[step];
            let value = vector[step];
            vector[step + 1..].iter_mut().zip(&row[step + 1..]).for_each(|(x, u)| *x -= u * value);
        }
        for step in (1..self.size).rev() {
            let value = vector[step];
            vector[..step].iter_mut().zip(self.row(step)).for_each(|(x, l)| *x -= l * value);
        }
    }

    /// The largest sum of a column's absolute values.
    fn norm(&self) -> f64 {
        let column = |column: usize| (0..self.size).map(|row| self.factors[row * self.size + column].abs()).sum();
        (0..self.size).map(column).fold(0.0, f64::max)
    }
}

impl LinearSolver for DenseLu {
    fn factor(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), FactorFailure> {
        self.scaling = Scaling::of(pattern, values)?;
        self.fill(pattern, values);
        let norm = self.norm();
        let regular = self.eliminate();
        self.condition = f64::INFINITY;
        if regular {
            // Permutations change neither norm.
            let inverse = inverse_norm(self.size, |v| self.solve_factors(v), |v| self.solve_factors_transposed(v));
            self.condition = norm * inverse;
        }
        if self.condition <= singular_condition(self.size) {
            Ok(())
        } else {
            Err(FactorFailure::Singular(diagnose_dense(pattern, values, &self.scaling)))
        }
    }

    fn refactor(&mut self, pattern: &Pattern, values: &[f64]) -> bool {
        if self.scaling.rows.len() != pattern.row_count() {
            return false;
        }
        self.fill(pattern, values);
        self.eliminate() && self.has_good_pivots()
    }

    fn solve_with(&self, right_hand_side: &mut [f64], vector: &mut Vec<f64>) {
        vector.clear();
        vector.extend(self.row_order.iter().map(|&row| right_hand_side[row] * self.scaling.rows[row]));
        self.solve_factors(vector);
        for (column, place) in right_hand_side.iter_mut().enumerate() {
            *place = vector[column] * self.scaling.columns[column];
        }
    }

    fn condition(&self) -> f64 {
        self.condition
    }
}

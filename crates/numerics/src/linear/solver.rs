//! Linear systems: one interface, a dense and a sparse factorization behind it.
//!
//! Rows and columns are scaled by powers of two before anything is decided, so that units do not matter. A matrix
//! counts as singular when not even one digit of a solution would be right, and then the failure says which rows
//! depend on each other and which columns are left open.

use super::dense_lu::DenseLu;
use super::sparse::Pattern;
use super::sparse_lu::SparseLu;

/// Factors square matrices and solves with the factors.
pub trait LinearSolver {
    /// Factors the matrix with this pattern and these values.
    fn factor(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), FactorFailure>;
    /// Factors a matrix that is like the last one: with its scaling, without estimating the condition and without
    /// allocating. If its pivots say that it is not like the last one, the answer is `false`, and nothing is factored.
    fn refactor(&mut self, pattern: &Pattern, values: &[f64]) -> bool;
    /// Replaces the right-hand side by the solution, with the last matrix that was factored.
    fn solve(&self, right_hand_side: &mut [f64]) {
        self.solve_with(right_hand_side, &mut Vec::new());
    }
    /// The same with a buffer to be used again.
    fn solve_with(&self, right_hand_side: &mut [f64], buffer: &mut Vec<f64>);
    /// An estimate of the condition number, in the 1-norm, of the scaled matrix.
    fn condition(&self) -> f64;
}

/// Why there is no solution to be had.
#[derive(Clone, Debug, PartialEq)]
pub enum FactorFailure {
    /// An entry is not a finite number.
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// Rows depend on each other.
    Singular(Singular),
}

/// What is the matter with a singular matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Singular {
    /// How many rows are independent.
    pub rank: usize,
    /// Left null vectors: combinations of rows that vanish. Weights are at most 1 in size.
    pub dependent_rows: Vec<Vec<(usize, f64)>>,
    /// Right null vectors: directions of unknowns that no row determines.
    pub open_columns: Vec<Vec<(usize, f64)>>,
}

/// The factorization that suits a size and pattern.
pub enum Lu {
    /// For small or full matrices.
    Dense(DenseLu),
    /// For the others.
    Sparse(Box<SparseLu>),
}

impl Lu {
    /// Dense up to this size whatever the pattern.
    const SMALL: usize = 24; // indices cost more than the zeros that they save
    /// Dense with at least one entry in this many.
    const FULL: usize = 5; // fill makes the factors of such a matrix dense anyway

    /// Chooses by the pattern.
    pub fn for_pattern(pattern: &Pattern) -> Self {
        let size = pattern.row_count();
        if size <= Self::SMALL || pattern.entry_count() * Self::FULL >= size * size {
            Lu::Dense(DenseLu::new())
        } else {
            Lu::Sparse(Box::default())
        }
    }
}

impl LinearSolver for Lu {
    fn factor(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), FactorFailure> {
        match self {
            Lu::Dense(lu) => lu.factor(pattern, values),
            Lu::Sparse(lu) => lu.factor(pattern, values),
        }
    }

    fn refactor(&mut self, pattern: &Pattern, values: &[f64]) -> bool {
        match self {
            Lu::Dense(lu) => lu.refactor(pattern, values),
            Lu::Sparse(lu) => lu.refactor(pattern, values),
        }
    }

    fn solve_with(&self, right_hand_side: &mut [f64], buffer: &mut Vec<f64>) {
        match self {
            Lu::Dense(lu) => lu.solve_with(right_hand_side, buffer),
            Lu::Sparse(lu) => lu.solve_with(right_hand_side, buffer),
        }
    }

    fn condition(&self) -> f64 {
        match self {
            Lu::Dense(lu) => lu.condition(),
            Lu::Sparse(lu) => lu.condition(),
        }
    }
}

/// Factors, all powers of two, that take the units out of a matrix.
///
/// The logarithms of the entries are fitted by a sum of one number per row and one per column (Curtis and Reid,
/// 1972): the fit's remainder does not depend on units. Then the largest entry of each row, and of each column, is
/// brought near 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaling {
    pub rows: Vec<f64>,
    pub columns: Vec<f64>,
}

impl Scaling {
    /// The fit converges quickly; these many rounds leave no more than a few binary orders.
    const ROUNDS: usize = 6;

    /// Fails on an entry that is not finite.
    pub fn of(pattern: &Pattern, values: &[f64]) -> Result<Self, FactorFailure> {
        assert_eq!(pattern.row_count(), pattern.column_count(), "only square matrices are factored");
        let size = pattern.row_count();
        let mut exponents = Exponents::of(pattern, values)?;
        let (mut rows, mut columns) = (vec![0; size], vec![0; size]);
        for _ in 0..Self::ROUNDS {
            let rows_moved = exponents.center(&mut rows, &columns, Exponents::row);
            let columns_moved = exponents.center(&mut columns, &rows, Exponents::column);
            // Where a round changes nothing, none after it does; small blocks are there after one or two.
            if !rows_moved && !columns_moved {
                break;
            }
        }
        exponents.level(&mut rows, &columns, Exponents::row);
        exponents.level(&mut columns, &rows, Exponents::column);
        let factors = |exponents: Vec<i32>| exponents.into_iter().map(|exponent| f64::from(-exponent).exp2()).collect();
        Ok(Scaling { rows: factors(rows), columns: factors(columns) })
    }

    /// The scaled entries of a row.
    pub fn row<'a>(
        &'a self,
        pattern: &'a Pattern,
        values: &'a [f64],
        row: usize,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let factor = self.rows[row];
        pattern.row_entries(values, row).map(move |(column, value)| (column, value * factor * self.columns[column]))
    }
}

/// The binary exponents of the entries that are not zero.
struct Exponents {
    /// Row, column, exponent.
    entries: Vec<(u32, u32, i32)>,
    sums: Vec<(i32, i32)>,
}

impl Exponents {
    /// Beyond these the inverse factors would overflow.
    const BOUND: i32 = 400;

    fn of(pattern: &Pattern, values: &[f64]) -> Result<Self, FactorFailure> {
        let mut entries = Vec::with_capacity(values.len());
        for row in 0..pattern.row_count() {
            for (column, value) in pattern.row_entries(values, row) {
                if !value.is_finite() {
                    return Err(FactorFailure::NotFinite { row, column });
                }
                if value != 0.0 {
                    entries.push((row as u32, column as u32, exponent(value).clamp(-Self::BOUND, Self::BOUND)));
                }
            }
        }
        Ok(Exponents { entries, sums: vec![(0, 0); pattern.row_count()] })
    }

    fn row(&(row, column, _): &(u32, u32, i32)) -> (usize, usize) {
        (row as usize, column as usize)
    }

    fn column(&(row, column, _): &(u32, u32, i32)) -> (usize, usize) {
        (column as usize, row as usize)
    }

    /// Each line takes the mean of what the crossing lines leave; whether any line changes.
    fn center(&mut self, lines: &mut [i32], crossing: &[i32], of: fn(&(u32, u32, i32)) -> (usize, usize)) -> bool {
        self.sums.fill((0, 0));
        for entry in &self.entries {
            let (line, cross) = of(entry);
            let (sum, count) = &mut self.sums[line];
            (*sum, *count) = (*sum + entry.2 - crossing[cross], *count + 1);
        }
        let mut has_changed = false;
        for (line, &(sum, count)) in lines.iter_mut().zip(&self.sums) {
            let mean = (f64::from(sum) / f64::from(count.max(1))).round() as i32;
            has_changed |= mean != *line;
            *line = mean;
        }
        has_changed
    }

    /// Each line takes the largest of what the crossing lines leave.
    fn level(&mut self, lines: &mut [i32], crossing: &[i32], of: fn(&(u32, u32, i32)) -> (usize, usize)) {
        self.sums.fill((i32::MIN, 0));
        for entry in &self.entries {
            let (line, cross) = of(entry);
            self.sums[line].0 = self.sums[line].0.max(entry.2 - crossing[cross]);
        }
        for (line, &(largest, _)) in lines.iter_mut().zip(&self.sums) {
            *line = if largest == i32::MIN { 0 } else { largest };
        }
    }
}

/// The binary exponent, near enough for numbers below the normal range too.
fn exponent(value: f64) -> i32 {
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Above this condition of a scaled matrix no digit of a solution is to be trusted.
pub(crate) fn singular_condition(size: usize) -> f64 {
    0.1 / (f64::EPSILON * size.max(1) as f64)
}

/// Hager's estimate of the 1-norm of an inverse, from solutions with the matrix and with its transpose.
pub(crate) fn inverse_norm(size: usize, solve: impl Fn(&mut [f64]), solve_transposed: impl Fn(&mut [f64])) -> f64 {
    let mut vector = vec![1.0 / size.max(1) as f64; size];
    let mut estimate = 0.0f64;
    let mut visited = usize::MAX;
    for _ in 0..5 {
        solve(&mut vector);
        let norm: f64 = vector.iter().map(|value| value.abs()).sum();
        if norm.is_nan() {
            return f64::INFINITY;
        }
        if norm <= estimate {
            break;
        }
        estimate = norm;
        vector.iter_mut().for_each(|value| *value = if *value < 0.0 { -1.0 } else { 1.0 });
        solve_transposed(&mut vector);
        let largest =
            (0..size).fold(0, |best, index| if vector[index].abs() > vector[best].abs() { index } else { best });
        if largest == visited {
            break;
        }
        visited = largest;
        vector.fill(0.0);
        vector[largest] = 1.0;
    }
    estimate
}

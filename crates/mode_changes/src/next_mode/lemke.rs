//! Lemke's method for linear complementarity: `w = q + M z` with `w, z >= 0` and `w z = 0` in each component.
//!
//! Which ideal diodes conduct, which contacts close: with one implicit step, the free quantities are affine in the
//! imposed ones, and the mode is a complementary basis. Its bases are regular, so singular modes are never visited.
//! Ties are broken lexicographically, so that degenerate problems do not cycle.

use modeshift_numerics::small_dense::Matrix;

/// A solution.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplementarySolution {
    /// `z`
    pub z: Vec<f64>,
    /// By component, whether `z` and not `w` is in the basis. Where both vanish this tells which of the two equations to
    /// take, so that all of them together are regular.
    pub in_basis: Vec<bool>,
}

/// A solution, or `None` if the method ends in a ray: then there may be none.
pub fn lemke(q: &[f64], m: &Matrix<f64>) -> Option<ComplementarySolution> {
    let size = q.len();
    if q.iter().all(|&value| value >= 0.0) {
        return Some(ComplementarySolution { z: vec![0.0; size], in_basis: vec![false; size] });
    }
    let mut tableau = Tableau::new(q, m);
    let mut entering = tableau.start();
    // Bases are visited once each, and in practice a few per component; far more of them is a cycle by rounding.
    for _ in 0..50 * size + 200 {
        let row = tableau.leaving_row(entering)?;
        let left = tableau.basis[row];
        tableau.pivot(row, entering);
        if left == tableau.artificial() {
            return Some(tableau.solution());
        }
        entering = tableau.complement(left);
    }
    None
}

/// `w - M z - d z0 = q`: columns `0..n` are `w`, `n..2n` are `z`, `2n` is the artificial one, then the right side.
struct Tableau {
    size: usize,
    rows: Vec<Vec<f64>>,
    basis: Vec<usize>,
    scale: f64,
}

impl Tableau {
    fn new(q: &[f64], m: &Matrix<f64>) -> Self {
        let size = q.len();
        let row = |i: usize| {
            let mut row = vec![0.0; 2 * size + 2];
            row[i] = 1.0;
            (0..size).for_each(|j| row[size + j] = -m.get(i, j));
            row[2 * size] = -1.0;
            row[2 * size + 1] = q[i];
            row
        };
        let scale = q.iter().map(|value| value.abs()).fold(0.0, f64::max);
        Tableau { size, rows: (0..size).map(row).collect(), basis: (0..size).collect(), scale }
    }

    fn artificial(&self) -> usize {
        2 * self.size
    }

    fn right(&self, row: usize) -> f64 {
        self.rows[row][2 * self.size + 1]
    }

    fn complement(&self, column: usize) -> usize {
        if column < self.size { column + self.size } else { column - self.size }
    }

    /// Brings in the artificial variable at the most negative row; what left it enters next through its complement.
    fn start(&mut self) -> usize {
        let worse = |&a: &usize, &b: &usize| self.right(a).total_cmp(&self.right(b)).then(b.cmp(&a));
        let row = (0..self.size).min_by(worse).expect("not empty");
        let left = self.basis[row];
        self.pivot(row, self.artificial());
        self.complement(left)
    }

    /// The row that limits the entering variable first; the artificial variable is preferred, other ties go by the
    /// lexicographic order of the scaled rows of the basis inverse, which stand in the columns of `w`.
    fn leaving_row(&self, entering: usize) -> Option<usize> {
        // What is left of a zero after some dozen pivots is rounding, four digits above the last one.
        let largest = self.rows.iter().map(|row| row[entering].abs()).fold(0.0, f64::max);
        let candidates = (0..self.size).filter(|&row| self.rows[row][entering] > 1e-11 * largest.max(1e-300));
        candidates.min_by(|&a, &b| self.compare(a, b, entering))
    }

    fn compare(&self, a: usize, b: usize, entering: usize) -> std::cmp::Ordering {
        let ratio = |row: usize, value: f64| value / self.rows[row][entering];
        let (first, second) = (ratio(a, self.right(a)), ratio(b, self.right(b)));
        // Ratios that differ by less are a tie: relative rounding, or that of the largest entry of `q`.
        let tolerance = 1e-12 * (first.abs() + second.abs()) + 1e-14 * self.scale;
        if (first - second).abs() > tolerance {
            return first.total_cmp(&second);
        }
        let artificial = self.artificial();
        if self.basis[a] == artificial || self.basis[b] == artificial {
            return (self.basis[b] == artificial).cmp(&(self.basis[a] == artificial));
        }
        let differing = (0..self.size).map(|k| (ratio(a, self.rows[a][k]), ratio(b, self.rows[b][k])));
        // As for ties of the ratios themselves.
        let mut decided = differing.filter(|(x, y)| (x - y).abs() > 1e-12 * (x.abs() + y.abs()));
        decided.next().map_or(a.cmp(&b), |(x, y)| x.total_cmp(&y))
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column];
        self.rows[row].iter_mut().for_each(|value| *value /= pivot);
        let pivot_row = self.rows[row].clone();
        for (at, other) in self.rows.iter_mut().enumerate() {
            let factor = other[column];
            if at != row && factor != 0.0 {
                other.iter_mut().zip(&pivot_row).for_each(|(value, source)| *value -= factor * source);
            }
        }
        self.basis[row] = column;
    }

    fn solution(&self) -> ComplementarySolution {
        let mut solution = ComplementarySolution { z: vec![0.0; self.size], in_basis: vec![false; self.size] };
        for (row, &column) in self.basis.iter().enumerate() {
            if (self.size..2 * self.size).contains(&column) {
                solution.z[column - self.size] = self.right(row).max(0.0);
                solution.in_basis[column - self.size] = true;
            }
        }
        solution
    }
}

//! Small dense linear systems over real or complex numbers, with a verdict on their condition: the steps of a Laurent
//! series are complex.
//!
//! Equilibrated, factorised with partial pivoting, as [`DenseLu`](crate::DenseLu) is, which is for real matrices that are
//! factored often: it has no numbers to choose, but refactors in place and explains what is singular.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The numbers a matrix can be made of.
pub trait Scalar:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + From<f64>
{
    /// The absolute value.
    fn magnitude(self) -> f64;
}

impl Scalar for f64 {
    fn magnitude(self) -> f64 {
        self.abs()
    }
}

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub real: f64,
    /// Imaginary part.
    pub imaginary: f64,
}

impl Complex {
    /// The number of absolute value `radius` at `angle`.
    pub fn polar(radius: f64, angle: f64) -> Self {
        Complex { real: radius * angle.cos(), imaginary: radius * angle.sin() }
    }
}

impl From<f64> for Complex {
    fn from(real: f64) -> Self {
        Complex { real, imaginary: 0.0 }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let size = other.real.hypot(other.imaginary);
        let (cos, sin) = (other.real / size, other.imaginary / size);
        Complex {
            real: (self.real * cos + self.imaginary * sin) / size,
            imaginary: (self.imaginary * cos - self.real * sin) / size,
        }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { real: -self.real, imaginary: -self.imaginary }
    }
}

impl Scalar for Complex {
    fn magnitude(self) -> f64 {
        self.real.hypot(self.imaginary)
    }
}

/// A square matrix, by rows.
#[derive(Clone, Debug)]
pub struct Matrix<T> {
    size: usize,
    entries: Vec<T>,
}

impl<T: Scalar> Matrix<T> {
    /// The zero matrix.
    pub fn zero(size: usize) -> Self {
        Matrix { size, entries: vec![T::from(0.0); size * size] }
    }

    /// The entry in this row and column.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.entries[row * self.size + column]
    }

    /// Adds to an entry.
    pub fn add(&mut self, row: usize, column: usize, value: T) {
        let entry = &mut self.entries[row * self.size + column];
        *entry = *entry + value;
    }

    fn row_size(&self, row: usize) -> f64 {
        (0..self.size).map(|column| self.get(row, column).magnitude()).fold(0.0, f64::max)
    }
}

/// A factorised matrix.
#[derive(Clone, Debug)]
pub struct Factors<T> {
    lower_upper: Matrix<T>,
    permutation: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    norm: f64,
}

impl<T: Scalar> Factors<T> {
    /// Factorises; `None` if a pivot is exactly zero or not a number.
    pub fn new(matrix: &Matrix<T>) -> Option<Self> {
        let size = matrix.size;
        let row_scale: Vec<f64> = (0..size).map(|row| power_of_two_below(matrix.row_size(row))).collect();
        let column_size =
            |column| (0..size).map(|row| matrix.get(row, column).magnitude() / row_scale[row]).fold(0.0, f64::max);
        let column_scale: Vec<f64> = (0..size).map(|column| power_of_two_below(column_size(column))).collect();
        let mut scaled = matrix.clone();
        for (at, entry) in scaled.entries.iter_mut().enumerate() {
            *entry = *entry * T::from(1.0 / row_scale[at / size] / column_scale[at % size]);
        }
        let norm = one_norm(&scaled);
        let permutation = eliminate(&mut scaled)?;
        Some(Factors { lower_upper: scaled, permutation, row_scale, column_scale, norm })
    }

    /// Solves for one right-hand side.
    pub fn solve(&self, right: &[T]) -> Vec<T> {
        let scaled: Vec<T> = right.iter().zip(&self.row_scale).map(|(&value, &s)| value * T::from(1.0 / s)).collect();
        let solution = self.solve_scaled(&scaled);
        solution.into_iter().zip(&self.column_scale).map(|(value, &s)| value * T::from(1.0 / s)).collect()
    }

    fn solve_scaled(&self, right: &[T]) -> Vec<T> {
        let size = self.lower_upper.size;
        let mut x: Vec<T> = self.permutation.iter().map(|&row| right[row]).collect();
        for row in 0..size {
            for column in 0..row {
                x[row] = x[row] - self.lower_upper.get(row, column) * x[column];
            }
        }
        for row in (0..size).rev() {
            for column in row + 1..size {
                x[row] = x[row] - self.lower_upper.get(row, column) * x[column];
            }
            x[row] = x[row] / self.lower_upper.get(row, row);
        }
        x
    }

    /// The reciprocal condition number of the equilibrated matrix in the 1-norm: exact up to size 32, estimated from
    /// a few right-hand sides beyond.
    pub fn reciprocal_condition(&self) -> f64 {
        let size = self.lower_upper.size;
        if size == 0 {
            return 1.0;
        }
        let step = size.div_ceil(32);
        let column_norm = |column: usize| {
            let mut unit = vec![T::from(0.0); size];
            unit[column] = T::from(1.0);
            self.solve_scaled(&unit).into_iter().map(T::magnitude).sum::<f64>()
        };
        let inverse_norm = (0..size).step_by(step).map(column_norm).fold(0.0, f64::max);
        let reciprocal = 1.0 / (self.norm * inverse_norm);
        if reciprocal.is_nan() { 0.0 } else { reciprocal }
    }
}

/// Scaling by powers of two is exact.
fn power_of_two_below(value: f64) -> f64 {
    if value > 0.0 && value.is_finite() { value.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 }
}

fn one_norm<T: Scalar>(matrix: &Matrix<T>) -> f64 {
    let sum = |column| (0..matrix.size).map(|row| matrix.get(row, column).magnitude()).sum::<f64>();
    (0..matrix.size).map(sum).fold(0.0, f64::max)
}

fn eliminate<T: Scalar>(matrix: &mut Matrix<T>) -> Option<Vec<usize>> {
    let size = matrix.size;
    let mut permutation: Vec<usize> = (0..size).collect();
    for step in 0..size {
        let larger = |&a: &usize, &b: &usize| {
            matrix.get(a, step).magnitude().total_cmp(&matrix.get(b, step).magnitude()).then(b.cmp(&a))
        };
        let pivot = (step..size).max_by(larger).expect("the range is not empty");
        let size_of_pivot = matrix.get(pivot, step).magnitude();
        if size_of_pivot == 0.0 || !size_of_pivot.is_finite() {
            return None;
        }
        permutation.swap(step, pivot);
        for column in 0..size {
            matrix.entries.swap(step * size + column, pivot * size + column);
        }
        for row in step + 1..size {
            let factor = matrix.get(row, step) / matrix.get(step, step);
            matrix.entries[row * size + step] = factor;
            if factor.magnitude() == 0.0 {
                continue;
            }
            for column in step + 1..size {
                let product = factor * matrix.get(step, column);
                matrix.add(row, column, -product);
            }
        }
    }
    Some(permutation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix<f64> {
        let mut result = Matrix::zero(rows.len());
        for (row, entries) in rows.iter().enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| result.add(row, column, entry));
        }
        result
    }

    #[test]
    fn badly_scaled_systems_are_well_conditioned_after_equilibration() {
        let factors = Factors::new(&matrix(&[&[1e-9, 2e-3], &[3e6, -1e12]])).unwrap();
        let solution = factors.solve(&[5e-9 + 4e-3, 15e6 - 2e12]);
        assert!((solution[0] - 5.0).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12, "{solution:?}");
        assert!(factors.reciprocal_condition() > 1e-2);
    }

    #[test]
    fn singular_matrices_are_refused_or_badly_conditioned() {
        assert!(Factors::new(&matrix(&[&[1.0, 1.0], &[1.0, 1.0]])).is_none());
        let almost = Factors::new(&matrix(&[&[1.0, 1.0], &[1.0, 1.0 + 1e-15]])).unwrap();
        assert!(almost.reciprocal_condition() < 1e-14);
    }

    #[test]
    fn complex_systems_are_solved() {
        let mut matrix = Matrix::zero(2);
        let i = Complex { real: 0.0, imaginary: 1.0 };
        matrix.add(0, 0, i);
        matrix.add(0, 1, Complex::from(1.0));
        matrix.add(1, 0, Complex::from(2.0));
        matrix.add(1, 1, i);
        let x = Factors::new(&matrix).unwrap().solve(&[i + Complex::from(1.0), Complex::from(2.0) + i]);
        assert!((x[0] - Complex::from(1.0)).magnitude() < 1e-15 && (x[1] - Complex::from(1.0)).magnitude() < 1e-15);
    }
}

//! Eigenvalues of small matrices: the QR algorithm with shifts, in complex numbers.

use std::ops::{Add, Mul, Sub};

/// Iterations for each eigenvalue: a few are enough.
const MOST_ITERATIONS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn conjugate(self) -> Self {
        Complex { im: -self.im, ..self }
    }

    fn scaled(self, factor: f64) -> Self {
        Complex { re: factor * self.re, im: factor * self.im }
    }

    fn root(self) -> Self {
        let size = self.abs();
        let re = (0.5 * (size + self.re)).max(0.0).sqrt();
        let im = (0.5 * (size - self.re)).max(0.0).sqrt();
        Complex { re, im: if self.im < 0.0 { -im } else { im } }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other.scaled(-1.0)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The eigenvalues of a matrix, given row by row, as real and imaginary parts, the largest first.
pub(super) fn eigenvalues(matrix: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let mut rows: Vec<Vec<Complex>> =
        matrix.iter().map(|row| row.iter().map(|&re| Complex { re, im: 0.0 }).collect()).collect();
    let largest = matrix.iter().flatten().fold(0.0, |largest: f64, it| largest.max(it.abs()));
    let mut found = Vec::new();
    while let Some(last) = rows.len().checked_sub(1) {
        for iteration in 0..MOST_ITERATIONS {
            let rest: f64 = rows[last][..last].iter().map(|it| it.abs()).sum();
            if rest <= f64::EPSILON * largest {
                break;
            }
            // A shift of its own now and then: where eigenvalues are as large as each other, others may go round in circles.
            let shift = if iteration % 11 == 10 { Complex { re: rest, im: rest } } else { shift(&rows) };
            step(&mut rows, shift);
        }
        let value = rows[last][last];
        let im = if value.im.abs() <= 1e-13 * largest { 0.0 } else { value.im };
        found.push((value.re, im));
        rows.pop();
        rows.iter_mut().for_each(|row| _ = row.pop());
    }
    found.sort_by(|a, b| b.0.hypot(b.1).total_cmp(&a.0.hypot(a.1)).then(b.0.total_cmp(&a.0)).then(b.1.total_cmp(&a.1)));
    found
}

/// The eigenvalue of the last two rows and columns that is nearer to the last entry.
fn shift(rows: &[Vec<Complex>]) -> Complex {
    let last = rows.len() - 1;
    let (a, b, c, d) = (rows[last - 1][last - 1], rows[last - 1][last], rows[last][last - 1], rows[last][last]);
    let middle = (a + d).scaled(0.5);
    let half = (a - d).scaled(0.5);
    let root = (half * half + b * c).root();
    let (one, other) = (middle + root, middle - root);
    if (one - d).abs() < (other - d).abs() { one } else { other }
}

/// `Q R = A - s`, `A' = R Q + s`, by reflections of columns in turn (Gram and Schmidt would lose what is small).
fn step(rows: &mut [Vec<Complex>], shift: Complex) {
    let count = rows.len();
    (0..count).for_each(|at| rows[at][at] = rows[at][at] - shift);
    let mut rotations = Vec::new();
    for column in 0..count - 1 {
        for row in column + 1..count {
            let (a, b) = (rows[column][column], rows[row][column]);
            let size = a.abs().hypot(b.abs());
            if b.abs() == 0.0 {
                continue;
            }
            let (c, s) = (a.scaled(1.0 / size), b.scaled(1.0 / size));
            let (above, below) = rows.split_at_mut(row);
            for (x, y) in above[column].iter_mut().zip(&mut below[0]) {
                (*x, *y) = (c.conjugate() * *x + s.conjugate() * *y, c * *y - s * *x);
            }
            rotations.push((column, row, c, s));
        }
    }
    for (one, other, c, s) in rotations {
        for row in rows.iter_mut() {
            let (x, y) = (row[one], row[other]);
            row[one] = x * c + y * s;
            row[other] = y * c.conjugate() - x * s.conjugate();
        }
    }
    (0..count).for_each(|at| rows[at][at] = rows[at][at] + shift);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(matrix: &[&[f64]], expected: &[(f64, f64)]) {
        let matrix: Vec<Vec<f64>> = matrix.iter().map(|row| row.to_vec()).collect();
        let found = eigenvalues(&matrix);
        let is_near = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) < 1e-10;
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(is_near),
            "{found:?}, not {expected:?}"
        );
    }

    #[test]
    fn eigenvalues_of_triangles_rotations_and_companions() {
        check(&[&[0.5, 3.0], &[0.0, -0.25]], &[(0.5, 0.0), (-0.25, 0.0)]);
        check(&[&[0.6, -0.8], &[0.8, 0.6]], &[(0.6, 0.8), (0.6, -0.8)]);
        check(&[&[0.0, 0.0, 6.0], &[1.0, 0.0, -11.0], &[0.0, 1.0, 6.0]], &[(3.0, 0.0), (2.0, 0.0), (1.0, 0.0)]);
        check(&[&[0.0, 0.0], &[0.0, 0.0]], &[(0.0, 0.0), (0.0, 0.0)]);
        check(&[&[7.0]], &[(7.0, 0.0)]);
    }
}

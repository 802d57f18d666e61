//! Newton's method damped by residuals: equilibrated, with a verdict on the condition at the solution.
//!
//! Restarts of modes use it. Most of their blocks are linear: the Jacobian of such a block is computed and factored once, and what
//! follows the first step only takes out rounding, down to the last bit. [`solve_newton`](crate::solve_newton), for starts and
//! steps of a run, measures corrections instead of residuals, knows nominal values and bounds, and has more ways to go on; its
//! results differ in the last bits, so that both are kept.

use std::sync::Arc;

use super::by_blocks::solve_by_blocks;
use super::known_factors::KnownFactors;
use crate::linear::{LinearSolver, Lu, Pattern};

/// Below this reciprocal condition the equilibrated Jacobian counts as numerically singular: of the 16 digits of a double, fewer
/// than four are left.
const SINGULAR: f64 = 1e-12;
/// Quadratic convergence takes five or six steps; what has not converged after ten times as many never does.
const ITERATIONS: usize = 60;
/// A step that is halved so often is a billionth of itself: there is no descent.
const HALVINGS: usize = 30;

/// Why a block has no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// The Jacobian is singular, or nearly: its reciprocal condition.
    Singular(f64),
    /// The iteration did not converge, or met a value that is not a number.
    Diverged,
}

/// Residuals and Jacobian of a block at a point.
pub struct Linearization {
    /// The residuals.
    pub residual: Vec<f64>,
    /// The Jacobian.
    pub jacobian: Entries,
    /// How large the terms are that each residual is made of, known ones included, as far as that was looked at.
    sizes: Vec<f64>,
}

/// Residuals are not smaller than this, relative to their terms: one rounding for each of about four operations per term.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Linearization {
    /// All zero.
    pub fn zero(size: usize) -> Self {
        Linearization { residual: vec![0.0; size], jacobian: Entries::zero(size), sizes: vec![0.0; size] }
    }

    /// Counts a term of a residual.
    pub fn add_term(&mut self, row: usize, value: f64) {
        self.sizes[row] += if value.is_finite() { value.abs() } else { 0.0 };
    }

    /// Some rows and columns of it.
    pub(super) fn part(&self, rows: &[usize], columns: &[usize]) -> Self {
        let mut part = Linearization::zero(rows.len());
        for (at, &row) in rows.iter().enumerate() {
            part.residual[at] = self.residual[row];
            part.sizes[at] = self.sizes[row];
            for &(column, value) in &self.jacobian.rows[row] {
                if let Ok(column) = columns.binary_search(&(column as usize)) {
                    part.jacobian.add(at, column, value);
                }
            }
        }
        part
    }

    /// Residuals are at least made of the terms of these unknowns.
    fn widen_sizes(&mut self, point: &[f64]) {
        for (size, row) in self.sizes.iter_mut().zip(&self.jacobian.rows) {
            let own: f64 = row.iter().map(|&(column, value)| (value * point[column as usize]).abs()).sum();
            *size = if own.is_finite() { size.max(own) } else { *size };
        }
    }

    /// The rounding error of a residual.
    fn rounding(&self, row: usize) -> f64 {
        ROUNDING * self.sizes[row]
    }

    /// Whether nothing but rounding is left, as in the sum of currents at a node through which none flows: further steps
    /// would follow the rounding.
    fn is_rounding(&self) -> bool {
        self.residual.iter().enumerate().all(|(row, value)| value.abs() <= self.rounding(row))
    }
}

/// What is to be computed of a linearization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Residuals and Jacobian.
    All,
    /// Residuals alone: the Jacobian, which is left empty, is the same as before.
    Residual,
}

/// A square matrix by rows of entries; entries of the same place add up.
#[derive(Clone, Default, PartialEq)]
pub struct Entries {
    rows: Vec<Vec<(u32, f64)>>,
}

impl Entries {
    /// The zero matrix.
    pub fn zero(size: usize) -> Self {
        Entries { rows: vec![Vec::new(); size] }
    }

    /// Adds to an entry.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let row = &mut self.rows[row];
        match row.iter_mut().find(|entry| entry.0 == column as u32) {
            Some(entry) => entry.1 += value,
            None => row.push((column as u32, value)),
        }
    }

    /// By row, the columns of its entries.
    pub(super) fn columns(&self) -> Vec<Vec<usize>> {
        self.rows.iter().map(|row| row.iter().map(|entry| entry.0 as usize).collect()).collect()
    }

    fn row_size(&self, row: usize) -> f64 {
        self.rows[row].iter().map(|entry| entry.1.abs()).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// By column, the size of the largest entry relative to its row.
    fn column_sizes(&self) -> Vec<f64> {
        let mut sizes = vec![f64::MIN_POSITIVE; self.rows.len()];
        for (at, row) in self.rows.iter().enumerate() {
            let scale = self.row_size(at);
            for &(column, value) in row {
                sizes[column as usize] = sizes[column as usize].max(value.abs() / scale);
            }
        }
        sizes
    }

    /// The inverse of a single entry, where it is neither zero nor at the ends of the range of numbers.
    fn inverse_of_one(&self) -> Option<f64> {
        match self.rows.as_slice() {
            [row] => row.first().map(|entry| 1.0 / entry.1).filter(|inverse| inverse.is_normal()),
            _ => None,
        }
    }

    pub(crate) fn factors(&self) -> Result<Lu, Failure> {
        let mut sorted = self.rows.clone();
        sorted.iter_mut().for_each(|row| row.sort_unstable_by_key(|entry| entry.0));
        let pattern = Pattern::from_rows(sorted.len(), sorted.iter().map(|row| row.iter().map(|entry| entry.0)));
        let values: Vec<f64> = sorted.iter().flatten().map(|entry| entry.1).collect();
        let mut factors = Lu::for_pattern(&pattern);
        factors.factor(&pattern, &values).map_err(|_| Failure::Singular(0.0))?;
        Ok(factors)
    }
}

/// Whether the Jacobian of a block is the same everywhere.
#[derive(Clone, Copy)]
pub enum Linearity<'a> {
    /// Perhaps not.
    Nonlinear,
    /// It is.
    Linear,
    /// It is, and its factors are kept with those of other blocks, by their numbers.
    Kept(&'a KnownFactors, u32),
}

impl Linearity<'_> {
    fn factors(self, jacobian: &Entries) -> Result<Factors, Failure> {
        if let Some(inverse) = jacobian.inverse_of_one() {
            return Ok(Factors::One { inverse });
        }
        match self {
            Linearity::Kept(known, row) => known.of(row, jacobian).map(Factors::Several),
            Linearity::Linear | Linearity::Nonlinear => jacobian.factors().map(|it| Factors::Several(Arc::new(it))),
        }
    }
}

/// What a Jacobian is divided by. Most blocks of a large model are one equation for one unknown: of these nothing is factored, and the
/// quotients are those of the factors, to the last bit.
enum Factors {
    One { inverse: f64 },
    Several(Arc<Lu>),
}

impl Factors {
    fn solve(&self, right_hand_side: &mut [f64]) {
        match self {
            Factors::One { inverse } => right_hand_side.iter_mut().for_each(|value| *value *= inverse),
            Factors::Several(factors) => factors.solve(right_hand_side),
        }
    }

    fn condition(&self) -> f64 {
        match self {
            Factors::One { .. } => 1.0,
            Factors::Several(factors) => factors.condition(),
        }
    }
}

/// Solves `residual = 0` from `start`; where that fails for the whole, part by part.
pub fn solve(
    start: Vec<f64>,
    linearity: Linearity<'_>,
    mut linearize: impl FnMut(&[f64], Wanted) -> Linearization,
) -> Result<Vec<f64>, Failure> {
    let whole = solve_block(start.clone(), linearity, &mut linearize);
    whole.or_else(|failure| solve_by_blocks(start, &mut |point| linearize(point, Wanted::All)).map_err(|_| failure))
}

/// Solves `residual = 0` from `start`; the Jacobian of a linear block is asked for once.
pub fn solve_block(
    start: Vec<f64>,
    linearity: Linearity<'_>,
    mut linearize: impl FnMut(&[f64], Wanted) -> Linearization,
) -> Result<Vec<f64>, Failure> {
    let mut point = start;
    let mut here = linearize(&point, Wanted::All);
    let is_linear = !matches!(linearity, Linearity::Nonlinear);
    let later = if is_linear { Wanted::Residual } else { Wanted::All };
    let mut known: Option<Factors> = None;
    let mut progress = Progress { magnitude: vec![0.0; point.len()], last: f64::INFINITY };
    for iteration in 0..ITERATIONS {
        if here.residual.iter().any(|value| value.is_nan()) {
            return Err(Failure::Diverged);
        }
        let factors = match known.take().filter(|_| is_linear) {
            Some(factors) => factors,
            None => linearity.factors(&here.jacobian)?,
        };
        let mut step = here.residual.clone();
        factors.solve(&mut step);
        let found = damped(&point, &step, &here, &mut |point: &[f64]| linearize(point, later));
        let (next, mut there) = found.ok_or(Failure::Diverged)?;
        let converged = progress.is_over(&point, &next, &here.jacobian.column_sizes());
        if is_linear {
            (there.jacobian, there.sizes) = (here.jacobian, here.sizes);
            there.widen_sizes(&next);
        }
        (point, here) = (next, there);
        let converged = converged || iteration > 0 && here.is_rounding();
        if converged {
            let reciprocal = 1.0 / factors.condition();
            return if reciprocal >= SINGULAR { Ok(point) } else { Err(Failure::Singular(reciprocal)) };
        }
        known = Some(factors);
    }
    Err(Failure::Diverged)
}

/// Decides when to stop: each component no longer changes, or the whole, in the scaling of the equilibrated Jacobian,
/// changes by no more than rounding.
struct Progress {
    magnitude: Vec<f64>,
    last: f64,
}

impl Progress {
    fn is_over(&mut self, point: &[f64], next: &[f64], scale: &[f64]) -> bool {
        let (mut component, mut change, mut size): (f64, f64, f64) = (0.0, 0.0, f64::MIN_POSITIVE);
        for (at, magnitude) in self.magnitude.iter_mut().enumerate() {
            *magnitude = magnitude.max(point[at].abs()).max(next[at].abs());
            let difference = (next[at] - point[at]).abs();
            component = component.max(difference / magnitude.max(f64::MIN_POSITIVE));
            change = change.max(difference * scale[at]);
            size = size.max(*magnitude * scale[at]);
        }
        let relative = change / size;
        // Newton at least squares a small change; one that no longer halves is the noise of the residuals.
        let stagnant = relative <= 1e-10 && relative >= 0.5 * self.last;
        self.last = relative;
        // 45 roundings of each component, or half a rounding of the whole.
        component <= 1e-14 || relative <= 1e-16 || stagnant
    }
}

/// The point after the step, halved until the residual does not grow much.
fn damped(
    point: &[f64],
    step: &[f64],
    here: &Linearization,
    linearize: &mut impl FnMut(&[f64]) -> Linearization,
) -> Option<(Vec<f64>, Linearization)> {
    let scale: Vec<f64> = (0..point.len()).map(|row| here.jacobian.row_size(row)).collect();
    let norm =
        |residual: &[f64]| residual.iter().zip(&scale).map(|(value, size)| (value / size).abs()).fold(0.0, worst);
    let before = norm(&here.residual);
    let rounding = scale.iter().enumerate().map(|(row, size)| here.rounding(row) / size).fold(0.0, f64::max);
    // Residuals that small, beside the values and steps they are made of, may grow by rounding; so may those of rows whose
    // known terms are large beside the unknowns, by the rounding of these terms.
    let noise = (1e-12 * point.iter().chain(step).map(|value| value.abs()).fold(0.0, f64::max)).max(rounding);
    let mut factor = 1.0;
    for _ in 0..HALVINGS {
        let next: Vec<f64> = point.iter().zip(step).map(|(value, change)| value - factor * change).collect();
        let there = linearize(&next);
        if norm(&there.residual) <= before.max(noise) {
            return Some((next, there));
        }
        factor *= 0.5;
    }
    None
}

fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_equation_is_divided_as_by_its_factors() {
        let mut number = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let size = ((number >> 40) % 600) as i32 - 300;
            ((number >> 11) as f64 / 2.0_f64.powi(53) - 0.5) * 10.0_f64.powi(size)
        };
        for _ in 0..10_000 {
            let (entry, value) = (random(), random() * 1e-3);
            let mut jacobian = Entries::zero(1);
            jacobian.add(0, 0, entry);
            let factors = Linearity::Linear.factors(&jacobian).expect("regular");
            assert!(matches!(factors, Factors::One { .. }));
            let (mut one, mut other) = ([value], [value]);
            factors.solve(&mut one);
            jacobian.factors().expect("regular").solve(&mut other);
            let is_normal = other[0].is_normal() && (value / entry).is_normal();
            assert!(!is_normal || one[0].to_bits() == other[0].to_bits(), "{value} / {entry}: {one:?}, {other:?}");
        }
        assert!(Linearity::Linear.factors(&Entries::zero(1)).is_err());
    }

    #[test]
    fn a_sum_of_which_only_rounding_is_left_is_solved() {
        // A multiple of 2 minus 0.3: it cannot vanish.
        let solution = solve(vec![0.0], Linearity::Nonlinear, |point, _| {
            let mut system = Linearization::zero(1);
            system.residual[0] = point[0] + 1e16 - 1e16 - 0.3;
            system.jacobian.add(0, 0, 1.0);
            [point[0], 1e16, 1e16].iter().for_each(|&term| system.add_term(0, term));
            system
        });
        assert!(solution.is_ok_and(|values| values[0].abs() < 10.0));
    }

    #[test]
    fn what_is_small_beside_the_known_terms_of_its_row_is_found_to_their_rounding() {
        // The sum of currents at a node, for the one that is about to vanish: from any start near by, the residual may grow by the
        // rounding of the others.
        let others = [3.7, -1.1, 0.3, -2.9];
        let sum: f64 = others.iter().sum();
        for number in 0..200 {
            let start = -sum + f64::EPSILON * (f64::from(number) - 100.0) / 37.0;
            let solution = solve_block(vec![start], Linearity::Linear, |point, wanted| {
                let mut system = Linearization::zero(1);
                system.residual[0] = others.iter().fold(point[0], |sum, other| sum + other);
                if wanted == Wanted::All {
                    system.jacobian.add(0, 0, 1.0);
                    others.iter().chain(point).for_each(|&term| system.add_term(0, term));
                }
                system
            });
            let found = solution.expect("a linear equation has a solution");
            assert!((found[0] + sum).abs() <= 16.0 * f64::EPSILON, "{number}: {}", found[0] + sum);
        }
    }

    #[test]
    fn rows_that_begin_at_zero_have_the_rounding_of_what_they_come_to() {
        // A current that is rounding of others, shared by two branches: their own equations begin with terms that are all zero.
        let others = [5.1e-16, -3.3e-16, 7.0e-17];
        let solution = solve_block(vec![0.0; 3], Linearity::Linear, |point, wanted| {
            let mut system = Linearization::zero(3);
            system.residual[0] = others.iter().chain(point).sum();
            system.residual[1] = 0.3 * point[0] - 0.7 * point[1];
            system.residual[2] = 0.1 * point[1] - 0.9 * point[2];
            if wanted == Wanted::All {
                let entries =
                    [(0, 0, 1.0), (0, 1, 1.0), (0, 2, 1.0), (1, 0, 0.3), (1, 1, -0.7), (2, 1, 0.1), (2, 2, -0.9)];
                entries.iter().for_each(|&(row, column, value)| system.jacobian.add(row, column, value));
                others.iter().for_each(|&term| system.add_term(0, term));
            }
            system
        });
        let found = solution.expect("a linear system has a solution");
        let sum: f64 = found.iter().chain(&others).sum();
        assert!(sum.abs() <= 1e-30, "{found:?}");
    }
}

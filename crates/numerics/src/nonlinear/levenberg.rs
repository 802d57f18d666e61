//! Levenberg–Marquardt: a downhill way where Newton has none.
//!
//! Minimizes the sum of squared residuals, each relative to the size of its row, over unknowns relative to their
//! nominal values. It passes singular Jacobians; what it finds is a start for Newton, not a solution.

use super::newton::{NewtonSettings, NonlinearSystem};
use crate::linear::{DenseLu, LinearSolver, Pattern, Scaling};

/// Larger blocks are left alone: the normal equations are dense.
const LARGEST: usize = 300; // 300³ operations per step are some milliseconds
/// A start for Newton is found in a few dozen steps or, along a curved valley, not at all.
const STEPS: usize = 60;
/// A thousandth of the largest curvature: nearly a Gauss–Newton step, tried first because most hills are gentle.
const FIRST_DAMPING: f64 = 1e-3;
/// Less damping than this is lost in the rounding of the matrix, more than its inverse leaves no step.
const LEAST_DAMPING: f64 = 1e-12;
/// Damping falls faster than it rises, so that steps become long again soon after a bend.
const RELAX: f64 = 5.0;
const TIGHTEN: f64 = 4.0;
/// Residuals ten orders smaller are a solution; what is left is Newton's.
const DONE: f64 = 1e-20;
/// Residuals half as large, so a quarter of the sum of squares, are worth another start of Newton.
const WORTHWHILE: f64 = 0.25;

/// Moves the unknowns downhill; whether that made the residuals considerably smaller.
pub(crate) fn improve(system: &mut dyn NonlinearSystem, unknowns: &mut [f64], settings: &NewtonSettings) -> bool {
    let size = unknowns.len();
    if size > LARGEST {
        return false;
    }
    let mut descent = Descent {
        pattern: system.pattern().clone(),
        full: Pattern::dense(size, size),
        residuals: vec![0.0; size],
        entries: vec![0.0; system.pattern().entry_count()],
        row_weights: vec![1.0; size],
        damping: FIRST_DAMPING,
    };
    descent.run(system, unknowns, settings)
}

struct Descent {
    pattern: Pattern,
    full: Pattern,
    residuals: Vec<f64>,
    entries: Vec<f64>,
    /// Fixed at the start, so that all steps go down the same hill.
    row_weights: Vec<f64>,
    damping: f64,
}

impl Descent {
    fn run(&mut self, system: &mut dyn NonlinearSystem, unknowns: &mut [f64], settings: &NewtonSettings) -> bool {
        system.jacobian(unknowns, &mut self.residuals, &mut self.entries);
        let Ok(scaling) = Scaling::of(&self.pattern, &self.entries) else { return false };
        self.row_weights = scaling.rows;
        let start = self.height(&self.residuals);
        let mut height = start;
        for _ in 0..STEPS {
            if !height.is_finite() || height <= DONE * start {
                break;
            }
            match self.step(system, unknowns, settings, height) {
                Some(lower) => height = lower,
                None => break,
            }
        }
        height < WORTHWHILE * start
    }

    fn height(&self, residuals: &[f64]) -> f64 {
        residuals.iter().zip(&self.row_weights).map(|(residual, weight)| (residual * weight).powi(2)).sum()
    }

    /// One step down, with more and more damping until it is; `None` at the bottom.
    fn step(
        &mut self,
        system: &mut dyn NonlinearSystem,
        unknowns: &mut [f64],
        settings: &NewtonSettings,
        height: f64,
    ) -> Option<f64> {
        let scales: Vec<f64> = unknowns.iter().enumerate().map(|(index, &x)| settings.scale(index, x)).collect();
        let (matrix, gradient) = self.normal_equations(&scales);
        while self.damping < 1.0 / LEAST_DAMPING {
            let trial = self.trial(&matrix, &gradient, &scales, unknowns, settings)?;
            let mut residuals = vec![0.0; trial.len()];
            system.residuals(&trial, &mut residuals);
            let lower = self.height(&residuals);
            if lower < height {
                self.damping = (self.damping / RELAX).max(LEAST_DAMPING);
                unknowns.copy_from_slice(&trial);
                system.jacobian(unknowns, &mut self.residuals, &mut self.entries);
                return Some(lower);
            }
            self.damping *= TIGHTEN;
        }
        None
    }

    fn trial(
        &self,
        matrix: &[f64],
        gradient: &[f64],
        scales: &[f64],
        unknowns: &[f64],
        settings: &NewtonSettings,
    ) -> Option<Vec<f64>> {
        let size = unknowns.len();
        let mut damped = matrix.to_vec();
        let largest = (0..size).map(|index| matrix[index * size + index]).fold(0.0, f64::max);
        for index in 0..size {
            damped[index * size + index] += self.damping * largest;
        }
        let mut step: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
        let mut lu = DenseLu::new();
        lu.factor(&self.full, &damped).ok()?;
        lu.solve(&mut step);
        let moved = (0..size).map(|i| settings.within_bounds(i, unknowns[i] + step[i] * scales[i]));
        Some(moved.collect())
    }

    /// `JᵀJ` and `Jᵀf` of the scaled system.
    fn normal_equations(&self, scales: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let size = scales.len();
        let (mut matrix, mut gradient) = (vec![0.0; size * size], vec![0.0; size]);
        for (row, &weight) in self.row_weights.iter().enumerate() {
            let entries = self.pattern.row_entries(&self.entries, row);
            let scaled: Vec<(usize, f64)> =
                entries.map(|(column, value)| (column, value * weight * scales[column])).collect();
            for &(column, value) in &scaled {
                gradient[column] += value * self.residuals[row] * weight;
                scaled.iter().for_each(|&(other, factor)| matrix[column * size + other] += value * factor);
            }
        }
        (matrix, gradient)
    }
}

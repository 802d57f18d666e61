//! Damped Newton for one block of equations.
//!
//! The damping is affine invariant (Deuflhard, *Newton Methods for Nonlinear Problems*, 2004, §3.3): a step is
//! accepted when the correction that the same Jacobian would make next has become smaller, so that neither the
//! units of equations nor their combination matter. Unknowns are measured by their nominal values, and those that have none by what
//! they are on the way, so that their units do not matter either. Where that gets stuck or meets a singular Jacobian,
//! [`Attempt`] says what follows.

use super::levenberg;
use crate::linear::Pattern;
use crate::linear::{FactorFailure, LinearSolver, Lu, Singular};

/// As many equations as unknowns.
pub trait NonlinearSystem {
    /// Where the Jacobian has entries.
    fn pattern(&self) -> &Pattern;
    /// Left sides minus right sides.
    fn residuals(&mut self, unknowns: &[f64], residuals: &mut [f64]);
    /// Residuals and the entries of the Jacobian.
    fn jacobian(&mut self, unknowns: &[f64], residuals: &mut [f64], entries: &mut [f64]);
    /// What rounding may have made of the residuals.
    fn roundings(&mut self, unknowns: &[f64], roundings: &mut [f64]);
}

/// How to solve, and how to measure.
#[derive(Clone, Debug)]
pub struct NewtonSettings {
    /// Largest correction, relative to the size or nominal value of the unknown, that counts as none.
    pub tolerance: f64,
    /// Give up after so many Jacobians.
    pub iterations: usize,
    /// The nominal value of each unknown; zero where none is known, or the list ends early: then its values tell its size.
    pub nominal: Vec<f64>,
    /// The least and largest value of each unknown; unbounded where the list ends early.
    pub bounds: Vec<(f64, f64)>,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        // Four digits more than runs ask for by default; so many steps are taken only where the start is far away.
        NewtonSettings { tolerance: 1e-10, iterations: 200, nominal: Vec::new(), bounds: Vec::new() }
    }
}

impl NewtonSettings {
    /// The nominal value of an unknown; zero where none is known.
    fn known_nominal(&self, index: usize) -> f64 {
        self.nominal.get(index).map(|nominal| nominal.abs()).filter(|nominal| nominal.is_finite()).unwrap_or(0.0)
    }

    /// The size by which a change of the unknown is measured at a value, if nothing else is known of it.
    pub(crate) fn scale(&self, index: usize, value: f64) -> f64 {
        let size = value.abs().max(self.known_nominal(index));
        if size > 0.0 { size } else { 1.0 }
    }

    pub(crate) fn within_bounds(&self, index: usize, value: f64) -> f64 {
        match self.bounds.get(index) {
            Some(&(low, high)) if low <= high => value.clamp(low, high),
            _ => value,
        }
    }
}

/// How a solution was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Converged {
    /// Which attempt it was.
    pub attempt: Attempt,
    /// How many Jacobians that took.
    pub iterations: usize,
    /// The last correction, relative to the unknowns.
    pub correction: f64,
    /// The condition of the last Jacobian.
    pub condition: f64,
}

/// One step on the way, for reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterate {
    /// The unknowns before the step.
    pub unknowns: Vec<f64>,
    /// The residuals there.
    pub residuals: Vec<f64>,
    /// The size of the correction, relative to the unknowns.
    pub correction: f64,
    /// The share of the correction that was taken.
    pub damping: f64,
}

/// Why there is no solution, and how far it came.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonFailure {
    /// What stopped it.
    pub reason: NewtonFailureReason,
    /// The last unknowns.
    pub unknowns: Vec<f64>,
    /// Their residuals.
    pub residuals: Vec<f64>,
    /// The last steps, oldest first.
    pub iterates: Vec<Iterate>,
}

/// What can stop Newton's method.
#[derive(Clone, Debug, PartialEq)]
pub enum NewtonFailureReason {
    /// This equation has no finite value at the start.
    ResidualNotFinite(usize),
    /// This derivative is not finite.
    JacobianNotFinite {
        /// The equation.
        row: usize,
        /// The unknown.
        column: usize,
    },
    /// Equations depend on each other here.
    SingularJacobian(Singular),
    /// Only tiny steps, or none at all, made it better.
    NoProgress,
    /// It got better, but not good.
    TooManyIterations,
}

/// The ways that are tried, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Damped Newton from the start.
    Damped,
    /// Damped Newton from where Levenberg–Marquardt led.
    AfterDescent,
    /// Whole steps from the start: through valleys that damping would follow at a snail's pace.
    Undamped,
    /// Whole steps after one of double length: where the solution at hand has ended at a fold, whole steps can go to and fro beside it.
    Overshooting,
}

/// Solves from `unknowns`, which become the solution; without one they end where damped Newton from the start did,
/// and so says the failure.
pub fn solve_newton(
    system: &mut dyn NonlinearSystem,
    unknowns: &mut [f64],
    settings: &NewtonSettings,
) -> Result<Converged, Box<NewtonFailure>> {
    let start = unknowns.to_vec();
    let failure = match Newton::new(system, unknowns, settings, Attempt::Damped).run() {
        Ok(converged) => return Ok(converged),
        Err(failure) => failure,
    };
    if failure.reason.is_about_values() {
        return Err(failure);
    }
    if let Some(last) = failure.iterates.last().filter(|_| failure.is_about_rounding(system)) {
        let (iterations, correction) = (failure.iterates.len(), last.correction);
        return Ok(Converged { attempt: Attempt::Damped, iterations, correction, condition: f64::INFINITY });
    }
    for attempt in [Attempt::AfterDescent, Attempt::Undamped, Attempt::Overshooting] {
        if attempt != Attempt::AfterDescent {
            unknowns.copy_from_slice(&start);
        } else if !levenberg::improve(system, unknowns, settings) {
            continue;
        }
        if let Ok(converged) = Newton::new(system, unknowns, settings, attempt).run() {
            return Ok(converged);
        }
    }
    unknowns.copy_from_slice(&failure.unknowns);
    Err(failure)
}

/// Damping below this share of a correction is none: a step so short no longer shows above the tolerance of 1e-10.
const LEAST_DAMPING: f64 = 1e-9;
/// So many strongly damped steps in a row are a snail's pace: together they are no longer than one correction.
const PATIENCE: usize = 20;
/// A twentieth, so that the patience of 20 steps is one correction.
const STRONG_DAMPING: f64 = 0.05;
/// How many steps a report keeps: about a screen of text.
const KEPT: usize = 8;
/// Rounding in a solution is a few units in the last place times the condition.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// What is left of a size in a step that finds the unknown smaller: one that goes to zero is not asked for digits of nothing.
const FADING: f64 = 0.1;
/// An unknown that is smaller than this share of what it was is zero: a root at which everything is flat is approached for ever.
const VANISHED: f64 = 1e-6;
/// Where steps halve an unknown, as they do far away from a root, so many bring it from 1e18 to one.
const REFINEMENTS: usize = 60;
/// Beyond this condition half of the digits are lost, and a correction as large as that is no convergence.
const WORST_CONDITION: f64 = 1e8;
/// Terms are nothing beside the largest unknown where they are less than this many roundings of it, for each equation.
const NOTHING: f64 = 1e3;

struct Newton<'a> {
    system: &'a mut dyn NonlinearSystem,
    settings: &'a NewtonSettings,
    attempt: Attempt,
    lu: Lu,
    unknowns: &'a mut [f64],
    residuals: Vec<f64>,
    entries: Vec<f64>,
    correction: Vec<f64>,
    /// What corrections are measured by: the sizes of the unknowns now, and the largest on the way.
    scales: Vec<f64>,
    largest: Vec<f64>,
    /// The point that is tried, its residuals, and the correction that the present Jacobian would make there.
    trial: Vec<f64>,
    trial_residuals: Vec<f64>,
    next_correction: Vec<f64>,
    iterates: Vec<Iterate>,
}

/// What the last accepted step says about the next damping.
struct Experience {
    correction: f64,
    next_correction: f64,
    damping: f64,
}

/// How a step ended.
enum Step {
    Converged(f64),
    Accepted(Experience),
}

impl<'a> Newton<'a> {
    fn new(
        system: &'a mut dyn NonlinearSystem,
        unknowns: &'a mut [f64],
        settings: &'a NewtonSettings,
        attempt: Attempt,
    ) -> Self {
        let (size, entry_count) = (unknowns.len(), system.pattern().entry_count());
        assert_eq!(system.pattern().row_count(), size, "as many equations as unknowns");
        for (index, value) in unknowns.iter_mut().enumerate() {
            *value = settings.within_bounds(index, *value);
        }
        Newton {
            lu: Lu::for_pattern(system.pattern()),
            system,
            settings,
            attempt,
            unknowns,
            residuals: vec![0.0; size],
            entries: vec![0.0; entry_count],
            correction: vec![0.0; size],
            scales: vec![0.0; size],
            largest: vec![0.0; size],
            trial: vec![0.0; size],
            trial_residuals: vec![0.0; size],
            next_correction: vec![0.0; size],
            iterates: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Converged, Box<NewtonFailure>> {
        match self.iterate() {
            Ok((iterations, correction)) => {
                let iterations = iterations + self.refine(correction);
                let condition = self.lu.condition();
                Ok(Converged { attempt: self.attempt, iterations, correction, condition })
            }
            Err(reason) => Err(Box::new(NewtonFailure {
                reason,
                unknowns: self.unknowns.to_vec(),
                residuals: self.residuals,
                iterates: self.iterates,
            })),
        }
    }

    fn iterate(&mut self) -> Result<(usize, f64), NewtonFailureReason> {
        let (mut experience, mut slow) = (None, 0);
        for iteration in 1..=self.settings.iterations {
            self.linearize()?;
            let size = self.norm(&self.correction);
            self.remember(size);
            if size <= self.smallest_correction() {
                self.take_step(1.0);
                return Ok((iteration, size));
            }
            match self.attempt {
                Attempt::Overshooting if iteration == 1 => self.take_step(2.0),
                Attempt::Undamped | Attempt::Overshooting => self.take_step(1.0),
                Attempt::Damped | Attempt::AfterDescent => {}
            }
            if matches!(self.attempt, Attempt::Undamped | Attempt::Overshooting) {
                continue;
            }
            let damping = experience.as_ref().map_or(1.0, |last| self.predicted_damping(last, size));
            match self.damped_step(size, damping)? {
                Step::Converged(correction) => return Ok((iteration, correction)),
                Step::Accepted(last) => {
                    slow = if last.damping < STRONG_DAMPING { slow + 1 } else { 0 };
                    experience = Some(last);
                }
            }
            if slow == PATIENCE {
                return Err(NewtonFailureReason::NoProgress);
            }
        }
        Err(NewtonFailureReason::TooManyIterations)
    }

    /// Goes on where corrections are small only beside what unknowns were on the way: one that came back from far away would keep no
    /// more digits than it had there. The corrections themselves tell when nothing more is to be had; how many steps that took.
    fn refine(&mut self, mut size: f64) -> usize {
        if !self.is_coarse() || self.leaves_rounding() {
            return 0;
        }
        for step in 0..REFINEMENTS {
            if self.solve_linearized().is_err() {
                return step;
            }
            let next = self.norm(&self.correction);
            if next.is_nan() || next >= size {
                return step;
            }
            self.take_step(1.0);
            size = next;
            if !self.is_coarse() {
                return step + 1;
            }
        }
        REFINEMENTS
    }

    /// Whether the last correction of an unknown without a nominal value is not small beside the unknown itself.
    fn is_coarse(&self) -> bool {
        let smallest = self.smallest_correction();
        let is_coarse = |index: usize| {
            let correction = self.correction[index].abs();
            correction > smallest * self.unknowns[index].abs().max(self.settings.known_nominal(index))
        };
        (0..self.unknowns.len()).any(is_coarse)
    }

    /// Whether the residuals at the unknowns are nothing but rounding.
    fn leaves_rounding(&mut self) -> bool {
        self.trial.copy_from_slice(self.unknowns);
        self.system.residuals(&self.trial, &mut self.trial_residuals);
        self.is_rounding()
    }

    /// Residuals, Jacobian and full correction at the unknowns, and what to measure them by.
    fn linearize(&mut self) -> Result<(), NewtonFailureReason> {
        self.solve_linearized()?;
        self.measure();
        Ok(())
    }

    fn solve_linearized(&mut self) -> Result<(), NewtonFailureReason> {
        self.system.jacobian(self.unknowns, &mut self.residuals, &mut self.entries);
        if let Some(row) = self.residuals.iter().position(|residual| !residual.is_finite()) {
            return Err(NewtonFailureReason::ResidualNotFinite(row));
        }
        self.lu.factor(self.system.pattern(), &self.entries).map_err(|failure| match failure {
            FactorFailure::NotFinite { row, column } => NewtonFailureReason::JacobianNotFinite { row, column },
            FactorFailure::Singular(singular) => NewtonFailureReason::SingularJacobian(singular),
        })?;
        solve_negative(&self.lu, &self.residuals, &mut self.correction);
        Ok(())
    }

    /// The sizes of the unknowns here. One of which nothing is known yet is as large as its correction.
    fn measure(&mut self) {
        for (index, scale) in self.scales.iter_mut().enumerate() {
            let value = self.unknowns[index].abs();
            let largest = &mut self.largest[index];
            *largest = largest.max(value);
            let nominal = self.settings.known_nominal(index);
            *scale = match nominal > 0.0 {
                true => value.max(nominal),
                false => value.max(FADING * *scale).max(VANISHED * *largest),
            };
            if *scale == 0.0 {
                *scale = self.correction[index].abs();
                *largest = *scale;
            }
        }
    }

    /// The root mean square of a correction, each part relative to its unknown.
    fn norm(&self, correction: &[f64]) -> f64 {
        let parts = correction.iter().zip(&self.scales).filter(|(part, _)| **part != 0.0);
        let sum: f64 = parts.map(|(part, scale)| (part / scale).powi(2)).sum();
        (sum / correction.len().max(1) as f64).sqrt()
    }

    fn remember(&mut self, correction: f64) {
        if self.iterates.len() == KEPT {
            self.iterates.remove(0);
        }
        let (unknowns, residuals) = (self.unknowns.to_vec(), self.residuals.clone());
        self.iterates.push(Iterate { unknowns, residuals, correction, damping: 1.0 });
    }

    /// Rounding in a badly conditioned system leaves corrections that no iteration removes.
    fn smallest_correction(&self) -> f64 {
        self.settings.tolerance.max(ROUNDING * self.lu.condition().min(WORST_CONDITION))
    }

    /// Takes the trial point on by its own correction; whether nothing is left then but rounding.
    fn is_solved_by_next(&mut self) -> bool {
        if self.lu.condition() >= WORST_CONDITION {
            return false;
        }
        for (index, place) in self.trial.iter_mut().enumerate() {
            *place = self.settings.within_bounds(index, *place + self.next_correction[index]);
        }
        self.system.residuals(&self.trial, &mut self.trial_residuals);
        self.is_rounding()
    }

    /// Whether the trial point is as good as rounding lets it be, where equations tell solutions apart: no equation is off by more than
    /// the rounding of its terms, or of the largest unknown where its terms are nothing beside that. Currents that fade away along
    /// a network are differences of potentials, and have no digits of their own to be asked for (Arioli, Demmel, Duff, *Solving Sparse
    /// Linear Systems with Sparse Backward Error*, 1989, §2).
    fn is_rounding(&self) -> bool {
        let pattern = self.system.pattern();
        let largest = self.trial.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let nothing = NOTHING * self.trial.len() as f64 * f64::EPSILON * largest;
        let is_rounding = |(row, residual): (usize, &f64)| {
            let (mut terms, mut most, mut sum) = (0.0, 0.0f64, 0.0);
            for (at, entry) in pattern.row_entries(&self.entries, row) {
                terms += (entry * self.trial[at]).abs();
                most = most.max(entry.abs());
                sum += entry.abs();
            }
            let size = if terms > nothing * most { terms } else { terms + sum * largest };
            residual.abs() <= ROUNDING * size
        };
        self.trial_residuals.iter().enumerate().all(is_rounding)
    }

    /// From how much the last correction, predicted for here, differs from the true one.
    fn predicted_damping(&self, last: &Experience, size: f64) -> f64 {
        let difference: Vec<f64> = self.next_correction.iter().zip(&self.correction).map(|(a, b)| a - b).collect();
        let difference = self.norm(&difference);
        let predicted = last.correction * last.next_correction / (difference * size) * last.damping;
        // A whole step is worth a trial where a half one is promised: it ends sooner.
        if predicted.is_nan() || predicted >= 0.5 { 1.0 } else { predicted.max(LEAST_DAMPING) }
    }

    /// Tries dampings until the next correction is smaller; leaves the unknowns at the accepted point.
    fn damped_step(&mut self, size: f64, mut damping: f64) -> Result<Step, NewtonFailureReason> {
        let mut reduced = false;
        while damping >= LEAST_DAMPING {
            if !self.try_step(damping) {
                (damping, reduced) = (damping / 2.0, true);
                continue;
            }
            // Measured by the same unknowns as the correction, or small steps could seem to make it worse.
            let next = self.norm(&self.next_correction);
            let better = self.better_damping(size, damping);
            // The restricted monotonicity test: a step of this share should remove at least a quarter of its share.
            if next > (1.0 - damping / 4.0) * size {
                if damping == 1.0 && self.is_solved_by_next() {
                    self.unknowns.copy_from_slice(&self.trial);
                    self.correction.fill(0.0);
                    return Ok(Step::Converged(next));
                }
                (damping, reduced) = (better.min(damping / 2.0), true);
                continue;
            }
            if damping == 1.0 && next <= self.smallest_correction() {
                self.unknowns.copy_from_slice(&self.trial);
                self.correction.copy_from_slice(&self.next_correction);
                self.take_step(1.0);
                return Ok(Step::Converged(next));
            }
            // Another trial costs residuals and a solution; a step four times as long is worth that.
            if better >= 4.0 * damping && !reduced {
                damping = better;
                continue;
            }
            return Ok(Step::Accepted(self.accept(size, next, damping)));
        }
        Err(NewtonFailureReason::NoProgress)
    }

    fn accept(&mut self, correction: f64, next_correction: f64, damping: f64) -> Experience {
        self.unknowns.copy_from_slice(&self.trial);
        if let Some(last) = self.iterates.last_mut() {
            last.damping = damping;
        }
        Experience { correction, next_correction, damping }
    }

    /// Residuals and next correction at a damped step; `false` if they are not finite.
    fn try_step(&mut self, damping: f64) -> bool {
        for (index, place) in self.trial.iter_mut().enumerate() {
            *place = self.settings.within_bounds(index, self.unknowns[index] + damping * self.correction[index]);
        }
        self.system.residuals(&self.trial, &mut self.trial_residuals);
        if !self.trial_residuals.iter().all(|residual| residual.is_finite()) {
            return false;
        }
        solve_negative(&self.lu, &self.trial_residuals, &mut self.next_correction);
        self.next_correction.iter().all(|part| part.is_finite())
    }

    /// The damping that the curvature seen on the trial step allows.
    fn better_damping(&self, size: f64, damping: f64) -> f64 {
        let curved: Vec<f64> = (0..self.trial.len())
            .map(|i| self.next_correction[i] - (self.correction[i] - (self.trial[i] - self.unknowns[i])))
            .collect();
        let curvature = self.norm(&curved);
        let better = 0.5 * size * damping * damping / curvature;
        if better.is_nan() { 1.0 } else { better.min(1.0) }
    }

    fn take_step(&mut self, damping: f64) {
        for (index, value) in self.unknowns.iter_mut().enumerate() {
            *value = self.settings.within_bounds(index, *value + damping * self.correction[index]);
        }
    }
}

/// The solution for the negative of a right-hand side.
fn solve_negative(lu: &Lu, residuals: &[f64], correction: &mut [f64]) {
    correction.iter_mut().zip(residuals).for_each(|(place, residual)| *place = -residual);
    lu.solve(correction);
}

impl NewtonFailure {
    /// Whether residuals are left that nothing but rounding explains: no step makes them smaller, and there is nothing to be made smaller.
    fn is_about_rounding(&self, system: &mut dyn NonlinearSystem) -> bool {
        if !matches!(self.reason, NewtonFailureReason::NoProgress | NewtonFailureReason::TooManyIterations) {
            return false;
        }
        let (mut residuals, mut roundings) = (self.residuals.clone(), self.residuals.clone());
        system.residuals(&self.unknowns, &mut residuals);
        system.roundings(&self.unknowns, &mut roundings);
        residuals.iter().zip(&roundings).all(|(residual, rounding)| residual.abs() <= *rounding)
    }

    /// A report for the user, a line each: the reason, then the worst equations and the unknowns they left.
    pub fn report(&self, unknown: impl Fn(usize) -> String, equation: impl Fn(usize) -> String) -> Vec<String> {
        const SHOWN: usize = 10;
        let mut lines = vec![self.reason.line(&unknown, &equation)];
        let mut worst: Vec<usize> = (0..self.residuals.len()).collect();
        let size = |&row: &usize| if self.residuals[row].is_nan() { f64::INFINITY } else { self.residuals[row].abs() };
        worst.sort_by(|a, b| size(b).total_cmp(&size(a)));
        lines.extend(
            worst.iter().take(SHOWN).map(|&row| format!("residual {:.6e} in {}", self.residuals[row], equation(row))),
        );
        for index in 0..self.unknowns.len().min(SHOWN) {
            let past: Vec<String> = self.iterates.iter().map(|step| format!("{:.6e}", step.unknowns[index])).collect();
            lines.push(format!("{} = {:.6e}, before: {}", unknown(index), self.unknowns[index], past.join(", ")));
        }
        if self.unknowns.len() > SHOWN {
            lines.push(format!("and {} more unknowns", self.unknowns.len() - SHOWN));
        }
        lines
    }
}

impl NewtonFailureReason {
    /// Whether the start has no values to begin with.
    fn is_about_values(&self) -> bool {
        matches!(self, NewtonFailureReason::ResidualNotFinite(_) | NewtonFailureReason::JacobianNotFinite { .. })
    }

    fn line(&self, unknown: &impl Fn(usize) -> String, equation: &impl Fn(usize) -> String) -> String {
        match self {
            NewtonFailureReason::ResidualNotFinite(row) => format!("{} has no finite value", equation(*row)),
            NewtonFailureReason::JacobianNotFinite { row, column } => {
                format!("the derivative of {} by {} is not finite", equation(*row), unknown(*column))
            }
            NewtonFailureReason::SingularJacobian(singular) => {
                let rows = singular.dependent_rows.iter().flatten().map(|&(row, _)| equation(row));
                let columns = singular.open_columns.iter().flatten().map(|&(column, _)| unknown(column));
                let (rows, columns): (Vec<String>, Vec<String>) = (rows.collect(), columns.collect());
                format!("dependent here: {}; not determined: {}", rows.join(", "), columns.join(", "))
            }
            NewtonFailureReason::NoProgress => "only tiny steps, or none at all, made it better".to_string(),
            NewtonFailureReason::TooManyIterations => "too many iterations".to_string(),
        }
    }
}

//! A compiled iteration: Newton's method on the unknowns of one block, in the memory of a program.
//!
//! During a run the last values are good guesses, so plain Newton comes first and allocates nothing; where it does not
//! contract, the damped method of `numerics` tries again from the same guess and tells what happened. A linear block is
//! solved by one step, or two, where the guess was far larger than the solution.

use std::sync::Arc;

use modeshift_numerics::{LinearSolver, Lu, NewtonFailure, NewtonSettings, NonlinearSystem, Pattern, solve_newton};

use super::gradients::{Gradients, ImplicitRule};
use super::iteration::CompiledIteration;
use super::kernel::{Kernel, Places};
use crate::program::blocks::plan::Iteration;

/// So many plain steps are tried.
const PLAIN_STEPS: usize = 7;
/// A relative correction as small as this leaves nothing but rounding after it was made.
const TOLERANCE: f64 = 1e-10;
/// Rounding of the largest value of an unknown is below the tolerance relative to this share of it.
const LEAST_SHARE: f64 = 1e-6;

/// A linear block whose unknowns become smaller than their guesses by this is solved once more: three bits of rounding are lost.
const SHRUNK: f64 = 8.0;
/// Unless its guesses are below this share of the largest value so far: values between events come down to what is smaller by and by.
const LARGE_SHARE: f64 = 1e-3;

/// A block with its buffers.
pub(crate) struct Solve {
    pub iteration: Arc<Iteration>,
    /// Whether the derivatives of states need it.
    pub is_needed: bool,
    pub is_linear: bool,
    pattern: Arc<Pattern>,
    residuals: Kernel,
    /// Residuals, then the entries of the Jacobian.
    linearization: Kernel,
    lu: Lu,
    /// The entries whose factors these are; empty before there are any.
    factored: Vec<f64>,
    settings: NewtonSettings,
    /// The nominal values that are declared, and otherwise zero.
    declared: Vec<f64>,
    guess: Vec<f64>,
    correction: Vec<f64>,
    buffer: Vec<f64>,
    rule: Option<ImplicitRule>,
}

impl Solve {
    pub fn new(
        iteration: Arc<Iteration>,
        is_needed: bool,
        compiled: &CompiledIteration,
        nominal: Vec<f64>,
        places: &mut Places,
    ) -> Self {
        let size = iteration.unknowns.len();
        Solve {
            is_needed,
            is_linear: compiled.is_linear,
            pattern: Arc::new(compiled.pattern.clone()),
            residuals: Kernel::new(compiled.residuals.clone(), places),
            linearization: Kernel::new(compiled.linearization.clone(), places),
            lu: Lu::for_pattern(&compiled.pattern),
            factored: Vec::new(),
            settings: NewtonSettings { tolerance: TOLERANCE, nominal: nominal.clone(), ..NewtonSettings::default() },
            declared: nominal,
            guess: vec![0.0; size],
            correction: vec![0.0; size],
            buffer: Vec::new(),
            iteration,
            rule: None,
        }
    }

    /// The same with nothing computed yet.
    pub fn anew(&self) -> Self {
        let size = self.guess.len();
        Solve {
            iteration: self.iteration.clone(),
            is_needed: self.is_needed,
            is_linear: self.is_linear,
            pattern: self.pattern.clone(),
            residuals: self.residuals.clone(),
            linearization: self.linearization.clone(),
            lu: Lu::for_pattern(&self.pattern),
            factored: Vec::new(),
            settings: NewtonSettings { nominal: self.declared.clone(), ..self.settings.clone() },
            declared: self.declared.clone(),
            guess: vec![0.0; size],
            correction: vec![0.0; size],
            buffer: Vec::new(),
            rule: self.rule.clone(),
        }
    }

    pub fn set_rule(&mut self, rule: ImplicitRule) {
        self.rule = Some(rule);
    }

    /// Solves from the unknowns in the memory.
    pub fn solve(&mut self, memory: &mut [f64]) -> Result<(), Box<NewtonFailure>> {
        for (guess, unknown) in self.guess.iter_mut().zip(&self.iteration.unknowns) {
            let place = &mut memory[unknown.index()];
            if !place.is_finite() {
                *place = 0.0;
            }
            *guess = *place;
        }
        if self.plain_newton(memory) {
            self.learn_sizes(memory);
            return Ok(());
        }
        let mut unknowns = self.guess.clone();
        let mut system = InMemory {
            unknowns: &self.iteration,
            pattern: &self.pattern,
            residuals: &mut self.residuals,
            linearization: &mut self.linearization,
            memory,
        };
        let solved = solve_newton(&mut system, &mut unknowns, &self.settings);
        system.set(&unknowns);
        self.learn_sizes(memory);
        solved.map(|_| ())
    }

    /// What has no nominal value is measured by itself, and not below a share of the largest value so far.
    fn learn_sizes(&mut self, memory: &[f64]) {
        let nominal = self.settings.nominal.iter_mut().zip(&self.declared).zip(&self.iteration.unknowns);
        for ((nominal, &declared), unknown) in nominal {
            if declared == 0.0 {
                *nominal = nominal.max(LEAST_SHARE * memory[unknown.index()].abs());
            }
        }
    }

    /// Whole steps while they shrink.
    fn plain_newton(&mut self, memory: &mut [f64]) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..PLAIN_STEPS {
            if !self.correct(memory) {
                return false;
            }
            let size = self.step(memory);
            if !size.is_finite() || size > 2.0 * last {
                return false;
            }
            if size <= TOLERANCE || next_step(size, last) <= f64::EPSILON {
                return true;
            }
            if self.is_linear {
                return !self.has_shrunk(memory) || self.refine(memory);
            }
            last = size;
        }
        false
    }

    /// A second step of a linear block, from its solution: what it corrects is rounding, however large that is beside values near zero.
    fn refine(&mut self, memory: &mut [f64]) -> bool {
        let is_regular = self.correct(memory);
        for (unknown, correction) in self.iteration.unknowns.iter().zip(&self.correction) {
            memory[unknown.index()] -= correction;
        }
        is_regular && self.iteration.unknowns.iter().all(|unknown| memory[unknown.index()].is_finite())
    }

    /// Whether an unknown is far smaller than its guess, which was not small: then it has the rounding of the guess. One that is exactly
    /// zero has none, and a second step would give it some.
    fn has_shrunk(&self, memory: &[f64]) -> bool {
        let unknowns = self.iteration.unknowns.iter().zip(&self.guess).zip(&self.settings.nominal);
        unknowns.into_iter().any(|((unknown, guess), nominal)| {
            let value = memory[unknown.index()].abs();
            value > 0.0 && guess.abs() > SHRUNK * value && guess.abs() > LARGE_SHARE / LEAST_SHARE * nominal
        })
    }

    /// The correction at the memory; whether it is to be had. One unknown needs no factors.
    fn correct(&mut self, memory: &[f64]) -> bool {
        let results = self.linearization.run(memory);
        let (residuals, entries) = results.split_at(self.pattern.row_count());
        if let ([residual], [slope]) = (residuals, entries) {
            self.correction[0] = residual / slope;
            return slope.is_normal();
        }
        self.correction.copy_from_slice(residuals);
        let is_regular = factor(&mut self.lu, &mut self.factored, &self.pattern, entries);
        if is_regular {
            self.lu.solve_with(&mut self.correction, &mut self.buffer);
        }
        is_regular
    }

    /// Takes the step and returns its size, relative to the unknowns.
    fn step(&mut self, memory: &mut [f64]) -> f64 {
        let mut largest = 0.0f64;
        for (index, unknown) in self.iteration.unknowns.iter().enumerate() {
            let place = &mut memory[unknown.index()];
            *place -= self.correction[index];
            let size = place.abs().max(self.guess[index].abs()).max(self.settings.nominal[index]);
            let relative = if self.correction[index] == 0.0 { 0.0 } else { self.correction[index].abs() / size };
            if !relative.is_finite() {
                return f64::INFINITY;
            }
            largest = largest.max(relative);
        }
        largest
    }

    /// Computes the gradients of the unknowns at the solution in the memory; whether the Jacobian is regular.
    pub fn differentiate(&mut self, memory: &[f64], gradients: &mut Gradients) -> bool {
        let Some(rule) = &mut self.rule else { return true };
        let entries = &self.linearization.run(memory)[self.pattern.row_count()..];
        if !factor(&mut self.lu, &mut self.factored, &self.pattern, entries) {
            return false;
        }
        rule.apply(memory, &self.lu, &mut self.buffer, gradients);
        true
    }

    pub fn make_machine_code(&self) {
        if self.is_needed {
            self.linearization.compile();
            self.rule.iter().for_each(ImplicitRule::make_machine_code);
        }
    }

    pub fn instruction_count(&self) -> usize {
        self.linearization.instruction_count()
    }
}

/// How large the step after two steps is to be: their ratio is squared with each step of a method that converges
/// quadratically.
fn next_step(size: f64, before: f64) -> f64 {
    let ratio = size / before;
    if before.is_finite() { size * ratio * ratio } else { f64::INFINITY }
}

/// Factors a matrix, unless it is the one that was factored last; whether it is regular.
fn factor(lu: &mut Lu, factored: &mut Vec<f64>, pattern: &Pattern, entries: &[f64]) -> bool {
    if factored == entries {
        return true;
    }
    factored.clear();
    let is_regular = lu.refactor(pattern, entries) || lu.factor(pattern, entries).is_ok();
    if is_regular {
        factored.extend_from_slice(entries);
    }
    is_regular
}

/// The block as `numerics` sees it.
struct InMemory<'a> {
    unknowns: &'a Iteration,
    pattern: &'a Pattern,
    residuals: &'a mut Kernel,
    linearization: &'a mut Kernel,
    memory: &'a mut [f64],
}

impl InMemory<'_> {
    fn set(&mut self, values: &[f64]) {
        for (unknown, value) in self.unknowns.unknowns.iter().zip(values) {
            self.memory[unknown.index()] = *value;
        }
    }
}

impl NonlinearSystem for InMemory<'_> {
    fn pattern(&self) -> &Pattern {
        self.pattern
    }

    fn residuals(&mut self, unknowns: &[f64], residuals: &mut [f64]) {
        self.set(unknowns);
        residuals.copy_from_slice(self.residuals.run(self.memory));
    }

    fn jacobian(&mut self, unknowns: &[f64], residuals: &mut [f64], entries: &mut [f64]) {
        self.set(unknowns);
        let results = self.linearization.run(self.memory);
        residuals.copy_from_slice(&results[..residuals.len()]);
        entries.copy_from_slice(&results[residuals.len()..]);
    }

    fn roundings(&mut self, unknowns: &[f64], roundings: &mut [f64]) {
        self.set(unknowns);
        self.residuals.roundings(self.memory, roundings);
    }
}

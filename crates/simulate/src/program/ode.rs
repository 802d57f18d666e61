//! A program as the system of differential equations that an integrator advances.

use modeshift_numerics::Pattern;

use super::failure::BlockFailure;
use super::mode_program::Program;
use super::surroundings::Surroundings;
use crate::integrate::{EvaluationFailed, Ode};

/// A program between events, in constant surroundings.
pub struct ProgramOde<'a> {
    /// The program, whose states are chosen.
    pub program: &'a mut Program,
    /// What is constant until the next event.
    pub surroundings: &'a Surroundings,
}

/// The details of a failure are the [`BlockFailure`].
impl From<Box<BlockFailure>> for EvaluationFailed {
    fn from(failure: Box<BlockFailure>) -> Self {
        EvaluationFailed::with_details("a block of equations has no solution", *failure)
    }
}

impl Ode for ProgramOde<'_> {
    fn size(&self) -> usize {
        self.program.states().len()
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        self.program.derivative(time, state, self.surroundings, derivative).map_err(EvaluationFailed::from)
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        Some(self.program.jacobian_pattern())
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        self.program.jacobian(time, state, self.surroundings, entries).map_err(EvaluationFailed::from)
    }

    fn begin(&mut self) {
        self.program.begin_path();
    }

    fn shown_error(&mut self, time: f64, state: &[f64], error: &[f64]) -> f64 {
        self.program.shown_error(time, state, self.surroundings, error)
    }
}

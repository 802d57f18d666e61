//! A sliding mode as a system of ordinary differential equations.
//!
//! All states of the fields are integrated; along the combination no guard moves, so that they stay on the surface up to errors of
//! steps, and values are taken at the nearest point of it. The Jacobian is full, by differences: it need not be exact.

use std::rc::Rc;

use modeshift_numerics::Pattern;

use crate::integrate::{EvaluationFailed, Ode};
use crate::run::sliding::flow::{NoFlow, Sliding};

/// A sliding mode and the jets that iterations begin with.
pub(crate) struct SlidingOde<'a> {
    system: Rc<Sliding<'a>>,
    jets: Vec<Vec<f64>>,
    nominal: Vec<f64>,
}

impl<'a> SlidingOde<'a> {
    /// The mode from a point on; its states have these sizes.
    pub fn new(system: Rc<Sliding<'a>>, jets: Vec<Vec<f64>>, nominal: Vec<f64>) -> Self {
        SlidingOde { system, jets, nominal }
    }
}

impl From<NoFlow> for EvaluationFailed {
    fn from(reason: NoFlow) -> Self {
        match reason {
            NoFlow::Block(failure) => EvaluationFailed::from(failure),
            NoFlow::NotTransversal | NoFlow::OffSurface => {
                EvaluationFailed::new("the surface of a sliding mode is lost")
            }
        }
    }
}

impl Ode for SlidingOde<'_> {
    fn size(&self) -> usize {
        self.nominal.len()
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        let slopes = self.system.slopes(time, state, &mut self.jets)?;
        let shares = self.system.shares(&slopes, &self.jets).ok_or(NoFlow::NotTransversal)?;
        self.system.derivative(&shares, &self.jets, derivative);
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        None
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let size = state.len();
        let (mut here, mut there) = (vec![0.0; size], vec![0.0; size]);
        self.derivative(time, state, &mut here)?;
        let mut moved = state.to_vec();
        let largest = state.iter().fold(0.0, |largest: f64, it| largest.max(it.abs()));
        for column in 0..size {
            // The root of the rounding: as much is lost by the difference as by the curvature. What is zero is moved as others, or by anything.
            let own = state[column].abs().max(self.nominal[column]);
            let scale = [own, largest].into_iter().find(|&it| it > 0.0).unwrap_or(1.0);
            moved[column] += f64::EPSILON.sqrt() * scale;
            self.derivative(time, &moved, &mut there)?;
            let by = moved[column] - state[column];
            for row in 0..size {
                entries[row * size + column] = (there[row] - here[row]) / by;
            }
            moved[column] = state[column];
        }
        Ok(())
    }
}

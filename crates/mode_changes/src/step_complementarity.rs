//! Which elements of a cluster change, as a linear complementarity problem: one implicit step of a regular mode.
//!
//! In the mode each element imposes that one of its quantities vanishes (a blocking diode its current) and leaves its
//! partner free (the voltage). With one implicit Euler step, the free quantities are affine in the imposed ones,
//! `b = q + M a`: one factorization, one solve per element. Both must not be negative, and one of each pair must
//! vanish. At a short step impulses are included: they are what grows as the step shrinks.

use modeshift_dae::Id;

use crate::dense::Matrix;
use crate::jet::{Jet, Residuals};
use crate::laurent::StepSystem;
use crate::mode_structure::{Column, ModeStructure, Row};
use crate::next_mode::Complementarity;

/// An element with two states, in the state that it has in the reference mode.
#[derive(Clone, Copy, Debug)]
pub struct TwoStateElement {
    /// The equation that says that the imposed quantity vanishes: its residual, times `imposed_sign`, is the quantity.
    pub row: Row,
    /// `1` or `-1`.
    pub imposed_sign: f64,
    /// The free quantity is this variable, times `free_sign`.
    pub free: Column,
    /// `1` or `-1`.
    pub free_sign: f64,
    /// The state it is in, and the other.
    pub states: (u32, u32),
}

/// The complementarity problem of a step of length `step` from left limits; `None` if the step cannot be solved.
pub fn step_complementarity(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    memory: &Jet,
    step: f64,
    elements: &[TwoStateElement],
) -> Option<Complementarity> {
    let rows: Vec<Row> = elements.iter().map(|element| element.row).collect();
    let (base, sensitivities) = StepSystem::new(structure, equations, memory).step_with_sensitivities(step, &rows)?;
    let mut matrix = Matrix::zero(elements.len());
    for (i, affected) in elements.iter().enumerate() {
        for (k, imposing) in elements.iter().enumerate() {
            let sensitivity = sensitivities[k][affected.free.index()];
            matrix.add(i, k, affected.free_sign * imposing.imposed_sign * sensitivity);
        }
    }
    let constant = elements.iter().map(|element| element.free_sign * base[element.free.index()]).collect();
    Some(Complementarity { constant, matrix, states: elements.iter().map(|element| element.states).collect() })
}

//! A block of equations on the tape, ready for Newton.

use super::newton::NonlinearSystem;
use crate::linear::Pattern;
use crate::tape::Differentiated;
use crate::tape::Workspace;

/// Residuals as a function of the unknowns, the other inputs being known.
pub struct Block<'a> {
    equations: &'a Differentiated,
    inputs: Vec<f64>,
    residual_workspace: Workspace,
    jacobian_workspace: Workspace,
}

impl<'a> Block<'a> {
    /// `known` are the values of all inputs that follow the unknowns.
    pub fn new(equations: &'a Differentiated, known: &[f64]) -> Self {
        let unknowns = equations.pattern().column_count();
        let mut inputs = vec![0.0; unknowns];
        inputs.extend_from_slice(known);
        assert_eq!(inputs.len(), equations.inputs().len(), "one value for each known input");
        Block {
            residual_workspace: equations.residuals.workspace(),
            jacobian_workspace: equations.workspace(),
            equations,
            inputs,
        }
    }

    /// Other values for the known inputs.
    pub fn set_known(&mut self, known: &[f64]) {
        let unknowns = self.equations.pattern().column_count();
        self.inputs[unknowns..].copy_from_slice(known);
    }
}

impl NonlinearSystem for Block<'_> {
    fn pattern(&self) -> &Pattern {
        self.equations.pattern()
    }

    fn residuals(&mut self, unknowns: &[f64], residuals: &mut [f64]) {
        self.inputs[..unknowns.len()].copy_from_slice(unknowns);
        self.equations.residuals.evaluate(&self.inputs, &mut self.residual_workspace, residuals);
    }

    fn jacobian(&mut self, unknowns: &[f64], residuals: &mut [f64], entries: &mut [f64]) {
        self.inputs[..unknowns.len()].copy_from_slice(unknowns);
        self.equations.evaluate(&self.inputs, &mut self.jacobian_workspace, residuals, entries);
    }

    fn roundings(&mut self, unknowns: &[f64], roundings: &mut [f64]) {
        self.inputs[..unknowns.len()].copy_from_slice(unknowns);
        self.equations.residuals.roundings(&self.inputs, &mut self.residual_workspace, roundings);
    }
}

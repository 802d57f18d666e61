//! Expressions that a run evaluates in every mode: compiled once, read from wherever the mode keeps its values.
//!
//! A tape is part of the model made ready and never changes; the run that evaluates it has the buffers.

use modeshift_dae::{ExpressionId, FlatModel, VariableId};
use modeshift_numerics::{Compiler, Input, NativeFunctions, NotNumeric, Tape, Workspace};

/// Expressions that are evaluated together.
pub(crate) struct Formulas {
    tape: Tape,
}

impl Formulas {
    /// Compiles expressions; those of `parameter` are constants.
    pub fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        parameter: impl Fn(VariableId) -> Option<f64>,
        expressions: &[ExpressionId],
    ) -> Result<Self, NotNumeric> {
        let known = |input: Input| match input {
            Input::Variable(variable, 0) => parameter(variable),
            _ => None,
        };
        Self::with_known(model, natives, known, expressions)
    }

    /// Compiles expressions; those of the inputs that have known values are constants.
    pub fn with_known(
        model: &FlatModel,
        natives: &NativeFunctions,
        known: impl Fn(Input) -> Option<f64>,
        expressions: &[ExpressionId],
    ) -> Result<Self, NotNumeric> {
        let tape = Compiler::new(model, natives).with_known_inputs(known).tape(expressions)?;
        Ok(Formulas { tape })
    }

    /// What the values depend on.
    pub fn inputs(&self) -> &[Input] {
        self.tape.inputs()
    }

    /// Buffers for one run.
    pub fn buffers(&self) -> Buffers {
        Buffers {
            workspace: self.tape.workspace(),
            inputs: vec![f64::NAN; self.tape.inputs().len()],
            outputs: vec![f64::NAN; self.tape.output_count()],
        }
    }
}

/// What the evaluation of formulas writes to.
pub(crate) struct Buffers {
    workspace: Workspace,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl Buffers {
    /// The values of the formulas that these buffers are of, given those of the inputs; Booleans are 1 and 0.
    pub fn evaluate(&mut self, formulas: &Formulas, value: impl Fn(Input) -> f64) -> &[f64] {
        for (place, &input) in self.inputs.iter_mut().zip(formulas.tape.inputs()) {
            *place = value(input);
        }
        formulas.tape.evaluate(&self.inputs, &mut self.workspace, &mut self.outputs);
        &self.outputs
    }

    /// The values as they were last computed.
    pub fn values(&self) -> &[f64] {
        &self.outputs
    }
}

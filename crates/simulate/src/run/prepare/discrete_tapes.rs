//! Expressions that a run evaluates in every mode: compiled once, read from wherever the mode keeps its values.

use modeshift_dae::{ExpressionId, FlatModel, VariableId};
use modeshift_numerics::{Compiler, Input, NativeFunctions, NotNumeric, Tape, Workspace};

/// Expressions that are evaluated together.
pub(crate) struct Formulas {
    tape: Tape,
    workspace: Workspace,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
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
        let tape = Compiler::new(model, natives).with_known_inputs(known).tape(expressions)?;
        let (workspace, inputs) = (tape.workspace(), vec![f64::NAN; tape.inputs().len()]);
        let outputs = vec![f64::NAN; tape.output_count()];
        Ok(Formulas { tape, workspace, inputs, outputs })
    }

    /// What the values depend on.
    pub fn inputs(&self) -> &[Input] {
        self.tape.inputs()
    }

    /// The values, given those of the inputs; Booleans are 1 and 0.
    pub fn evaluate(&mut self, value: impl Fn(Input) -> f64) -> &[f64] {
        for (place, &input) in self.inputs.iter_mut().zip(self.tape.inputs()) {
            *place = value(input);
        }
        self.tape.evaluate(&self.inputs, &mut self.workspace, &mut self.outputs);
        &self.outputs
    }

    /// The values as they were last computed.
    pub fn values(&self) -> &[f64] {
        &self.outputs
    }
}

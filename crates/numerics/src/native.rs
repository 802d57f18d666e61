//! Functions that are not written in Modelica: a table of native ones, by name.
//!
//! A call of a function that is not in the table evaluates to "not a number"; [`crate::Tape::explain`] then names it.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Computes the outputs from the inputs.
pub type Evaluation = dyn Fn(&[f64], &mut [f64]) + Send + Sync;

/// Computes the partial derivatives of all outputs by one input.
pub type PartialEvaluation = dyn Fn(&[f64], usize, &mut [f64]) + Send + Sync;

/// A function with real inputs and outputs; Integers and Booleans are numbers.
#[derive(Clone)]
pub struct NativeFunction {
    evaluation: Arc<Evaluation>,
    partial: Option<Arc<PartialEvaluation>>,
}

impl NativeFunction {
    /// Without derivatives: these will be central differences.
    pub fn new(evaluation: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        NativeFunction { evaluation: Arc::new(evaluation), partial: None }
    }

    /// With its partial derivatives.
    pub fn with_partial(mut self, partial: impl Fn(&[f64], usize, &mut [f64]) + Send + Sync + 'static) -> Self {
        self.partial = Some(Arc::new(partial));
        self
    }

    /// Evaluates into `outputs`.
    pub fn evaluate(&self, inputs: &[f64], outputs: &mut [f64]) {
        (self.evaluation)(inputs, outputs);
    }

    /// Partial derivatives by input `by` into `outputs`; `scratch` holds as many numbers as `outputs`, and `inputs`
    /// are as before when it returns.
    pub fn evaluate_partial(&self, inputs: &mut [f64], by: usize, outputs: &mut [f64], scratch: &mut [f64]) {
        match &self.partial {
            Some(partial) => partial(inputs, by, outputs),
            None => self.central_difference(inputs, by, outputs, scratch),
        }
    }

    fn central_difference(&self, inputs: &mut [f64], by: usize, outputs: &mut [f64], scratch: &mut [f64]) {
        let center = inputs[by];
        let step = f64::EPSILON.cbrt() * center.abs().max(1.0);
        let (above, below) = (center + step, center - step);
        inputs[by] = above;
        self.evaluate(inputs, outputs);
        inputs[by] = below;
        self.evaluate(inputs, scratch);
        inputs[by] = center;
        for (high, low) in outputs.iter_mut().zip(scratch.iter()) {
            *high = (*high - low) / (above - below);
        }
    }
}

/// Native functions by their full names.
#[derive(Clone, Default)]
pub struct NativeFunctions {
    functions: BTreeMap<String, NativeFunction>,
}

impl NativeFunctions {
    /// None at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function, or replaces the one of that name.
    pub fn add(&mut self, name: impl Into<String>, function: NativeFunction) {
        self.functions.insert(name.into(), function);
    }

    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&NativeFunction> {
        self.functions.get(name)
    }
}

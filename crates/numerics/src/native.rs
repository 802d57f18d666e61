//! Functions that a tape calls: those of the model, and native ones by name.
//!
//! A call of a function that is neither evaluates to "not a number"; [`crate::Tape::explain`] then names it.

use std::collections::BTreeMap;
use std::sync::Arc;

use modeshift_dae::{FlatModel, FunctionId};

use crate::functions::Routines;

/// Computes the outputs from the inputs.
pub type Evaluation = dyn Fn(&[f64], &mut [f64]) + Send + Sync;

/// Computes the partial derivatives of all outputs by one input.
pub type PartialEvaluation = dyn Fn(&[f64], usize, &mut [f64]) + Send + Sync;

/// Makes a function of the partial derivatives by one input.
pub type PartialFunction = dyn Fn(usize) -> NativeFunction + Send + Sync;

/// Says why there are no outputs at some inputs.
pub type Explanation = dyn Fn(&[f64]) -> Option<String> + Send + Sync;

/// A function with real inputs and outputs; Integers and Booleans are numbers.
#[derive(Clone)]
pub struct NativeFunction {
    evaluation: Arc<Evaluation>,
    partial: Option<Arc<PartialEvaluation>>,
    fault: Option<Arc<Explanation>>,
    partial_function: Option<Arc<PartialFunction>>,
}

impl NativeFunction {
    /// Without derivatives: these will be central differences.
    pub fn new(evaluation: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        NativeFunction { evaluation: Arc::new(evaluation), partial: None, fault: None, partial_function: None }
    }

    /// With its partial derivatives.
    pub fn with_partial(mut self, partial: impl Fn(&[f64], usize, &mut [f64]) + Send + Sync + 'static) -> Self {
        self.partial = Some(Arc::new(partial));
        self
    }

    /// With what to say where it has no result.
    pub fn with_fault(mut self, fault: impl Fn(&[f64]) -> Option<String> + Send + Sync + 'static) -> Self {
        self.fault = Some(Arc::new(fault));
        self
    }

    /// Why it has no result at these inputs, where it can tell.
    pub fn fault(&self, inputs: &[f64]) -> Option<String> {
        self.fault.as_ref().and_then(|fault| fault(inputs))
    }

    /// With its partial derivatives as functions that have exact derivatives themselves.
    pub fn with_partial_function(mut self, partial: impl Fn(usize) -> NativeFunction + Send + Sync + 'static) -> Self {
        self.partial_function = Some(Arc::new(partial));
        self
    }

    /// The partial derivatives by one input as a function of their own.
    pub(crate) fn partial(&self, by: usize) -> NativeFunction {
        if let Some(partial) = &self.partial_function {
            return partial(by);
        }
        let this = self.clone();
        NativeFunction::new(move |inputs, outputs| {
            let mut scratch = vec![0.0; outputs.len()];
            this.evaluate_partial(&mut inputs.to_vec(), by, outputs, &mut scratch);
        })
    }

    /// The same where it has exact derivatives itself.
    pub(crate) fn exact_partial(&self, by: usize) -> Option<NativeFunction> {
        self.partial_function.as_ref().map(|partial| partial(by))
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

/// The functions that calls of a model mean: native ones by their full names, and those that the model brings along.
#[derive(Clone, Default)]
pub struct NativeFunctions {
    functions: BTreeMap<String, NativeFunction>,
    of_model: Option<Arc<Routines>>,
}

impl NativeFunctions {
    /// None at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of a model that it has bodies for, or that are known here by their external names.
    pub fn of(model: &FlatModel) -> Self {
        let of_model = (!model.functions.is_empty()).then(|| Arc::new(Routines::new(model)));
        NativeFunctions { functions: BTreeMap::new(), of_model }
    }

    /// Adds a function, or replaces the one of that name.
    pub fn add(&mut self, name: impl Into<String>, function: NativeFunction) {
        self.functions.insert(name.into(), function);
    }

    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&NativeFunction> {
        self.functions.get(name)
    }

    /// Why an object of the model, by its number from 0, cannot be made.
    pub fn object_problem(&self, number: usize) -> Option<&str> {
        self.of_model.as_ref()?.object_problem(number)
    }

    /// What a call of a function of the model carries out.
    pub fn of_function(&self, model: &FlatModel, function: FunctionId) -> Option<NativeFunction> {
        let by_name = self.functions.get(&*model.functions[function].name).cloned();
        by_name.or_else(|| {
            let routines = self.of_model.as_ref().filter(|routines| routines.is_known(function))?;
            Some(routines.native(function))
        })
    }
}

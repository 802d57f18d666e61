//! All functions of a model that can be run, and each of them as something that a tape can call.

use std::sync::Arc;

use modeshift_dae::{FlatModel, FunctionId, Id, Implementation};

use super::program::Program;
use super::run::{Allowance, Fault};
use super::tower::Tower;
use crate::external;
use crate::native::NativeFunction;

/// What a call of a function carries out.
pub(crate) enum Routine {
    Program(Box<Tower>),
    /// Its derivative along those of its inputs that move.
    Derivative {
        of: FunctionId,
        moving: Vec<u32>,
    },
    Native(NativeFunction),
    /// Nothing is known of it but its name.
    Unknown(Arc<str>),
}

/// The functions of a model, by number.
pub(crate) struct Routines {
    routines: Vec<Routine>,
    outputs: Vec<u32>,
    objects: Arc<external::Objects>,
}

impl Routines {
    /// Compiles what has a body; finds what is external.
    pub fn new(model: &FlatModel) -> Self {
        let objects = external::Objects::new(model);
        let outputs: Vec<u32> = model.functions.iter().map(|function| function.results).collect();
        let outputs_of = |id: FunctionId| outputs.get(id.index()).copied().unwrap_or(1);
        let routine = |id: FunctionId| {
            let function = &model.functions[id];
            let unknown = || Routine::Unknown(function.name.clone());
            match &function.implementation {
                Implementation::Unknown | Implementation::Refused(..) => unknown(),
                Implementation::Body(body) => Routine::Program(Box::new(Tower::new(Program::new(body, &outputs_of)))),
                Implementation::Derivative(of) => Routine::Derivative { of: *of, moving: moving(model, *of) },
                Implementation::External(name) => {
                    external::native(name, &objects).map_or_else(unknown, Routine::Native)
                }
            }
        };
        let routines = model.functions.ids().map(routine).collect();
        Routines { routines, outputs, objects }
    }

    /// Why an object of the model, by its number from 0, cannot be made.
    pub fn object_problem(&self, number: usize) -> Option<&str> {
        self.objects.problem(number)
    }

    pub(super) fn routine(&self, function: FunctionId) -> &Routine {
        &self.routines[function.index()]
    }

    /// Whether a function can be run, as far as is known before it is.
    pub fn is_known(&self, function: FunctionId) -> bool {
        match self.routines.get(function.index()) {
            Some(Routine::Derivative { of, .. }) => self.is_known(*of),
            Some(Routine::Program(_) | Routine::Native(_)) => true,
            Some(Routine::Unknown(_)) | None => false,
        }
    }

    /// How many scalars a function returns.
    pub fn output_count(&self, function: FunctionId) -> u32 {
        self.outputs[function.index()]
    }

    /// A function as something that a tape can call.
    pub fn native(self: &Arc<Self>, function: FunctionId) -> NativeFunction {
        let (values, partials, higher, faults) = (self.clone(), self.clone(), self.clone(), self.clone());
        NativeFunction::new(move |inputs, outputs| values.evaluate(function, inputs, outputs))
            .with_partial(move |inputs, by, outputs| partials.partial(function, inputs, &[by], outputs))
            .with_partial_function(move |by| higher.native_partial(function, vec![by]))
            .with_fault(move |inputs| faults.fault(function, inputs))
    }

    fn evaluate(&self, function: FunctionId, inputs: &[f64], outputs: &mut [f64]) {
        if self.run(function, 0, inputs, outputs, &mut Allowance::full()).is_err() {
            outputs.fill(f64::NAN);
        }
    }

    /// A partial derivative by some inputs, one after the other.
    fn native_partial(self: &Arc<Self>, function: FunctionId, by: Vec<usize>) -> NativeFunction {
        let (values, partials, higher, first, next) =
            (self.clone(), self.clone(), self.clone(), by.clone(), by.clone());
        NativeFunction::new(move |inputs, outputs| values.partial(function, inputs, &first, outputs))
            .with_partial(move |inputs, last, outputs| {
                partials.partial(function, inputs, &[&by[..], &[last]].concat(), outputs);
            })
            .with_partial_function(move |last| higher.native_partial(function, [&next[..], &[last]].concat()))
    }

    /// Derivatives by some inputs: each is a direction of its own.
    fn partial(&self, function: FunctionId, inputs: &[f64], by: &[usize], outputs: &mut [f64]) {
        let (level, count) = (by.len() as u32, outputs.len());
        let mut arguments = vec![0.0; inputs.len() << level];
        arguments[..inputs.len()].copy_from_slice(inputs);
        for (direction, &at) in by.iter().enumerate() {
            arguments[(inputs.len() << direction) + at] = 1.0;
        }
        let mut results = vec![f64::NAN; count << level];
        let outcome = self.run(function, level, &arguments, &mut results, &mut Allowance::full());
        match outcome {
            // Last comes what is differentiated in all directions.
            Ok(()) => outputs.copy_from_slice(&results[results.len() - count..]),
            Err(_) => outputs.fill(f64::NAN),
        }
    }

    /// Why a function has no results at these inputs.
    pub fn fault(&self, function: FunctionId, inputs: &[f64]) -> Option<String> {
        let mut outputs = vec![f64::NAN; self.output_count(function) as usize];
        let outcome = self.run(function, 0, inputs, &mut outputs, &mut Allowance::of_explanation());
        outcome.err().map(|fault: Fault| fault.message())
    }
}

/// The arguments of a function that its derivative goes along.
fn moving(model: &FlatModel, of: FunctionId) -> Vec<u32> {
    let held = model.functions[of].derivative.as_ref().map_or(&[][..], |(_, held)| held);
    (0..model.functions[of].arguments).filter(|at| !held.contains(at)).collect()
}

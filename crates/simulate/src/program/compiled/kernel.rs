//! Code over the memory of a program: where its inputs come from. All evaluation goes through here.
//!
//! The memory holds the quantities of the mode, then time, then what the surroundings say. Code is a tape at first and
//! machine code when it was evaluated often enough.

use std::sync::Arc;

use modeshift_numerics::{Evaluator, Input, NotFinite};
use rustc_hash::FxHashMap;

use crate::program::states::quantities::Quantities;

/// Where the inputs of tapes are in the memory; copies share what is known.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    quantities: Quantities,
    outside: Arc<Outside>,
}

/// What is asked of the surroundings, in the order of the memory.
#[derive(Clone, Debug, Default)]
struct Outside {
    inputs: Vec<Input>,
    known: FxHashMap<Input, u32>,
}

impl Places {
    pub fn new(quantities: &Quantities) -> Self {
        Places { quantities: quantities.clone(), outside: Arc::default() }
    }

    pub fn of(&mut self, input: Input) -> u32 {
        let count = self.quantities.len() as u32;
        match input {
            Input::Time => count,
            Input::Variable(variable, order) => match self.quantities.index(variable, order) {
                Some(quantity) => quantity.0,
                None => self.of_surroundings(input),
            },
            _ => self.of_surroundings(input),
        }
    }

    fn of_surroundings(&mut self, input: Input) -> u32 {
        if let Some(&place) = self.outside.known.get(&input) {
            return place;
        }
        let next = self.memory_size() as u32;
        let outside = Arc::make_mut(&mut self.outside);
        outside.known.insert(input, next);
        outside.inputs.push(input);
        next
    }

    /// What is asked of the surroundings, in the order of the memory.
    pub fn surroundings(&self) -> &[Input] {
        &self.outside.inputs
    }

    /// How many numbers the memory holds.
    pub fn memory_size(&self) -> usize {
        self.quantities.len() + 1 + self.outside.inputs.len()
    }
}

/// Code with its buffers; copies share the code.
#[derive(Clone)]
pub(crate) struct Kernel {
    evaluator: Evaluator,
    sources: Arc<[u32]>,
    inputs: Vec<f64>,
    results: Vec<f64>,
}

impl Kernel {
    pub fn new(evaluator: Evaluator, places: &mut Places) -> Self {
        let sources: Arc<[u32]> = evaluator.inputs().iter().map(|&input| places.of(input)).collect();
        Kernel {
            inputs: vec![0.0; sources.len()],
            results: vec![0.0; evaluator.tape().output_count()],
            sources,
            evaluator,
        }
    }

    /// The results at the present memory.
    pub fn run(&mut self, memory: &[f64]) -> &[f64] {
        for (input, &source) in self.inputs.iter_mut().zip(self.sources.iter()) {
            *input = memory[source as usize];
        }
        self.evaluator.evaluate(&self.inputs, &mut self.results);
        &self.results
    }

    /// What rounding may have made of the results at the present memory.
    pub fn roundings(&mut self, memory: &[f64], roundings: &mut [f64]) {
        for (input, &source) in self.inputs.iter_mut().zip(self.sources.iter()) {
            *input = memory[source as usize];
        }
        self.evaluator.roundings(&self.inputs, roundings);
    }

    /// Why a result of the last run is not finite.
    pub fn explain(&mut self, result: usize) -> Option<NotFinite> {
        self.evaluator.explain(&self.inputs, result)
    }

    /// Makes machine code of it now.
    pub fn compile(&self) {
        self.evaluator.compile();
    }

    pub fn instruction_count(&self) -> usize {
        self.evaluator.tape().instruction_count()
    }
}

//! Code over the memory of a program: where its inputs come from. All evaluation goes through here.
//!
//! The memory holds the quantities of the mode, then time, then what the surroundings say. Code is a tape at first and
//! machine code when it was evaluated often enough.

use modeshift_numerics::{Evaluator, Input, NotFinite};
use rustc_hash::FxHashMap;

use crate::program::states::quantities::Quantities;

/// Where the inputs of tapes are in the memory.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    quantities: &'a Quantities,
    /// What is asked of the surroundings, in the order of the memory.
    pub surroundings: Vec<Input>,
    known: FxHashMap<Input, u32>,
}

impl<'a> Places<'a> {
    pub fn new(quantities: &'a Quantities) -> Self {
        Places { quantities, surroundings: Vec::new(), known: FxHashMap::default() }
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
        let next = (self.quantities.len() + 1 + self.surroundings.len()) as u32;
        let place = *self.known.entry(input).or_insert(next);
        if place == next {
            self.surroundings.push(input);
        }
        place
    }

    /// How many numbers the memory holds.
    pub fn memory_size(&self) -> usize {
        self.quantities.len() + 1 + self.surroundings.len()
    }
}

/// Code with its buffers.
pub(crate) struct Kernel {
    evaluator: Evaluator,
    sources: Vec<u32>,
    inputs: Vec<f64>,
    results: Vec<f64>,
}

impl Kernel {
    pub fn new(evaluator: Evaluator, places: &mut Places<'_>) -> Self {
        let sources: Vec<u32> = evaluator.inputs().iter().map(|&input| places.of(input)).collect();
        Kernel {
            inputs: vec![0.0; sources.len()],
            results: vec![0.0; evaluator.tape().output_count()],
            sources,
            evaluator,
        }
    }

    /// The results at the present memory.
    pub fn run(&mut self, memory: &[f64]) -> &[f64] {
        for (input, &source) in self.inputs.iter_mut().zip(&self.sources) {
            *input = memory[source as usize];
        }
        self.evaluator.evaluate(&self.inputs, &mut self.results);
        &self.results
    }

    /// What rounding may have made of the results at the present memory.
    pub fn roundings(&mut self, memory: &[f64], roundings: &mut [f64]) {
        for (input, &source) in self.inputs.iter_mut().zip(&self.sources) {
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

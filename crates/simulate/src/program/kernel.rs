//! Tapes over the memory of a program: where their inputs come from. All evaluation goes through here.
//!
//! The memory holds the quantities of the mode, then time, then what the surroundings say.

use std::sync::Arc;

use modeshift_numerics::{Input, NotFinite, Tape, Workspace};
use rustc_hash::FxHashMap;

use super::quantities::Quantities;

/// Where the inputs of tapes are in the memory.
#[derive(Debug)]
pub(super) struct Places<'a> {
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

/// A tape with its buffers.
pub(super) struct Kernel {
    tape: Arc<Tape>,
    workspace: Workspace,
    sources: Vec<u32>,
    inputs: Vec<f64>,
    results: Vec<f64>,
}

impl Kernel {
    pub fn new(tape: Arc<Tape>, places: &mut Places<'_>) -> Self {
        let sources: Vec<u32> = tape.inputs().iter().map(|&input| places.of(input)).collect();
        Kernel {
            workspace: tape.workspace(),
            inputs: vec![0.0; sources.len()],
            results: vec![0.0; tape.output_count()],
            sources,
            tape,
        }
    }

    /// The results at the present memory.
    pub fn run(&mut self, memory: &[f64]) -> &[f64] {
        for (input, &source) in self.inputs.iter_mut().zip(&self.sources) {
            *input = memory[source as usize];
        }
        self.tape.evaluate(&self.inputs, &mut self.workspace, &mut self.results);
        &self.results
    }

    /// Why a result of the last run is not finite.
    pub fn explain(&self, result: usize) -> Option<NotFinite> {
        self.tape.explain(&self.workspace, result)
    }

    pub fn instruction_count(&self) -> usize {
        self.tape.instruction_count()
    }
}

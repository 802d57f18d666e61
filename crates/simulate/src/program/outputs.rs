//! Expressions over a jet and its surroundings: guards, conditions of `when` clauses, right-hand sides of discrete
//! equations, assertions.

use modeshift_dae::ExpressionId;
use modeshift_numerics::{Evaluator, Input, NotNumeric};

use super::compiled::kernel::{Kernel, Places};
use super::programs::Workshop;
use super::states::quantities::Quantities;
use super::surroundings::Surroundings;

/// Expressions that are evaluated together, in one mode.
pub struct Outputs {
    kernel: Kernel,
    memory: Vec<f64>,
    quantity_count: usize,
    surroundings: Vec<Input>,
    version: u64,
}

impl Outputs {
    pub(super) fn new(
        workshop: &Workshop<'_>,
        quantities: &Quantities,
        expressions: &[ExpressionId],
    ) -> Result<Self, NotNumeric> {
        let parameter = |input: Input| match input {
            Input::Variable(variable, 0) => workshop.literal_value(variable),
            _ => None,
        };
        let mut places = Places::new(quantities);
        let tape = workshop.compiler().with_known_inputs(parameter).tape(expressions)?;
        let kernel = Kernel::new(Evaluator::new(tape), &mut places);
        let memory = vec![f64::NAN; places.memory_size()];
        let surroundings = places.surroundings().to_vec();
        Ok(Outputs { kernel, memory, quantity_count: quantities.len(), surroundings, version: 0 })
    }

    /// The values at a jet, in the order in which the expressions were given; Booleans are 1 and 0.
    pub fn evaluate(&mut self, time: f64, jet: &[f64], surroundings: &Surroundings) -> &[f64] {
        self.memory[..self.quantity_count].copy_from_slice(jet);
        self.memory[self.quantity_count] = time;
        if self.version != surroundings.version() {
            self.version = surroundings.version();
            for (place, &input) in self.memory[self.quantity_count + 1..].iter_mut().zip(&self.surroundings) {
                *place = surroundings.value(input);
            }
        }
        self.kernel.run(&self.memory)
    }

    /// What the values depend on beside the jet and time.
    pub fn surroundings(&self) -> &[Input] {
        &self.surroundings
    }
}

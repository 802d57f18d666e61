//! Derivatives of quantities by the states, carried through chains and iterations in the order of computation.
//!
//! Where a quantity depends on which states is known beforehand; here numbers are filled in. A state has the gradient
//! 1 by itself. A chain multiplies the derivatives of its results by its inputs with the gradients of these; an
//! iteration `F(y, x) = 0` has `F_y y' = -F_x x'` (implicit function theorem).

use std::ops::Range;

use modeshift_numerics::{LinearSolver, Lu, Pattern};

use super::kernel::Kernel;
use crate::program::states::quantities::QuantityIndex;

/// Sparse gradients by place in the memory.
pub(crate) struct Gradients {
    ranges: Vec<(u32, u32)>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Gradients {
    /// Of states, which are numbered in their order.
    pub fn of_states(quantity_count: usize, states: &[QuantityIndex]) -> Self {
        let mut gradients = Gradients { ranges: vec![(0, 0); quantity_count], columns: Vec::new(), values: Vec::new() };
        for (column, state) in states.iter().enumerate() {
            gradients.add(state.0, &[column as u32]);
            gradients.values[column] = 1.0;
        }
        gradients
    }

    fn add(&mut self, place: u32, columns: &[u32]) {
        let start = self.columns.len() as u32;
        self.columns.extend_from_slice(columns);
        self.values.resize(self.columns.len(), 0.0);
        self.ranges[place as usize] = (start, self.columns.len() as u32);
    }

    fn range(&self, place: u32) -> Range<usize> {
        // Time and surroundings follow the quantities and do not depend on states.
        let (start, end) = self.ranges.get(place as usize).copied().unwrap_or((0, 0));
        start as usize..end as usize
    }

    /// Whether a place of the memory depends on a state.
    pub fn varies(&self, place: u32) -> bool {
        !self.range(place).is_empty()
    }

    /// The states a place depends on, ascending.
    pub fn columns(&self, place: u32) -> &[u32] {
        &self.columns[self.range(place)]
    }

    /// Derivatives by these states.
    pub fn values(&self, place: u32) -> &[f64] {
        &self.values[self.range(place)]
    }

    fn union(&self, places: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut columns: Vec<u32> = places.flat_map(|place| self.columns(place).iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// How gradients go through a chain.
pub(crate) struct ChainRule {
    kernel: Kernel,
    pattern: Pattern,
    targets: Vec<u32>,
    /// The places of the columns of the pattern.
    inputs: Vec<u32>,
    /// Where each product goes, entry by entry.
    destinations: Vec<u32>,
}

impl ChainRule {
    /// `kernel` computes the derivatives of the targets by the inputs.
    pub fn new(
        kernel: Kernel,
        pattern: Pattern,
        targets: Vec<u32>,
        inputs: Vec<u32>,
        gradients: &mut Gradients,
    ) -> Self {
        let mut destinations = Vec::new();
        for (row, &target) in targets.iter().enumerate() {
            let sources = || pattern.row(row).iter().map(|&column| inputs[column as usize]);
            let columns = gradients.union(sources());
            gradients.add(target, &columns);
            let start = gradients.range(target).start as u32;
            for place in sources() {
                let positions = gradients.columns(place).iter().map(|column| position(&columns, *column));
                destinations.extend(positions.map(|position| start + position));
            }
        }
        ChainRule { kernel, pattern, targets, inputs, destinations }
    }

    pub fn make_machine_code(&self) {
        self.kernel.compile();
    }

    /// Computes the gradients of the targets.
    pub fn apply(&mut self, memory: &[f64], gradients: &mut Gradients) {
        let entries = self.kernel.run(memory);
        let mut destinations = self.destinations.iter();
        for (row, &target) in self.targets.iter().enumerate() {
            let range = gradients.range(target);
            gradients.values[range].fill(0.0);
            for (column, entry) in self.pattern.row_entries(entries, row) {
                for source in gradients.range(self.inputs[column]) {
                    let &destination = destinations.next().expect("a destination for each product");
                    gradients.values[destination as usize] += entry * gradients.values[source];
                }
            }
        }
    }
}

/// How gradients go through an iteration.
pub(crate) struct ImplicitRule {
    kernel: Kernel,
    pattern: Pattern,
    unknowns: Vec<u32>,
    inputs: Vec<u32>,
    /// Which right-hand side each product belongs to, entry by entry.
    destinations: Vec<u32>,
    /// One right-hand side after the other.
    right_hand_sides: Vec<f64>,
}

impl ImplicitRule {
    /// `kernel` computes the derivatives of the residuals by the inputs.
    pub fn new(
        kernel: Kernel,
        pattern: Pattern,
        unknowns: Vec<u32>,
        inputs: Vec<u32>,
        gradients: &mut Gradients,
    ) -> Self {
        let columns = gradients.union(inputs.iter().copied());
        let mut destinations = Vec::new();
        for row in 0..pattern.row_count() {
            for place in pattern.row(row).iter().map(|&column| inputs[column as usize]) {
                destinations.extend(gradients.columns(place).iter().map(|&column| position(&columns, column)));
            }
        }
        unknowns.iter().for_each(|&unknown| gradients.add(unknown, &columns));
        let right_hand_sides = vec![0.0; columns.len() * unknowns.len()];
        ImplicitRule { kernel, pattern, unknowns, inputs, destinations, right_hand_sides }
    }

    pub fn make_machine_code(&self) {
        self.kernel.compile();
    }

    /// Computes the gradients of the unknowns, with the factors of `F_y`.
    pub fn apply(&mut self, memory: &[f64], factors: &Lu, buffer: &mut Vec<f64>, gradients: &mut Gradients) {
        let size = self.unknowns.len();
        let entries = self.kernel.run(memory);
        self.right_hand_sides.fill(0.0);
        let mut destinations = self.destinations.iter();
        for row in 0..size {
            for (column, entry) in self.pattern.row_entries(entries, row) {
                for source in gradients.range(self.inputs[column]) {
                    let &destination = destinations.next().expect("a destination for each product");
                    self.right_hand_sides[destination as usize * size + row] -= entry * gradients.values[source];
                }
            }
        }
        self.right_hand_sides.chunks_exact_mut(size).for_each(|side| factors.solve_with(side, buffer));
        for (index, &unknown) in self.unknowns.iter().enumerate() {
            let range = gradients.range(unknown);
            for (column, place) in gradients.values[range].iter_mut().enumerate() {
                *place = self.right_hand_sides[column * size + index];
            }
        }
    }
}

fn position(columns: &[u32], column: u32) -> u32 {
    columns.binary_search(&column).expect("a column of the union") as u32
}

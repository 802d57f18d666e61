//! Derivatives of quantities by the states, carried through chains and iterations in the order of computation.
//!
//! Where a quantity depends on which states is known beforehand; here numbers are filled in. A state has the gradient
//! 1 by itself. A chain multiplies the derivatives of its results by its inputs with the gradients of these; an
//! iteration `F(y, x) = 0` has `F_y y' = -F_x x'` (implicit function theorem).
//!
//! Where the gradients are is one layout for all modes whose quantities depend on the same states.

use std::ops::Range;
use std::sync::Arc;

use modeshift_numerics::{LinearSolver, Lu, Pattern};

use super::kernel::Kernel;
use crate::program::states::quantities::QuantityIndex;

/// Sparse gradients by place in the memory.
#[derive(Clone)]
pub(crate) struct Gradients {
    layout: Arc<Layout>,
    values: Vec<f64>,
}

/// Which quantities depend on which states, and where their derivatives are.
#[derive(Clone, Default)]
struct Layout {
    ranges: Vec<(u32, u32)>,
    columns: Vec<u32>,
    /// Nothing is added any more.
    is_complete: bool,
}

impl Gradients {
    /// Of states, which are numbered in their order.
    pub fn of_states(quantity_count: usize, states: &[QuantityIndex]) -> Self {
        let layout = Layout { ranges: vec![(0, 0); quantity_count], ..Layout::default() };
        let mut gradients = Gradients { layout: Arc::new(layout), values: Vec::new() };
        for (column, state) in states.iter().enumerate() {
            gradients.settle(state.0, &[column as u32]);
            gradients.values[column] = 1.0;
        }
        gradients
    }

    /// All are there.
    pub fn complete(&mut self) {
        Arc::make_mut(&mut self.layout).is_complete = true;
    }

    /// Settles which states a place depends on; whether that is what it was settled to, where all are there.
    #[must_use]
    fn settles(&mut self, place: u32, columns: &[u32]) -> bool {
        if self.layout.is_complete {
            return self.columns(place) == columns;
        }
        self.settle(place, columns);
        true
    }

    fn settle(&mut self, place: u32, columns: &[u32]) {
        let layout = Arc::make_mut(&mut self.layout);
        let start = layout.columns.len() as u32;
        layout.columns.extend_from_slice(columns);
        layout.ranges[place as usize] = (start, layout.columns.len() as u32);
        self.values.resize(layout.columns.len(), 0.0);
    }

    fn range(&self, place: u32) -> Range<usize> {
        // Time and surroundings follow the quantities and do not depend on states.
        let (start, end) = self.layout.ranges.get(place as usize).copied().unwrap_or((0, 0));
        start as usize..end as usize
    }

    /// Whether a place of the memory depends on a state.
    pub fn varies(&self, place: u32) -> bool {
        !self.range(place).is_empty()
    }

    /// The states a place depends on, ascending.
    pub fn columns(&self, place: u32) -> &[u32] {
        &self.layout.columns[self.range(place)]
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
#[derive(Clone)]
pub(crate) struct ChainRule {
    kernel: Kernel,
    pattern: Arc<Pattern>,
    targets: Arc<[u32]>,
    /// The places of the columns of the pattern.
    inputs: Arc<[u32]>,
    /// Where each product goes, entry by entry.
    destinations: Arc<[u32]>,
}

impl ChainRule {
    /// `kernel` computes the derivatives of the targets by the inputs. Nothing where gradients are complete and these are others.
    pub fn new(
        kernel: Kernel,
        pattern: Pattern,
        targets: Vec<u32>,
        inputs: Vec<u32>,
        gradients: &mut Gradients,
    ) -> Option<Self> {
        let mut destinations = Vec::new();
        for (row, &target) in targets.iter().enumerate() {
            let sources = || pattern.row(row).iter().map(|&column| inputs[column as usize]);
            let columns = gradients.union(sources());
            if !gradients.settles(target, &columns) {
                return None;
            }
            let start = gradients.range(target).start as u32;
            for place in sources() {
                let positions = gradients.columns(place).iter().map(|column| position(&columns, *column));
                destinations.extend(positions.map(|position| start + position));
            }
        }
        Some(ChainRule {
            kernel,
            pattern: Arc::new(pattern),
            targets: targets.into(),
            inputs: inputs.into(),
            destinations: destinations.into(),
        })
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
#[derive(Clone)]
pub(crate) struct ImplicitRule {
    kernel: Kernel,
    pattern: Arc<Pattern>,
    unknowns: Arc<[u32]>,
    inputs: Arc<[u32]>,
    /// Which right-hand side each product belongs to, entry by entry.
    destinations: Arc<[u32]>,
    /// One right-hand side after the other.
    right_hand_sides: Vec<f64>,
}

impl ImplicitRule {
    /// `kernel` computes the derivatives of the residuals by the inputs. Nothing where gradients are complete and these are others.
    pub fn new(
        kernel: Kernel,
        pattern: Pattern,
        unknowns: Vec<u32>,
        inputs: Vec<u32>,
        gradients: &mut Gradients,
    ) -> Option<Self> {
        let columns = gradients.union(inputs.iter().copied());
        let mut destinations = Vec::new();
        for row in 0..pattern.row_count() {
            for place in pattern.row(row).iter().map(|&column| inputs[column as usize]) {
                destinations.extend(gradients.columns(place).iter().map(|&column| position(&columns, column)));
            }
        }
        if !unknowns.iter().all(|&unknown| gradients.settles(unknown, &columns)) {
            return None;
        }
        let right_hand_sides = vec![0.0; columns.len() * unknowns.len()];
        Some(ImplicitRule {
            kernel,
            pattern: Arc::new(pattern),
            unknowns: unknowns.into(),
            inputs: inputs.into(),
            destinations: destinations.into(),
            right_hand_sides,
        })
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

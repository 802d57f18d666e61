//! The jet of a mode: every variable that exists in it, with its derivatives up to the leading one.
//!
//! Quantities are numbered variable by variable, the derivatives of one variable in ascending order, so that the
//! derivative of a quantity is the next one.

use std::sync::Arc;

use modeshift_dae::{Derivative, IndexVec, VariableId};
use modeshift_structure::one_mode::{Column, ModeStructure};

/// A variable of a mode, or one of its derivatives: a place in the jet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuantityIndex(pub u32);

impl QuantityIndex {
    /// The place in the jet.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The derivative of this quantity by time, which must not be a leading one.
    pub fn derivative(self) -> QuantityIndex {
        QuantityIndex(self.0 + 1)
    }
}

/// All quantities of a mode; copies share them.
#[derive(Clone, Debug)]
pub struct Quantities {
    all: Arc<All>,
}

#[derive(Debug)]
struct All {
    list: Vec<Derivative<VariableId>>,
    first_of_column: Vec<u32>,
    /// The first place and the number of places of each variable.
    of_variable: IndexVec<VariableId, (u32, u32)>,
}

impl Quantities {
    /// The quantities of a mode of a model with so many variables.
    pub(crate) fn new(structure: &ModeStructure, variable_count: usize) -> Self {
        let mut of_variable: IndexVec<VariableId, (u32, u32)> = (0..variable_count).map(|_| (0, 0)).collect();
        let (mut list, mut first_of_column) = (Vec::new(), Vec::with_capacity(structure.size()));
        for column in structure.columns() {
            let (variable, leading) = (structure.variable(column), structure.variable_offset(column));
            let first = u32::try_from(list.len()).expect("fewer than 2^32 quantities");
            of_variable[variable] = (first, leading + 1);
            first_of_column.push(first);
            list.extend((0..=leading).map(|order| Derivative::new(variable, order)));
        }
        Quantities { all: Arc::new(All { list, first_of_column, of_variable }) }
    }

    /// All quantities, in the order of the jet.
    pub fn list(&self) -> &[Derivative<VariableId>] {
        &self.all.list
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.all.list.len()
    }

    /// Whether the mode has no variables.
    pub fn is_empty(&self) -> bool {
        self.all.list.is_empty()
    }

    /// The variable or derivative that a quantity is.
    pub fn get(&self, quantity: QuantityIndex) -> Derivative<VariableId> {
        self.all.list[quantity.index()]
    }

    /// The place of a derivative, if the variable exists in this mode and the order is not above the leading one.
    pub fn index(&self, variable: VariableId, order: u32) -> Option<QuantityIndex> {
        let &(first, count) = self.all.of_variable.get(variable)?;
        (order < count).then_some(QuantityIndex(first + order))
    }

    pub(crate) fn of_column(&self, column: Column, order: u32) -> QuantityIndex {
        QuantityIndex(self.all.first_of_column[column.0 as usize] + order)
    }
}

//! What does not change between events: discrete variables, left limits, mode variables, and what only a run knows.
//!
//! Parameters are not here: programs are made for their values. What was never set is "not a number", so that whatever
//! needs it says so; derivatives of top-level inputs, which are constant between events, are zero.

use std::sync::atomic::{AtomicU64, Ordering};

use modeshift_dae::{FlatModel, IndexVec, ModeVariableId, VariableId};
use modeshift_numerics::Input;
use rustc_hash::FxHashMap;

/// Values of the inputs of tapes that are no quantities of a mode.
#[derive(Clone, Debug)]
pub struct Surroundings {
    values: FxHashMap<Input, f64>,
    is_given: IndexVec<VariableId, bool>,
    /// Another number after every change, of all surroundings of the process.
    version: u64,
}

static VERSIONS: AtomicU64 = AtomicU64::new(1);

impl Surroundings {
    /// Nothing known yet.
    pub fn new(model: &FlatModel) -> Self {
        let is_given = model.variables.iter().map(|variable| variable.input).collect();
        Surroundings { values: FxHashMap::default(), is_given, version: next_version() }
    }

    /// The value of an input; "not a number" where it was not set.
    pub fn value(&self, input: Input) -> f64 {
        match (self.values.get(&input), input) {
            (Some(&value), _) => value,
            (None, Input::Homotopy) => 1.0,
            (None, Input::Variable(variable, order)) if order > 0 && self.is_given[variable] => 0.0,
            (None, _) => f64::NAN,
        }
    }

    /// Sets a value.
    pub fn set(&mut self, input: Input, value: f64) {
        let before = self.values.insert(input, value);
        if before.is_none_or(|before| before.to_bits() != value.to_bits()) {
            self.version = next_version();
        }
    }

    /// Forgets a value.
    pub fn forget(&mut self, input: Input) {
        self.values.remove(&input);
        self.version = next_version();
    }

    /// Sets a discrete variable, or a continuous one that does not exist in the mode.
    pub fn set_variable(&mut self, variable: VariableId, value: f64) {
        self.set(Input::Variable(variable, 0), value);
    }

    /// Sets the left limit of a variable or a derivative.
    pub fn set_left(&mut self, variable: VariableId, order: u32, value: f64) {
        self.set(Input::LeftVariable(variable, order), value);
    }

    /// Sets a mode variable.
    pub fn set_mode(&mut self, mode: ModeVariableId, value: bool) {
        self.set(Input::Mode(mode), f64::from(u8::from(value)));
    }

    /// Sets the left limit of a mode variable.
    pub fn set_left_mode(&mut self, mode: ModeVariableId, value: bool) {
        self.set(Input::LeftMode(mode), f64::from(u8::from(value)));
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }
}

fn next_version() -> u64 {
    VERSIONS.fetch_add(1, Ordering::Relaxed)
}

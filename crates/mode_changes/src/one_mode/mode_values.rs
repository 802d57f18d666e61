//! A mode as the values of its mode variables.

use modeshift_dae::{Id, ModeVariableId};

/// A mode of a model: the value of each mode variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeValues(pub Vec<bool>);

impl ModeValues {
    /// The value of a mode variable.
    pub fn get(&self, mode: ModeVariableId) -> bool {
        self.0[mode.index()]
    }

    /// Sets the value of a mode variable.
    pub fn set(&mut self, mode: ModeVariableId, value: bool) {
        self.0[mode.index()] = value;
    }

    /// Mode variables that have another value in another mode.
    pub fn differing<'a>(&'a self, other: &'a ModeValues) -> impl Iterator<Item = ModeVariableId> + 'a {
        let pairs = self.0.iter().zip(&other.0).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(index, _)| ModeVariableId::from_index(index))
    }
}

//! A model with its structure: what most reports are about.

use modeshift_dae::{ModeVariableId, MultimodeDae};
use modeshift_structure::long_range::LongRange;
use modeshift_structure::{Analysis, Combination, Dependence, NotChecked, Singularities};

/// A model with its structure.
#[derive(Debug)]
pub struct Analyzed {
    /// The model.
    pub dae: MultimodeDae,
    /// Its structure.
    pub analysis: Analysis,
    /// The modes that were asked for. The structure may be of fewer: see [`Analysis::within`].
    pub within: Vec<(ModeVariableId, bool)>,
    /// Equations that were combined, because their leading derivatives cancel.
    pub combinations: Vec<Combination>,
    /// Equations that depend on each other numerically, which could not be repaired.
    pub dependences: Vec<Dependence>,
    /// What is too large or too much to be checked for that.
    pub not_checked: NotChecked,
    /// Its singular modes and their kinds.
    pub singularities: Singularities,
    /// The verdicts once more, in a form that has short words, where the formula of the singular modes has none.
    pub long_range: Option<LongRange>,
}

impl Analyzed {
    /// Whether the structure is that of one mode, or of a few, because sets of all of them would be too large.
    pub fn is_of_some_modes(&self) -> bool {
        self.analysis.within.len() > self.within.len()
    }
}

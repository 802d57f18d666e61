//! One mode of a long-range model out of very many: all mode variables, where some are given.
//!
//! What is asked of a mode, its offsets and blocks, its start, a run that visits it, needs no sets of modes. What it needs is a
//! value for every mode variable, and where the question names a few of ten thousand, the others are as usual: as they are in
//! most of the regular modes, or as they start.

use modeshift_dae::{Id, ModeVariableId};
use modeshift_modes::ModeVariable;
use rustc_hash::FxHashMap;

use super::{LongRange, Swept};

impl LongRange {
    /// The verdict that is wider where there are two.
    fn wider(&self) -> &Swept {
        self.islands.as_ref().unwrap_or(&self.singular)
    }

    /// The values that mode variables have in most regular modes; `true` where that says nothing.
    pub fn usual_values(&self) -> FxHashMap<ModeVariable, bool> {
        self.wider().usual_values_without().into_iter().collect()
    }

    /// A mode with these values, in which as few of the other mode variables as can be deviate from `usual`: a regular one where there
    /// is any. All its values, by mode variable; nothing where no mode has these.
    pub fn nearest_mode(
        &self,
        values: &[(ModeVariableId, bool)],
        usual: impl Fn(ModeVariable) -> bool,
    ) -> Option<Vec<(ModeVariableId, bool)>> {
        let given: FxHashMap<ModeVariable, bool> =
            values.iter().map(|&(id, value)| (ModeVariable(id.0), value)).collect();
        let deviating = self.wider().nearest_without(&given, &usual)?;
        let wanted = |variable: ModeVariable| given.get(&variable).copied().unwrap_or_else(|| usual(variable));
        let mut mode: Vec<bool> = (0..self.given.variable_count() as u32).map(|at| wanted(ModeVariable(at))).collect();
        deviating.iter().for_each(|variable| mode[variable.index()] = !mode[variable.index()]);
        Some(mode.into_iter().enumerate().map(|(at, value)| (ModeVariableId::from_index(at), value)).collect())
    }
}

//! Names and numbers in sentences.

use modeshift_dae::{EquationId, MultimodeDae, VariableId};

/// At most this many names in a sentence.
const MOST_NAMES: usize = 8;

/// Names of equations and variables.
pub(super) struct Names<'a> {
    pub(super) dae: &'a MultimodeDae,
}

impl<'a> Names<'a> {
    pub(super) fn equation(&self, id: EquationId) -> &'a str {
        &self.dae.model.equations[id].name
    }

    pub(super) fn variable(&self, id: VariableId) -> &'a str {
        &self.dae.model.variables[id].name
    }
}

/// `1 equation`, `2 equations`
pub(super) fn counted(count: usize, word: &str) -> String {
    match count {
        0 => format!("no {word}"),
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

/// `` `x`, `y` and 3 more ``
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = names.clone().count();
    let shown: Vec<String> = names.take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if count > MOST_NAMES { format!("{} and {} more", shown.join(", "), count - MOST_NAMES) } else { shown.join(", ") }
}

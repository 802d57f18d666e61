//! Names and numbers in sentences.

use modeshift_dae::{EquationId, MultimodeDae, Node, VariableId};

/// At most this many names in a sentence.
const MOST_NAMES: usize = 8;

/// Names of equations and variables.
pub struct Names<'a> {
    /// The model they belong to.
    pub dae: &'a MultimodeDae,
}

impl<'a> Names<'a> {
    /// The name of an equation.
    pub fn equation(&self, id: EquationId) -> &'a str {
        &self.dae.model.equations[id].name
    }

    /// The name of a variable.
    pub fn variable(&self, id: VariableId) -> &'a str {
        &self.dae.model.variables[id].name
    }

    /// The unknowns that stand in an equation.
    pub fn unknowns(&self, id: EquationId) -> Vec<VariableId> {
        let model = &self.dae.model;
        let mut unknowns = Vec::new();
        for side in [model.equations[id].left, model.equations[id].right] {
            model.expressions.for_each(side, |_, node| {
                if let Node::Variable(variable, _) = node
                    && model.variables[variable].is_continuous_unknown()
                {
                    unknowns.push(variable);
                }
                true
            });
        }
        unknowns
    }
}

/// `1 equation`, `2 equations`
pub fn counted(count: usize, word: &str) -> String {
    match count {
        0 => format!("no {word}"),
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

/// `` `x`, `y` and 3 more ``
pub fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = names.clone().count();
    let shown: Vec<String> = names.take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if count > MOST_NAMES { format!("{} and {} more", shown.join(", "), count - MOST_NAMES) } else { shown.join(", ") }
}

/// A time to six digits: `0.157864`, `5`.
pub fn time_text(time: f64) -> String {
    if time == 0.0 || !time.is_finite() {
        return format!("{time}");
    }
    let digits = (5 - time.abs().log10().floor() as i32).clamp(0, 17) as usize;
    let text = format!("{time:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

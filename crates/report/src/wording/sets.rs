//! Sets of modes of an analysis as text, each found once.

use std::cell::RefCell;

use modeshift_dae::{ModeVariableId, MultimodeDae};
use modeshift_modes::{FormulaPrinter, ModeSet};
use modeshift_structure::{Analysis, Formulas};
use rustc_hash::FxHashMap;

/// An example names at most this many mode variables.
const MOST_EXAMPLE_VALUES: usize = 12;

/// Prints the sets of one analysis.
pub struct SetTexts<'a> {
    analysis: &'a Analysis,
    names: &'a [String],
    printer: FormulaPrinter<'a>,
    known: RefCell<FxHashMap<ModeSet, String>>,
}

impl<'a> SetTexts<'a> {
    /// With these names of mode variables; Booleans that are formulas over them print by their names where shorter.
    pub fn new(dae: &MultimodeDae, analysis: &'a Analysis, names: &'a [String]) -> SetTexts<'a> {
        let mut formulas = Formulas::new(&analysis.space, &dae.model.expressions);
        let mut printer = analysis.formulas(names);
        for named in &dae.named_formulas {
            if let Some(set) = formulas.modes(named.formula) {
                printer.name_set(named.name.to_string(), set);
            }
        }
        SetTexts { analysis, names, printer, known: RefCell::default() }
    }

    /// The shortest formula.
    pub fn text(&self, modes: ModeSet) -> String {
        let known = self.known.borrow().get(&modes).cloned();
        known.unwrap_or_else(|| {
            let text = self.printer.print(modes).text;
            self.known.borrow_mut().insert(modes, text.clone());
            text
        })
    }

    /// One valid mode of the set, as far as it matters: `bh = true, bl = false`.
    pub fn example(&self, modes: ModeSet) -> String {
        let values = self.example_values(modes);
        let shown = values.iter().take(MOST_EXAMPLE_VALUES);
        let mut texts: Vec<String> =
            shown.map(|(mode, value)| format!("{} = {value}", self.names[mode.0 as usize])).collect();
        if values.len() > MOST_EXAMPLE_VALUES {
            texts.push(format!("and {} more", values.len() - MOST_EXAMPLE_VALUES));
        }
        if texts.is_empty() { "any mode".to_string() } else { texts.join(", ") }
    }

    /// Values of some mode variables; in all valid modes with these values we are in the set.
    pub fn example_values(&self, modes: ModeSet) -> Vec<(ModeVariableId, bool)> {
        let Analysis { space, invariant, .. } = self.analysis;
        let valid = space.and(modes, invariant.concerning(space, modes));
        let values = space.pick(valid).unwrap_or_default();
        values.into_iter().map(|(mode, value)| (ModeVariableId(mode.0), value)).collect()
    }
}

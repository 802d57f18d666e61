//! Guards of a model as the shortest formulas, given the invariant.

use std::cell::RefCell;

use modeshift_dae::{ExpressionId, ExpressionText, MultimodeDae};
use modeshift_modes::{FormulaPrinter, Invariant, ModeSet, ModeSpace};
use modeshift_structure::{Formulas, invariant_of};
use rustc_hash::FxHashMap;

/// An invariant of more conditions than this is abbreviated.
const MOST_CONDITIONS: usize = 50;

/// The names of the mode variables in the order of their ids, as formulas need them.
pub fn mode_names(dae: &MultimodeDae) -> Vec<String> {
    dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect()
}

/// What the invariant says, as a formula; very long ones are abbreviated.
pub fn invariant_text(space: &ModeSpace, invariant: &Invariant, names: &[String]) -> String {
    let nothing_known = Invariant::new(space, &[]);
    let printer = FormulaPrinter::new(space, &nothing_known, names);
    let components: Vec<ModeSet> = invariant.components().collect();
    if components.len() == 1 {
        return printer.print(components[0]).text;
    }
    let texts = components.iter().take(MOST_CONDITIONS).map(|component| {
        let text = printer.print(*component).text;
        if text.contains(" or ") { format!("({text})") } else { text }
    });
    let mut conditions: Vec<String> = texts.collect();
    if components.len() > MOST_CONDITIONS {
        conditions.push(format!("{} more conditions", components.len() - MOST_CONDITIONS));
    }
    if conditions.is_empty() { "true".to_string() } else { conditions.join(" and ") }
}

/// The modes of a model before any analysis, with the names to print them.
pub struct Modes {
    space: ModeSpace,
    invariant: Invariant,
    names: Vec<String>,
}

impl Modes {
    /// All modes of a model.
    pub fn of(dae: &MultimodeDae) -> Modes {
        let space = ModeSpace::new(dae.mode_variables.len() as u32);
        let invariant = invariant_of(&space, dae, &[]);
        Modes { space, invariant, names: mode_names(dae) }
    }

    /// How many there are, in decimal.
    pub fn count(&self) -> String {
        self.invariant.mode_count(&self.space).to_string()
    }

    /// What the invariant says.
    pub fn invariant_text(&self) -> String {
        invariant_text(&self.space, &self.invariant, &self.names)
    }
}

/// Texts of guards, each found once.
pub struct Guards<'a> {
    dae: &'a MultimodeDae,
    formulas: RefCell<Formulas<'a>>,
    printer: FormulaPrinter<'a>,
    known: RefCell<FxHashMap<ExpressionId, String>>,
}

impl<'a> Guards<'a> {
    /// The guards of a model and its modes.
    pub fn new(dae: &'a MultimodeDae, modes: &'a Modes) -> Guards<'a> {
        let mut formulas = Formulas::new(&modes.space, &dae.model.expressions);
        let mut printer = FormulaPrinter::new(&modes.space, &modes.invariant, &modes.names);
        for named in &dae.named_formulas {
            if let Some(set) = formulas.modes(named.formula) {
                printer.name_set(named.name.to_string(), set);
            }
        }
        Guards { dae, formulas: RefCell::new(formulas), printer, known: RefCell::default() }
    }

    /// The shortest formula for a guard; what is no formula over mode variables prints as it is.
    pub fn text(&self, guard: ExpressionId) -> String {
        if let Some(text) = self.known.borrow().get(&guard) {
            return text.clone();
        }
        let text = match self.formulas.borrow_mut().modes(guard) {
            Some(set) => self.printer.print(set).text,
            None => {
                let modes = Some(&self.dae.mode_variables);
                ExpressionText { model: &self.dae.model, modes, expression: guard }.to_string()
            }
        };
        self.known.borrow_mut().insert(guard, text.clone());
        text
    }
}

//! The verdicts about mode changes as diagnostics: what is not determined, in which changes, and what to try.

use modeshift_dae::VariableId;
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_mode_changes::{AllChanges, PairSpace};
use modeshift_modes::{FormulaPrinter, ModeSet, ModeVariable};

use crate::guards::mode_names;
use crate::pipeline::Analyzed;

/// Labels and names of one diagnostic.
const MOST_LABELS: usize = 6;
/// An example names at most this many values.
const MOST_EXAMPLE_VALUES: usize = 12;

/// Says which changes are underdetermined.
pub(super) fn say_verdicts(
    analyzed: &Analyzed,
    changes: &AllChanges<'_>,
    within: ModeSet,
    diagnostics: &mut Diagnostics,
) {
    let names = PairSpace::names(&mode_names(&analyzed.dae));
    let printer = FormulaPrinter::new(&changes.pairs.space, &changes.pairs.invariant, &names);
    let speaker = Speaker { analyzed, changes, names: &names, printer };
    for (pairs, open) in speaker.undetermined(within) {
        diagnostics.push(speaker.underdetermined(pairs, &open));
    }
}

struct Speaker<'a> {
    analyzed: &'a Analyzed,
    changes: &'a AllChanges<'a>,
    names: &'a [String],
    printer: FormulaPrinter<'a>,
}

impl Speaker<'_> {
    /// What is not determined, by the changes in which it is not.
    fn undetermined(&self, within: ModeSet) -> Vec<(ModeSet, Vec<(VariableId, u32)>)> {
        let mut groups: Vec<(ModeSet, Vec<(VariableId, u32)>)> = Vec::new();
        for item in &self.changes.memory.undetermined {
            let pairs = self.changes.pairs.space.and(item.pairs, within);
            match groups.iter_mut().find(|group| group.0 == pairs) {
                _ if pairs.is_empty() => {}
                Some(group) => group.1.push((item.of, item.order)),
                None => groups.push((pairs, vec![(item.of, item.order)])),
            }
        }
        groups
    }

    fn underdetermined(&self, pairs: ModeSet, open: &[(VariableId, u32)]) -> Diagnostic {
        let variables = &self.analyzed.dae.model.variables;
        let name = |&(variable, order): &(VariableId, u32)| {
            format!("`{}{}`", variables[variable].name, "'".repeat(order as usize))
        };
        let mut shown: Vec<String> = open.iter().take(MOST_LABELS).map(name).collect();
        if open.len() > MOST_LABELS {
            shown.push(format!("{} more", open.len() - MOST_LABELS));
        }
        let message = format!("underdetermined at a mode change: nothing determines {}", shown.join(", "));
        let mut diagnostic = Diagnostic::error("E0801", message);
        for item in open.iter().take(MOST_LABELS) {
            let text = format!("{} begins with no value", name(item));
            diagnostic = diagnostic.label(variables[item.0].span, text);
        }
        self.with_changes(diagnostic, pairs)
            .help("give start values, or say in a `when` what these are after the change")
    }

    fn with_changes(&self, diagnostic: Diagnostic, pairs: ModeSet) -> Diagnostic {
        diagnostic.when(self.printer.print(pairs).text).example(self.example(pairs))
    }

    fn example(&self, pairs: ModeSet) -> String {
        let space = &self.changes.pairs.space;
        let possible = space.and(pairs, self.changes.pairs.invariant.concerning(space, pairs));
        let values = space.pick(possible).unwrap_or_default();
        let text = |(variable, value): &(ModeVariable, bool)| format!("{} = {value}", self.names[variable.index()]);
        let mut texts: Vec<String> = values.iter().take(MOST_EXAMPLE_VALUES).map(text).collect();
        if values.len() > MOST_EXAMPLE_VALUES {
            texts.push(format!("and {} more", values.len() - MOST_EXAMPLE_VALUES));
        }
        texts.join(", ")
    }
}

//! References for what floats: where switches cut a part of a network off, one of its balances says nothing that the others do not say, and
//! its potentials are free. So in these modes a reference may stand in the place of that balance.

use modeshift_dae::EquationId;
use modeshift_diagnostics::{Diagnostic, Repair, Span};
use modeshift_report::Analyzed;
use modeshift_report::wording::{SetTexts, mode_names};
use modeshift_structure::{Reason, Singularity};
use modeshift_syntax::ast::{Equation, EquationKind};

use super::outline::Outline;

/// Potentials of a part that are tried as its reference.
const MOST_POTENTIALS: usize = 3;

/// What floats in some modes.
pub(super) struct References<'a> {
    outline: &'a Outline,
    analyzed: &'a Analyzed,
    /// By its modes as a formula.
    places: Vec<(String, &'a Singularity)>,
}

impl<'a> References<'a> {
    pub(super) fn new(outline: &'a Outline, analyzed: &'a Analyzed) -> References<'a> {
        let Analyzed { dae, analysis, singularities, .. } = analyzed;
        let names = mode_names(dae);
        let texts = SetTexts::new(dae, analysis, &names);
        let floats = |place: &&Singularity| matches!(place.reason, Reason::Redundant | Reason::DrivesState);
        let places = singularities.places.iter().filter(floats);
        References { outline, analyzed, places: places.map(|place| (texts.text(place.modes), place)).collect() }
    }

    /// A potential as reference in place of each equation that is redundant in the modes of which a diagnostic speaks.
    pub(super) fn candidates(&self, diagnostic: &Diagnostic) -> Vec<Repair> {
        let Some(modes) = diagnostic.when.as_deref() else { return Vec::new() };
        let places = self.places.iter().filter(|(formula, _)| formula == modes).map(|(_, place)| place);
        places.flat_map(|place| self.of_place(place, modes)).collect()
    }

    fn of_place(&self, place: &Singularity, modes: &str) -> Vec<Repair> {
        let mut equations: Vec<EquationId> =
            place.proofs.iter().flat_map(|proof| &proof.equations).map(|(id, _)| *id).collect();
        equations.sort_unstable();
        equations.dedup();
        // What does not change with the mode: a balance rather than the law of a switch.
        let changes = |id: &EquationId| place.equations.contains(id);
        equations.sort_by_key(changes);
        let model = &self.analyzed.dae.model;
        let potentials = place.undetermined.iter().map(|(id, _)| &*model.variables[*id].name).take(MOST_POTENTIALS);
        let potentials: Vec<&str> = potentials.collect();
        let is_equality = |equation: &&Equation| matches!(equation.kind, EquationKind::Equal(..));
        let written: Vec<Span> =
            self.outline.all_equations(&model.name).into_iter().filter(is_equality).map(|it| it.span).collect();
        let repairs = equations.iter().filter_map(|&id| {
            let span = model.equations[id].span;
            // One that is written for several elements at once would be replaced for all of them.
            let is_alone = model.equations.iter().filter(|equation| equation.span == span).count() == 1;
            let is_written = is_alone && written.contains(&span);
            let text = is_written.then(|| self.outline.text_of(span))?;
            Some(potentials.iter().map(move |potential| {
                let reference = format!("if {modes} then {potential} = 0; else {text}; end if");
                let title = format!("give `{potential}` a reference where it is cut off: `{reference}`");
                Repair::replace(span, reference, title)
            }))
        });
        repairs.flatten().collect()
    }
}

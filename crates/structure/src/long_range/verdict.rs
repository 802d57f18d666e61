//! What is asked of a verdict, whatever its form: a set of modes where it has one, its automaton where that would be too large.

use modeshift_modes::{Deviations, ModeVariable};
use rustc_hash::FxHashMap;

use super::{Diagram, Swept};

impl Swept {
    /// Whether no mode has the verdict.
    pub fn is_empty(&self) -> bool {
        match (&self.diagram, &self.staged) {
            (Some(Diagram { modes, .. }), _) => modes.is_empty(),
            (None, staged) => staged.as_ref().is_none_or(|staged| staged.is_empty()),
        }
    }

    /// Whether a mode has the verdict.
    pub fn contains(&self, value: impl Fn(ModeVariable) -> bool) -> bool {
        match (&self.diagram, &self.staged) {
            (Some(Diagram { space, modes, .. }), _) => space.evaluate(*modes, value),
            (None, staged) => staged.as_ref().is_some_and(|staged| staged.contains(value)),
        }
    }

    /// The values that mode variables have in more modes without the verdict than the opposite ones.
    pub fn usual_values_without(&self) -> Vec<(ModeVariable, bool)> {
        match (&self.staged, &self.diagram) {
            (Some(staged), _) => staged.usual_values_without(),
            (None, Some(Diagram { space, modes, valid })) => space.usual_values(space.difference(*valid, *modes)),
            (None, None) => Vec::new(),
        }
    }

    /// The fewest variables that have to deviate from `usual` values to get the verdict; nothing where no mode has it.
    pub fn fewest_deviations(&self, usual: impl Fn(ModeVariable) -> bool) -> Option<Deviations> {
        match (&self.staged, &self.diagram) {
            (Some(staged), _) => staged.fewest_deviations(usual),
            (None, Some(Diagram { space, modes, .. })) => space.fewest_deviations(*modes, usual),
            (None, None) => None,
        }
    }

    /// Whether all modes with these values have the verdict.
    pub fn is_implied_by(&self, values: &[(ModeVariable, bool)]) -> bool {
        match (&self.staged, &self.diagram) {
            (Some(staged), _) => staged.is_implied_by(values),
            (None, Some(Diagram { space, modes, valid })) => {
                space.implies(space.and(space.valuation(values), *valid), *modes)
            }
            (None, None) => false,
        }
    }

    /// A mode that has these values, without the verdict where there is such a one, and with as few deviations from `usual` in others as
    /// can be: which variables deviate; nothing where no mode has these values.
    pub(super) fn nearest_without(
        &self,
        given: &FxHashMap<ModeVariable, bool>,
        usual: impl Fn(ModeVariable) -> bool,
    ) -> Option<Vec<ModeVariable>> {
        let wanted = |variable: ModeVariable| given.get(&variable).copied().unwrap_or_else(|| usual(variable));
        match (&self.staged, &self.diagram) {
            (Some(staged), _) => {
                let mode = staged.nearest_without(given, &usual).unwrap_or_default();
                Some(mode.into_iter().filter(|&(variable, value)| value != wanted(variable)).map(|it| it.0).collect())
            }
            (None, Some(Diagram { space, modes, valid })) => {
                let literals: Vec<(ModeVariable, bool)> = given.iter().map(|(&it, &value)| (it, value)).collect();
                let asked = space.and(*valid, space.valuation(&literals));
                let regular = space.difference(asked, *modes);
                let nearest = space.fewest_deviations(if regular.is_empty() { asked } else { regular }, wanted)?;
                space.check().ok()?;
                Some(nearest.example)
            }
            (None, None) => None,
        }
    }
}

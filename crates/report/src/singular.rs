//! The singular modes that reports speak of: those that last. Where and how they are singular is found by
//! `modeshift_structure`; which modes pass in an instant is a matter of mode changes.

use modeshift_dae::{EquationId, ModeVariableId, MultimodeDae, VariableId};
use modeshift_mode_changes::transient_modes;
use modeshift_modes::ModeSet;
use modeshift_structure::{Analysis, SingularKind, Singularities};
pub use modeshift_structure::{SingularCase, Unsolvable as Subset};
use rustc_hash::FxHashMap;

/// The modes in which the model is singular, by its structure or by its coefficients, without transient ones.
pub fn singular_modes(dae: &MultimodeDae, analysis: &Analysis, singularities: &Singularities) -> ModeSet {
    let by_structure = analysis.lasting_singular_modes(passing_modes(dae, analysis));
    let by_kind = singularities.kinds().map(|(_, modes)| modes);
    analysis.space.union(by_kind.into_iter().chain([by_structure]))
}

/// The transient modes of a model.
pub fn passing_modes(dae: &MultimodeDae, analysis: &Analysis) -> ModeSet {
    let modes = transient_modes(dae, &analysis.space);
    if modes.is_empty() { modes } else { analysis.invariant.project(&analysis.space, modes) }
}

/// The cases of a model, each of one kind.
pub fn singular_cases(
    dae: &MultimodeDae,
    analysis: &Analysis,
    singularities: &Singularities,
) -> Vec<(SingularKind, SingularCase)> {
    let cases = analysis.singular_cases(passing_modes(dae, analysis));
    let mut told = Vec::new();
    for (kind, modes) in singularities.kinds() {
        let mut rest = modes;
        for case in &cases {
            let inside = analysis.space.and(case.modes, modes);
            rest = analysis.space.difference(rest, inside);
            if !inside.is_empty() {
                told.push((kind, SingularCase { modes: inside, ..case.clone() }));
            }
        }
        if !rest.is_empty() {
            // Only the coefficients show it.
            told.push((kind, SingularCase::without_parts(rest)));
        }
    }
    told
}

/// One mode of an analysis.
pub struct OneMode<'a> {
    analysis: &'a Analysis,
    values: FxHashMap<ModeVariableId, bool>,
}

impl<'a> OneMode<'a> {
    /// The mode with these values; the other mode variables do not matter or are false.
    pub fn new(analysis: &'a Analysis, values: &[(ModeVariableId, bool)]) -> OneMode<'a> {
        OneMode { analysis, values: values.iter().copied().collect() }
    }

    fn value(&self, mode: ModeVariableId) -> bool {
        self.values.get(&mode).copied().unwrap_or(false)
    }

    /// The fewest of `equations` that involve fewer unknowns than they are.
    pub fn smallest_overdetermined(&self, equations: &[EquationId]) -> Option<Subset> {
        self.analysis.smallest_overdetermined(equations, |mode| self.value(mode))
    }

    /// The fewest of `variables` that occur in fewer equations than they are.
    pub fn smallest_underdetermined(&self, variables: &[VariableId]) -> Option<Subset> {
        self.analysis.smallest_underdetermined(variables, |mode| self.value(mode))
    }
}

//! Constraints that the states may violate at a mode change.
//!
//! They are found in two ways. The analysis of mode changes says which constraints the past may violate (`defects`).
//! Beyond these, every constraint that is new after the change may be violated a little, because guards have a hysteresis,
//! and it alone says where a derivative starts that only differentiation brought in (`new_constraints`).

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, IndexVec};
use modeshift_mode_changes::{AllChanges, InPairs, Moment};
use modeshift_modes::ModeSet;
use modeshift_structure::Analysis;

/// Constraints that the states may violate, in the order in which closed forms are tried: with all, with fewer.
#[derive(Clone, Default)]
pub(crate) struct Conflicts {
    pub(crate) attempts: Vec<Vec<InPairs<EquationId>>>,
}

impl Conflicts {
    /// With `put_on_constraints`, also those that may be violated only a little.
    pub(crate) fn new(analysis: &Analysis, changes: &AllChanges, put_on_constraints: bool) -> Self {
        let defects = changes.defects.clone();
        let all = new_constraints(analysis, changes, |_, _| ModeSet::ALL);
        let last = |equation: EquationId, order: u32| {
            changes.pairs.after(analysis.offsets.equations[equation].equal_to(&analysis.space, order + 1))
        };
        let mut highest = new_constraints(analysis, changes, last);
        if !put_on_constraints {
            leave_out_satisfied(changes, &mut highest);
        }
        highest.extend(defects.iter().copied());
        let attempts = if put_on_constraints { vec![all, highest, defects] } else { vec![highest, defects] };
        Conflicts { attempts }
    }

    /// Those of each part of the model for themselves.
    pub(crate) fn by_part(&self, parts: &IndexVec<EquationId, usize>) -> BTreeMap<usize, Conflicts> {
        let mut by_part: BTreeMap<usize, Conflicts> = BTreeMap::new();
        for (attempt, constraints) in self.attempts.iter().enumerate() {
            for constraint in constraints {
                let attempts = &mut by_part.entry(parts[constraint.of]).or_default().attempts;
                attempts.resize(self.attempts.len(), Vec::new());
                attempts[attempt].push(*constraint);
            }
        }
        by_part
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &InPairs<EquationId>> {
        self.attempts.iter().flatten()
    }
}

/// Constraints of the mode after a change that were none before, or are others.
fn new_constraints(
    analysis: &Analysis,
    changes: &AllChanges,
    chosen: impl Fn(EquationId, u32) -> ModeSet,
) -> Vec<InPairs<EquationId>> {
    let (pairs, space) = (&changes.pairs, &changes.pairs.space);
    let mut found = Vec::new();
    for (equation, offset) in analysis.offsets.equations.iter_enumerated() {
        for order in 0..offset.maximum() {
            let hidden = pairs.at_least(offset, order + 1, Moment::After);
            let was_hidden = pairs.at_least(offset, order + 1, Moment::Before);
            let new = space.or(!was_hidden, changes.is_new[equation]);
            let set = space.intersection([hidden, new, chosen(equation, order), pairs.regular]);
            if !set.is_empty() {
                found.push(InPairs { of: equation, order, pairs: set });
            }
        }
    }
    found
}

/// Leaves out constraints in changes whose own guard makes them true.
fn leave_out_satisfied(changes: &AllChanges, constraints: &mut Vec<InPairs<EquationId>>) {
    let space = &changes.pairs.space;
    for constraint in constraints.iter_mut() {
        let same = |other: &&InPairs<EquationId>| other.derivative() == constraint.derivative();
        let erased = space.union(changes.memory.erased.iter().filter(same).map(|it| it.pairs));
        let violated = space.union(changes.defects.iter().filter(same).map(|it| it.pairs));
        constraint.pairs = space.difference(constraint.pairs, space.difference(erased, violated));
    }
    constraints.retain(|constraint| !constraint.pairs.is_empty());
}

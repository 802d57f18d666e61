//! The minimal automaton as a set of modes: its classes are the nodes of the reduced decision diagram.

use modeshift_modes::{ModeSet, ModeSpace};

use super::automaton::{Automaton, OUT};
use super::plan::Plan;

/// The modes that pass, in a space whose order is the plan's.
///
/// From the last cut to the first: the set of a class is put together from those of the classes it leads to, by the mode
/// variables that enter, the last of them first.
pub(super) fn passing_modes(space: &ModeSpace, plan: &Plan, minimal: &Automaton) -> ModeSet {
    let mut sets = vec![ModeSet::ALL];
    for step in (0..plan.steps.len()).rev() {
        let entering = plan.entering_modes.of(step);
        let set_of = |&class: &u32| if class == OUT { ModeSet::EMPTY } else { sets[class as usize] };
        let of_row = |row: &[u32]| {
            let mut values: Vec<ModeSet> = row.iter().map(set_of).collect();
            for (place, &variable) in entering.iter().enumerate().rev() {
                let half = 1 << place;
                for low in 0..half {
                    values[low] = space.branch(variable, values[low], values[low + half]);
                }
            }
            values[0]
        };
        sets = minimal.rows(step).map(of_row).collect();
    }
    // No class at all: every mode is out.
    sets.first().copied().unwrap_or(ModeSet::EMPTY)
}

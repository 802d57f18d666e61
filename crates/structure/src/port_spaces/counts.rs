//! How many dimensions of a space are left in which modes, from its circuits.
//!
//! Of the vectors whose whole support is there in a mode, some ends at coordinate `k` exactly if a circuit does; so the
//! dimension is the number of coordinates at which a circuit of the mode ends.

use std::collections::BTreeMap;

use modeshift_modes::{ModeSet, ModeSpace};

use super::circuits::Circuit;

/// By coordinate at which circuits end, the modes in which one of these is there.
pub(super) fn ends(space: &ModeSpace, circuits: &[(Circuit, ModeSet)]) -> Vec<ModeSet> {
    let mut ends: BTreeMap<u32, ModeSet> = BTreeMap::new();
    for (circuit, modes) in circuits {
        if let Some(&(last, _)) = circuit.last() {
            let end = ends.entry(last).or_insert(ModeSet::EMPTY);
            *end = space.or(*end, *modes);
        }
    }
    ends.into_values().collect()
}

/// At place `n`, the modes that are in more than `n` of the sets.
pub(super) fn at_least(space: &ModeSpace, sets: &[ModeSet]) -> Vec<ModeSet> {
    let mut counts: Vec<ModeSet> = Vec::new();
    for &set in sets {
        let mut carried = set;
        for count in &mut counts {
            let both = space.and(*count, carried);
            *count = space.or(*count, carried);
            carried = both;
        }
        if !carried.is_empty() {
            counts.push(carried);
        }
    }
    counts
}

/// The modes in which one count is larger than the other.
pub(super) fn more(space: &ModeSpace, one: &[ModeSet], other: &[ModeSet]) -> ModeSet {
    let beyond =
        |(at, &set): (usize, &ModeSet)| space.difference(set, other.get(at).copied().unwrap_or(ModeSet::EMPTY));
    space.union(one.iter().enumerate().map(beyond))
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_modes::ModeVariable;

    #[test]
    fn counts_are_thresholds() {
        let space = ModeSpace::new(3);
        let sets: Vec<ModeSet> = (0..3).map(|at| space.literal(ModeVariable(at))).collect();
        let counts = at_least(&space, &sets);
        assert_eq!(counts.len(), 3);
        for mode in 0..8_u32 {
            let value = |variable: ModeVariable| mode >> variable.0 & 1 == 1;
            let count = counts.iter().filter(|&&set| space.evaluate(set, value)).count();
            assert_eq!(count, mode.count_ones() as usize);
        }
        assert!(more(&space, &counts, &counts).is_empty());
        assert_eq!(more(&space, &counts, &counts[..1]), counts[1]);
    }
}

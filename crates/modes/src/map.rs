//! Values that depend on the mode.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// A value that depends on the mode: disjoint nonempty cases with different values. Modes in no case have no value.
///
/// Cases keep the order in which their values first came up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeMap<T> {
    cases: Vec<(ModeSet, T)>,
}

impl<T> Default for ModeMap<T> {
    fn default() -> Self {
        ModeMap { cases: Vec::new() }
    }
}

impl<T> ModeMap<T> {
    /// The same value in all modes.
    pub fn constant(value: T) -> ModeMap<T> {
        ModeMap { cases: vec![(ModeSet::ALL, value)] }
    }

    /// The cases: in which modes, which value.
    pub fn cases(&self) -> &[(ModeSet, T)] {
        &self.cases
    }

    /// The sets of the cases, to keep across a [`ModeSpace::collect`].
    pub fn roots(&self) -> impl Iterator<Item = ModeSet> {
        self.cases.iter().map(|&(modes, _)| modes)
    }

    /// The modes that have a value.
    pub fn domain(&self, space: &ModeSpace) -> ModeSet {
        space.union(self.roots())
    }

    /// The value in one mode, if it has one.
    pub fn value_in(&self, space: &ModeSpace, mode: impl Fn(ModeVariable) -> bool) -> Option<&T> {
        self.cases.iter().find(|(modes, _)| space.evaluate(*modes, &mode)).map(|(_, value)| value)
    }

    /// The modes in which a predicate holds of the value.
    pub fn modes_where(&self, space: &ModeSpace, holds: impl Fn(&T) -> bool) -> ModeSet {
        space.union(self.cases.iter().filter(|(_, value)| holds(value)).map(|&(modes, _)| modes))
    }
}

impl<T: Clone + Eq + Hash> ModeMap<T> {
    /// Gathers cases, uniting those with equal values and leaving out empty ones. Their sets are disjoint.
    pub fn from_cases(space: &ModeSpace, cases: impl IntoIterator<Item = (ModeSet, T)>) -> ModeMap<T> {
        let mut places = FxHashMap::default();
        let mut gathered: Vec<(Vec<ModeSet>, T)> = Vec::new();
        for (modes, value) in cases.into_iter().filter(|(modes, _)| !modes.is_empty()) {
            let place = *places.entry(value.clone()).or_insert_with(|| {
                gathered.push((Vec::new(), value));
                gathered.len() - 1
            });
            gathered[place].0.push(modes);
        }
        let map = ModeMap { cases: gathered.into_iter().map(|(modes, value)| (space.union(modes), value)).collect() };
        debug_assert!(map.is_disjoint(space), "the cases of a mode map overlap");
        map
    }

    fn is_disjoint(&self, space: &ModeSpace) -> bool {
        let mut earlier = ModeSet::EMPTY;
        self.cases.iter().all(|&(modes, _)| {
            let disjoint = !space.intersects(earlier, modes);
            earlier = space.or(earlier, modes);
            disjoint
        })
    }

    /// The map that has `value` in `modes` and is as before elsewhere.
    pub fn with(&self, space: &ModeSpace, modes: ModeSet, value: T) -> ModeMap<T> {
        let elsewhere = self.restricted(space, !modes);
        ModeMap::from_cases(space, elsewhere.cases.into_iter().chain([(modes, value)]))
    }

    /// The map within `modes`; no value outside.
    pub fn restricted(&self, space: &ModeSpace, modes: ModeSet) -> ModeMap<T> {
        ModeMap::from_cases(space, self.cases.iter().map(|(case, value)| (space.and(*case, modes), value.clone())))
    }

    /// A function of the value, mode by mode.
    pub fn map<U: Clone + Eq + Hash>(&self, space: &ModeSpace, function: impl Fn(&T) -> U) -> ModeMap<U> {
        ModeMap::from_cases(space, self.cases.iter().map(|(modes, value)| (*modes, function(value))))
    }

    /// A function of two values, mode by mode, where both have one.
    pub fn combine<U, V: Clone + Eq + Hash>(
        &self,
        space: &ModeSpace,
        other: &ModeMap<U>,
        function: impl Fn(&T, &U) -> V,
    ) -> ModeMap<V> {
        let pairs = self.cases.iter().flat_map(|(modes, value)| {
            other.cases.iter().filter_map(|(other_modes, other_value)| {
                let both = space.and(*modes, *other_modes);
                (!both.is_empty()).then(|| (both, function(value, other_value)))
            })
        });
        ModeMap::from_cases(space, pairs.collect::<Vec<_>>())
    }
}

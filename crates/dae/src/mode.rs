//! A mode: the value of each mode variable, one bit each.
//!
//! Modes are compared, hashed and copied at every event of a run, so the first 64 mode variables live in the value
//! itself. The order is that of the words `false … true`, first mode variable first.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Index;

use crate::{Id, ModeVariableId};

const WORD: usize = u64::BITS as usize;

/// The value of each mode variable.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// How many mode variables there are.
    count: u32,
    /// The first 64; bits beyond the count are zero.
    first: u64,
    /// The others, 64 in each.
    others: Box<[u64]>,
}

impl Mode {
    /// The mode of so many mode variables in which all are false.
    pub fn all_false(count: usize) -> Self {
        let others = count.div_ceil(WORD).saturating_sub(1);
        let count = u32::try_from(count).expect("fewer than 2^32 mode variables");
        Mode { count, first: 0, others: vec![0; others].into_boxed_slice() }
    }

    /// The mode in which each mode variable has the value that `value` says.
    pub fn from_fn(count: usize, mut value: impl FnMut(ModeVariableId) -> bool) -> Self {
        let mut mode = Mode::all_false(count);
        for id in (0..count).map(ModeVariableId::from_index) {
            if value(id) {
                mode.set(id, true);
            }
        }
        mode
    }

    /// How many mode variables there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no mode variables: the model has one mode.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of a mode variable.
    #[inline]
    pub fn get(&self, id: ModeVariableId) -> bool {
        let index = id.index();
        assert!(index < self.len(), "a mode variable of the model");
        let word = if index < WORD { self.first } else { self.others[index / WORD - 1] };
        word >> (index % WORD) & 1 == 1
    }

    /// Sets the value of a mode variable.
    pub fn set(&mut self, id: ModeVariableId, value: bool) {
        if self.get(id) != value {
            self.flip(id);
        }
    }

    /// Makes a mode variable true where it was false, and false where it was true.
    pub fn flip(&mut self, id: ModeVariableId) {
        let index = id.index();
        assert!(index < self.len(), "a mode variable of the model");
        let word = if index < WORD { &mut self.first } else { &mut self.others[index / WORD - 1] };
        *word ^= 1 << (index % WORD);
    }

    /// The same mode with another value of one mode variable.
    #[must_use]
    pub fn with(&self, id: ModeVariableId, value: bool) -> Self {
        let mut other = self.clone();
        other.set(id, value);
        other
    }

    /// All mode variables with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ModeVariableId, bool)> + ExactSizeIterator + '_ {
        (0..self.len()).map(|index| {
            let id = ModeVariableId::from_index(index);
            (id, self.get(id))
        })
    }

    /// The values of all mode variables, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = bool> + ExactSizeIterator + '_ {
        self.iter().map(|(_, value)| value)
    }

    /// Mode variables that have another value in another mode, in order.
    pub fn differing<'a>(&'a self, other: &'a Mode) -> impl Iterator<Item = ModeVariableId> + 'a {
        debug_assert_eq!(self.count, other.count, "modes of one model");
        self.words()
            .zip(other.words())
            .enumerate()
            .flat_map(|(at, (a, b))| ones(a ^ b).map(move |bit| at * WORD + bit))
            .map(ModeVariableId::from_index)
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// The positions of the ones of a word, ascending.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < WORD).then_some(bit)
    })
}

impl Index<ModeVariableId> for Mode {
    type Output = bool;
    fn index(&self, id: ModeVariableId) -> &bool {
        if self.get(id) { &true } else { &false }
    }
}

impl FromIterator<bool> for Mode {
    fn from_iter<I: IntoIterator<Item = bool>>(values: I) -> Self {
        let (mut first, mut others, mut count) = (0_u64, Vec::new(), 0_usize);
        for value in values {
            let bit = u64::from(value) << (count % WORD);
            match count / WORD {
                0 => first |= bit,
                word if word > others.len() => others.push(bit),
                word => others[word - 1] |= bit,
            }
            count += 1;
        }
        let count = u32::try_from(count).expect("fewer than 2^32 mode variables");
        Mode { count, first, others: others.into_boxed_slice() }
    }
}

impl Ord for Mode {
    fn cmp(&self, other: &Self) -> Ordering {
        // The first mode variable is the lowest bit and has to weigh most.
        let words = self.words().map(u64::reverse_bits).cmp(other.words().map(u64::reverse_bits));
        words.then(self.count.cmp(&other.count))
    }
}

impl PartialOrd for Mode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As a word of T and F, first mode variable first.
impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values().try_for_each(|value| f.write_str(if value { "T" } else { "F" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(length: usize, seed: u64) -> Vec<bool> {
        (0..length as u64).map(|at| (at * 7 + seed) * (at + seed + 3) % 5 < 2).collect()
    }

    #[test]
    fn a_mode_is_its_values() {
        for length in [0, 1, 63, 64, 65, 128, 200] {
            let expected = values(length, 1);
            let mode: Mode = expected.iter().copied().collect();
            assert_eq!(mode.len(), length);
            assert_eq!(mode.values().collect::<Vec<_>>(), expected);
            assert_eq!(mode, Mode::from_fn(length, |id| expected[id.index()]));
            assert!(mode.iter().all(|(id, value)| mode[id] == value));
        }
    }

    #[test]
    fn modes_are_ordered_as_lists_of_values() {
        let lists: Vec<Vec<bool>> = (0..20).flat_map(|seed| [values(3, seed), values(130, seed)]).collect();
        for a in &lists {
            for b in lists.iter().filter(|b| b.len() == a.len()) {
                let mode = |list: &Vec<bool>| list.iter().copied().collect::<Mode>();
                assert_eq!(mode(a).cmp(&mode(b)), a.cmp(b));
                assert_eq!(mode(a) == mode(b), a == b);
            }
        }
    }

    #[test]
    fn flipped_variables_are_those_that_differ() {
        let before: Mode = values(150, 2).into_iter().collect();
        let mut after = before.clone();
        let changed = [0, 63, 64, 149].map(ModeVariableId);
        changed.iter().for_each(|&id| after.flip(id));
        assert_eq!(before.differing(&after).collect::<Vec<_>>(), changed);
        changed.iter().for_each(|&id| after.set(id, before[id]));
        assert_eq!(before, after);
        assert_eq!(before.with(changed[0], before[changed[0]]), before);
    }
}

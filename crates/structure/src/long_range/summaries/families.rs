//! What the items behind the front can cover: the sets of places of the boundary, as a table of bits.
//!
//! An equation is matched with one of its variables, so each set grows by one of these. A pair (`pairs`) may lead from an
//! equation in the boundary to a variable in it, so each set stays or grows by both. What leaves must be covered. The mode is out where no
//! set is left.
//!
//! A boundary of twelve places has 4096 sets, 64 words: to add a place to all sets that lack it is a shift of words or within
//! words, and so is forgetting one. Tables in which few bits are set are kept as lists.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::long_range::automaton::Summaries;
use crate::long_range::plan::{Form, holds};

/// Places whose sets are within one word.
const PLACES_IN_WORD: u8 = 6;
/// By place within a word: the sets that lack it.
const LACKING: [u64; PLACES_IN_WORD as usize] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// A set of sets of places: bit `s` is for the set `s`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Family {
    words: Vec<u64>,
    places: u8,
}

impl Family {
    /// Nothing is covered, of no places.
    fn start() -> Family {
        Family { words: vec![1], places: 0 }
    }

    fn widen(&mut self, places: u8) {
        self.words.resize(word_count(places), 0);
        self.places = places;
    }

    fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The sets that grow by one of these places.
    fn grown(&self, places: u32) -> Family {
        let mut grown = Family { words: vec![0; self.words.len()], places: self.places };
        let mut rest = places;
        while rest != 0 {
            self.grow_into(&mut grown.words, rest.trailing_zeros() as u8);
            rest &= rest - 1;
        }
        grown
    }

    fn grow_into(&self, grown: &mut [u64], place: u8) {
        if place < PLACES_IN_WORD {
            for (to, from) in grown.iter_mut().zip(&self.words) {
                *to |= (from & LACKING[place as usize]) << (1 << place);
            }
        } else {
            let half = 1 << (place - PLACES_IN_WORD);
            for (to, from) in grown.chunks_exact_mut(2 * half).zip(self.words.chunks_exact(2 * half)) {
                to[half..].iter_mut().zip(&from[..half]).for_each(|(to, from)| *to |= from);
            }
        }
    }

    fn unite(&mut self, other: &Family) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// The sets that have a place, or those that lack it, without it.
    fn leave(&mut self, place: u8, covered: bool) {
        self.places -= 1;
        if place >= PLACES_IN_WORD {
            let half = 1 << (place - PLACES_IN_WORD);
            let kept = self.words.chunks_exact(2 * half).flat_map(|pair| &pair[usize::from(covered) * half..][..half]);
            self.words = kept.copied().collect();
            return;
        }
        let halves = |&word: &u64| closed(if covered { word >> (1u32 << place) } else { word }, place);
        let halves: Vec<u64> = self.words.iter().map(halves).collect();
        self.words = halves.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 32)).collect();
    }
}

/// The bits of the sets that lack a place, moved together.
fn closed(word: u64, place: u8) -> u64 {
    let mut word = word & LACKING[place as usize];
    for place in place + 1..PLACES_IN_WORD {
        // Runs of 2^(place - 1) bits lie 2^place apart, so every other one moves down by as much.
        let half = 1u32 << (place - 1);
        word = (word | word >> half) & LACKING[place as usize];
    }
    word
}

fn word_count(places: u8) -> usize {
    1 << places.saturating_sub(PLACES_IN_WORD)
}

/// A family as it is kept, the shorter of two ways.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Kept {
    Table(Box<[u64]>),
    Sets(Box<[u32]>),
}

impl Kept {
    fn of(Family { words, .. }: Family) -> Kept {
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        if count >= 2 * words.len() {
            return Kept::Table(words.into_boxed_slice());
        }
        let mut sets = Vec::with_capacity(count);
        for (at, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                sets.push((at as u32) << PLACES_IN_WORD | rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        Kept::Sets(sets.into_boxed_slice())
    }

    fn family(&self, places: u8) -> Family {
        let mut words = vec![0; word_count(places)];
        match self {
            Kept::Table(table) => words.copy_from_slice(table),
            Kept::Sets(sets) => {
                sets.iter().for_each(|set| words[(set >> PLACES_IN_WORD) as usize] |= 1 << (set & 63));
            }
        }
        Family { words, places }
    }
}

/// Families with numbers: equal ones have the same. Each is kept once.
#[derive(Default)]
pub(in crate::long_range) struct Families {
    all: Vec<Kept>,
    /// By hash: the last family that has it; and by family: the one before it that has the same.
    known: FxHashMap<u64, u32>,
    before: Vec<Option<u32>>,
}

impl Families {
    fn number(&mut self, family: Family) -> u32 {
        let kept = Kept::of(family);
        let mut hasher = FxHasher::default();
        kept.hash(&mut hasher);
        let hash = hasher.finish();
        let last = self.known.get(&hash).copied();
        let mut candidate = last;
        while let Some(number) = candidate {
            if self.all[number as usize] == kept {
                return number;
            }
            candidate = self.before[number as usize];
        }
        let number = self.all.len() as u32;
        self.all.push(kept);
        self.before.push(last);
        self.known.insert(hash, number);
        number
    }
}

impl Summaries for Families {
    fn start(&mut self) -> u32 {
        self.number(Family::start())
    }

    fn step(&mut self, form: &Form, summary: u32, local: usize) -> Option<u32> {
        let mut family = self.all[summary as usize].family(form.before);
        family.widen(form.before + form.entering.len() as u8);
        if holds(form.guard, local) {
            let ends = form.neighbours(local);
            match form.sources {
                0 => family = family.grown(ends),
                _ => {
                    let sources = form.source_places();
                    let led = family.grown(ends & sources).grown(ends & !sources);
                    family.unite(&led);
                }
            }
        }
        for &(place, present) in &form.leaving {
            family.leave(place, holds(present, local));
        }
        (!family.is_empty()).then(|| self.number(family))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same sets as a list.
    fn sets(family: &Family) -> Vec<u32> {
        let has = |set: &u32| family.words[(set >> PLACES_IN_WORD) as usize] >> (set & 63) & 1 == 1;
        (0..1 << family.places).filter(has).collect()
    }

    fn family(places: u8, sets: impl Iterator<Item = u32>) -> Family {
        Kept::Sets(sets.collect()).family(places)
    }

    #[test]
    fn a_table_of_bits_grows_and_forgets_places_as_a_list_of_sets_does() {
        for places in 1..=9u8 {
            // Sets that follow no pattern of words.
            let some: Vec<u32> = (0..1u32 << places).filter(|set| set * set % 7 < 3).collect();
            for place in 0..places {
                let bit = 1 << place;
                let table = family(places, some.iter().copied());
                let grown: Vec<u32> = some.iter().filter(|&set| set & bit == 0).map(|set| set | bit).collect();
                assert_eq!(sets(&table.grown(bit)), grown, "{places} places, {place} grows");
                for covered in [true, false] {
                    let mut left = table.clone();
                    left.leave(place, covered);
                    let kept = some.iter().filter(|&set| (set & bit != 0) == covered);
                    let expected: Vec<u32> =
                        kept.map(|&set| crate::long_range::plan::without_bit(set, place)).collect();
                    assert_eq!(sets(&left), expected, "{places} places, {place} leaves");
                }
            }
        }
    }
}

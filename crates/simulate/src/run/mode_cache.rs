//! A cache of what was made for modes, for their next visit, up to a total size: a run through ever new modes must not fill the memory.
//!
//! Beyond that, the half that was not asked for the longest is forgotten, and made again if it is asked for.

use modeshift_dae::Mode;
use rustc_hash::FxHashMap;

/// Values by the values of mode variables.
pub(crate) struct ModeCache<Value> {
    entries: FxHashMap<Mode, Entry<Value>>,
    most: usize,
    size: usize,
    /// How often something was asked for.
    uses: u64,
}

struct Entry<Value> {
    value: Value,
    size: usize,
    last_use: u64,
}

impl<Value: Clone> ModeCache<Value> {
    /// Nothing yet; values of this total size are kept.
    pub fn up_to(most: usize) -> Self {
        ModeCache { entries: FxHashMap::default(), most, size: 0, uses: 0 }
    }

    /// What is kept for these values of the mode variables.
    pub fn get(&mut self, mode: &Mode) -> Option<Value> {
        self.uses += 1;
        let entry = self.entries.get_mut(mode)?;
        entry.last_use = self.uses;
        Some(entry.value.clone())
    }

    /// Keeps a value for a mode, instead of the one that it has, if any.
    pub fn replace(&mut self, mode: &Mode, value: Value, size: usize) {
        if let Some(known) = self.entries.remove(mode) {
            self.size -= known.size;
        }
        self.insert(mode, value, size);
    }

    /// Keeps a value for a mode that has none.
    fn insert(&mut self, mode: &Mode, value: Value, size: usize) {
        if self.size + size > self.most {
            self.forget_half();
        }
        self.size += size;
        let known = self.entries.insert(mode.clone(), Entry { value, size, last_use: self.uses });
        assert!(known.is_none(), "a mode is made once");
    }

    fn forget_half(&mut self) {
        let mut uses: Vec<u64> = self.entries.values().map(|entry| entry.last_use).collect();
        if uses.is_empty() {
            return;
        }
        let middle = uses.len() / 2;
        let median = *uses.select_nth_unstable(middle).1;
        self.entries.retain(|_, entry| entry.last_use > median);
        self.size = self.entries.values().map(|entry| entry.size).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, ModeCache};

    fn mode(number: usize) -> Mode {
        (0..8).map(|bit| number >> bit & 1 == 1).collect()
    }

    #[test]
    fn what_was_asked_for_lately_is_kept_and_the_rest_forgotten() {
        let mut kept = ModeCache::up_to(10);
        for number in 0..10 {
            assert_eq!(kept.get(&mode(number)), None);
            kept.insert(&mode(number), number, 1);
        }
        assert_eq!(kept.get(&mode(0)), Some(0));
        kept.get(&mode(10));
        kept.insert(&mode(10), 10, 1);
        assert_eq!(kept.get(&mode(0)), Some(0), "asked for just before");
        assert_eq!(kept.get(&mode(1)), None, "the oldest");
        assert_eq!(kept.get(&mode(9)), Some(9));
        kept.insert(&mode(1), 1, 1);
        assert_eq!(kept.get(&mode(1)), Some(1));
    }

    #[test]
    fn a_value_that_is_too_large_is_kept_alone() {
        let mut kept = ModeCache::up_to(10);
        kept.insert(&mode(1), 'a', 100);
        assert_eq!(kept.get(&mode(1)), Some('a'));
        kept.get(&mode(2));
        kept.insert(&mode(2), 'b', 100);
        assert_eq!((kept.get(&mode(1)), kept.get(&mode(2))), (None, Some('b')));
    }
}

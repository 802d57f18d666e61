//! Sets of modes by number: one bit each.
//!
//! The models of this crate have at most a few thousand modes, and they are all visited: a list of bits serves.

/// A set of modes out of a known number of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modes {
    words: Vec<u64>,
    count: usize,
}

impl Modes {
    /// No mode out of so many.
    pub fn none(count: usize) -> Self {
        Modes { words: vec![0; count.div_ceil(64)], count }
    }

    /// Those of so many modes that satisfy a condition.
    pub fn of(count: usize, holds: impl Fn(usize) -> bool) -> Self {
        let mut modes = Modes::none(count);
        (0..count).filter(|&mode| holds(mode)).for_each(|mode| modes.add(mode));
        modes
    }

    /// One more.
    pub fn add(&mut self, mode: usize) {
        assert!(mode < self.count, "a mode of the system");
        self.words[mode / 64] |= 1 << (mode % 64);
    }

    /// Whether a mode is among them.
    pub fn has(&self, mode: usize) -> bool {
        mode < self.count && self.words[mode / 64] >> (mode % 64) & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether all of them are among others.
    pub fn are_among(&self, others: &Modes) -> bool {
        self.words.iter().zip(&others.words).all(|(&one, &other)| one & !other == 0)
    }

    /// Whether none of them is among others.
    pub fn avoid(&self, others: &Modes) -> bool {
        self.words.iter().zip(&others.words).all(|(&one, &other)| one & other == 0)
    }

    /// Those that are also among others.
    #[must_use]
    pub fn and(&self, others: &Modes) -> Modes {
        let words = self.words.iter().zip(&others.words).map(|(&one, &other)| one & other).collect();
        Modes { words, count: self.count }
    }

    /// Those that are not among others.
    #[must_use]
    pub fn without(&self, others: &Modes) -> Modes {
        let words = self.words.iter().zip(&others.words).map(|(&one, &other)| one & !other).collect();
        Modes { words, count: self.count }
    }

    /// Their numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).filter(|&mode| self.has(mode))
    }

    /// The first.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        let even = Modes::of(130, |mode| mode % 2 == 0);
        let third = Modes::of(130, |mode| mode % 3 == 0);
        assert_eq!(even.and(&third).iter().collect::<Vec<_>>(), (0..130).step_by(6).collect::<Vec<_>>());
        assert!(even.without(&third).avoid(&third));
        assert!(even.and(&third).are_among(&even));
        assert_eq!(third.without(&even).first(), Some(3));
        assert!(Modes::none(0).is_empty());
    }
}

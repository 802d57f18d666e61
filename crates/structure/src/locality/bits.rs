//! Sets of numbers as bits: small enough to stay in the caches of a processor where a list of flags is not.

const WORD: usize = u64::BITS as usize;

/// A set of numbers below a bound.
#[derive(Clone, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Bits {
        Bits(vec![0; bound.div_ceil(WORD)])
    }

    #[inline]
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / WORD] >> (number % WORD) & 1 == 1
    }

    /// Adds a number; whether it was not there.
    #[inline]
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.0[number / WORD], 1 << (number % WORD));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a number away.
    #[inline]
    pub(crate) fn remove(&mut self, number: usize) {
        self.0[number / WORD] &= !(1 << (number % WORD));
    }
}

//! A deterministic source of numbers (xorshift), the same on every machine.

/// The numbers that follow from a seed, which is not 0.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number, less than `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

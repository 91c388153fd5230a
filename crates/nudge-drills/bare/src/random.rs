//! A random number generator that repeats the same sequence in every run.

/// A generator (xorshift). Its seed must not be zero.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A generator seeded with this number.
    pub const fn of(number: u64) -> Self {
        Self(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a bound.
    pub const fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 20) % bound
    }

    /// One element of the slice.
    pub fn any<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

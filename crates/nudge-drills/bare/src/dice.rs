//! Chance that comes out the same every time.

/// A generator (xorshift). Its seed must not be zero.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// One for the thing with that number.
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

    /// One of these.
    pub fn any<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

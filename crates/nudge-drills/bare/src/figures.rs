//! Latencies, and the figures that summarise them.

use std::time::Duration;

use serde::Serialize;

/// How long each of many runs took.
#[derive(Debug, Default)]
pub struct Latencies(Vec<Duration>);

/// The summary of many runs, in microseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// How many runs.
    pub n: usize,
    /// The median.
    pub p50_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// The slowest.
    pub max_us: f64,
}

impl Latencies {
    /// Adds one run.
    pub fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Summarises the runs; all zero when nothing ran.
    pub fn figures(&self) -> Figures {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |share: f64| rank(&sorted, share).as_secs_f64() * 1e6;
        Figures { n: sorted.len(), p50_us: at(0.5), p99_us: at(0.99), max_us: at(1.0) }
    }
}

/// The nearest-rank percentile of sorted values.
fn rank(sorted: &[Duration], share: f64) -> Duration {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is a small index"
    )]
    let index = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
    sorted.get(index).copied().unwrap_or_default()
}

// A random number generator that repeats the same sequence in every run.

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

// The peak memory use of this process.

/// The peak resident memory in bytes; 0 where the system does not report it.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.trim().parse().ok());
    kilobytes.unwrap_or(0_u64) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut latencies = Latencies::default();
        for millis in (1..=100).rev() {
            latencies.push(Duration::from_millis(millis));
        }
        let expected = Figures { n: 100, p50_us: 50_000.0, p99_us: 99_000.0, max_us: 100_000.0 };
        assert_eq!(latencies.figures(), expected);
    }

    #[test]
    fn nothing_measured_is_zero() {
        assert_eq!(Latencies::default().figures(), Figures::default());
    }
}

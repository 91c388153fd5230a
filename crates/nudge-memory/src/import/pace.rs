//! Limits how much is written at once, so that nothing waits long for the write lock.

use std::time::Duration;

/// How long a batch should hold the write lock: a tenth of a hook's time limit, so that a hook is
/// in time even if it misses its turn once.
const TARGET: Duration = Duration::from_millis(15);

/// How long the lock is left free between batches: waiting processes retry about this often.
const GAP: Duration = Duration::from_millis(1);

/// The size of the first batch, before a batch's duration is known, and the limits for the others.
const FIRST: usize = 100;
const SMALLEST: usize = 10;
const LARGEST: usize = 1_000;

/// The size of the next batch.
#[derive(Debug)]
pub(super) struct Pace(usize);

impl Pace {
    pub(super) const fn new() -> Self {
        Self(FIRST)
    }

    pub(super) const fn size(&self) -> usize {
        self.0
    }

    /// Adjusts the size to how long a batch took, and leaves the lock free for a while.
    pub(super) fn adjust(&mut self, written: usize, time: Duration) {
        if time > TARGET {
            self.0 = (self.0 / 2).max(SMALLEST);
        } else if written >= self.0 && time < TARGET / 2 {
            self.0 = (self.0 * 2).min(LARGEST);
        }
        std::thread::sleep(GAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_while_they_are_quick_and_shrink_when_they_are_not() {
        let mut pace = Pace::new();
        (0..9).for_each(|_| pace.adjust(pace.size(), Duration::from_millis(1)));
        assert_eq!(pace.size(), LARGEST);
        pace.adjust(5, Duration::from_millis(1));
        assert_eq!(pace.size(), LARGEST, "a rest says nothing");
        (0..9).for_each(|_| pace.adjust(pace.size(), Duration::from_millis(90)));
        assert_eq!(pace.size(), SMALLEST);
    }
}

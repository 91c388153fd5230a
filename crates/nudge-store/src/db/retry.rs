//! Waits for another process's lock: with frequent, short sleeps, never in step with others.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use crate::db::error::StoreError;

/// The first sleep. A write that is not synced has the lock for some 50 to 200 µs.
const MIN_SLEEP: Duration = Duration::from_micros(100);

/// The longest sleep. A synced write has the lock for some milliseconds; sleeping much longer only
/// lets others go first.
const MAX_SLEEP: Duration = Duration::from_millis(4);

/// Sleeps, each about twice as long as the one before, up to [`MAX_SLEEP`].
///
/// Every sleep varies by half, so that processes that failed together do not return together.
pub(crate) struct Backoff {
    since: Instant,
    count: u32,
    dice: u64,
}

impl Backoff {
    pub(crate) fn start() -> Self {
        let dice = RandomState::new().build_hasher().finish() | 1;
        Self { since: Instant::now(), count: 0, dice }
    }

    /// Sleeps once; returns `false` without sleeping if `limit` has passed since the first sleep.
    pub(crate) fn sleep_within(&mut self, limit: Duration) -> bool {
        if self.count == 0 {
            self.since = Instant::now();
        }
        if self.since.elapsed() >= limit {
            return false;
        }
        thread::sleep(self.next_sleep());
        true
    }

    fn next_sleep(&mut self) -> Duration {
        let whole = MIN_SLEEP.saturating_mul(1 << self.count.min(6)).min(MAX_SLEEP);
        self.count += 1;
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        whole / 2 + whole.mul_f64((self.dice % 1024) as f64 / 1024.0)
    }

    fn begin_again(&mut self) {
        self.count = 0;
    }
}

/// SQLite calls this when a lock is taken; the argument counts the calls for one lock.
pub(crate) fn busy_handler(limit: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut backoff = Backoff::start();
    move |calls| {
        if calls == 0 {
            backoff.begin_again();
        }
        backoff.sleep_within(limit)
    }
}

/// Repeats `attempt` while it fails because of a lock, until `limit` has passed.
///
/// In a few cases SQLite reports "busy" without calling the busy handler (changing the journal
/// mode, recovering a WAL that another process is also recovering); this covers them.
pub(crate) fn while_busy<T>(
    limit: Duration,
    mut attempt: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let started = Instant::now();
    let mut backoff: Option<Backoff> = None;
    loop {
        match attempt() {
            Err(StoreError::Busy { source, .. }) => {
                let left = limit.saturating_sub(started.elapsed());
                if left.is_zero() || !backoff.get_or_insert_with(Backoff::start).sleep_within(limit) {
                    return Err(StoreError::Busy { waited: started.elapsed(), source });
                }
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_grow_to_a_bound_and_differ() {
        let mut backoff = Backoff::start();
        let series: Vec<Duration> = (0..200).map(|_| backoff.next_sleep()).collect();
        assert!(series.iter().all(|sleep| *sleep >= MIN_SLEEP / 2 && *sleep <= MAX_SLEEP * 3 / 2));
        assert!(series[100..].windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_lock_that_never_opens_ends_in_busy() {
        let outcome = while_busy(Duration::from_millis(5), || -> Result<(), StoreError> {
            Err(StoreError::Busy { waited: Duration::ZERO, source: None })
        });
        assert!(
            matches!(outcome, Err(StoreError::Busy { waited, .. }) if waited >= Duration::from_millis(5))
        );
    }

    #[test]
    fn other_failures_are_not_repeated() {
        let mut calls = 0;
        let outcome = while_busy(Duration::from_secs(5), || -> Result<(), StoreError> {
            calls += 1;
            Err(StoreError::DiskFull { source: None })
        });
        assert!(matches!(outcome, Err(StoreError::DiskFull { .. })));
        assert_eq!(calls, 1);
    }
}

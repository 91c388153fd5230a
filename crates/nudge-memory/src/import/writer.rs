//! The thread that writes while the next lines are read.
//!
//! Reading transcripts is half the work of an import, and writing is the other half. On two cores
//! they run in parallel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, Store};

use super::request::{Position, Report};
use crate::capture::{CapturedEvent, StoreOutcome};
use crate::receive;

/// How many batches may wait to be written. Reading is as fast as writing, so more would only use
/// memory.
const MAX_WAITING_BATCHES: usize = 2;

/// What is written in one transaction.
pub(super) struct Batch {
    pub(super) captured_events: Vec<CapturedEvent>,
    /// How far the file was read; `None` if that is not to be stored.
    pub(super) mark: Option<Position>,
}

/// The writing half of an import.
pub(super) struct ImportWriter<'scope> {
    batches: SyncSender<Batch>,
    size: Arc<AtomicUsize>,
    thread: ScopedJoinHandle<'scope, Result<Report, Fault>>,
}

impl<'scope> ImportWriter<'scope> {
    pub(super) fn start(scope: &'scope Scope<'scope, '_>, store: &'scope Store, now: Timestamp) -> Self {
        let (batches, taken) = sync_channel(MAX_WAITING_BATCHES);
        let size = Arc::new(AtomicUsize::new(Pace::new().size()));
        let shared = Arc::clone(&size);
        let thread = scope.spawn(move || write_all(store, now, &taken, &shared));
        Self { batches, size, thread }
    }

    /// How many captured events the next batch should have.
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Hands a batch over; waits while too many are pending. Returns whether writing continues; if
    /// not, [`Self::finish`] returns the reason.
    pub(super) fn write(&self, batch: Batch) -> bool {
        self.batches.send(batch).is_ok()
    }

    /// Waits until everything is written, and returns the result.
    pub(super) fn finish(self) -> Result<Report, Fault> {
        drop(self.batches);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn write_all(
    store: &Store,
    now: Timestamp,
    batches: &Receiver<Batch>,
    size: &AtomicUsize,
) -> Result<Report, Fault> {
    let mut pace = Pace::new();
    let mut report = Report::default();
    for Batch { captured_events, mark } in batches {
        let began = Instant::now();
        let outcomes: Vec<StoreOutcome> = store.write(Durability::Passive, |writer| {
            let outcomes = captured_events
                .iter()
                .map(|captured| receive::store(writer, captured))
                .collect::<Result<_, Fault>>()?;
            if let Some(mark) = &mark {
                writer.set_cursor(&mark.name, mark.position, &mark.detail, now)?;
            }
            Ok::<_, Fault>(outcomes)
        })?;
        pace.adjust(captured_events.len(), began.elapsed());
        size.store(pace.size(), Ordering::Relaxed);
        for (captured, outcome) in captured_events.iter().zip(outcomes) {
            report.count(captured, outcome);
        }
    }
    Ok(report)
}

// Limits how much is written at once, so that nothing waits long for the write lock.

/// How long a batch should hold the write lock: a tenth of a hook's time limit, so that a hook is
/// in time even if it misses its turn once.
const TARGET_BATCH_TIME: Duration = Duration::from_millis(15);

/// How long the lock is left free between batches: waiting processes retry about this often.
const GAP_BETWEEN_BATCHES: Duration = Duration::from_millis(1);

/// The size of the first batch, before a batch's duration is known, and the limits for the others.
const FIRST_BATCH: usize = 100;

const MIN_BATCH: usize = 10;

const MAX_BATCH: usize = 1_000;

/// The size of the next batch.
#[derive(Debug)]
pub(super) struct Pace(usize);

impl Pace {
    pub(super) const fn new() -> Self {
        Self(FIRST_BATCH)
    }

    pub(super) const fn size(&self) -> usize {
        self.0
    }

    /// Adjusts the size to how long a batch took, and leaves the lock free for a while.
    pub(super) fn adjust(&mut self, written: usize, time: Duration) {
        if time > TARGET_BATCH_TIME {
            self.0 = (self.0 / 2).max(MIN_BATCH);
        } else if written >= self.0 && time < TARGET_BATCH_TIME / 2 {
            self.0 = (self.0 * 2).min(MAX_BATCH);
        }
        std::thread::sleep(GAP_BETWEEN_BATCHES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_while_they_are_quick_and_shrink_when_they_are_not() {
        let mut pace = Pace::new();
        (0..9).for_each(|_| pace.adjust(pace.size(), Duration::from_millis(1)));
        assert_eq!(pace.size(), MAX_BATCH);
        pace.adjust(5, Duration::from_millis(1));
        assert_eq!(pace.size(), MAX_BATCH, "a rest says nothing");
        (0..9).for_each(|_| pace.adjust(pace.size(), Duration::from_millis(90)));
        assert_eq!(pace.size(), MIN_BATCH);
    }
}

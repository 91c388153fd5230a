//! The thread that writes, while the next lines are read.
//!
//! Half the work of an import is reading transcripts, half is writing; on two cores they take the time of one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, Store};

use super::pace::Pace;
use super::position::Position;
use super::report::Report;
use crate::capture::{Kept, Moment};
use crate::receive;

/// Batches that may wait to be written. Reading is as fast as writing, so more would only take memory.
const WAITING: usize = 2;

/// What is written in one transaction.
pub(super) struct Batch {
    pub(super) moments: Vec<Moment>,
    /// How far they were read, unless that is not to be kept.
    pub(super) mark: Option<Position>,
}

/// The writing half of an import.
pub(super) struct Scribe<'scope> {
    batches: SyncSender<Batch>,
    size: Arc<AtomicUsize>,
    thread: ScopedJoinHandle<'scope, Result<Report, Fault>>,
}

impl<'scope> Scribe<'scope> {
    pub(super) fn start(scope: &'scope Scope<'scope, '_>, store: &'scope Store, now: Timestamp) -> Self {
        let (batches, taken) = sync_channel(WAITING);
        let size = Arc::new(AtomicUsize::new(Pace::new().size()));
        let shared = Arc::clone(&size);
        let thread = scope.spawn(move || write_all(store, now, &taken, &shared));
        Self { batches, size, thread }
    }

    /// How many moments the next batch should have.
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Hands a batch over, waiting while too many wait. Says whether writing goes on; why not, [`Scribe::finish`] says.
    pub(super) fn write(&self, batch: Batch) -> bool {
        self.batches.send(batch).is_ok()
    }

    /// Waits until all is written, and says what became of it.
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
    for Batch { moments, mark } in batches {
        let began = Instant::now();
        let kept: Vec<Kept> = store.write(Durability::Passive, |writer| {
            let kept =
                moments.iter().map(|moment| receive::store(writer, moment)).collect::<Result<_, Fault>>()?;
            if let Some(mark) = &mark {
                writer.set_cursor(&mark.name, mark.position, &mark.detail, now)?;
            }
            Ok::<_, Fault>(kept)
        })?;
        pace.took(moments.len(), began.elapsed());
        size.store(pace.size(), Ordering::Relaxed);
        for (moment, kept) in moments.iter().zip(kept) {
            report.count(moment, kept);
        }
    }
    Ok(report)
}

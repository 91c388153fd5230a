//! Keeps the search index up to date with the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_memory::Memory;
use tokio_util::sync::CancellationToken;

use super::{JOB_REQUESTER, JobContext};
use crate::backend::Local;
use crate::log;
use nudge_client::indexing::MAX_STRETCH;

/// How often PRIMARY checks for changes to index. A check costs about ten microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// From this many changes on, they are indexed without waiting for more: scanning them costs a
/// search about 5 ms.
const COMMIT_FROM: i64 = 500;

/// How long fewer changes wait for more. Every commit costs about 20 ms and a file that must be
/// merged later.
const SETTLE_TIME: Duration = Duration::from_secs(3);

/// How long PRIMARY waits after the index could not be written, as on a full disk.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Keeps the index for as long as this process is PRIMARY.
pub(super) async fn keep(context: Arc<JobContext>, stop: CancellationToken) {
    let keeping = move || IndexJob::new(&context.local).run(&stop);
    // A separate thread: merging can take minutes, and would occupy a thread of the pool for as
    // long.
    if let Err(error) = std::thread::Builder::new().name("index".to_owned()).spawn(keeping) {
        tracing::warn!(%error, "no thread for the search index: searches scan what it does not have");
    }
}

struct IndexJob<'l> {
    memory: &'l Memory,
    lineage: Option<u64>,
    waiting_since: Option<Instant>,
}

impl<'l> IndexJob<'l> {
    fn new(local: &'l Local) -> Self {
        Self { memory: local.memory(), lineage: None, waiting_since: None }
    }

    fn run(mut self, stop: &CancellationToken) {
        let mut pause = POLL_INTERVAL;
        while !waited(stop, pause) {
            let began = Instant::now();
            pause = match self.round() {
                Ok(true) => Duration::from_millis(20),
                Ok(false) => POLL_INTERVAL,
                Err(fault) => {
                    log::failed("index", JOB_REQUESTER, began, &fault);
                    RETRY_DELAY
                }
            };
        }
    }

    /// One round; returns whether there is more to do at once.
    fn round(&mut self) -> Result<bool, Fault> {
        if !self.is_due()? {
            return Ok(false);
        }
        let lineage = self.memory.lineage()?;
        let Some(progress) = self.memory.update_index(MAX_STRETCH, nudge_client::now())? else {
            return Ok(false);
        };
        self.waiting_since = None;
        self.lineage = Some(lineage);
        if progress.was_restarted {
            tracing::info!("the search index is built anew");
        }
        Ok(!progress.is_complete)
    }

    fn is_due(&mut self) -> Result<bool, Fault> {
        let is_other = self.lineage.is_some_and(|known| self.memory.lineage().is_ok_and(|now| now != known));
        if !is_other && !self.memory.index_needs_update()? {
            self.waiting_since = None;
            return Ok(false);
        }
        if is_other || self.memory.index_lag()? >= COMMIT_FROM {
            return Ok(true);
        }
        Ok(self.waiting_since.get_or_insert_with(Instant::now).elapsed() >= SETTLE_TIME)
    }
}

/// Waits; returns whether it was asked to stop meanwhile.
fn waited(stop: &CancellationToken, pause: Duration) -> bool {
    let until = Instant::now() + pause;
    while Instant::now() < until && !stop.is_cancelled() {
        std::thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
    }
    stop.is_cancelled()
}

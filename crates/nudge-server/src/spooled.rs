//! Taking in what hooks could not store in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_memory::Memory;
use nudge_memory::capture::spool;
use nudge_memory::home::Home;
use tokio_util::sync::CancellationToken;

use crate::local::Local;

/// How often PRIMARY looks. Looking costs one call of the system.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long it works at a stretch; then others have their turn.
const STRETCH: Duration = Duration::from_secs(1);

/// Takes the spool in until then. What is left waits for the next one.
pub(crate) fn take_in(home: &Home, memory: &Memory, until: Instant) {
    match memory.take_in_spool(home, crate::clock::now(), Some(until)) {
        Ok(taken) if taken == spool::Taken::default() => {}
        Ok(taken) => tracing::info!(taken.kept, taken.dropped, taken.left, "took the spool in"),
        Err(error) => tracing::warn!(%error, "the spool could not be taken in"),
    }
}

/// Takes the spool in at once and then every few seconds, for as long as this process is PRIMARY.
pub(crate) async fn keep_taking_in(home: Home, local: Arc<Local>, stop: CancellationToken) {
    loop {
        tokio::task::block_in_place(|| take_in(&home, local.memory(), Instant::now() + STRETCH));
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

//! Takes in what hooks could not store in time: at once, then every few seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::context::JobContext;
use crate::backend::pool;

/// How often PRIMARY looks. Looking costs one call of the system.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long it works at a stretch; then others have their turn.
const STRETCH: Duration = Duration::from_secs(1);

pub(super) async fn take_in(context: Arc<JobContext>, stop: CancellationToken) {
    loop {
        let at_work = context.clone();
        let work = move || {
            nudge_client::spool::take_in(&at_work.home, at_work.local.memory(), Instant::now() + STRETCH)
        };
        if pool::run(work).await.is_err() {
            tracing::error!("taking the spool in panicked");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

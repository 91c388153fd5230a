//! Stores the events that hooks could not store in time: at once, then every few seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::context::{JOB, JobContext};
use crate::backend::pool;
use crate::log;

/// How often PRIMARY checks. A check costs one system call.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long it works without a break; then others have their turn.
const STRETCH: Duration = Duration::from_secs(1);

pub(super) async fn store_spooled(context: Arc<JobContext>, stop: CancellationToken) {
    loop {
        let (at_work, began) = (context.clone(), Instant::now());
        let work = move || {
            nudge_client::spool::store_spooled(
                &at_work.home,
                at_work.local.memory(),
                Instant::now() + STRETCH,
            )
        };
        match pool::run(work).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => log::failed("spool", JOB, began, &fault),
            Err(_) => tracing::error!("taking the spool in panicked"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

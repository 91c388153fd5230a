//! Summarises sessions and applies retention, in short transactions, while calls are answered.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::context::JobContext;
use crate::backend::pool;

/// How long after the start the first round comes, and how often those after it.
const FIRST: Duration = Duration::from_secs(60);
const EVERY: Duration = Duration::from_secs(600);

pub(super) async fn upkeep(context: Arc<JobContext>, stop: CancellationToken) {
    let mut pause = FIRST;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = EVERY;
        let local = context.local.clone();
        let work = move || nudge_memory::upkeep::upkeep(local.memory(), nudge_client::clock::now());
        let steps = pool::run(work).await.unwrap_or_default();
        for step in steps.iter().filter(|step| step.failed.is_some()) {
            tracing::warn!(step = step.step, "a step of the upkeep failed");
        }
    }
}

//! Summarises sessions and applies retention, in short transactions, while calls are answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::context::{JOB, JobContext};
use crate::backend::pool;
use crate::log;

/// The delay before the first round; later rounds run at the interval `EVERY`.
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
        let (local, began) = (context.local.clone(), Instant::now());
        let work = move || nudge_memory::upkeep::upkeep(local.memory(), nudge_client::clock::now());
        let steps = pool::run(work).await.unwrap_or_default();
        for step in &steps {
            if let Some(fault) = &step.fault {
                log::failed(step.step, JOB, began, fault);
            }
        }
    }
}

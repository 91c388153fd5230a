//! What PRIMARY does by itself, from its start to its end.
//!
//! A new job is a file here and a line in [`JOBS`].

mod context;
mod files;
mod index;
mod spool;
mod sweep;
mod upkeep;

use std::pin::Pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub(crate) use context::JobContext;

/// A piece of work that goes on for as long as this process is PRIMARY.
pub(crate) struct Job {
    /// Its name in the log.
    pub(crate) name: &'static str,
    /// Whether it is for a memory on disk alone.
    pub(crate) on_disk: bool,
    /// Does it until `stop` is cancelled.
    pub(crate) run: fn(Arc<JobContext>, CancellationToken) -> Running,
}

/// A job at work.
pub(crate) type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// All jobs.
const JOBS: &[Job] = &[
    Job { name: "files", on_disk: false, run: |context, stop| Box::pin(files::watch(context, stop)) },
    Job { name: "spool", on_disk: false, run: |context, stop| Box::pin(spool::take_in(context, stop)) },
    Job { name: "index", on_disk: true, run: |context, stop| Box::pin(index::keep(context, stop)) },
    Job { name: "sweep", on_disk: false, run: |context, stop| Box::pin(sweep::sweep(context, stop)) },
    Job { name: "upkeep", on_disk: false, run: |context, stop| Box::pin(upkeep::upkeep(context, stop)) },
];

/// Starts all jobs.
pub(crate) fn start(context: &Arc<JobContext>, stop: &CancellationToken) {
    for job in JOBS.iter().filter(|job| !(job.on_disk && context.ephemeral)) {
        tracing::debug!(job = job.name, "started");
        tokio::spawn((job.run)(context.clone(), stop.clone()));
    }
}

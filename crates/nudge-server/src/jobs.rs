//! PRIMARY's background jobs, from its start to its end.
//!
//! To add a job, add a file here and a line in [`JOBS`].

mod context;
mod files;
mod index;
mod runs;
mod spool;
mod sweep;
mod upkeep;

use std::pin::Pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub(crate) use context::JobContext;

/// Work that continues for as long as this process is PRIMARY.
pub(crate) struct Job {
    /// Its name in the log.
    pub(crate) name: &'static str,
    /// Whether it is only for a memory on disk.
    pub(crate) on_disk: bool,
    /// Runs until `stop` is cancelled.
    pub(crate) run: fn(Arc<JobContext>, CancellationToken) -> Running,
}

/// A running job.
pub(crate) type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// All jobs.
const JOBS: &[Job] = &[
    Job { name: "files", on_disk: false, run: |context, stop| Box::pin(files::watch(context, stop)) },
    Job { name: "spool", on_disk: false, run: |context, stop| Box::pin(spool::store_spooled(context, stop)) },
    Job { name: "index", on_disk: true, run: |context, stop| Box::pin(index::keep(context, stop)) },
    Job { name: "runs", on_disk: false, run: |context, stop| Box::pin(runs::drive(context, stop)) },
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

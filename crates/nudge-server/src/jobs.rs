//! PRIMARY's background jobs, from its start to its end.
//!
//! To add a job, add a function, here or in a file of its own, and a line in [`JOBS`].

mod index;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_home::Home;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::backend::{self, Local};
use crate::primary::{Identity, PrimaryFiles};
use crate::{log, runs};

/// Work that continues for as long as this process is PRIMARY.
struct Job {
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
    Job { name: "files", on_disk: false, run: |context, stop| Box::pin(watch_files(context, stop)) },
    Job { name: "spool", on_disk: false, run: |context, stop| Box::pin(store_spooled(context, stop)) },
    Job { name: "index", on_disk: true, run: |context, stop| Box::pin(index::keep(context, stop)) },
    Job { name: "runs", on_disk: false, run: |context, stop| Box::pin(drive_runs(context, stop)) },
    Job { name: "sweep", on_disk: false, run: |context, stop| Box::pin(sweep(context, stop)) },
    Job { name: "upkeep", on_disk: false, run: |context, stop| Box::pin(upkeep(context, stop)) },
];

/// Starts all jobs.
pub(crate) fn start(context: &Arc<JobContext>, stop: &CancellationToken) {
    for job in JOBS.iter().filter(|job| !(job.on_disk && context.ephemeral)) {
        tracing::debug!(job = job.name, "started");
        tokio::spawn((job.run)(context.clone(), stop.clone()));
    }
}

/// The requester in the log for jobs.
const JOB_REQUESTER: &str = "job";

/// What a job may use.
pub(crate) struct JobContext {
    pub(crate) home: Home,
    pub(crate) local: Arc<Local>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) files: Arc<PrimaryFiles>,
    /// Receives a socket that was bound again.
    pub(crate) rebind: mpsc::Sender<UnixListener>,
    /// Ends the process.
    pub(crate) end: CancellationToken,
    /// Whether an agent started this process.
    pub(crate) by_agent: bool,
    /// Whether the memory ends with this process.
    pub(crate) ephemeral: bool,
}

/// Drives the runs for as long as this process is PRIMARY.
async fn drive_runs(context: Arc<JobContext>, stop: CancellationToken) {
    runs::drive_all(context.home.clone(), context.local.clone(), context.by_agent, stop).await;
}

// Stores the events that hooks could not store in time: at once, then every few seconds.

/// How often PRIMARY checks. A check costs one system call.
const SPOOL_EVERY: Duration = Duration::from_secs(2);

/// How long it works without a break; then others have their turn.
const SPOOL_STRETCH: Duration = Duration::from_secs(1);

async fn store_spooled(context: Arc<JobContext>, stop: CancellationToken) {
    loop {
        let (at_work, began) = (context.clone(), Instant::now());
        let work = move || {
            nudge_client::open::store_spooled(
                &at_work.home,
                at_work.local.memory(),
                Instant::now() + SPOOL_STRETCH,
            )
        };
        match backend::run_blocking(work).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => log::failed("spool", JOB_REQUESTER, began, &fault),
            Err(_) => tracing::error!("taking the spool in panicked"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SPOOL_EVERY) => {}
        }
    }
}

// Watches PRIMARY's files, and reacts when they disappear.
//
// Open files survive the removal of their names. If its home was deleted, PRIMARY would keep
// acknowledging writes that nobody will ever read, while the next server starts an empty memory
// next to it. Checking each second limits this to a second. A check before each acknowledgement
// would slow every write, for something that only happens when users delete the files themselves.

/// How often the files are checked.
const FILES_EVERY: Duration = Duration::from_secs(1);

/// Checks the files for as long as this process is PRIMARY, and binds the socket again if its name
/// was removed.
async fn watch_files(context: Arc<JobContext>, stop: CancellationToken) {
    let files = &context.files;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(FILES_EVERY) => {}
        }
        if let Some((what, fate)) = files.loss() {
            tracing::error!(what, ?fate, "a file of this server is gone from its place: this server ends");
            context.end.cancel();
            return;
        }
        if files.lacks_socket(context.identity.socket_path()) {
            match files.bind_socket_again() {
                Ok(listener) => {
                    tracing::warn!("the socket was removed; it is bound again");
                    let _ = context.rebind.send(listener).await;
                }
                Err(error) => tracing::warn!(%error, "the socket was removed and cannot be bound again"),
            }
        }
    }
}

// Summarises sessions and applies retention, in short transactions, while calls are answered.

/// The delay before the first round; later rounds run at the interval `EVERY`.
const UPKEEP_FIRST: Duration = Duration::from_secs(60);

const UPKEEP_EVERY: Duration = Duration::from_secs(600);

async fn upkeep(context: Arc<JobContext>, stop: CancellationToken) {
    let mut pause = UPKEEP_FIRST;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = UPKEEP_EVERY;
        let (local, began) = (context.local.clone(), Instant::now());
        let work = move || nudge_memory::upkeep::upkeep(local.memory(), nudge_client::now());
        let steps = backend::run_blocking(work).await.unwrap_or_default();
        for step in &steps {
            if let Some(fault) = &step.fault {
                log::failed(step.step, JOB_REQUESTER, began, fault);
            }
        }
    }
}

// Removes expired hints and old operation ids. They are invisible as soon as they expire; this
// only frees the space.

/// How often this runs.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

async fn sweep(context: Arc<JobContext>, stop: CancellationToken) {
    sweep_every(SWEEP_EVERY, context.local.clone(), stop).await;
}

async fn sweep_every(every: Duration, local: Arc<Local>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        let (local, began) = (local.clone(), Instant::now());
        match backend::run_blocking(move || local.memory().sweep(nudge_client::now())).await {
            Ok(Ok(_)) => {}
            Ok(Err(fault)) => log::failed("sweep", JOB_REQUESTER, began, &fault),
            Err(_) => tracing::error!("the sweep panicked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use nudge_home::Settings;
    use nudge_memory::{Caller, Memory, Surface};
    use nudge_store::{HostIdentity, Location, OpenOptions, Store};
    use serde_json::json;

    use super::*;

    fn local() -> Arc<Local> {
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now: nudge_client::now(),
            busy: Duration::from_secs(1),
            backups: None,
        });
        Arc::new(Local::new(Memory::open(store.expect("opens"), Settings::default())))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn hints_that_ended_are_removed_round_after_round() {
        let local = local();
        let stop = CancellationToken::new();
        let sweeping = tokio::spawn(sweep_every(Duration::from_millis(10), local.clone(), stop.clone()));
        let count = || local.memory().stats().expect("counted").hints;
        for round in 0..2 {
            let params = json!({"component": "c", "key": "k", "value": "v", "meta": {"ttl": "PT0.2S"}});
            let caller = Caller::new(Surface::Cli, nudge_client::now());
            local.run(caller, "set_hint", params).expect("set");
            let mut caller = Caller::new(Surface::Cli, nudge_client::now());
            caller.now = caller.now.plus(Duration::from_secs(1));
            let gone = local.run(caller, "get_hint", json!({"component": "c", "key": "k"}));
            assert!(gone.is_err(), "what has ended is ignored, swept or not: round {round}");
            for _ in 0..500 {
                if count() == 0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(count(), 0, "round {round}");
        }
        stop.cancel();
        sweeping.await.expect("it ends");
    }
}

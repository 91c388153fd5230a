//! Runs work on the store: on a bounded pool of threads, never on the runtime's own.
//!
//! The pool is the runtime's pool for blocking work, with a limit. Excess work waits for a free
//! thread.

use tokio::sync::Semaphore;

/// How many threads may work on the store at once. Readers run in parallel; writers wait for each
/// other in the store.
pub(crate) const THREADS: usize = 16;

/// How many of them may write at once. Writers wait for each other and for other processes, so
/// without a limit they could occupy every thread and block readers for no reason.
const WRITERS: usize = 12;

static FREE_TO_WRITE: Semaphore = Semaphore::const_new(WRITERS);

/// The work panicked. That fails only this work, not the server.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs work that writes, when fewer than [`WRITERS`] do.
pub(crate) async fn run_write<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    let _turn = FREE_TO_WRITE.acquire().await.map_err(|_| Panicked)?;
    run(work).await
}

/// Runs work on the pool and waits for its result.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Panicked> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Panicked)
}

//! Where work on the store runs: a bounded pool of threads, never the runtime's own.
//!
//! The pool is the runtime's pool for blocking work, with a limit. More work than it has threads waits its turn.

use tokio::sync::Semaphore;

/// How many threads may work on the store at once. Readers work beside each other; writers wait for each other in the store.
pub(crate) const THREADS: usize = 16;

/// How many of them may write at once. Writers wait for each other, and for other processes that write, so
/// without a limit they could hold every thread; readers would wait for nothing.
const WRITERS: usize = 12;

static FREE_TO_WRITE: Semaphore = Semaphore::const_new(WRITERS);

/// The work panicked. That is a failure of this piece of work alone, not of the server.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs a piece of work that writes, when fewer than [`WRITERS`] do.
pub(crate) async fn run_write<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    let _turn = FREE_TO_WRITE.acquire().await.map_err(|_| Panicked)?;
    run(work).await
}

/// Runs a piece of work on the pool and waits for its result.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Panicked> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Panicked)
}

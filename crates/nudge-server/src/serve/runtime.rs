//! The async runtime of a server.

use nudge_core::{Fault, FaultKind};
use tokio::runtime::{Builder, Runtime};

use crate::backend::pool;

/// The runtime with all its drivers.
pub(super) fn build() -> Result<Runtime, Fault> {
    let built = workers().enable_all().build();
    built.map_err(|error| internal(format!("cannot start the runtime: {error}")))
}

/// At least two workers: a quick read may occupy one while the other reads the client's next call.
pub(super) fn workers() -> Builder {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(cores.clamp(2, 4)).max_blocking_threads(pool::THREADS).thread_name("nudge");
    builder
}

/// A failure of the server itself.
pub(super) fn internal(message: String) -> Fault {
    Fault::new(FaultKind::Internal, "server", message).next("run `nudge doctor`")
}

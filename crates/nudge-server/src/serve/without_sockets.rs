//! Serves a client on stdio where no socket is available: directly from the store, by a process
//! that is not PRIMARY.

use std::io;
use std::sync::Arc;

use nudge_core::{Fault, FaultKind};

use super::pipe;
use super::runtime::{internal, workers};
use super::stdio::{self, Session};
use crate::backend::{Backend, Direct, Role};
use crate::options::ServeOptions;

/// Whether a server may run without port and socket: it has a client that needs neither, nobody
/// asked for a port, and others can reach its memory without it.
pub(super) fn is_possible(options: &ServeOptions, has_client: bool) -> bool {
    has_client && options.port.is_none() && !options.ephemeral
}

/// Whether a server may put off becoming PRIMARY until the disk has space again.
pub(super) fn is_possible_meanwhile(options: &ServeOptions, has_client: bool) -> bool {
    has_client && !options.ephemeral
}

/// Logs the reason, once.
pub(super) fn note(fault: &Fault) {
    tracing::warn!(
        reason = fault.reason,
        why = fault.message,
        "no port or no socket: the client is served on the store itself"
    );
}

/// Serves where the system denies every socket, even a connected pair. The runtime has no I/O
/// driver, which needs such a pair to receive signals; so the client's pipes have separate threads,
/// and a signal ends the process at once.
pub(super) fn serve(options: &ServeOptions, has_client: bool, error: &io::Error) -> Result<(), Fault> {
    let fault = no_sockets(error);
    if !is_possible(options, has_client) {
        return Err(fault);
    }
    note(&fault);
    let runtime = workers()
        .enable_time()
        .build()
        .map_err(|error| internal(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(async {
        let direct = Direct::new(options.home.clone(), options.settings.clone());
        let backend = Arc::new(Backend::new(Role::Aside, direct, true));
        stdio::ended(&mut Some(Session::start(options, backend, pipe::on_threads))).await;
    });
    runtime.shutdown_background();
    Ok(())
}

fn no_sockets(error: &io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "no_sockets", format!("cannot open a socket here: {error}")).next(
        "commands work without a server; so does `nudge serve` on stdio, without --port and --ephemeral",
    )
}

//! How a server comes in: as PRIMARY, as PROXY, or because one runs already, not at all.

use std::io;
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};

use crate::options::ServeOptions;
use nudge_client::connection::Connection;
use nudge_client::frame::Greeting;
use nudge_client::lock::{self, Claim, PrimaryLock};

/// How long a server that nobody waits for looks at a lock holder that does not answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(3);

/// How often it looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The way in.
pub(super) enum Entry {
    /// The lock is ours.
    Primary(PrimaryLock),
    /// Another holds it.
    Proxy,
    /// The home cannot be locked (read-only, or no room for the lock): serve the client, forward or
    /// read, never become PRIMARY.
    Alone,
    /// A PRIMARY runs and we have no client: there is nothing to do.
    Already(Greeting),
}

/// Claims the lock. A status probe may hold it for an instant, so without a client a lost claim
/// is only believed when a PRIMARY answers. So it is for a memory of its own too: what it joins decides
/// whether anything is kept.
pub(super) fn enter(options: &ServeOptions, has_client: bool) -> Result<Entry, Fault> {
    match options.home.secure_run_dir() {
        Ok(_) => {}
        Err(fault) if is_unwritable(&fault) && has_client => return Ok(Entry::Alone),
        Err(fault) => return Err(fault),
    }
    let began = Instant::now();
    loop {
        match claim(options) {
            Ok(Claim::Won(lock)) => return Ok(Entry::Primary(lock)),
            Ok(Claim::Taken) if has_client && !options.ephemeral => return Ok(Entry::Proxy),
            Ok(Claim::Taken) => {}
            Err(error) if has_client && cannot_be_made(&error) => return Ok(Entry::Alone),
            Err(error) => return Err(unlockable(options, error)),
        }
        if let Ok(wire) = Connection::reach(&options.home) {
            let running = wire.greeting().clone();
            if !has_client {
                return Ok(Entry::Already(running));
            }
            if !running.ephemeral {
                tracing::warn!(
                    "the memory that is being served is kept on disk: --ephemeral is without effect"
                );
            }
            return Ok(Entry::Proxy);
        }
        if began.elapsed() > ANSWERED_WITHIN {
            if has_client {
                return Ok(Entry::Proxy);
            }
            return Err(silent(options));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn claim(options: &ServeOptions) -> io::Result<Claim> {
    lock::claim(&options.home.lock_file())
}

fn is_unwritable(fault: &Fault) -> bool {
    fault.kind == FaultKind::ReadOnly || fault.reason == Fault::DISK_FULL
}

fn cannot_be_made(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), ReadOnlyFilesystem | PermissionDenied | StorageFull)
}

fn unlockable(options: &ServeOptions, error: io::Error) -> Fault {
    let path = options.home.lock_file();
    Fault::new(
        FaultKind::Unavailable,
        "lock",
        format!("the lock {} cannot be taken: {error}", path.display()),
    )
    .because(error)
    .next("run `nudge doctor`")
}

fn silent(options: &ServeOptions) -> Fault {
    let state = nudge_client::state::ServerState::read(&options.home.state_file());
    let who = state.map_or_else(String::new, |state| format!(" (process {})", state.pid));
    Fault::new(
        FaultKind::Unavailable,
        "silent_server",
        format!("a server holds the lock but does not answer{who}"),
    )
    .next("run `nudge status`; if it stays like this, end that process")
}

//! How a server starts: as PRIMARY, as PROXY, or not at all because one is already running.

use std::io;
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind};

use crate::ServeOptions;
use crate::primary::election::GIVEN_BACK_FOR;
use crate::primary::{StartedAs, newer_lives};
use nudge_client::connection::Connection;
use nudge_client::control::{HandoverReply, ask_to_hand_over};
use nudge_client::frame::Greeting;
use nudge_client::lock::{self, Claim, PrimaryLock};

/// How long a server without a client polls a lock owner that does not answer. Longer than a free
/// lock is left to a newer server, and longer than a handover takes.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// How often it polls.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How often it polls while an older PRIMARY hands over: the port is closed until another process
/// has the lock.
const FAST_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How to start.
pub(super) enum Entry {
    /// We have the lock.
    Primary(PrimaryLock, StartedAs),
    /// Another process has it.
    Proxy,
    /// The home cannot be locked (read-only, or no disk space for the lock): serve the client,
    /// forward or read, never become PRIMARY.
    Alone,
    /// A PRIMARY runs and we have no client: there is nothing to do.
    Already(Greeting),
}

/// Claims the lock. A status probe may have it for an instant, so without a client a failed claim
/// counts only if a PRIMARY answers. The same applies with `--ephemeral`: the server it joins
/// decides whether anything is stored. A lock that is free while a newer server is running is left
/// to that server.
pub(super) fn enter(options: &ServeOptions, has_client: bool) -> Result<Entry, Fault> {
    match options.home.secure_run_dir() {
        Ok(_) => {}
        Err(fault) if is_unwritable(&fault) && has_client => return Ok(Entry::Alone),
        Err(fault) => return Err(fault),
    }
    let mut began = Instant::now();
    let mut handing_over: Option<Greeting> = None;
    loop {
        match claim(options) {
            Ok(Claim::Won(lock)) if began.elapsed() > GIVEN_BACK_FOR || !has_newer(options) => {
                return Ok(Entry::Primary(lock, after(handing_over)));
            }
            Ok(_) if has_client && !options.ephemeral => return Ok(Entry::Proxy),
            Ok(_) => {}
            Err(error) if has_client && cannot_be_made(&error) => return Ok(Entry::Alone),
            Err(error) => return Err(unlockable(options, error)),
        }
        if let Some(running) = answering(options, handing_over.as_ref()) {
            if !has_client {
                if handing_over.is_none() && takes_over(options, &running) {
                    (began, handing_over) = (Instant::now(), Some(running));
                    continue;
                }
                return Ok(Entry::Already(running));
            }
            if !running.ephemeral {
                tracing::warn!("a server with a memory on disk is running: --ephemeral has no effect");
            }
            return Ok(Entry::Proxy);
        }
        if began.elapsed() > ANSWERED_WITHIN {
            if has_client {
                return Ok(Entry::Proxy);
            }
            return Err(silent(options));
        }
        std::thread::sleep(if handing_over.is_some() { FAST_POLL_INTERVAL } else { POLL_INTERVAL });
    }
}

/// The PRIMARY that answers, unless it is the one that hands over.
fn answering(options: &ServeOptions, handing_over: Option<&Greeting>) -> Option<Greeting> {
    let running = Connection::reach(&options.home).ok()?.greeting().clone();
    handing_over.is_none_or(|old| old.instance != running.instance).then_some(running)
}

/// Asks an older PRIMARY to hand over; returns whether it does. Asks only if its port and memory
/// match our options.
fn takes_over(options: &ServeOptions, running: &Greeting) -> bool {
    if options.ephemeral || options.port.is_some_and(|port| port != running.port) {
        return false;
    }
    match ask_to_hand_over(&options.home, &options.version) {
        HandoverReply::Agreed(old) => old.instance == running.instance,
        HandoverReply::Refused(fault) => {
            tracing::info!(
                reason = fault.reason,
                version = running.version,
                "the older server does not hand over"
            );
            false
        }
        HandoverReply::NotAsked => false,
    }
}

fn has_newer(options: &ServeOptions) -> bool {
    newer_lives(&options.home.run_dir(), &options.version)
}

/// How a server starts that took over from this one.
fn after(handed_over: Option<Greeting>) -> StartedAs {
    handed_over
        .map_or(StartedAs::Fresh, |old| StartedAs::Promoted { port: Some(old.port), after_ephemeral: false })
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
    Fault::new(FaultKind::Unavailable, "lock", format!("cannot take the lock {}: {error}", path.display()))
        .because(error)
        .next("run `nudge doctor`")
}

fn silent(options: &ServeOptions) -> Fault {
    let state = nudge_client::lock::ServerState::read(&options.home.state_file());
    let who = state.map_or_else(String::new, |state| format!(" (process {})", state.pid));
    Fault::new(
        FaultKind::Unavailable,
        "silent_server",
        format!("a server holds the lock but does not answer{who}"),
    )
    .next("run `nudge status`; if it does not recover, end that process")
}

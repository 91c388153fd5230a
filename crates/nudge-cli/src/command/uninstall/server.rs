//! Stops the server that an installation started.

use std::time::{Duration, Instant};

use nudge_client::lock;
use nudge_client::status::status;
use nudge_home::Home;
use rustix::process::{Pid, Signal, kill_process};

/// How long the server may take to end by itself.
const WITHIN: Duration = Duration::from_secs(1);

/// Asks the server to end, if one runs, and kills it after a second. A server that an agent started
/// ends with that agent, so it is left alone unless its memory is deleted.
pub(super) fn stop(home: &Home, also_of_agents: bool) {
    let server = status(home);
    let Some(pid) = server.pid.filter(|_| server.running) else { return forget(home) };
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    if !also_of_agents && !is_detached(pid) {
        return;
    }
    let _ = kill_process(pid, Signal::TERM);
    wait_for_end(home);
    if status(home).pid == server.pid && lock::is_held(&home.lock_file()) {
        let _ = kill_process(pid, Signal::KILL);
        wait_for_end(home);
    }
    forget(home);
}

/// Waits until the server has ended, but no longer than it may take.
fn wait_for_end(home: &Home) {
    let began = Instant::now();
    while lock::is_held(&home.lock_file()) && began.elapsed() < WITHIN {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Removes the state file of a server that has ended.
fn forget(home: &Home) {
    if !lock::is_held(&home.lock_file()) {
        let _ = std::fs::remove_file(home.state_file());
    }
}

/// Whether a process leads its own session. A detached server does; a server that an agent started
/// does not.
fn is_detached(pid: Pid) -> bool {
    rustix::process::getsid(Some(pid)).is_ok_and(|session| session == pid)
}

//! Bringing the search index up where no server does it: a process of its own, that whoever notices the need starts.

use std::fs;
use std::time::{Duration, SystemTime};

use nudge_core::Fault;
use nudge_home::Settings;
use nudge_home::home::{Home, private_file};
use nudge_memory::recall::{IndexProgress, LONG_TAIL, index_is_free};
use nudge_memory::{Memory, upkeep};

use crate::{background, lock};

/// For how long the index is written at a stretch: between two of them a purge gets its turn.
pub const STRETCH: Duration = Duration::from_secs(2);

/// How often a process of its own is started at most.
const AT_MOST_EVERY: Duration = Duration::from_secs(60);

/// The hidden command that such a process runs.
pub const COMMAND: &str = "keep-index";

/// Starts a process that brings the index up, if that is worth it: there is no server, much has gathered, nobody is at it,
/// the index can be written, and none was started within the last minute. Whoever calls this does not wait for it.
pub fn start_if_behind(home: &Home, memory: &Memory) {
    let tail = i64::try_from(LONG_TAIL).unwrap_or(i64::MAX);
    let is_behind = memory.last_tail() > LONG_TAIL || memory.index_lag().is_ok_and(|lag| lag > tail);
    let is_served = lock::is_held(&home.lock_file());
    if is_behind && !is_served && index_is_free(memory) && is_our_turn(home) {
        start(home);
    }
}

/// Whether no process was started of late; if so, this one is noted.
fn is_our_turn(home: &Home) -> bool {
    let Ok(run) = home.secure_run_dir() else { return false };
    let stamp = run.join("index-started");
    let age = fs::metadata(&stamp).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age < AT_MOST_EVERY) {
        return false;
    }
    private_file::read_write(&stamp).and_then(|file| file.set_modified(SystemTime::now())).is_ok()
}

fn start(home: &Home) {
    // It is nobody's child for long: whoever started it ends, and does not ask how it went.
    let _ = background::command(home)
        .and_then(|mut command| command.arg(COMMAND).current_dir(home.root()).spawn());
}

/// What that process does: brings the index up with the store, unless somebody else is at it.
pub fn bring_up(home: &Home) -> Result<Option<IndexProgress>, Fault> {
    // Closing the terminal it was started from ends nothing here. Fails only where this process leads a session already.
    let _ = rustix::process::setsid();
    bring_up_with(&upkeep::open(home, &Settings::default(), crate::clock::now())?)
}

/// Brings the index up with a store that is open, unless somebody else is at it.
pub fn bring_up_with(memory: &Memory) -> Result<Option<IndexProgress>, Fault> {
    loop {
        match memory.keep_index(STRETCH, crate::clock::now())? {
            Some(progress) if !progress.is_complete => std::thread::sleep(Duration::from_millis(20)),
            progress => return Ok(progress),
        }
    }
}

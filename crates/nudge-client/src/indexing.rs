//! Updates the search index without a server: any process that notices the need starts a separate
//! process for it.

use std::fs;
use std::time::{Duration, SystemTime};

use nudge_core::Fault;
use nudge_home::Settings;
use nudge_home::home::{Home, private_file};
use nudge_memory::recall::{IndexProgress, LONG_TAIL, index_is_free};
use nudge_memory::{Memory, upkeep};

use crate::{background, lock};

/// How long the index is written without a break; a purge can run in between.
pub const MAX_STRETCH: Duration = Duration::from_secs(2);

/// The shortest time between two starts of such a process.
const MIN_INTERVAL: Duration = Duration::from_secs(60);

/// The hidden command that such a process runs.
pub const INDEX_COMMAND: &str = "keep-index";

/// Starts a process that updates the index, if that is worthwhile: there is no server, the index is
/// far behind, nobody is updating it, it can be written, and no process was started in the last
/// minute. Does not wait for it.
pub fn start_if_behind(home: &Home, memory: &Memory) {
    let tail = i64::try_from(LONG_TAIL).unwrap_or(i64::MAX);
    let is_behind = memory.last_tail() > LONG_TAIL || memory.index_lag().is_ok_and(|lag| lag > tail);
    let is_served = lock::is_held(&home.lock_file());
    if is_behind && !is_served && index_is_free(memory) && is_our_turn(home) {
        start(home);
    }
}

/// Whether no process was started recently; if so, records that one starts now.
fn is_our_turn(home: &Home) -> bool {
    let Ok(run) = home.secure_run_dir() else { return false };
    let stamp = run.join("index-started");
    let age = fs::metadata(&stamp).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age < MIN_INTERVAL) {
        return false;
    }
    private_file::read_write(&stamp).and_then(|file| file.set_modified(SystemTime::now())).is_ok()
}

fn start(home: &Home) {
    // The child is not awaited: the process that starts it ends, and does not need the result.
    let _ = background::command(home)
        .and_then(|mut command| command.arg(INDEX_COMMAND).current_dir(home.root()).spawn());
}

/// The work of that process: updates the index from the store, unless another process is doing so.
pub fn update_index(home: &Home) -> Result<Option<IndexProgress>, Fault> {
    // Closing the terminal must not end this process. Fails only if this process already leads a
    // session.
    let _ = rustix::process::setsid();
    update_index_of(&upkeep::open(home, &Settings::default(), crate::now())?)
}

/// Updates the index from an open store, unless another process is doing so.
pub fn update_index_of(memory: &Memory) -> Result<Option<IndexProgress>, Fault> {
    loop {
        match memory.update_index(MAX_STRETCH, crate::now())? {
            Some(progress) if !progress.is_complete => std::thread::sleep(Duration::from_millis(20)),
            progress => return Ok(progress),
        }
    }
}

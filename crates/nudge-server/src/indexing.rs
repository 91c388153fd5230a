//! Who keeps the search index up with the store: a thread of PRIMARY, or, where there is none and much has gathered, a
//! process of its own that whoever noticed it starts.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use nudge_core::Fault;
use nudge_memory::home::{Home, private_file};
use nudge_memory::recall::{IndexProgress, LONG_TAIL, index_is_free};
use nudge_memory::{Memory, Settings, upkeep};
use tokio_util::sync::CancellationToken;

use crate::election;
use crate::local::Local;

/// How often PRIMARY looks whether there is something to take in. A look costs some ten microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How many changes are taken in at once without waiting for more: scanning them costs a search some 5 ms.
const ENOUGH: i64 = 500;

/// How long fewer wait for company. Every commit costs some 20 ms and a file that has to be merged away.
const SETTLE: Duration = Duration::from_secs(3);

/// For how long the index is written at a stretch: between two of them a purge gets its turn.
const STRETCH: Duration = Duration::from_secs(2);

/// How long PRIMARY leaves an index alone that cannot be written, as on a full disk.
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// How often a process of its own is started at most.
const AT_MOST_EVERY: Duration = Duration::from_secs(60);

/// The hidden command that such a process runs.
pub const COMMAND: &str = "keep-index";

/// Keeps the index for as long as this process is PRIMARY.
pub(crate) fn keep(local: Arc<Local>, stop: CancellationToken) {
    let keeping = move || Keeping::new(&local).run(&stop);
    if let Err(error) = std::thread::Builder::new().name("index".to_owned()).spawn(keeping) {
        tracing::warn!(%error, "no thread for the search index: searches scan what it does not have");
    }
}

struct Keeping<'l> {
    memory: &'l Memory,
    lineage: Option<u64>,
    waiting_since: Option<Instant>,
}

impl<'l> Keeping<'l> {
    fn new(local: &'l Local) -> Self {
        Self { memory: local.memory(), lineage: None, waiting_since: None }
    }

    fn run(mut self, stop: &CancellationToken) {
        let mut pause = LOOK_EVERY;
        while !waited(stop, pause) {
            pause = match self.round() {
                Ok(true) => Duration::from_millis(20),
                Ok(false) => LOOK_EVERY,
                Err(fault) => {
                    tracing::warn!(reason = fault.reason, "the search index is behind");
                    AFTER_FAILURE
                }
            };
        }
    }

    /// One look; says whether there is more to do at once.
    fn round(&mut self) -> Result<bool, Fault> {
        if !self.is_due()? {
            return Ok(false);
        }
        let lineage = self.memory.lineage()?;
        let Some(progress) = self.memory.keep_index(STRETCH, crate::clock::now())? else {
            return Ok(false);
        };
        self.waiting_since = None;
        self.lineage = Some(lineage);
        if progress.is_anew {
            tracing::info!("the search index is built anew");
        }
        Ok(!progress.is_complete)
    }

    fn is_due(&mut self) -> Result<bool, Fault> {
        let is_other = self.lineage.is_some_and(|known| self.memory.lineage().is_ok_and(|now| now != known));
        if !is_other && !self.memory.index_is_wanting()? {
            self.waiting_since = None;
            return Ok(false);
        }
        if is_other || self.memory.index_lag()? >= ENOUGH {
            return Ok(true);
        }
        Ok(self.waiting_since.get_or_insert_with(Instant::now).elapsed() >= SETTLE)
    }
}

/// Waits; says whether it was asked to stop meanwhile.
fn waited(stop: &CancellationToken, pause: Duration) -> bool {
    let until = Instant::now() + pause;
    while Instant::now() < until && !stop.is_cancelled() {
        std::thread::sleep(LOOK_EVERY.min(until.saturating_duration_since(Instant::now())));
    }
    stop.is_cancelled()
}

/// Starts a process that brings the index up, if that is worth it: there is no server, much has gathered, nobody is at it,
/// the index can be written, and none was started within the last minute. Whoever calls this does not wait for it.
pub fn start_if_behind(home: &Home, memory: &Memory) {
    let tail = i64::try_from(LONG_TAIL).unwrap_or(i64::MAX);
    let is_behind = memory.last_tail() > LONG_TAIL || memory.index_lag().is_ok_and(|lag| lag > tail);
    let is_served = election::is_held(&home.lock_file());
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
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    if !home.is_default() {
        command.arg("--home").arg(home.root());
    }
    let command = command.arg(COMMAND).current_dir(home.root());
    // It is nobody's child for long: whoever started it ends, and does not ask how it went.
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

/// What that process does: brings the index up with the store, unless somebody else is at it.
pub fn bring_up(home: &Home) -> Result<Option<IndexProgress>, Fault> {
    // Closing the terminal it was started from ends nothing here. Fails only where this process leads a session already.
    let _ = rustix::process::setsid();
    let memory = upkeep::open(home, &Settings::default(), crate::clock::now())?;
    loop {
        match memory.keep_index(STRETCH, crate::clock::now())? {
            Some(progress) if !progress.is_complete => std::thread::sleep(Duration::from_millis(20)),
            progress => return Ok(progress),
        }
    }
}

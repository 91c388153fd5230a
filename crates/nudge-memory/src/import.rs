//! Starting full: what agents wrote down before Nudge was there becomes memory.
//!
//! A transcript is followed from its first line, and each event in it takes the way that a hook's payload takes, so that what
//! hooks told already is known again. Batches are small, so that nobody waits long for the write lock; how far a file was read
//! is kept in the same transaction as what was read, so that an import that is stopped goes on where it was.

mod batch;
mod file;
mod find;
mod known;
pub mod memories;
mod pace;
mod place;
mod report;
mod rows;
mod scribe;

pub use find::default_place;
pub use report::Report;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_store::{Location, OpenOptions, Store};

use nudge_home::Home;
use nudge_home::host;

/// How long an import waits for another process's write. Nothing that holds the lock does so for longer.
const BUSY: Duration = Duration::from_secs(10);

/// What to import.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose transcripts.
    pub harness: Harness,
    /// A transcript, a directory of them, or a database.
    pub path: PathBuf,
    /// Whether to look only: nothing is written.
    pub dry_run: bool,
    /// Only what happened since.
    pub since: Option<Timestamp>,
    /// Only what happened in the project of this directory.
    pub project: Option<PathBuf>,
    /// Now.
    pub now: Timestamp,
}

impl Request {
    /// Whether some of what is read may be left out, so that it must be read again another time.
    const fn is_partial(&self) -> bool {
        self.since.is_some() || self.project.is_some()
    }
}

/// How far an import is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes, rows or lines that were read.
    pub done: u64,
    /// Bytes, or rows, in all; 0 when that is not known.
    pub total: u64,
}

/// Imports transcripts, and says what became of them. `watch` hears how far it is.
pub fn transcripts(home: &Home, request: &Request, watch: &mut dyn FnMut(Progress)) -> Result<Report, Fault> {
    let store = open(home, request.dry_run, request.now)?;
    thread::scope(|scope| {
        let mut run = batch::Run::new(scope, &store, home, request);
        read(&mut run, watch)?;
        run.finish()
    })
}

fn read(run: &mut batch::Run<'_>, watch: &mut dyn FnMut(Progress)) -> Result<(), Fault> {
    let request = run.request;
    if request.harness == Harness::Opencode {
        return rows::import(run, watch);
    }
    let files = find::transcripts(request.harness, &request.path)?;
    let total = files.iter().map(|file| file.bytes).sum();
    let mut done = 0;
    for found in files {
        watch(Progress { done, total });
        file::import(run, &found.path, &mut |read| watch(Progress { done: done + read, total }))?;
        done += found.bytes;
    }
    watch(Progress { done: total, total });
    Ok(())
}

/// The store, made if need be unless it is only looked at.
fn open(home: &Home, dry_run: bool, now: Timestamp) -> Result<Store, Fault> {
    if !dry_run {
        home.prepare()?;
    }
    Ok(Store::open(&OpenOptions {
        location: Location::File(home.db()),
        read_only: dry_run,
        host: host::identity(),
        now,
        busy: BUSY,
        backups: Some(home.backups_dir()),
    })?)
}

fn unreadable(path: &Path, error: std::io::Error) -> Fault {
    Fault::invalid("unreadable_file", format!("cannot read {}: {error}", path.display()))
        .because(error)
        .next("check the path, or name another one")
}

//! The request for an import, its progress, and its store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_harness::Harness;
use nudge_home::{Home, host};
use nudge_store::{Location, OpenOptions, Store};

/// How long an import waits for another process's write. Nothing holds the lock longer.
const BUSY: Duration = Duration::from_secs(10);

/// What to import.
#[derive(Clone, Debug)]
pub struct Request {
    /// The agent that wrote the transcripts.
    pub harness: Harness,
    /// A transcript, a directory of them, or a database.
    pub path: PathBuf,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// Import only what happened since this time.
    pub since: Option<Timestamp>,
    /// Import only what happened in the project of this directory.
    pub project: Option<PathBuf>,
    /// The current time.
    pub now: Timestamp,
}

impl Request {
    /// Whether the request may leave something out, so that the same files must be read again
    /// later.
    pub(super) const fn is_partial(&self) -> bool {
        self.since.is_some() || self.project.is_some()
    }
}

/// The progress of an import.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes, rows or lines read so far.
    pub done: u64,
    /// Bytes or rows in total; 0 if unknown.
    pub total: u64,
}

/// Opens the store; creates it if necessary, except in a dry run.
pub(super) fn open(home: &Home, dry_run: bool, now: Timestamp) -> Result<Store, Fault> {
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

/// The error for a file that cannot be read.
pub(super) fn unreadable(path: &Path, error: std::io::Error) -> Fault {
    let (kind, reason) = match error.kind() {
        std::io::ErrorKind::NotFound => (FaultKind::NotFound, "no_file"),
        _ => (FaultKind::Invalid, "unreadable_file"),
    };
    Fault::new(kind, reason, format!("cannot read {}: {error}", path.display()))
        .because(error)
        .next("check the path, or name another one")
}

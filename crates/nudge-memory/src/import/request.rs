//! What an import is asked for, how far it is, and the store it writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_home::{Home, host};
use nudge_store::{Location, OpenOptions, Store};

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
    pub(super) const fn is_partial(&self) -> bool {
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

/// The store, made if need be unless it is only looked at.
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

/// A file that cannot be read.
pub(super) fn unreadable(path: &Path, error: std::io::Error) -> Fault {
    Fault::invalid("unreadable_file", format!("cannot read {}: {error}", path.display()))
        .because(error)
        .next("check the path, or name another one")
}

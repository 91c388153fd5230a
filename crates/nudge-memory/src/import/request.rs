//! The request for an import, its progress, its store and its report.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind, Speaker, Timestamp};
use nudge_harness::Harness;
use nudge_home::{Home, host};
use nudge_store::{Location, OpenOptions, Store};
use serde::Serialize;

use crate::capture::{CapturedEvent, CapturedVia, EventBody, StoreOutcome};

/// How long an import waits for another process's write. Nothing holds the lock longer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// What to import.
#[derive(Clone, Debug)]
pub struct Request {
    /// The agent that wrote the transcripts.
    pub harness: Harness,
    /// A transcript, a directory of them, or a database.
    pub path: PathBuf,
    /// Whether they are the user's own: standing instructions in them become proposals.
    pub is_own: bool,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// Import only what happened since this time.
    pub since: Option<Timestamp>,
    /// Import only what happened in the project of this directory.
    pub project: Option<PathBuf>,
    /// Whether a tool of this name is one of Nudge's own.
    pub is_own_tool: fn(&str) -> bool,
    /// The current time.
    pub now: Timestamp,
}

impl Request {
    /// How its events count.
    pub(super) const fn via(&self) -> CapturedVia {
        if self.is_own { CapturedVia::OwnImport } else { CapturedVia::Import }
    }

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
        busy: BUSY_TIMEOUT,
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

// The result of an import.

/// What was read, stored, already known, and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether this was a dry run. The counts then show what would be stored.
    pub dry_run: bool,
    /// Transcripts that were read; each opencode session counts as one.
    pub files: u64,
    /// Transcripts with nothing new since the last import.
    pub unchanged: u64,
    /// Sessions with anything stored.
    pub sessions: u64,
    /// Prompts that were stored.
    pub prompts: u64,
    /// Thoughts of an agent that were stored.
    pub thoughts: u64,
    /// Observations that were stored.
    pub observations: u64,
    /// Events that were already in the memory.
    pub known: u64,
    /// Events that were already in the memory, with an outcome that is known only now.
    pub settled: u64,
    /// Lines and events that were skipped, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<String>,
    #[serde(skip)]
    pub(super) seen: BTreeSet<String>,
}

impl Report {
    pub(super) fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Counts the result for one captured event.
    pub(super) fn count(&mut self, captured: &CapturedEvent, outcome: StoreOutcome) {
        match (outcome, &captured.what) {
            (StoreOutcome::Nothing, _) => self.skip("nothing"),
            (StoreOutcome::Duplicate, _) => self.known += 1,
            (StoreOutcome::Settled(_), _) => self.settled += 1,
            (StoreOutcome::Stored(_), what) => {
                match what {
                    EventBody::Prompt { by: Speaker::Agent, .. } => self.thoughts += 1,
                    EventBody::Prompt { .. } | EventBody::Said { .. } => self.prompts += 1,
                    _ => self.observations += 1,
                }
                self.seen.insert(captured.session.clone());
            }
        }
    }

    /// Adds counts made elsewhere.
    pub(super) fn add(&mut self, counted: Self) {
        let Self { prompts, thoughts, observations, known, settled, skipped, seen, .. } = counted;
        self.prompts += prompts;
        self.thoughts += thoughts;
        self.observations += observations;
        self.known += known;
        self.settled += settled;
        for (why, times) in skipped {
            *self.skipped.entry(why).or_default() += times;
        }
        self.seen.extend(seen);
    }
}

// How far a file or table was read.

/// How far something was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) name: String,
    pub(super) position: i64,
    pub(super) detail: String,
}

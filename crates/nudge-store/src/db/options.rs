//! Where a store is, how to open it, and whether it can be written here.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use nudge_core::Timestamp;

pub use nudge_core::HostIdentity;

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a database file.
    File(PathBuf),
    /// In this process only; gone when the store is dropped.
    Memory,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Where it is.
    pub location: Location,
    /// Whether it will only be read. An older schema is still upgraded if possible.
    pub read_only: bool,
    /// The current machine: a changed boot ends the memory session.
    pub host: HostIdentity,
    /// The current time.
    pub now: Timestamp,
    /// How long to wait for a lock.
    pub busy: Duration,
    /// Where a copy goes before the schema is upgraded; `None` makes no copy.
    pub backups: Option<PathBuf>,
}

// Whether a store can be written here, and if not, why.

/// What a store may be used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads and writes.
    ReadWrite,
    /// Reads only; a write is rejected with the reason.
    ReadOnly {
        /// Why.
        reason: ReadOnlyReason,
    },
}

/// Why a store is read-only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// This process cannot write the directory or the file, for example in an agent's sandbox.
    HomeNotWritable,
    /// The database was written by a newer version of the program.
    NewerSchema {
        /// The schema version found.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The caller asked for it.
    Asked,
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HomeNotWritable => f.write_str("its directory cannot be written by this process"),
            Self::NewerSchema { found, known } => {
                write!(f, "it has schema {found} and this program knows up to {known}")
            }
            Self::Asked => f.write_str("it was opened for reading"),
        }
    }
}

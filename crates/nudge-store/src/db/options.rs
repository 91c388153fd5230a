//! Where a store is and how to open it.

use std::path::PathBuf;
use std::time::Duration;

pub use nudge_core::HostIdentity;
use nudge_core::Timestamp;

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

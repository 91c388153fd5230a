//! Where a store lives and how it is to be opened.

use std::path::PathBuf;
use std::time::Duration;

pub use nudge_core::HostIdentity;
use nudge_core::Timestamp;

/// Where a store lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a database file.
    File(PathBuf),
    /// In this process alone; gone when the store is dropped.
    Memory,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Where it lives.
    pub location: Location,
    /// Whether it will only be read. An older schema is still upgraded where that can be done.
    pub read_only: bool,
    /// Where we are: a changed boot ends the memory session.
    pub host: HostIdentity,
    /// Now.
    pub now: Timestamp,
    /// How long to wait for a lock before giving up.
    pub busy: Duration,
    /// Where a copy goes before the schema is upgraded; nowhere means no copy.
    pub backups: Option<PathBuf>,
}

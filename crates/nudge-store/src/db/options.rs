//! Where a store lives and how it is to be opened.

use std::path::PathBuf;
use std::time::Duration;

use nudge_core::Timestamp;

/// Where a store lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a database file.
    File(PathBuf),
    /// In this process alone; gone when the store is dropped.
    Memory,
}

/// This machine and its present boot, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostIdentity {
    /// The machine's id.
    pub machine: Option<String>,
    /// The id of its present boot.
    pub boot: Option<String>,
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

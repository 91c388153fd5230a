//! Where an operation works: one transaction, one caller, one set of settings.

use std::sync::atomic::{AtomicUsize, Ordering};

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_index::Index;
use nudge_store::{Reader, Writer};

use crate::caller::Caller;
use crate::settings::Settings;

/// The search index, and how much of the store searches had to scan beside it.
pub(crate) struct Finding {
    pub(crate) index: Index,
    pub(crate) tail: AtomicUsize,
}

/// What an operation may touch.
///
/// Reads and writes of one operation happen on one transaction, so an answer never mixes two
/// states of the store, and a failed operation leaves nothing behind.
pub struct Desk<'a> {
    reader: &'a Reader<'a>,
    writer: Option<&'a Writer<'a>>,
    found: &'a Finding,
    /// Who asks.
    pub caller: &'a Caller,
    /// The settings in force.
    pub settings: &'a Settings,
}

impl<'a> Desk<'a> {
    pub(crate) const fn reading(
        reader: &'a Reader<'a>,
        found: &'a Finding,
        caller: &'a Caller,
        settings: &'a Settings,
    ) -> Self {
        Self { reader, writer: None, found, caller, settings }
    }

    pub(crate) fn writing(
        writer: &'a Writer<'a>,
        found: &'a Finding,
        caller: &'a Caller,
        settings: &'a Settings,
    ) -> Self {
        Self { reader: writer, writer: Some(writer), found, caller, settings }
    }

    /// The search index.
    pub const fn index(&self) -> &'a Index {
        &self.found.index
    }

    /// Notes how much a search had to scan.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.found.tail.store(scanned, Ordering::Relaxed);
    }

    /// The store, to look at.
    pub const fn store(&self) -> &Reader<'a> {
        self.reader
    }

    /// The store, to change.
    pub fn writer(&self) -> Result<&'a Writer<'a>, Fault> {
        self.writer.ok_or_else(|| {
            Fault::new(
                FaultKind::Internal,
                "read_only_operation",
                "an operation declared as a read tried to write",
            )
        })
    }

    /// When the caller asked.
    pub const fn now(&self) -> Timestamp {
        self.caller.now
    }
}

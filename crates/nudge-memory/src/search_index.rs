//! The search index next to a store.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use nudge_index::Index;
use nudge_store::{Location, Store};

/// A path that cannot exist, for a memory without a directory.
const NOWHERE: &str = "/dev/null/index";

/// The index, and how many entries searches had to scan outside it.
pub(crate) struct SearchIndex {
    index: Index,
    tail: AtomicUsize,
}

impl SearchIndex {
    /// The index of a store.
    pub(crate) fn of(store: &Store) -> Self {
        Self { index: Index::open(&directory(store)), tail: AtomicUsize::new(0) }
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// How many entries the last search had to scan one by one.
    pub(crate) fn last_tail(&self) -> usize {
        self.tail.load(Ordering::Relaxed)
    }

    /// Records how many entries a search scanned.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.tail.store(scanned, Ordering::Relaxed);
    }
}

/// The directory of a store's index.
pub(crate) fn directory(store: &Store) -> PathBuf {
    match store.location() {
        Location::File(path) => path.with_file_name("index"),
        Location::Memory => PathBuf::from(NOWHERE),
    }
}

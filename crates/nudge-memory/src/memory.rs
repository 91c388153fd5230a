//! An open memory: a store, its search index, and its settings.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use nudge_core::{Fault, Timestamp};
use nudge_home::Settings;
use nudge_index::Index;
use nudge_store::{Durability, Location, MemorySession, Store, StoreStats, Swept};

/// A store with its settings.
pub struct Memory {
    store: Store,
    settings: Settings,
    search: SearchIndex,
    /// The projects in which an agent is known to read with the tools of `work`.
    work_readers: Mutex<HashSet<String>>,
}

impl Memory {
    /// Opens a store for use, with the search index next to it.
    pub fn open(store: Store, settings: Settings) -> Self {
        let search = SearchIndex::of(&store);
        Self { store, settings, search, work_readers: Mutex::default() }
    }

    /// The search index.
    pub const fn index(&self) -> &Index {
        self.search.index()
    }

    /// Whether this is the first call about a project by its key: later ones need not look again.
    pub(crate) fn is_first_work_read(&self, project: &str) -> bool {
        self.work_readers.lock().is_ok_and(|mut known| known.insert(project.to_owned()))
    }

    /// How many entries the last search had to scan one by one.
    pub fn last_tail(&self) -> usize {
        self.search.last_tail()
    }

    pub(crate) const fn search(&self) -> &SearchIndex {
        &self.search
    }

    /// The store itself, for upkeep: backups, checks, sizes.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// The settings in force.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Removes expired hints, old operation ids, and feed rows that no reader needs.
    pub fn sweep(&self, now: Timestamp) -> Result<Swept, Fault> {
        self.store.write(Durability::Passive, |writer| Ok(writer.sweep(now)?))
    }

    /// Ends the memory session, and with it the hints that live for the session.
    pub fn end_session(&self, now: Timestamp) -> Result<SessionEnd, Fault> {
        self.store.write(Durability::Stated, |writer| {
            writer.sweep(now)?;
            let next = writer.end_session(now)?;
            let mut hints = 0;
            loop {
                match writer.sweep(now)?.hints {
                    0 => return Ok(SessionEnd { next, hints }),
                    swept => hints += swept,
                }
            }
        })
    }

    /// The current memory session.
    pub fn session(&self) -> Result<MemorySession, Fault> {
        self.store.read(|reader| Ok(reader.session()?))
    }

    /// Sizes and counts.
    pub fn stats(&self) -> Result<StoreStats, Fault> {
        Ok(self.store.stats()?)
    }
}

/// The result of ending a memory session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// The session that has started.
    pub next: MemorySession,
    /// How many hints expired with the old one.
    pub hints: u64,
}

// The search index next to a store.

/// A path that cannot exist, for a memory without a directory.
const NO_INDEX_PATH: &str = "/dev/null/index";

/// The index, and how many entries searches had to scan outside it.
pub(crate) struct SearchIndex {
    index: Index,
    tail: AtomicUsize,
}

impl SearchIndex {
    /// The index of a store.
    pub(crate) fn of(store: &Store) -> Self {
        Self { index: Index::open(&index_directory(store)), tail: AtomicUsize::new(0) }
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// How many entries the last search had to scan one by one.
    fn last_tail(&self) -> usize {
        self.tail.load(Ordering::Relaxed)
    }

    /// Records how many entries a search scanned.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.tail.store(scanned, Ordering::Relaxed);
    }
}

/// The directory of a store's index.
pub(crate) fn index_directory(store: &Store) -> PathBuf {
    match store.location() {
        Location::File(path) => path.with_file_name("index"),
        Location::Memory => PathBuf::from(NO_INDEX_PATH),
    }
}

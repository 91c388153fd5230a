//! A memory that is open: a store, its search index, and the settings it is used under.

use nudge_core::{Fault, Timestamp};
use nudge_home::Settings;
use nudge_index::Index;
use nudge_store::{Durability, MemorySession, Store, StoreStats, Swept};

use crate::search_index::SearchIndex;

/// A store with the settings it is used under.
pub struct Memory {
    store: Store,
    settings: Settings,
    search: SearchIndex,
}

impl Memory {
    /// Puts a store to use, with the search index that lies beside it.
    pub fn open(store: Store, settings: Settings) -> Self {
        let search = SearchIndex::of(&store);
        Self { store, settings, search }
    }

    /// The search index.
    pub const fn index(&self) -> &Index {
        self.search.index()
    }

    /// How many entries the last search had to look at one by one.
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

    /// Removes what has ended: expired hints, old operation ids, feed rows nobody waits for.
    pub fn sweep(&self, now: Timestamp) -> Result<Swept, Fault> {
        self.store.write(Durability::Passive, |writer| Ok(writer.sweep(now)?))
    }

    /// Ends the memory session: hints that live for the session end with it.
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

    /// The memory session in force.
    pub fn session(&self) -> Result<MemorySession, Fault> {
        self.store.read(|reader| Ok(reader.session()?))
    }

    /// Sizes and counts.
    pub fn stats(&self) -> Result<StoreStats, Fault> {
        Ok(self.store.stats()?)
    }
}

/// How a memory session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// The session that began.
    pub next: MemorySession,
    /// How many hints ended with the old one.
    pub hints: u64,
}

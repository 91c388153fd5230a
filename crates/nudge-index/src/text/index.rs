//! The index, for reading.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tantivy::TantivyDocument;

use crate::source::Source;
use crate::text::engine::directory::META;
use crate::text::engine::{Snapshot, State};

/// How long an open index is trusted before its files are looked at again, beyond the check for new
/// commits and for files that were cut short.
const TRUSTED: Duration = Duration::from_secs(1);

/// Within what time a pinned index is not looked at again: the steps of one search follow each
/// other faster.
const JUST_SEEN: Duration = Duration::from_millis(2);

/// How long an index that cannot be used is left alone, unless there is a new commit: finding out
/// may mean reading all of it.
const LEFT_ALONE: Duration = Duration::from_secs(30);

/// A search index, opened for reading. Cheap to open, shared between threads, and up to date with
/// every commit.
///
/// It needs nothing but the right to read its directory, and no directory at all.
pub struct Index {
    directory: PathBuf,
    /// Shared with those that were pinned from it: what one of them found out about the files holds
    /// for all.
    opened: Arc<Mutex<Option<Opened>>>,
    /// The commit it stays with, whatever comes after.
    pinned: Option<Mutex<Opened>>,
}

/// How far an index reaches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The state it is in.
    pub state: State,
    /// The feed position it has reached, if it is one to be used.
    pub position: Option<i64>,
    /// How many documents it holds.
    pub documents: u64,
    /// In how many segments.
    pub segments: usize,
}

struct Opened {
    stamp: Option<Stamp>,
    at: Instant,
    found: Result<Arc<Snapshot>, State>,
}

impl Opened {
    fn still_holds(&mut self, directory: &Path) -> bool {
        match &self.found {
            Err(_) => self.at.elapsed() < LEFT_ALONE,
            Ok(snapshot) if !snapshot.is_whole() => false,
            Ok(_) if self.at.elapsed() < TRUSTED => true,
            Ok(snapshot) => {
                self.at = Instant::now();
                snapshot.is_unchanged(directory)
            }
        }
    }
}

/// What `stat` says of the list of segments: a commit replaces it.
type Stamp = (u64, Option<SystemTime>);

impl Index {
    /// The index in `directory`, whatever its state.
    pub fn open(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), opened: Arc::default(), pinned: None }
    }

    /// The same index, which stays as it is now. Whoever asks several things of one state of the
    /// store pins the index before it looks at the store: an index that is ahead of that state
    /// cannot be used for it.
    #[must_use]
    pub fn pinned(&self) -> Self {
        let found = self.snapshot();
        let pinned = Opened { stamp: None, at: Instant::now(), found };
        Self {
            directory: self.directory.clone(),
            opened: Arc::clone(&self.opened),
            pinned: Some(Mutex::new(pinned)),
        }
    }

    /// How far it reaches.
    pub fn standing(&self) -> Standing {
        match self.snapshot() {
            Err(state) => Standing { state, position: None, documents: 0, segments: 0 },
            Ok(snapshot) => Standing {
                state: state(&snapshot),
                position: Some(snapshot.coverage.position),
                documents: snapshot.searcher.num_docs(),
                segments: snapshot.searcher.segment_readers().len(),
            },
        }
    }

    /// Every word and path in its dictionaries, for checking that something is not in there.
    ///
    /// # Errors
    /// The state it is in, if that is not one to be used.
    pub fn words(&self) -> Result<Vec<String>, State> {
        let snapshot = self.snapshot()?;
        let mut words = BTreeSet::new();
        for segment in snapshot.searcher.segment_readers() {
            for field in [snapshot.fields.text, snapshot.fields.label] {
                let dictionary = segment.inverted_index(field).map_err(|_| State::Damaged)?;
                let mut stream = dictionary.terms().stream().map_err(|_| State::Damaged)?;
                while stream.advance() {
                    words.insert(String::from_utf8_lossy(stream.key()).into_owned());
                }
            }
        }
        Ok(words.into_iter().collect())
    }

    /// How many values its documents store beside what is indexed, for the same check: none.
    ///
    /// # Errors
    /// The state it is in, if that is not one to be used.
    pub fn stored_values(&self) -> Result<usize, State> {
        let snapshot = self.snapshot()?;
        let mut count = 0;
        for segment in snapshot.searcher.segment_readers() {
            let store = segment.get_store_reader(1).map_err(|_| State::Damaged)?;
            for document in store.iter::<TantivyDocument>(None) {
                count += document.map_err(|_| State::Damaged)?.field_values().count();
            }
        }
        Ok(count)
    }

    /// The newest commit, if it is one to be used. Asked for before every search, because a file
    /// may be cut at any time.
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>, State> {
        if let Some(pinned) = &self.pinned {
            let mut opened = pinned.lock().unwrap_or_else(PoisonError::into_inner);
            let is_just_seen = opened.at.elapsed() < JUST_SEEN;
            if !is_just_seen {
                opened.at = Instant::now();
            }
            return match &opened.found {
                Ok(snapshot) if !is_just_seen && !snapshot.is_whole() => Err(State::Damaged),
                found => found.clone(),
            };
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp();
        if let Some(opened) = &mut *opened
            && opened.stamp == stamp
            && opened.still_holds(&self.directory)
        {
            return opened.found.clone();
        }
        let found = Snapshot::open(&self.directory).map(Arc::new);
        *opened = Some(Opened { stamp, at: Instant::now(), found: found.clone() });
        found
    }

    /// The newest commit as far as it may be used for `source`.
    pub(crate) fn snapshot_of(&self, source: &dyn Source) -> Result<Arc<Snapshot>, State> {
        let snapshot = self.snapshot()?;
        if snapshot.coverage.lineage != source.lineage() {
            return Err(State::OtherStore);
        }
        Ok(snapshot)
    }

    /// Forgets what is open, because it failed while it was used.
    pub(crate) fn distrust(&self) {
        let failed = || Opened { stamp: self.stamp(), at: Instant::now(), found: Err(State::Damaged) };
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed());
        if let Some(pinned) = &self.pinned {
            *pinned.lock().unwrap_or_else(PoisonError::into_inner) = failed();
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        let metadata = std::fs::metadata(self.directory.join(META)).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }
}

/// The state of an index that can be used.
pub(crate) fn state(snapshot: &Snapshot) -> State {
    if snapshot.coverage.built_to.is_some() { State::Building } else { State::Ready }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_in_a_search_is_left_alone_by_the_next() {
        let index = Index::open(Path::new("/nonexistent/index"));
        let pinned = index.pinned();
        assert_eq!(pinned.snapshot().err(), Some(State::Missing));
        pinned.distrust();
        assert_eq!(
            (pinned.snapshot().err(), index.snapshot().err()),
            (Some(State::Damaged), Some(State::Damaged))
        );
        assert_eq!(index.pinned().snapshot().err(), Some(State::Damaged));
    }
}

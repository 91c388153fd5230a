//! The index, for reading.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tantivy::TantivyDocument;

use crate::source::Source;
use crate::text::engine::directory::META_FILE;
use crate::text::engine::{Snapshot, State};

/// How long an open index is trusted before its files are checked again, apart from the check for
/// new commits and for truncated files.
const TRUST_TIME: Duration = Duration::from_secs(1);

/// How long a pinned index is not checked again: the steps of one search follow each other faster.
const JUST_SEEN: Duration = Duration::from_millis(2);

/// How long an unusable index is not tried again, unless there is a new commit: finding out may
/// mean reading all of it.
const LEFT_ALONE: Duration = Duration::from_secs(30);

/// A search index, opened for reading. Cheap to open, shared between threads, and up to date with
/// every commit.
///
/// It needs only read access to its directory, and works without a directory.
pub struct Index {
    directory: PathBuf,
    /// Shared with the indexes pinned from it: what one of them finds out about the files is true
    /// for all.
    opened: Arc<Mutex<Option<Opened>>>,
    /// The commit it stays with, even when newer ones follow.
    pinned: Option<Mutex<Opened>>,
}

/// How far an index reaches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    /// The state it is in.
    pub state: State,
    /// The feed position it has reached; `None` if it cannot be used.
    pub position: Option<i64>,
    /// How many documents it has.
    pub documents: u64,
    /// How many segments it has.
    pub segments: usize,
}

struct Opened {
    stamp: Option<Stamp>,
    at: Instant,
    found: Result<Arc<Snapshot>, State>,
}

impl Opened {
    fn is_still_usable(&mut self, directory: &Path) -> bool {
        match &self.found {
            Err(_) => self.at.elapsed() < LEFT_ALONE,
            Ok(snapshot) if !snapshot.is_whole() => false,
            Ok(_) if self.at.elapsed() < TRUST_TIME => true,
            Ok(snapshot) => {
                self.at = Instant::now();
                snapshot.is_unchanged(directory)
            }
        }
    }
}

/// What `stat` reports about the list of segments: a commit replaces the list.
type Stamp = (u64, Option<SystemTime>);

impl Index {
    /// The index in `directory`, whatever its state.
    pub fn open(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), opened: Arc::default(), pinned: None }
    }

    /// The same index, fixed at its current commit. A caller with several requests to one state of
    /// the store pins the index before it reads the store: an index that is ahead of that state
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
    pub fn status(&self) -> IndexStatus {
        match self.snapshot() {
            Err(state) => IndexStatus { state, position: None, documents: 0, segments: 0 },
            Ok(snapshot) => IndexStatus {
                state: state(&snapshot),
                position: Some(snapshot.coverage.position),
                documents: snapshot.searcher.num_docs(),
                segments: snapshot.searcher.segment_readers().len(),
            },
        }
    }

    /// Every word and path in its dictionaries, to check that something is not in there.
    ///
    /// # Errors
    /// The state of the index, if it cannot be used.
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

    /// How many values its documents store in addition to what is indexed, for the same check:
    /// none.
    ///
    /// # Errors
    /// The state of the index, if it cannot be used.
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

    /// The newest commit, if it can be used. Called before every search, because a file may be
    /// truncated at any time.
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
            && opened.is_still_usable(&self.directory)
        {
            return opened.found.clone();
        }
        let found = Snapshot::open(&self.directory).map(Arc::new);
        *opened = Some(Opened { stamp, at: Instant::now(), found: found.clone() });
        found
    }

    /// The newest commit, if it can be used for `source`.
    pub(crate) fn snapshot_of(&self, source: &dyn Source) -> Result<Arc<Snapshot>, State> {
        let snapshot = self.snapshot()?;
        if snapshot.coverage.lineage != source.lineage() {
            return Err(State::OtherStore);
        }
        Ok(snapshot)
    }

    /// Marks the open commit as damaged, because it failed in use.
    pub(crate) fn mark_damaged(&self) {
        let failed = || Opened { stamp: self.stamp(), at: Instant::now(), found: Err(State::Damaged) };
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed());
        if let Some(pinned) = &self.pinned {
            *pinned.lock().unwrap_or_else(PoisonError::into_inner) = failed();
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        let metadata = std::fs::metadata(self.directory.join(META_FILE)).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }
}

/// The state of a usable index.
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
        pinned.mark_damaged();
        assert_eq!(
            (pinned.snapshot().err(), index.snapshot().err()),
            (Some(State::Damaged), Some(State::Damaged))
        );
        assert_eq!(index.pinned().snapshot().err(), Some(State::Damaged));
    }
}

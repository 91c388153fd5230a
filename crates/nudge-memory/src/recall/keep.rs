//! Keeping the search index up with the store: by the server, by a process started for it, or before a purge ends.

use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_index::{Budget, IndexError, IndexWriter, Progress, State};
use nudge_store::{Durability, Reader, StoreError};

use super::source::Following;
use crate::memory::Memory;
use crate::search_index::directory;

/// The name under which the index follows the change feed.
const READER: &str = "text-index";

/// The position before its last one, so that a search that has just opened the commit before still finds where it continues.
const BEFORE: &str = "text-index-before";

/// A tail this long is brought into the index by a process of its own when no server does it: scanning it takes some
/// 20 ms of each search.
pub const LONG_TAIL: usize = 2_000;

/// How long a purge waits for whoever writes the index: a server does that for seconds at a time.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it looks meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How far an index may be behind for a purge to bring it up first; beyond that it is begun anew later.
const WORTH_FOLLOWING: i64 = 50_000;

impl Memory {
    /// How many changes the index has not taken in yet, as far as it has said so; cheap.
    pub fn index_lag(&self) -> Result<i64, Fault> {
        self.store().read(|reader| Ok(reader.feed_head()? - reached(reader)?))
    }

    /// Whether there is something for the index to take in, or an index to be made. Changes of what is not searched are not worth
    /// a write.
    pub fn index_is_wanting(&self) -> Result<bool, Fault> {
        if self.index().standing().state != State::Ready {
            return self.store().read(|reader| Ok(reader.has_documents()?));
        }
        self.store().read(|reader| Ok(reader.has_searchable_changes(reached(reader)?)?))
    }

    /// Brings the index up with the store, for at most `time`. `None` while another process writes it.
    pub fn keep_index(&self, time: Duration, now: Timestamp) -> Result<Option<Progress>, Fault> {
        let Some(mut keeper) = IndexWriter::acquire(&directory(self.store())).map_err(unwritable)? else {
            return Ok(None);
        };
        let budget = Budget { documents: usize::MAX, until: Some(Instant::now() + time) };
        let progress = keeper.catch_up(&Following::new(self.store())?, budget).map_err(unwritable)?;
        self.note_progress(progress.position, now)?;
        Ok(Some(progress))
    }

    /// Which database this is; another one after a restore.
    pub fn lineage(&self) -> Result<u64, Fault> {
        self.store().read(|reader| Ok(reader.lineage()?))
    }

    /// Takes what was removed from the store out of the index, so that no byte of it is left there. Says whether it is done.
    pub(crate) fn purge_index(&self, now: Timestamp) -> Result<bool, Fault> {
        let place = directory(self.store());
        if is_absent(&place) {
            return Ok(true);
        }
        let Some(mut keeper) = wait_for(&place)? else { return Ok(false) };
        let source = Following::new(self.store())?;
        let standing = self.index().standing();
        let is_near = standing.state == State::Ready && self.index_lag()? <= WORTH_FOLLOWING;
        let nothing = Budget { documents: 0, until: Some(Instant::now()) };
        let progress =
            if is_near { keeper.catch_up(&source, Budget::ALL) } else { keeper.rebuild(&source, nothing) };
        let position = progress.map_err(unwritable)?.position;
        keeper.purge(&[]).map_err(unwritable)?;
        self.note_progress(position, now)?;
        Ok(true)
    }

    /// Has the feed kept from there on. A position that is gone already is no matter: the index is then begun anew.
    fn note_progress(&self, position: i64, now: Timestamp) -> Result<(), Fault> {
        let noted = self.store().write(Durability::Passive, |writer| {
            let before = writer.feed_readers()?.into_iter().find(|reader| reader.name == READER);
            for (name, position) in
                [(BEFORE, before.map_or(position, |reader| reader.position)), (READER, position)]
            {
                match writer.advance_feed_reader(name, position, now) {
                    Err(StoreError::FeedGone { .. }) => drop(writer.forget_feed_reader(name)?),
                    noted => noted?,
                }
            }
            Ok::<_, StoreError>(())
        });
        Ok(noted?)
    }
}

/// The position of the feed that the index has said it reached.
fn reached(reader: &Reader<'_>) -> Result<i64, StoreError> {
    let known = reader.feed_readers()?.into_iter().find(|reader| reader.name == READER);
    known.map_or_else(|| reader.feed_floor(), |reader| Ok(reader.position))
}

/// Whether the index can be written, and nobody does.
pub fn index_is_free(memory: &Memory) -> bool {
    matches!(IndexWriter::acquire(&directory(memory.store())), Ok(Some(_)))
}

fn wait_for(place: &Path) -> Result<Option<IndexWriter>, Fault> {
    let until = Instant::now() + PATIENCE;
    loop {
        match IndexWriter::acquire(place).map_err(unwritable)? {
            None if Instant::now() < until => std::thread::sleep(LOOK_AGAIN),
            found => return Ok(found),
        }
    }
}

fn is_absent(place: &Path) -> bool {
    std::fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none())
}

fn unwritable(error: IndexError) -> Fault {
    let message = match &error {
        IndexError::Source(_) => "the store could not be read for the search index".to_owned(),
        // Such as a directory of that name that is somebody else's.
        IndexError::Io(error) => format!("the search index could not be written: {error}"),
        IndexError::Engine(_) => "the search index could not be written".to_owned(),
    };
    Fault::new(FaultKind::Unavailable, "index", message)
        .because(error)
        .next("searches stay right without it, only slower; see `nudge doctor`")
}

//! Keeps the search index up to date with the store: run by the server, by a process started for
//! it, or at the end of a purge.

use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_index::{Budget, IndexError, IndexWriter, Progress, State};
use nudge_store::{Durability, Reader, StoreError};

use super::source::Following;
use crate::memory::{Memory, index_directory};

/// The index's name as a reader of the change feed.
const READER: &str = "text-index";

/// The reader at the previous position, so that a search that opened the previous commit can still
/// continue from there.
const PREVIOUS_READER: &str = "text-index-before";

/// A tail this long is indexed by a separate process if no server does it: scanning it adds about
/// 20 ms to each search.
pub const LONG_TAIL: usize = 2_000;

/// How long a purge waits for another index writer: a server writes for seconds at a time.
const WRITER_TIMEOUT: Duration = Duration::from_secs(30);

/// How often it checks in the meantime.
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// How far behind an index may be for a purge to update it; beyond that it is rebuilt later.
const MAX_FOLLOWED_ROWS: i64 = 50_000;

impl Memory {
    /// How many changes the index has not processed yet, by its last recorded position. Cheap.
    pub fn index_lag(&self) -> Result<i64, Fault> {
        self.store().read(|reader| Ok(reader.feed_head()? - reached(reader)?))
    }

    /// Whether the index has changes to process, or has to be created. Changes to entries that are
    /// not searched do not count.
    pub fn index_needs_update(&self) -> Result<bool, Fault> {
        if self.index().status().state != State::Ready {
            return self.store().read(|reader| Ok(reader.has_documents()?));
        }
        self.store().read(|reader| Ok(reader.has_searchable_changes(reached(reader)?)?))
    }

    /// Updates the index from the store, for at most `time`. `None` while another process writes
    /// it.
    pub fn update_index(&self, time: Duration, now: Timestamp) -> Result<Option<Progress>, Fault> {
        let Some(mut writer) = IndexWriter::acquire(&index_directory(self.store())).map_err(unwritable)?
        else {
            return Ok(None);
        };
        let budget = Budget { documents: usize::MAX, until: Some(Instant::now() + time) };
        let progress = writer.catch_up(&Following::new(self.store())?, budget).map_err(unwritable)?;
        self.note_progress(progress.position, now)?;
        Ok(Some(progress))
    }

    /// Identifies the database; a restore changes it.
    pub fn lineage(&self) -> Result<u64, Fault> {
        self.store().read(|reader| Ok(reader.lineage()?))
    }

    /// Removes deleted entries from the index, so that no byte of them is left there. Returns
    /// whether it is done.
    pub(crate) fn purge_index(&self, now: Timestamp) -> Result<bool, Fault> {
        let place = index_directory(self.store());
        if is_absent(&place) {
            return Ok(true);
        }
        let Some(mut writer) = wait_for(&place)? else { return Ok(false) };
        let source = Following::new(self.store())?;
        let standing = self.index().status();
        let is_near = standing.state == State::Ready && self.index_lag()? <= MAX_FOLLOWED_ROWS;
        let nothing = Budget { documents: 0, until: Some(Instant::now()) };
        let progress =
            if is_near { writer.catch_up(&source, Budget::ALL) } else { writer.rebuild(&source, nothing) };
        let position = progress.map_err(unwritable)?.position;
        writer.purge(&[]).map_err(unwritable)?;
        self.note_progress(position, now)?;
        Ok(true)
    }

    /// Records the index's position, so that the feed is kept from there on. If that position is
    /// already gone, the index is rebuilt.
    fn note_progress(&self, position: i64, now: Timestamp) -> Result<(), Fault> {
        let noted = self.store().write(Durability::Passive, |writer| {
            let before = writer.feed_readers()?.into_iter().find(|reader| reader.name == READER);
            for (name, position) in
                [(PREVIOUS_READER, before.map_or(position, |reader| reader.position)), (READER, position)]
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

/// The last feed position that the index recorded.
fn reached(reader: &Reader<'_>) -> Result<i64, StoreError> {
    let known = reader.feed_readers()?.into_iter().find(|reader| reader.name == READER);
    known.map_or_else(|| reader.feed_floor(), |reader| Ok(reader.position))
}

/// Whether the index can be written and no process is writing it.
pub fn index_is_free(memory: &Memory) -> bool {
    matches!(IndexWriter::acquire(&index_directory(memory.store())), Ok(Some(_)))
}

fn wait_for(place: &Path) -> Result<Option<IndexWriter>, Fault> {
    let until = Instant::now() + WRITER_TIMEOUT;
    loop {
        match IndexWriter::acquire(place).map_err(unwritable)? {
            None if Instant::now() < until => std::thread::sleep(RETRY_DELAY),
            found => return Ok(found),
        }
    }
}

fn is_absent(place: &Path) -> bool {
    std::fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none())
}

fn unwritable(error: IndexError) -> Fault {
    let message = match &error {
        IndexError::Source(_) => "cannot read the store for the search index".to_owned(),
        // For example, a directory of that name that belongs to someone else.
        IndexError::Io(error) => format!("cannot write the search index: {error}"),
        IndexError::Engine(_) => "cannot write the search index".to_owned(),
    };
    Fault::new(FaultKind::Unavailable, "index", message)
        .because(error)
        .next("searches stay correct but slower; run `nudge doctor`")
}

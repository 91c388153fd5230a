//! Writing the index: one process at a time, whoever holds its lock.

mod engine_writer;
mod merge;
mod place;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::IndexError;
use crate::source::{Source, SourceError};
use crate::text::engine::directory::{META, open_private};
use crate::text::engine::{Coverage, Fields, IndexDirectory, Snapshot};
use engine_writer::EngineWriter;

/// The file whose lock makes a writer. The system releases it with the process.
const LOCK: &str = ".keeper.lock";

/// How many documents go into one commit while there is more to do: enough for the cost of a commit
/// (some 20 ms) not to count, few enough to lose little when the process dies.
const COMMIT: usize = 50_000;

/// The writer of an index.
pub struct IndexWriter {
    directory: PathBuf,
    writer: Option<EngineWriter>,
    _lock: File,
}

/// How much a writer may do at once.
#[derive(Copy, Clone, Debug)]
pub struct Budget {
    /// So many documents at most, rounded up to whole batches.
    pub documents: usize,
    /// No further batch after this moment.
    pub until: Option<Instant>,
}

/// What a writer has done.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many documents were written.
    pub documents: usize,
    /// Whether the index now has everything its source had when asked last.
    pub is_complete: bool,
    /// Whether the index had to be begun anew: it was missing, damaged, of another version or
    /// store, or the feed no longer reached back to its position.
    pub is_anew: bool,
    /// The feed position reached.
    pub position: i64,
}

impl Budget {
    /// Everything there is.
    pub const ALL: Self = Self { documents: usize::MAX, until: None };

    fn is_spent(&self, documents: usize) -> bool {
        documents >= self.documents || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl IndexWriter {
    /// Becomes the writer of the index in `directory`; `None` while another process is.
    ///
    /// # Errors
    /// If the directory cannot be made or written, is a symbolic link, or holds files and no index.
    pub fn acquire(directory: &Path) -> Result<Option<Self>, IndexError> {
        place::claim(directory)?;
        let options = &mut File::options();
        let lock = open_private(options.create(true).truncate(false).write(true), &directory.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { directory: directory.to_owned(), writer: None, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Takes in what `source` has and the index has not, within `budget`, and commits it.
    ///
    /// # Errors
    /// If the store or the disk fails; what was committed before stays.
    pub fn catch_up(&mut self, source: &dyn Source, budget: Budget) -> Result<Progress, IndexError> {
        let mut progress = Progress::default();
        let done = self.take_in(source, budget, &mut progress);
        if done.is_err() {
            self.give_up();
        }
        done.map(|()| progress)
    }

    /// Begins the index anew, and takes in what `budget` allows.
    ///
    /// # Errors
    /// As [`IndexWriter::catch_up`].
    pub fn rebuild(&mut self, source: &dyn Source, budget: Budget) -> Result<Progress, IndexError> {
        self.begin_anew(source)?;
        Ok(Progress { is_anew: true, ..self.catch_up(source, budget)? })
    }

    /// Takes these entries out so that no byte of them remains in any file, nor of any older
    /// version of an entry.
    ///
    /// # Errors
    /// If the disk fails; then it has to be called again.
    pub fn purge(&mut self, ids: &[i64]) -> Result<(), IndexError> {
        if !self.has_sound_writer() {
            self.writer = None;
            match Snapshot::open(&self.directory) {
                Ok(snapshot) => self.open_writer(snapshot.coverage)?,
                // What cannot be read cannot be purged either; the index is begun anew by whoever
                // catches up next.
                Err(_) => return self.wipe(),
            }
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let done = writer.purge(ids);
        if done.is_err() {
            self.give_up();
        }
        Ok(done?)
    }

    /// The engine's writer does not recover from a full disk; the next call opens a new one. What
    /// it has begun is removed at once, because somebody else may need the room more.
    fn give_up(&mut self) {
        self.writer = None;
        if let Ok(index) = IndexDirectory::open(&self.directory).and_then(tantivy::Index::open) {
            let _ = engine_writer::sweep(&index, &self.directory);
        }
    }

    fn take_in(
        &mut self,
        source: &dyn Source,
        budget: Budget,
        progress: &mut Progress,
    ) -> Result<(), IndexError> {
        progress.is_anew |= self.open_for(source)?;
        let mut uncommitted = 0;
        loop {
            let Some(writer) = &mut self.writer else { return Ok(()) };
            let step = match writer.coverage.built_to {
                Some(after) => writer.build_after(after, source),
                None => writer.follow(source),
            };
            let step = match step {
                Err(IndexError::Source(SourceError::Gone)) => {
                    self.begin_anew(source)?;
                    progress.is_anew = true;
                    continue;
                }
                step => step?,
            };
            uncommitted += step.documents;
            progress.documents += step.documents;
            progress.is_complete = step.is_last;
            progress.position = writer.coverage.position;
            let is_over = step.is_last || budget.is_spent(progress.documents);
            if is_over || uncommitted >= COMMIT {
                writer.commit()?;
                uncommitted = 0;
            }
            if is_over {
                if writer.is_oversized() {
                    self.writer = None;
                }
                return Ok(());
            }
        }
    }

    /// Makes sure that there is a writer for `source`; says whether the index had to be begun anew
    /// for it.
    fn open_for(&mut self, source: &dyn Source) -> Result<bool, IndexError> {
        let is_of_source = |coverage: &Coverage, head: i64| {
            coverage.lineage == source.lineage() && coverage.position <= head
        };
        let head = source.head()?;
        if self.has_sound_writer()
            && self.writer.as_ref().is_some_and(|writer| is_of_source(&writer.coverage, head))
        {
            return Ok(false);
        }
        self.writer = None;
        match Snapshot::open(&self.directory) {
            Ok(snapshot) if is_of_source(&snapshot.coverage, head) => {
                let is_purging = snapshot.coverage.is_purging;
                self.open_writer(snapshot.coverage)?;
                if let Some(writer) = self.writer.as_mut().filter(|_| is_purging) {
                    writer.purge(&[])?;
                }
                Ok(false)
            }
            _ => self.begin_anew(source).map(|()| true),
        }
    }

    /// Whether there is a writer, and what it will read is still there.
    fn has_sound_writer(&self) -> bool {
        self.writer.as_ref().is_some_and(EngineWriter::is_whole)
    }

    fn open_writer(&mut self, coverage: Coverage) -> Result<(), IndexError> {
        let mut index = tantivy::Index::open(IndexDirectory::open(&self.directory)?)?;
        index.set_tokenizers(Fields::tokenizers());
        let writer = EngineWriter::open(index, &self.directory, coverage)?;
        self.writer = Some(writer);
        Ok(())
    }

    fn begin_anew(&mut self, source: &dyn Source) -> Result<(), IndexError> {
        self.wipe()?;
        let coverage = Coverage::empty(source.lineage(), source.head()?);
        let index = tantivy::Index::builder()
            .schema(Fields::schema().0)
            .tokenizers(Fields::tokenizers())
            .open_or_create(IndexDirectory::open(&self.directory)?)?;
        let mut writer = EngineWriter::open(index, &self.directory, coverage)?;
        writer.begin()?;
        self.writer = Some(writer);
        Ok(())
    }

    /// Removes every file that a writer made, but the lock, the list of segments first: without it
    /// nobody opens the others.
    fn wipe(&mut self) -> Result<(), IndexError> {
        self.writer = None;
        match fs::remove_file(self.directory.join(META)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        Ok(engine_writer::remove_written(&self.directory, |_| false)?)
    }
}

#[cfg(test)]
mod tests;

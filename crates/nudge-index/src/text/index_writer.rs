//! Writes the index: one process at a time, the one that has its lock.

mod engine_writer;

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine_writer::EngineWriter;

use crate::error::IndexError;
use crate::source::{Source, SourceError};
use crate::text::engine::directory::{META_FILE, Seal, is_written, open_private};
use crate::text::engine::{Coverage, Fields, IndexDirectory, Snapshot};

/// The lock file of the writer. The system releases the lock with the process.
const LOCK_FILE: &str = ".keeper.lock";

/// How many documents go into one commit while there is more to do: enough that the cost of a
/// commit (some 20 ms) does not matter, few enough to lose little when the process dies.
const MAX_COMMIT: usize = 50_000;

/// The writer of an index.
pub struct IndexWriter {
    directory: PathBuf,
    writer: Option<EngineWriter>,
    _lock: File,
}

/// How much a writer may do in one call.
#[derive(Copy, Clone, Debug)]
pub struct Budget {
    /// The most documents, rounded up to whole batches.
    pub documents: usize,
    /// No further batch starts after this time.
    pub until: Option<Instant>,
}

/// What a writer has done.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many documents were written.
    pub documents: usize,
    /// Whether the index now has everything its source had at the last request.
    pub is_complete: bool,
    /// Whether the index had to be started from scratch: it was missing, damaged, of another
    /// version or store, or the feed no longer reached back to its position.
    pub was_restarted: bool,
    /// The feed position reached.
    pub position: i64,
}

impl Budget {
    /// No limit.
    pub const ALL: Self = Self { documents: usize::MAX, until: None };

    fn is_spent(&self, documents: usize) -> bool {
        documents >= self.documents || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl IndexWriter {
    /// Becomes the writer of the index in `directory`; `None` while another process is.
    ///
    /// # Errors
    /// If the directory cannot be created or written, is a symbolic link, or has files but no
    /// index.
    pub fn acquire(directory: &Path) -> Result<Option<Self>, IndexError> {
        claim(directory)?;
        let options = &mut File::options();
        let lock =
            open_private(options.create(true).truncate(false).write(true), &directory.join(LOCK_FILE))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { directory: directory.to_owned(), writer: None, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Adds what `source` has and the index lacks, within `budget`, and commits it.
    ///
    /// # Errors
    /// If the store or the disk fails; earlier commits stay.
    pub fn catch_up(&mut self, source: &dyn Source, budget: Budget) -> Result<Progress, IndexError> {
        let mut progress = Progress::default();
        let done = self.index_within_budget(source, budget, &mut progress);
        if done.is_err() {
            self.discard_writer();
        }
        done.map(|()| progress)
    }

    /// Starts the index from scratch and adds what `budget` allows.
    ///
    /// # Errors
    /// As [`IndexWriter::catch_up`].
    pub fn rebuild(&mut self, source: &dyn Source, budget: Budget) -> Result<Progress, IndexError> {
        self.start_from_scratch(source)?;
        Ok(Progress { was_restarted: true, ..self.catch_up(source, budget)? })
    }

    /// Removes these entries so that no byte of them, nor of any older version of an entry, remains
    /// in any file.
    ///
    /// # Errors
    /// If the disk fails; then call it again.
    pub fn purge(&mut self, ids: &[i64]) -> Result<(), IndexError> {
        if !self.has_intact_writer() {
            self.writer = None;
            match Snapshot::open(&self.directory) {
                Ok(snapshot) => self.open_writer(snapshot.coverage)?,
                // An unreadable index cannot be purged; the next writer that catches up starts it
                // from scratch.
                Err(_) => return self.wipe(),
            }
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let done = writer.purge(ids);
        if done.is_err() {
            self.discard_writer();
        }
        Ok(done?)
    }

    /// The engine's writer does not recover from a full disk; the next call opens a new one. Its
    /// unfinished files are removed at once, because somebody else may need the space more.
    fn discard_writer(&mut self) {
        self.writer = None;
        if let Ok(index) = IndexDirectory::open(&self.directory).and_then(tantivy::Index::open) {
            let _ = engine_writer::sweep(&index, &self.directory);
        }
    }

    fn index_within_budget(
        &mut self,
        source: &dyn Source,
        budget: Budget,
        progress: &mut Progress,
    ) -> Result<(), IndexError> {
        progress.was_restarted |= self.open_for(source)?;
        let mut uncommitted = 0;
        loop {
            let Some(writer) = &mut self.writer else { return Ok(()) };
            let step = match writer.coverage.built_to {
                Some(after) => writer.build_after(after, source),
                None => writer.follow(source),
            };
            let step = match step {
                Err(IndexError::Source(SourceError::Gone)) => {
                    self.start_from_scratch(source)?;
                    progress.was_restarted = true;
                    continue;
                }
                step => step?,
            };
            uncommitted += step.documents;
            progress.documents += step.documents;
            progress.is_complete = step.is_last;
            progress.position = writer.coverage.position;
            let is_over = step.is_last || budget.is_spent(progress.documents);
            if is_over || uncommitted >= MAX_COMMIT {
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

    /// Makes sure that there is a writer for `source`; returns whether the index had to be started
    /// from scratch for it.
    fn open_for(&mut self, source: &dyn Source) -> Result<bool, IndexError> {
        let is_of_source = |coverage: &Coverage, head: i64| {
            coverage.lineage == source.lineage() && coverage.position <= head
        };
        let head = source.head()?;
        if self.has_intact_writer()
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
            _ => self.start_from_scratch(source).map(|()| true),
        }
    }

    /// Whether there is a writer, and the files it will read are intact.
    fn has_intact_writer(&self) -> bool {
        self.writer.as_ref().is_some_and(EngineWriter::is_whole)
    }

    fn open_writer(&mut self, coverage: Coverage) -> Result<(), IndexError> {
        let mut index = tantivy::Index::open(IndexDirectory::open(&self.directory)?)?;
        index.set_tokenizers(Fields::tokenizers());
        let writer = EngineWriter::open(index, &self.directory, coverage)?;
        self.writer = Some(writer);
        Ok(())
    }

    fn start_from_scratch(&mut self, source: &dyn Source) -> Result<(), IndexError> {
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

    /// Removes every file that a writer made except the lock, the list of segments first: without
    /// it nobody opens the others.
    fn wipe(&mut self) -> Result<(), IndexError> {
        self.writer = None;
        match fs::remove_file(self.directory.join(META_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        Ok(engine_writer::remove_written(&self.directory, |_| false)?)
    }
}

// The directory of the index: private, and used only if it is ours.

/// Creates the directory, or makes sure that it may be written. Writers remove files, so a
/// directory that may belong to somebody else is rejected.
fn claim(directory: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create_private(directory),
        found => found?,
    };
    if found.is_symlink() {
        return Err(refused(directory, "is a symbolic link; the index needs a directory of its own"));
    }
    if !found.is_dir() {
        return Err(refused(directory, "is not a directory"));
    }
    if !is_ours(directory)? {
        return Err(refused(directory, "holds files and no search index; move them or remove the directory"));
    }
    make_private(directory, &found)?;
    close_files(directory);
    match fs::symlink_metadata(directory.join(LOCK_FILE)) {
        Ok(lock) if !lock.is_file() => Err(refused(&directory.join(LOCK_FILE), "is not a regular file")),
        _ => Ok(()),
    }
}

/// Whether a writer has used it before, or it is empty.
fn is_ours(directory: &Path) -> io::Result<bool> {
    let has_lock = || fs::symlink_metadata(directory.join(LOCK_FILE)).is_ok();
    // Checked again at the end: another writer may have come meanwhile.
    Ok(has_lock()
        || fs::read_dir(directory)?.next().is_none()
        || Seal::read(directory).is_some()
        || has_lock())
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("{} {why}", path.display()))
}

#[cfg(unix)]
fn create_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn create_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// The index contains the words of the memory, which nobody else may read.
#[cfg(unix)]
fn make_private(directory: &Path, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
}

/// Closes files that an earlier version left open to others, as far as possible: the directory
/// itself is closed already.
#[cfg(unix)]
fn close_files(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name == LOCK_FILE || is_written(name));
        // The metadata of the entry itself, so that a link is not followed.
        let is_open =
            || entry.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 != 0);
        if is_ours && is_open() {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o600));
        }
    }
}

#[cfg(not(unix))]
fn close_files(_: &Path) {}

#[cfg(not(unix))]
fn make_private(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;

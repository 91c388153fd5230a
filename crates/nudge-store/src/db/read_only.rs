//! Databases in directories that cannot be written: which files exist, and how to read them.
//!
//! SQLite's WAL mode writes a shared-memory file even for reading. In an agent's sandbox it cannot.
//! What works depends on the files next to the database. This file examines them;
//! [`open_read`](super::open_read) acts.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::db::copies::CopyDir;
use crate::db::error::StoreError;
use crate::db::files::{beside, private_file};

/// How to read a database when nothing can be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// There is no database: reads return nothing.
    Absent,
    /// The shared-memory file exists, live or abandoned: a read-only connection sees everything.
    Shared,
    /// There is only the database file: it can be read as an immutable file.
    Immutable,
    /// A WAL without shared memory: reading the file alone would miss the WAL, so both are copied.
    Copied,
}

/// The state of the database and the files next to it at one point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    database: Option<Seen>,
    wal: Option<Seen>,
    shared: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Surroundings {
    /// Examines the files.
    pub(crate) fn of(database: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            database: seen(database)?,
            wal: seen(&beside(database, "-wal"))?.filter(|wal| wal.bytes > 0),
            shared: seen(&beside(database, "-shm"))?.is_some(),
        })
    }

    /// The best way to read.
    pub(crate) fn mode(&self) -> ReadMode {
        match (&self.database, &self.wal, self.shared) {
            (None, _, _) => ReadMode::Absent,
            (Some(_), _, true) => ReadMode::Shared,
            (Some(_), None, false) => ReadMode::Immutable,
            (Some(_), Some(_), false) => ReadMode::Copied,
        }
    }

    /// The next best way, for abandoned shared memory without the files that belong to it.
    pub(crate) fn mode_without_shared(&self) -> ReadMode {
        Self { shared: false, ..self.clone() }.mode()
    }
}

/// A database that is read in a way that cannot notice changes, with its state at that time.
pub(crate) struct Watched {
    database: PathBuf,
    then: Surroundings,
}

impl Watched {
    pub(crate) fn new(database: &Path, then: Surroundings) -> Self {
        Self { database: database.to_owned(), then }
    }

    /// Whether its files have changed since.
    pub(crate) fn has_changed(&self) -> bool {
        Surroundings::of(&self.database).map_or(true, |now| now != self.then)
    }
}

/// Copies database and WAL to a private temporary directory, while neither changes.
pub(crate) fn copy(database: &Path) -> Result<(CopyDir, PathBuf), StoreError> {
    // A writer that starts during the copy changes the files. Three tries are plenty, because the
    // writer's shared memory then exists and no copy is needed.
    let mut tries = 3;
    loop {
        tries -= 1;
        let before = Surroundings::of(database)?;
        let dir = CopyDir::new()?;
        let target = dir.path().join("nudge.db");
        copy_private(database, &target)?;
        if before.wal.is_some() {
            copy_private(&beside(database, "-wal"), &beside(&target, "-wal"))?;
        }
        if tries == 0 || Surroundings::of(database)? == before {
            return Ok((dir, target));
        }
    }
}

fn copy_private(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source = fs::File::open(from).map_err(|e| StoreError::io(from, e))?;
    let mut target = private_file(to)?;
    std::io::copy(&mut source, &mut target).map_err(|e| StoreError::io(to, e))?;
    Ok(())
}

fn seen(path: &Path) -> Result<Option<Seen>, StoreError> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(Seen { bytes: found.len(), modified: found.modified().ok() })),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::io(path, e)),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn mode_with(names: &[&str]) -> ReadMode {
        let dir = TempDir::new().expect("a temporary directory");
        for name in names {
            fs::write(dir.path().join(name), "x").expect("a file");
        }
        Surroundings::of(&dir.path().join("n.db")).expect("readable").mode()
    }

    #[test]
    fn the_files_beside_the_database_decide_how_it_is_read() {
        assert_eq!(mode_with(&[]), ReadMode::Absent);
        assert_eq!(mode_with(&["n.db"]), ReadMode::Immutable);
        assert_eq!(mode_with(&["n.db", "n.db-wal"]), ReadMode::Copied);
        assert_eq!(mode_with(&["n.db", "n.db-wal", "n.db-shm"]), ReadMode::Shared);
        assert_eq!(mode_with(&["n.db", "n.db-shm"]), ReadMode::Shared);
    }

    #[test]
    fn a_watched_database_tells_when_it_changed() {
        let dir = TempDir::new().expect("a temporary directory");
        let database = dir.path().join("n.db");
        fs::write(&database, "x").expect("a file");
        let watched = Watched::new(&database, Surroundings::of(&database).expect("readable"));
        assert!(!watched.has_changed());
        fs::write(beside(&database, "-wal"), "x").expect("a file");
        assert!(watched.has_changed());
    }

    #[test]
    fn a_copy_holds_database_and_wal_for_the_owner_alone() {
        let dir = TempDir::new().expect("a temporary directory");
        let database = dir.path().join("n.db");
        fs::write(&database, "pages").expect("a file");
        fs::write(beside(&database, "-wal"), "frames").expect("a file");
        let (_kept, copied) = copy(&database).expect("a copy");
        assert_eq!(fs::read(&copied).expect("readable"), b"pages");
        assert_eq!(fs::read(beside(&copied, "-wal")).expect("readable"), b"frames");
    }
}

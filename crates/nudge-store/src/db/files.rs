//! Files for the owner only, the files next to a database, and how a file is known again.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::db::error::StoreError;

/// The file with this suffix that SQLite keeps next to a database.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether database and directory are writable, found by trying instead of reading the modes.
pub(crate) fn is_writable(database: &Path) -> bool {
    let dir = database.parent().unwrap_or(Path::new("."));
    fs::OpenOptions::new().write(true).open(database).is_ok()
        && tempfile::Builder::new().prefix(".nudge-probe-").tempfile_in(dir).is_ok()
}

/// Creates a file that only its owner can read; an existing one is an error.
pub(crate) fn private_file(path: &Path) -> Result<fs::File, StoreError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| StoreError::io(path, e))
}

/// Creates a directory that only its owner can use, with its parents; existing ones are unchanged.
pub(crate) fn private_dir(dir: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|e| StoreError::io(dir, e))
}

// Identifies a file independently of its name.

/// A file's identity. It stays unique as long as the file is open somewhere.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The identity of the file that now has this name.
    pub fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|found| Self::from(&found))
    }

    /// The identity of an open file.
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|found| Self::from(&found))
    }

    /// The state of the file with that name. A name that cannot be examined counts as unchanged:
    /// only a definite loss may stop anything.
    pub fn state_at(self, path: &Path) -> FileState {
        self.state_from(&fs::metadata(path))
    }

    /// Like [`Self::state_at`], from metadata that was already read.
    pub(crate) fn state_from(self, found: &io::Result<Metadata>) -> FileState {
        match found {
            Ok(found) if Self::from(found) == self => FileState::There,
            Ok(_) => FileState::Replaced,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileState::Removed,
                _ => FileState::There,
            },
        }
    }
}

impl From<&Metadata> for FileId {
    #[cfg(unix)]
    fn from(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: found.dev(), inode: found.ino() }
    }

    /// If the system has no file ids, every file counts as the same.
    #[cfg(not(unix))]
    fn from(_: &Metadata) -> Self {
        Self { device: 0, inode: 0 }
    }
}

/// The state of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It still has its name.
    There,
    /// Its name no longer exists.
    Removed,
    /// Another file has its name.
    Replaced,
}

/// How a database was lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// There is no file.
    Removed,
    /// The file is empty.
    Emptied,
    /// The file is not the one that was opened.
    Replaced,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_until_it_is_removed_or_replaced() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let file = File::create(&path).expect("a file");
        let id = FileId::of(&file).expect("an id");
        assert_eq!(id.state_at(&path), FileState::There);
        fs::remove_file(&path).expect("removed");
        assert_eq!(id.state_at(&path), FileState::Removed);
        File::create(&path).expect("another file");
        assert_eq!(id.state_at(&path), FileState::Replaced);
    }
}

//! Which file it was that lay under a name.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// A file's identity. It stays the file's own for as long as somebody holds the file open.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// That of the file now under this name.
    pub fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|found| Self::from(&found))
    }

    /// That of an open file.
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|found| Self::from(&found))
    }

    /// What became of the file under that name. A name that cannot be looked at is taken to be
    /// unchanged: only what is known to be gone may end anything.
    pub fn fate(self, path: &Path) -> Fate {
        self.fate_by(&fs::metadata(path))
    }

    /// The same, by what a look at the name found.
    pub(crate) fn fate_by(self, found: &io::Result<Metadata>) -> Fate {
        match found {
            Ok(found) if Self::from(found) == self => Fate::There,
            Ok(_) => Fate::Replaced,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Fate::Removed,
                _ => Fate::There,
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

    /// Where the system does not tell files apart, any file is the one that was there.
    #[cfg(not(unix))]
    fn from(_: &Metadata) -> Self {
        Self { device: 0, inode: 0 }
    }
}

/// What became of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is there.
    There,
    /// The name is free.
    Removed,
    /// Another file has the name.
    Replaced,
}

/// What became of a database.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// There is no file.
    Removed,
    /// There is a file without content.
    Emptied,
    /// There is another file than the one that was opened.
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
        assert_eq!(id.fate(&path), Fate::There);
        fs::remove_file(&path).expect("removed");
        assert_eq!(id.fate(&path), Fate::Removed);
        File::create(&path).expect("another file");
        assert_eq!(id.fate(&path), Fate::Replaced);
    }
}

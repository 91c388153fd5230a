//! Which file it was that lay under a name.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file's identity. It stays the file's own for as long as somebody holds the file open.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    device: u64,
    inode: u64,
}

impl Mark {
    /// That of the file now under this name.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(Self::from)
    }

    /// That of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(Self::from)
    }

    /// What became of the file under that name. A name that cannot be looked at is taken to be unchanged:
    /// only what is known to be gone may end anything.
    pub(crate) fn fate(self, path: &Path) -> Fate {
        match Self::at(path) {
            Ok(found) if found == self => Fate::There,
            Ok(_) => Fate::Replaced,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Fate::Removed,
                _ => Fate::There,
            },
        }
    }
}

impl From<Metadata> for Mark {
    fn from(found: Metadata) -> Self {
        Self { device: found.dev(), inode: found.ino() }
    }
}

/// What became of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    There,
    Removed,
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
        let mark = Mark::of(&file).expect("a mark");
        assert_eq!(mark.fate(&path), Fate::There);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(mark.fate(&path), Fate::Removed);
        File::create(&path).expect("another file");
        assert_eq!(mark.fate(&path), Fate::Replaced);
    }
}

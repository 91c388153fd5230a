//! Whether a memory was made here, and whether its database is still the one that was opened.
//!
//! SQLite makes an empty database wherever there is none, so a database that was removed or cut to nothing would
//! become a new memory without a word. Beside each database lies an empty file that says that a memory was made
//! here. It is written after the first schema is, when the database is never empty again; so whoever finds it beside no
//! database, or beside one without a byte, knows that there was one, also while another process makes it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::StoreError;
use crate::shelter::{beside, private_file};

/// What the name of the file has beyond the database's.
const SUFFIX: &str = "-made";

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

/// Whether there is a database: `false` where none was ever made. One that was made and is gone is refused.
pub fn is_made(database: &Path) -> Result<bool, StoreError> {
    // In this order: the note is never there before the database.
    let noted = is_noted(database);
    let loss = match fs::metadata(database) {
        Ok(found) if found.is_file() && found.len() == 0 => Loss::Emptied,
        Err(error) if error.kind() == ErrorKind::NotFound => Loss::Removed,
        // What cannot be looked at is for whoever opens it.
        _ => return Ok(true),
    };
    if noted { Err(StoreError::Gone { loss }) } else { Ok(loss == Loss::Emptied) }
}

/// Whether it is written down that a memory was made here.
pub(crate) fn is_noted(database: &Path) -> bool {
    fs::symlink_metadata(beside(database, SUFFIX)).is_ok()
}

/// Writes it down, once the schema is in place. Where that cannot be done, the memory works without.
pub(crate) fn note(database: &Path) {
    if !is_noted(database) {
        let _ = private_file(&beside(database, SUFFIX));
    }
}

/// Takes the note away: the person puts another memory in the place of this one.
pub(crate) fn forget(database: &Path) -> Result<(), StoreError> {
    let path = beside(database, SUFFIX);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(path, error)),
        _ => Ok(()),
    }
}

/// Which file a database is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// That of the file now under this name, where the system tells.
    #[cfg(unix)]
    pub(crate) fn at(database: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(database).map(|found| Self { device: found.dev(), inode: found.ino() })
    }

    #[cfg(not(unix))]
    pub(crate) fn at(_: &Path) -> std::io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Refuses when another file, or none, has the name by now, or when it was cut to nothing: what is written to this
    /// one, nobody will read.
    pub(crate) fn ensure_still(self, database: &Path) -> Result<(), StoreError> {
        match Self::at(database) {
            Ok(found) if found != self => Err(StoreError::Gone { loss: Loss::Replaced }),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(StoreError::Gone { loss: Loss::Removed })
            }
            // Only where a memory was made: one that is being made is empty for a moment.
            _ if is_empty(database) && is_noted(database) => Err(StoreError::Gone { loss: Loss::Emptied }),
            _ => Ok(()),
        }
    }
}

fn is_empty(database: &Path) -> bool {
    fs::metadata(database).is_ok_and(|found| found.is_file() && found.len() == 0)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_database_that_was_there_is_missed() {
        let dir = TempDir::new().expect("a temporary directory");
        let database = dir.path().join("n.db");
        let loss = || match is_made(&database) {
            Err(StoreError::Gone { loss }) => Some(loss),
            other => panic!("{other:?}"),
        };
        assert!(!is_made(&database).expect("never made"));
        fs::write(&database, "").expect("a file");
        assert!(is_made(&database).expect("being made"));
        fs::write(&database, "pages").expect("a file");
        note(&database);
        assert!(is_made(&database).expect("there"));
        fs::write(&database, "").expect("cut");
        assert_eq!(loss(), Some(Loss::Emptied));
        fs::remove_file(&database).expect("removed");
        assert_eq!(loss(), Some(Loss::Removed));
        forget(&database).expect("forgotten");
        assert!(!is_made(&database).expect("never made"));
    }
}

//! Whether a memory was created here, and whether its database is still the one that was opened.
//!
//! SQLite creates an empty database wherever there is none, so a database that was removed or
//! truncated to nothing would silently become a new memory. An empty marker file next to each
//! database records that a memory was created here. It is written after the first schema, from when
//! on the database is never empty. A marker without a database, or next to an empty one, therefore
//! means that a database was lost, even while another process is creating one.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use crate::db::error::StoreError;
use crate::db::files::{FileId, FileState, Loss, beside, private_file};

/// The marker's suffix after the database's name.
const MADE_SUFFIX: &str = "-made";

/// Whether there is a database: `false` if none was ever created. It is an error if one was created
/// and is gone.
pub fn is_made(database: &Path) -> Result<bool, StoreError> {
    // In this order, because the marker never exists before the database.
    let noted = has_marker(database);
    let loss = match fs::metadata(database) {
        Ok(found) if is_empty(&found) => Loss::Emptied,
        Err(error) if error.kind() == ErrorKind::NotFound => Loss::Removed,
        // If it cannot be examined, opening it reports the reason.
        _ => return Ok(true),
    };
    if noted { Err(StoreError::Gone { loss }) } else { Ok(loss == Loss::Emptied) }
}

/// Whether the marker exists.
pub(crate) fn has_marker(database: &Path) -> bool {
    fs::symlink_metadata(beside(database, MADE_SUFFIX)).is_ok()
}

/// Creates the marker, once the schema is in place. If that fails, the memory works without it.
pub(crate) fn create_marker(database: &Path) {
    if !has_marker(database) {
        let _ = private_file(&beside(database, MADE_SUFFIX));
    }
}

/// Removes the marker: the user replaces this memory with another.
pub(crate) fn remove_marker(database: &Path) -> Result<(), StoreError> {
    let path = beside(database, MADE_SUFFIX);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(path, error)),
        _ => Ok(()),
    }
}

/// Fails if the name of an open database now belongs to another file or none, or if the file was
/// truncated to nothing: nobody would read what is written to it.
pub(crate) fn ensure_same_file(opened: FileId, database: &Path) -> Result<(), StoreError> {
    let found = fs::metadata(database);
    let loss = match opened.state_from(&found) {
        FileState::Removed => Loss::Removed,
        FileState::Replaced => Loss::Replaced,
        // Only if the marker exists: a database that is being created is briefly empty.
        FileState::There if found.is_ok_and(|found| is_empty(&found)) && has_marker(database) => {
            Loss::Emptied
        }
        FileState::There => return Ok(()),
    };
    Err(StoreError::Gone { loss })
}

fn is_empty(found: &Metadata) -> bool {
    found.is_file() && found.len() == 0
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
        create_marker(&database);
        assert!(is_made(&database).expect("there"));
        fs::write(&database, "").expect("cut");
        assert_eq!(loss(), Some(Loss::Emptied));
        fs::remove_file(&database).expect("removed");
        assert_eq!(loss(), Some(Loss::Removed));
        remove_marker(&database).expect("forgotten");
        assert!(!is_made(&database).expect("never made"));
    }
}

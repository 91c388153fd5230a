//! Whether a memory was made here, and whether its database is still the one that was opened.
//!
//! SQLite makes an empty database wherever there is none, so a database that was removed or cut to
//! nothing would become a new memory without a word. Beside each database lies an empty file that
//! says that a memory was made here. It is written after the first schema is, when the database is
//! never empty again; so whoever finds it beside no database, or beside one without a byte, knows
//! that there was one, also while another process makes it.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;

use crate::db::error::StoreError;
use crate::db::file_id::{Fate, FileId, Loss};
use crate::db::files::{beside, private_file};

/// What the name of the file has beyond the database's.
const SUFFIX: &str = "-made";

/// Whether there is a database: `false` where none was ever made. One that was made and is gone is
/// refused.
pub fn is_made(database: &Path) -> Result<bool, StoreError> {
    // In this order: the note is never there before the database.
    let noted = is_noted(database);
    let loss = match fs::metadata(database) {
        Ok(found) if is_empty(&found) => Loss::Emptied,
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

/// Writes it down, once the schema is in place. Where that cannot be done, the memory works
/// without.
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

/// Refuses when another file, or none, has the name of an open database by now, or when it was cut
/// to nothing: what is written to it, nobody will read.
pub(crate) fn ensure_still(opened: FileId, database: &Path) -> Result<(), StoreError> {
    let found = fs::metadata(database);
    let loss = match opened.fate_by(&found) {
        Fate::Removed => Loss::Removed,
        Fate::Replaced => Loss::Replaced,
        // Only where a memory was made: one that is being made is empty for a moment.
        Fate::There if found.is_ok_and(|found| is_empty(&found)) && is_noted(database) => Loss::Emptied,
        Fate::There => return Ok(()),
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

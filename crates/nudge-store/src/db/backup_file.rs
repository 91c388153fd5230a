//! Backup files: how they are named and written.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::Timestamp;
use rusqlite::Connection;
use tempfile::NamedTempFile;

use crate::db::error::StoreError;
use crate::db::files;

/// The name prefix of files that are still being written.
pub(crate) const DRAFT_PREFIX: &str = ".nudge-backup-";

/// How long nobody has written to a draft that a killed process left.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// Removes the drafts that killed processes left in the directory of backups, and returns how many.
/// Each is a copy of a whole memory. Other directories are the user's, and such a name is no proof.
pub(crate) fn remove_abandoned_drafts(dir: &Path) -> u64 {
    let is_abandoned = |entry: &fs::DirEntry| {
        let is_draft = entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT_PREFIX));
        let facts = if is_draft { entry.metadata().ok() } else { None };
        let modified = facts.filter(fs::Metadata::is_file).and_then(|facts| facts.modified().ok());
        modified.and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE_AFTER)
    };
    // What a link leads to is not ours.
    let is_dir = fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir());
    let entries = is_dir.then(|| fs::read_dir(dir)).into_iter().flatten().flatten().flatten();
    entries.filter(is_abandoned).filter(|entry| fs::remove_file(entry.path()).is_ok()).count() as u64
}

/// Copies a database into one compact file, readable only by its owner and synced to disk.
///
/// Uses `VACUUM INTO` instead of copying pages, so that deleted data is not in it.
pub(crate) fn copy_to(conn: &Connection, target: &Path) -> Result<(), StoreError> {
    let dir = match target.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let unusable = |e| StoreError::io(target, e);
    // Created for the owner only; SQLite accepts an empty file as its target.
    let file = NamedTempFile::with_prefix_in(DRAFT_PREFIX, dir).map_err(unusable)?;
    let text = file.path().to_str().ok_or_else(|| unusable(std::io::ErrorKind::InvalidFilename.into()))?;
    conn.execute("VACUUM INTO ?1", [text])?;
    fs::File::open(file.path()).and_then(|copy| copy.sync_all()).map_err(unusable)?;
    file.persist(target).map_err(|e| unusable(e.error))?;
    // The name must be as durable as the content. Not every file system can sync a directory.
    let _ = fs::File::open(dir).and_then(|dir| dir.sync_all());
    Ok(())
}

/// Whether a backup for this reason, of a database in this state, already exists.
pub(crate) fn is_there(dir: &Path, why: &str, state: &str) -> bool {
    let (begin, end) = (format!("nudge-{why}-"), format!(".{state}.db"));
    let is_it = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let named = name.to_str().is_some_and(|name| name.starts_with(&begin) && name.ends_with(&end));
        // Metadata of the entry itself: a symlink is not a backup.
        named && entry.metadata().is_ok_and(|found| found.is_file() && found.len() > 0)
    };
    fs::read_dir(dir).into_iter().flatten().flatten().any(is_it)
}

/// Creates the backup directory, for the owner only. A symlink is rejected, because the copies
/// would end up wherever it leads.
fn backup_dir(dir: &Path) -> Result<(), StoreError> {
    files::private_dir(dir)?;
    if fs::symlink_metadata(dir).map_err(|e| StoreError::io(dir, e))?.is_dir() {
        return Ok(());
    }
    let why = "it is a link, which is not followed: put a directory in its place";
    Err(StoreError::io(dir, std::io::Error::other(why)))
}

/// An unused name for a backup, such as `nudge-schema1-2026-11-15T06-10-27.123Z.db`.
pub(crate) fn dated(dir: &Path, why: &str, now: Timestamp) -> Result<PathBuf, StoreError> {
    backup_dir(dir)?;
    let stamp = now.to_string().replace(':', "-");
    let mut name = dir.join(format!("nudge-{why}-{stamp}.db"));
    let mut number = 1;
    while name.symlink_metadata().is_ok() {
        number += 1;
        name = dir.join(format!("nudge-{why}-{stamp}-{number}.db"));
    }
    Ok(name)
}

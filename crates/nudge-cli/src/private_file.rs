//! Files that only their owner can read.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use tempfile::NamedTempFile;

/// How the names of files begin that will take the place of another.
const PART: &str = ".nudge-part-";

/// How long nobody has written to one that a killed process left.
const STALE: Duration = Duration::from_secs(60 * 60);

/// A new file in a directory that will take the place of another. Only its owner may read it. Those
/// that killed processes left there are removed.
pub(crate) fn part_in(dir: &Path) -> io::Result<NamedTempFile> {
    for left in abandoned_parts(dir) {
        let _ = fs::remove_file(left);
    }
    // Temporary files are made with mode 0600.
    tempfile::Builder::new().prefix(PART).tempfile_in(dir)
}

/// The files that killed processes left in a directory. They may hold all that the file has whose
/// place they were to take.
pub(crate) fn abandoned_parts(dir: &Path) -> Vec<PathBuf> {
    let is_left = |entry: &fs::DirEntry| {
        let is_part = entry.file_name().to_str().is_some_and(|name| name.starts_with(PART));
        let facts = if is_part { entry.metadata().ok() } else { None };
        let modified = facts.filter(fs::Metadata::is_file).and_then(|facts| facts.modified().ok());
        modified.and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE)
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(is_left).map(|entry| entry.path()).collect()
}

/// Writes a file that only its owner may read. It is written completely or not at all.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let write = || {
        let mut file = part_in(dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| {
        Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
            .next("choose another file, or make its directory writable")
    })
}

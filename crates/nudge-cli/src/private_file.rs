//! Files that only their owner can read, and small files of other programs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_home::home::private_dir;
use tempfile::NamedTempFile;

/// How the names of files begin that will take the place of another.
const PART_PREFIX: &str = ".nudge-part-";

/// How many random letters and digits follow, so that no file of the user has such a name.
const RANDOM_LETTERS: usize = 16;

/// How long nobody has written to one that a killed process left.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// A new file in a directory that will take the place of another. Only its owner may read it. Those
/// that killed processes left there are removed.
pub(crate) fn part_in(dir: &Path) -> io::Result<NamedTempFile> {
    for left in abandoned_parts(dir) {
        let _ = fs::remove_file(left);
    }
    // Temporary files are made with mode 0600.
    tempfile::Builder::new().prefix(PART_PREFIX).rand_bytes(RANDOM_LETTERS).tempfile_in(dir)
}

/// The files that killed processes left in a directory. They may hold all that the file has whose
/// place they were to take.
pub(crate) fn abandoned_parts(dir: &Path) -> Vec<PathBuf> {
    let is_left = |entry: &fs::DirEntry| {
        let is_part = entry.file_name().to_str().is_some_and(is_part);
        // Metadata of the entry itself: what a link leads to is not ours.
        let facts = if is_part { entry.metadata().ok() } else { None };
        let facts = facts.filter(|facts| facts.is_file() && is_own(facts));
        let modified = facts.and_then(|facts| facts.modified().ok());
        modified.and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE_AFTER)
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(is_left).map(|entry| entry.path()).collect()
}

/// Whether [`part_in`] made this name.
fn is_part(name: &str) -> bool {
    let random = name.strip_prefix(PART_PREFIX);
    random.is_some_and(|random| {
        random.len() == RANDOM_LETTERS && random.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Whether a file belongs to the user who runs this program.
fn is_own(facts: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        facts.uid() == private_dir::own_uid()
    }
    #[cfg(not(unix))]
    {
        let _ = facts;
        true
    }
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

/// The text of a file; `None` if it is missing, empty, longer than `most` or not a regular file. A
/// pipe would block.
pub(crate) fn small_text(path: &Path, most: u64) -> Option<String> {
    let facts = fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() <= most)?;
    (facts.len() > 0).then(|| fs::read_to_string(path).ok()).flatten()
}

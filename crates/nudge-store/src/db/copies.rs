//! Private temporary directories for copies of a database, and removal of those left by killed
//! processes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::db::error::StoreError;
use crate::db::files;

/// The name prefix of these directories.
const COPY_PREFIX: &str = "nudge-read-";

/// The locked file that marks a directory as in use; the system releases the lock when the process
/// ends.
const HELD_FILE: &str = "held";

/// A directory older than this may be abandoned: far longer than it takes to make one.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// A directory for one copy; removed when dropped.
pub(crate) struct CopyDir {
    dir: TempDir,
    _held: fs::File,
}

impl CopyDir {
    /// Creates one, for the owner only.
    pub(crate) fn new() -> Result<Self, StoreError> {
        let dir = TempDir::with_prefix(COPY_PREFIX).map_err(|e| StoreError::io(std::env::temp_dir(), e))?;
        let held = files::private_file(&dir.path().join(HELD_FILE))?;
        // If files cannot be locked, only its age protects the directory.
        let _ = held.try_lock();
        Ok(Self { dir, _held: held })
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes abandoned directories of the same user next to this one.
    ///
    /// Failures are ignored: a directory that stays only costs space.
    pub(crate) fn remove_stale(&self) {
        let siblings = self.path().parent().and_then(|parent| fs::read_dir(parent).ok());
        for sibling in siblings.into_iter().flatten().flatten() {
            let named = sibling.file_name().to_str().is_some_and(|name| name.starts_with(COPY_PREFIX));
            if named && self.is_abandoned(&sibling.path()) {
                let _ = fs::remove_dir_all(sibling.path());
            }
        }
    }

    fn is_abandoned(&self, sibling: &Path) -> bool {
        let (Ok(own), Ok(other)) = (fs::symlink_metadata(self.path()), fs::symlink_metadata(sibling)) else {
            return false;
        };
        let old =
            other.modified().ok().and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE_AFTER);
        other.is_dir()
            && old
            && same_owner(&own, &other)
            && fs::File::open(sibling.join(HELD_FILE)).map_or(true, |held| held.try_lock().is_ok())
    }
}

#[cfg(unix)]
fn same_owner(own: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    own.uid() == other.uid()
}

#[cfg(not(unix))]
fn same_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    // On this system, temporary directories are already private to each user.
    true
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn age(dir: &Path) {
        let then = SystemTime::now() - STALE_AFTER - Duration::from_secs(60);
        fs::File::open(dir).and_then(|dir| dir.set_modified(then)).expect("made to look old");
    }

    #[test]
    fn only_old_directories_that_nobody_holds_are_removed() {
        let ours = CopyDir::new().expect("made");
        let held = CopyDir::new().expect("made");
        age(held.path());
        let young = TempDir::with_prefix(COPY_PREFIX).expect("made");
        let left = TempDir::with_prefix(COPY_PREFIX).expect("made");
        fs::write(left.path().join(HELD_FILE), "").expect("written");
        fs::write(left.path().join("nudge.db"), "pages").expect("written");
        age(left.path());
        ours.remove_stale();
        let there = [ours.path(), held.path(), young.path(), left.path()].map(Path::exists);
        assert_eq!(there, [true, true, true, false]);
    }
}

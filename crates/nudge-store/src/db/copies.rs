//! Private temporary directories for copies of a database, and what killed processes left of them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::db::error::StoreError;
use crate::db::files;

/// What the names of all such directories begin with.
const PREFIX: &str = "nudge-read-";

/// The file whose lock says that the directory is in use; the system gives it up with the process.
const HELD: &str = "held";

/// How old a directory must be to count as left behind: far longer than it takes to make one.
const STALE: Duration = Duration::from_secs(60 * 60);

/// A directory for one copy; gone when dropped.
pub(crate) struct CopyDir {
    dir: TempDir,
    _held: fs::File,
}

impl CopyDir {
    /// Makes one, for the owner alone.
    pub(crate) fn new() -> Result<Self, StoreError> {
        let dir = TempDir::with_prefix(PREFIX).map_err(|e| StoreError::io(std::env::temp_dir(), e))?;
        let held = files::private_file(&dir.path().join(HELD))?;
        // Where files cannot be locked, age alone protects the directory.
        let _ = held.try_lock();
        Ok(Self { dir, _held: held })
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes the directories beside this one that belong to the same user and to no process.
    ///
    /// As far as that can be done: what stays costs space only.
    pub(crate) fn remove_stale(&self) {
        let siblings = self.path().parent().and_then(|parent| fs::read_dir(parent).ok());
        for sibling in siblings.into_iter().flatten().flatten() {
            let named = sibling.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
            if named && self.is_abandoned(&sibling.path()) {
                let _ = fs::remove_dir_all(sibling.path());
            }
        }
    }

    fn is_abandoned(&self, sibling: &Path) -> bool {
        let (Ok(own), Ok(other)) = (fs::symlink_metadata(self.path()), fs::symlink_metadata(sibling)) else {
            return false;
        };
        let old = other.modified().ok().and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE);
        other.is_dir()
            && old
            && same_owner(&own, &other)
            && fs::File::open(sibling.join(HELD)).map_or(true, |held| held.try_lock().is_ok())
    }
}

#[cfg(unix)]
fn same_owner(own: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    own.uid() == other.uid()
}

#[cfg(not(unix))]
fn same_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    // Temporary directories are each user's own there.
    true
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn age(dir: &Path) {
        let then = SystemTime::now() - STALE - Duration::from_secs(60);
        fs::File::open(dir).and_then(|dir| dir.set_modified(then)).expect("made to look old");
    }

    #[test]
    fn only_old_directories_that_nobody_holds_are_removed() {
        let ours = CopyDir::new().expect("made");
        let held = CopyDir::new().expect("made");
        age(held.path());
        let young = TempDir::with_prefix(PREFIX).expect("made");
        let left = TempDir::with_prefix(PREFIX).expect("made");
        fs::write(left.path().join(HELD), "").expect("written");
        fs::write(left.path().join("nudge.db"), "pages").expect("written");
        age(left.path());
        ours.remove_stale();
        let there = [ours.path(), held.path(), young.path(), left.path()].map(Path::exists);
        assert_eq!(there, [true, true, true, false]);
    }
}

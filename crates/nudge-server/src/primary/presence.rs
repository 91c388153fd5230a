//! Which versions have a living server that can take over.
//!
//! Every server holds a shared lock on a file named after its version. The kernel gives the lock up with the process, so
//! a held lock is proof of a living server, which a process id in the state file is not.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nudge_client::version::{Version, is_newer};
use nudge_store::{Fate, FileId};

/// What the names of these files begin with.
const PREFIX: &str = "version-";

/// Says that a server of this version lives, until the value is dropped.
#[derive(Debug)]
pub(crate) struct Presence {
    _file: File,
}

impl Presence {
    /// Takes the shared lock of this version.
    pub(crate) fn announce(run_dir: &Path, version: &str) -> io::Result<Self> {
        if Version::parse(version).is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the version is not three numbers"));
        }
        let path = run_dir.join(format!("{PREFIX}{version}"));
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path)?;
            // Others hold it alone for an instant, to see whether it is held.
            file.lock_shared()?;
            if is_still_at(&file, &path) {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// Whether a server of a newer version lives. Files that nobody holds are removed.
pub(crate) fn newer_lives(run_dir: &Path, version: &str) -> bool {
    let mut found = false;
    for entry in std::fs::read_dir(run_dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(other) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        if other != version && is_held(&entry.path()) {
            found |= is_newer(other, version);
        }
    }
    found
}

/// Whether a server holds this file. One that nobody holds is removed, under the lock that would be needed to hold it.
fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) => {
            if is_still_at(&file, path) {
                let _ = std::fs::remove_file(path);
            }
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    FileId::of(file).is_ok_and(|id| id.fate(path) == Fate::There)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_server_is_seen_for_as_long_as_it_lives() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let run = dir.path();
        assert!(!newer_lives(run, "0.1.0"));
        let newer = [(); 2].map(|()| Presence::announce(run, "0.2.0").expect("announced"));
        let own = Presence::announce(run, "0.1.0").expect("announced");
        assert!(newer_lives(run, "0.1.0"));
        assert!(!newer_lives(run, "0.2.0") && !newer_lives(run, "0.3.0"));
        let [first, second] = newer;
        drop(first);
        assert!(newer_lives(run, "0.1.0"));
        drop(second);
        assert!(!newer_lives(run, "0.1.0"));
        assert!(!run.join("version-0.2.0").exists() && run.join("version-0.1.0").exists());
        drop(own);
    }

    #[test]
    fn other_files_and_odd_versions_do_not_count() {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::write(dir.path().join("lock"), "").expect("written");
        std::fs::write(dir.path().join("version-x"), "").expect("written");
        assert!(!newer_lives(dir.path(), "0.1.0"));
        assert!(Presence::announce(dir.path(), "../0.1.0").is_err());
    }
}

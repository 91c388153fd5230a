//! Which versions have a running server that can take over.
//!
//! Every server has a shared lock on a file named after its version. The kernel releases the lock
//! with the process, so a lock proves that a server is running, which a process id in the state
//! file does not.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nudge_client::version::{Version, is_newer};
use nudge_store::{FileId, FileState};

/// The prefix of these files' names.
const PREFIX: &str = "version-";

/// Announces that a server of this version is running, until the value is dropped.
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
            // Others lock it exclusively for an instant, to see whether it is locked.
            file.lock_shared()?;
            if is_still_at(&file, &path) {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// Whether a server of a newer version is running. Files that nobody has locked are removed.
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

/// Whether a server has locked this file. If not, the file is removed, while we have its lock
/// ourselves.
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
    FileId::of(file).is_ok_and(|id| id.state_at(path) == FileState::There)
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

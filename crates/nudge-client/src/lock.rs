//! The lock in `run/`: the process that has it is PRIMARY.
//!
//! The lock belongs to an open file, so the kernel releases it the instant its process dies,
//! whatever killed it. The file itself is never removed: two files under one name would be two
//! locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nudge_store::{FileId, FileState};

/// The acquired lock. The process with this value is PRIMARY; dropping it ends that.
#[derive(Debug)]
pub struct PrimaryLock {
    file: File,
}

impl PrimaryLock {
    /// The id of the locked file.
    pub fn file_id(&self) -> io::Result<FileId> {
        FileId::of(&self.file)
    }
}

/// The result of claiming the lock.
#[derive(Debug)]
pub enum Claim {
    /// We are PRIMARY.
    Won(PrimaryLock),
    /// Another process is, or is about to be.
    Taken,
}

/// Tries to become PRIMARY without waiting.
pub fn claim(path: &Path) -> io::Result<Claim> {
    loop {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) if is_still_at(&file, path) => return Ok(Claim::Won(PrimaryLock { file })),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Claim::Taken),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether some process is PRIMARY. Takes a shared lock for an instant, so it delays a claim only
/// that long.
pub fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Waits until this process is PRIMARY.
pub fn wait(path: &Path) -> io::Result<PrimaryLock> {
    loop {
        let file = open(path)?;
        file.lock()?;
        if is_still_at(&file, path) {
            return Ok(PrimaryLock { file });
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// Whether the locked file is still the one at that path.
fn is_still_at(file: &File, path: &Path) -> bool {
    FileId::of(file).is_ok_and(|mark| mark.state_at(path) == FileState::There)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn lock_path() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("lock");
        (dir, path)
    }

    #[test]
    fn only_one_claim_wins() {
        let (_dir, path) = lock_path();
        let first = claim(&path).expect("claim");
        assert!(matches!(first, Claim::Won(_)));
        assert!(matches!(claim(&path).expect("claim"), Claim::Taken));
        assert!(is_held(&path));
        drop(first);
        assert!(!is_held(&path));
        assert!(matches!(claim(&path).expect("claim"), Claim::Won(_)));
    }

    #[test]
    fn a_lock_on_a_replaced_file_is_no_lock() {
        let (_dir, path) = lock_path();
        let stale = claim(&path).expect("claim");
        std::fs::remove_file(&path).expect("remove");
        assert!(matches!(claim(&path).expect("claim"), Claim::Won(_)));
        drop(stale);
    }
}

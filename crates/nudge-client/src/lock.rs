//! The lock in `run/`: the process that has it is PRIMARY; and the state file, with its facts.
//!
//! The lock belongs to an open file, so the kernel releases it the instant its process dies,
//! whatever killed it. The file itself is never removed: two files under one name would be two
//! locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nudge_store::{FileId, FileState};
use serde::{Deserialize, Serialize};

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

// The state file: PRIMARY's facts for processes that cannot ask it.
//
// The file is informative, not proof: only the lock decides whether a PRIMARY is running.

/// The content of `run/state.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerState {
    /// Its process id.
    pub pid: u32,
    /// Its port of record.
    pub port: u16,
    /// Since when it is PRIMARY.
    pub started: String,
    /// Its version.
    pub version: String,
    /// The unique id of this PRIMARY run.
    pub instance: String,
    /// The path of its socket.
    pub socket: String,
    #[serde(default)]
    /// Whether its memory ends with the process.
    pub ephemeral: bool,
    /// Whether the port is recorded but not bound yet, because another process uses it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub port_pending: bool,
}

impl ServerState {
    /// The state in that file; `None` if it cannot be read.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Replaces the file atomically, readable only by its owner.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let dir = path.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::Builder::new()
            .prefix(".server-")
            .permissions(std::fs::Permissions::from_mode(0o600))
            .tempfile_in(dir)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.write_all(b"\n")?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes the file unless a successor has already written its own.
    pub fn remove_if_ours(path: &Path, instance: &str) -> std::io::Result<()> {
        match Self::read(path) {
            Some(state) if state.instance == instance => std::fs::remove_file(path),
            _ => Ok(()),
        }
    }
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

    fn state(instance: &str) -> ServerState {
        ServerState {
            pid: 7,
            port: 8765,
            started: "2026-11-15T06:10:27.000Z".into(),
            version: "0.1.0".into(),
            instance: instance.into(),
            socket: "/run/nudge.sock".into(),
            ephemeral: false,
            port_pending: true,
        }
    }

    #[test]
    fn it_reads_back_and_only_its_owner_may_read_it() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("server.json");
        state("a").write(&path).expect("write");
        assert_eq!(ServerState::read(&path), Some(state("a")));
        let mode = std::fs::metadata(&path).expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_successors_note_is_left_alone() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("server.json");
        state("new").write(&path).expect("write");
        ServerState::remove_if_ours(&path, "old").expect("no removal");
        assert_eq!(ServerState::read(&path), Some(state("new")));
        ServerState::remove_if_ours(&path, "new").expect("removal");
        assert_eq!(ServerState::read(&path), None);
    }
}

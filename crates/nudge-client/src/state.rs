//! The state file: PRIMARY's facts for processes that cannot ask it.
//!
//! The file is informative, not proof: only the lock decides whether a PRIMARY is running.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

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
    use super::*;

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

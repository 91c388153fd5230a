//! PRIMARY's files, and whether they are still in place.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nudge_home::Home;
use nudge_store::{FileId, FileState};

use super::socket;

/// The files that a PRIMARY needs, as they were when it started.
pub(crate) struct PrimaryFiles {
    home: Home,
    /// The server ends without these: the lock, and the database unless the memory is only in RAM.
    vital: Vec<(&'static str, PathBuf, FileId)>,
    socket: Mutex<Option<FileId>>,
}

impl PrimaryFiles {
    /// Records the present files. `lock` is the id of the locked file.
    pub(crate) fn note(home: &Home, lock: Option<FileId>, ephemeral: bool, socket: &Path) -> Self {
        let database = if ephemeral { None } else { FileId::at(&home.db()).ok() };
        let lock = lock.map(|id| ("the lock", home.lock_file(), id));
        let database = database.map(|id| ("the database", home.db(), id));
        Self {
            home: home.clone(),
            vital: lock.into_iter().chain(database).collect(),
            socket: Mutex::new(FileId::at(socket).ok()),
        }
    }

    /// Removes the socket, unless it is a successor's or a stranger's.
    pub(crate) fn remove_socket(&self, path: &Path) -> std::io::Result<()> {
        match self.socket().map(|id| id.state_at(path)) {
            Some(FileState::There) => std::fs::remove_file(path),
            _ => Ok(()),
        }
    }

    /// A missing file that the server needs.
    pub(crate) fn loss(&self) -> Option<(&'static str, FileState)> {
        let fates = self.vital.iter().map(|(name, path, id)| (*name, id.state_at(path)));
        fates.into_iter().find(|(_, fate)| *fate != FileState::There)
    }

    fn socket(&self) -> Option<FileId> {
        *self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the socket's name is gone. A file that someone put in its place is left alone.
    pub(crate) fn lacks_socket(&self, path: &Path) -> bool {
        self.socket().is_some_and(|id| id.state_at(path) == FileState::Removed)
    }
    /// Binds the socket again after its name was removed.
    pub(crate) fn bind_socket_again(&self) -> std::io::Result<tokio::net::UnixListener> {
        // Its directory may be gone too, if it is one under /tmp.
        let path = self.home.secure_socket().map_err(std::io::Error::other)?;
        let listener = socket::bind(&path)?;
        *self.socket.lock().unwrap_or_else(PoisonError::into_inner) = FileId::at(&path).ok();
        Ok(listener)
    }
}

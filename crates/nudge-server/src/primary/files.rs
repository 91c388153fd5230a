//! The files that make a process PRIMARY, and whether they are still in their places.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nudge_home::Home;
use nudge_store::{Fate, FileId};

use super::socket;

/// The files without which a process is no PRIMARY, as they were when it started.
pub(crate) struct PrimaryFiles {
    home: Home,
    /// The server ends without these: the lock, and the database unless all is in memory.
    vital: Vec<(&'static str, PathBuf, FileId)>,
    socket: Mutex<Option<FileId>>,
}

impl PrimaryFiles {
    /// Notes what lies there now. `lock` is the id of the file that is locked.
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

    /// Removes the socket, unless a successor's or a stranger's lies there.
    pub(crate) fn remove_socket(&self, path: &Path) -> std::io::Result<()> {
        match self.socket().map(|id| id.fate(path)) {
            Some(Fate::There) => std::fs::remove_file(path),
            _ => Ok(()),
        }
    }

    /// The file that is gone and that the server cannot do without.
    pub(crate) fn loss(&self) -> Option<(&'static str, Fate)> {
        let fates = self.vital.iter().map(|(name, path, id)| (*name, id.fate(path)));
        fates.into_iter().find(|(_, fate)| *fate != Fate::There)
    }

    fn socket(&self) -> Option<FileId> {
        *self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the socket's name is gone. One that somebody put in its place is left alone.
    pub(crate) fn lacks_socket(&self, path: &Path) -> bool {
        self.socket().is_some_and(|id| id.fate(path) == Fate::Removed)
    }
    /// Binds the socket again after its name was removed.
    pub(crate) fn bind_socket_again(&self) -> std::io::Result<tokio::net::UnixListener> {
        // Its directory may be gone too, where it is one under /tmp.
        let path = self.home.secure_socket().map_err(std::io::Error::other)?;
        let listener = socket::bind(&path)?;
        *self.socket.lock().unwrap_or_else(PoisonError::into_inner) = FileId::at(&path).ok();
        Ok(listener)
    }
}

//! Looking after the files of an office: what a PRIMARY does when they go away under it.
//!
//! Files that are open live on when their names are removed, so a PRIMARY whose home was deleted would go
//! on acknowledging writes that nobody will ever read, while the next server starts an empty memory beside
//! it. It looks each second, so that this lasts a second at the most; looking before each acknowledgement
//! would cost every write for what only a person's own hand does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nudge_home::Home;
use nudge_store::{Fate, FileId};
use tokio_util::sync::CancellationToken;

use super::JobContext;
use crate::primary::socket;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The files that make the office, as they were when it was taken.
pub(crate) struct Belongings {
    home: Home,
    /// Without one of these there is no office: the lock, and the database unless all is in memory.
    vital: Vec<(&'static str, PathBuf, FileId)>,
    socket: Mutex<Option<FileId>>,
}

impl Belongings {
    /// Notes what lies there now. `lock` is the mark of the file that is locked.
    pub(crate) fn note(home: &Home, lock: Option<FileId>, ephemeral: bool, socket: &Path) -> Self {
        let database = if ephemeral { None } else { FileId::at(&home.db()).ok() };
        let lock = lock.map(|mark| ("the lock", home.lock_file(), mark));
        let database = database.map(|mark| ("the database", home.db(), mark));
        Self {
            home: home.clone(),
            vital: lock.into_iter().chain(database).collect(),
            socket: Mutex::new(FileId::at(socket).ok()),
        }
    }

    /// Removes the socket, unless a successor's or a stranger's lies there.
    pub(crate) fn remove_socket(&self, path: &Path) -> std::io::Result<()> {
        match self.socket().map(|mark| mark.fate(path)) {
            Some(Fate::There) => std::fs::remove_file(path),
            _ => Ok(()),
        }
    }

    /// What is gone that the office cannot do without.
    fn loss(&self) -> Option<(&'static str, Fate)> {
        let fates = self.vital.iter().map(|(name, path, mark)| (*name, mark.fate(path)));
        fates.into_iter().find(|(_, fate)| *fate != Fate::There)
    }

    fn socket(&self) -> Option<FileId> {
        *self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the socket's name is gone. One that somebody put in its place is left alone.
    fn lacks_socket(&self, path: &Path) -> bool {
        self.socket().is_some_and(|mark| mark.fate(path) == Fate::Removed)
    }
}

/// Looks after the files until the server stops, and binds the socket again where its name was removed.
pub(super) async fn watch(context: Arc<JobContext>, stop: CancellationToken) {
    let belongings = &context.belongings;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        if let Some((what, fate)) = belongings.loss() {
            tracing::error!(what, ?fate, "a file of the office is gone from its place: this server ends");
            stop.cancel();
            return;
        }
        if belongings.lacks_socket(context.identity.socket_path()) {
            match bind_again(belongings) {
                Ok(listener) => {
                    tracing::warn!("the socket was removed; it is bound again");
                    context.socket.send_replace(Arc::new(listener));
                }
                Err(error) => tracing::warn!(%error, "the socket was removed and cannot be bound again"),
            }
        }
    }
}

fn bind_again(belongings: &Belongings) -> std::io::Result<tokio::net::UnixListener> {
    // Its directory may be gone too, where it is one under /tmp.
    let path = belongings.home.secure_socket().map_err(std::io::Error::other)?;
    let listener = socket::bind(&path)?;
    *belongings.socket.lock().unwrap_or_else(PoisonError::into_inner) = FileId::at(&path).ok();
    Ok(listener)
}

//! The parts of a PRIMARY: the lock it won, its identity, its files and its listeners.
//!
//! `serve` combines them with the jobs and HTTP.

pub(crate) mod election;
mod identity;
pub(crate) mod port;
pub(crate) mod socket;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nudge_client::lock::ServerState;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_store::{FileId, FileState};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use crate::ServeOptions;
use identity::Port;
use port::PortRequest;

pub(crate) use election::{Presence, newer_lives};
pub(crate) use identity::Identity;

// The signals that end the parts of PRIMARY.

/// Three tokens. The end of the process cancels the others too; a handover cancels them one after
/// the other and keeps the process.
#[derive(Clone)]
pub(crate) struct Shutdown {
    /// The process ends.
    pub(crate) process: CancellationToken,
    /// This process is no longer PRIMARY: no new calls on the socket, and jobs and streams end.
    pub(crate) primary: CancellationToken,
    /// The port is closed. Open connections continue.
    pub(crate) port: CancellationToken,
}

impl Shutdown {
    /// The tokens of a new PRIMARY in a process that this token ends.
    pub(crate) fn new(process: CancellationToken) -> Self {
        Self { primary: process.child_token(), port: process.child_token(), process }
    }
}

// PRIMARY's files, and whether they are still in place.

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

// PRIMARY's listeners: its loopback port and its Unix socket.

/// How this process became PRIMARY; it decides what to do about a taken port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartedAs {
    /// It started first.
    Fresh,
    /// It replaced a PRIMARY that was last seen on this port. If the port is taken, it waits for
    /// it.
    Promoted {
        /// That port, if one was ever seen.
        port: Option<u16>,
        /// Whether that PRIMARY's memory ended with it. If not, the writes it acknowledged are in
        /// the store, and its successor serves the store whatever its own options say.
        after_ephemeral: bool,
    },
}

/// Port and socket, bound and not yet served.
pub(crate) struct Listeners {
    /// `None` while another process uses the port of record.
    pub(crate) listener: Option<TcpListener>,
    pub(crate) port: Port,
    pub(crate) socket: UnixListener,
    pub(crate) socket_path: PathBuf,
}

/// The previous PRIMARY's port, bound at once.
pub(crate) struct InheritedPort(Option<TcpListener>, Port);

impl InheritedPort {
    /// Binds the port that a promoted process takes over, before it does anything else, so that new
    /// connections wait instead of being refused. `None` for a process that starts first.
    pub(crate) fn bind(options: &ServeOptions, how: StartedAs) -> Option<Self> {
        match how {
            StartedAs::Fresh => None,
            StartedAs::Promoted { .. } => {
                take_port(options, how).ok().map(|(listener, port)| Self(listener, port))
            }
        }
    }
}

impl Listeners {
    /// Binds both, or neither.
    pub(crate) fn open(
        options: &ServeOptions,
        how: StartedAs,
        inherited: Option<InheritedPort>,
    ) -> Result<Self, Fault> {
        let (listener, port) = match inherited {
            Some(InheritedPort(listener, port)) => (listener, port),
            None => take_port(options, how)?,
        };
        let socket_path = options.home.secure_socket()?;
        let socket = socket::bind(&socket_path).map_err(|error| {
            let why = format!("cannot bind the socket {}: {error}", socket_path.display());
            Fault::new(FaultKind::Unavailable, "socket", why).because(error).next("run `nudge doctor`")
        })?;
        Ok(Self { listener, port, socket, socket_path })
    }
}

fn take_port(options: &ServeOptions, how: StartedAs) -> Result<(Option<TcpListener>, Port), Fault> {
    let recorded = ServerState::read(&options.home.state_file()).map(|state| state.port);
    if let StartedAs::Promoted { port, .. } = how
        && let Some(number) = port.or(recorded).filter(|number| *number != 0)
    {
        let listener = port::listen(number).ok();
        let pending = listener.is_none();
        return Ok((listener, Port { number, pending }));
    }
    let flag = options.port.filter(|_| how == StartedAs::Fresh);
    let listener = port::bind(PortRequest { flag, recorded, default: options.settings.port })?;
    let number = port::number(&listener);
    Ok((Some(listener), Port { number, pending: false }))
}

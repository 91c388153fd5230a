//! The identity of a server process: what it sends as greeting, writes to the state file and
//! reports at `/health`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nudge_core::Timestamp;
use nudge_home::Home;

use nudge_client::frame::{Greeting, PROTOCOL};
use nudge_client::lock::ServerState;

/// One run of a PRIMARY. Each run has a new instance id, so that nobody mistakes a successor, or a
/// stranger on the same port, for the process they met before.
pub(crate) struct Identity {
    pub(crate) version: String,
    pub(crate) instance: String,
    pub(crate) started: Timestamp,
    pub(crate) ephemeral: bool,
    pub(crate) socket: PathBuf,
    state_file: PathBuf,
    port: Mutex<Port>,
}

/// The port of record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) number: u16,
    /// Recorded but not bound, because another process uses it.
    pub(crate) pending: bool,
}

impl Identity {
    pub(crate) fn new(home: &Home, version: &str, socket: PathBuf, ephemeral: bool, port: Port) -> Self {
        Self {
            version: version.to_owned(),
            instance: uuid::Uuid::now_v7().to_string(),
            started: nudge_client::now(),
            ephemeral,
            socket,
            state_file: home.state_file(),
            port: Mutex::new(port),
        }
    }

    /// The port of record.
    pub(crate) fn port(&self) -> Port {
        *self.port.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Records that the port is now bound.
    pub(crate) fn note_port_bound(&self) -> std::io::Result<()> {
        self.port.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pending = false;
        self.publish()
    }

    /// Writes the state file.
    pub(crate) fn publish(&self) -> std::io::Result<()> {
        self.state().write(&self.state_file)
    }

    /// Removes the state file, if it is still this run's.
    pub(crate) fn withdraw(&self) -> std::io::Result<()> {
        ServerState::remove_if_ours(&self.state_file, &self.instance)
    }

    /// The greeting for a new connection.
    pub(crate) fn greeting(&self) -> Greeting {
        Greeting {
            nudge: PROTOCOL,
            version: self.version.clone(),
            instance: self.instance.clone(),
            pid: std::process::id(),
            port: self.port().number,
            ephemeral: self.ephemeral,
        }
    }

    /// The content of the state file.
    pub(crate) fn state(&self) -> ServerState {
        let port = self.port();
        ServerState {
            pid: std::process::id(),
            port: port.number,
            started: self.started.to_string(),
            version: self.version.clone(),
            instance: self.instance.clone(),
            socket: self.socket_path().display().to_string(),
            ephemeral: self.ephemeral,
            port_pending: port.pending,
        }
    }

    /// The path of the socket.
    pub(crate) fn socket_path(&self) -> &Path {
        &self.socket
    }
}

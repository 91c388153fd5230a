//! Starts and stops a PRIMARY: store, socket, port, state file and jobs.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::http_port::serve_port;
use crate::backend::{Backend, Local, Role};
use crate::http::AppState;
use crate::jobs::{self, JobContext};
use crate::options::ServeOptions;
use crate::primary::socket::{self, ConnectionState};
use crate::primary::{Identity, Listeners, PrimaryFiles, StartedAs};
use nudge_client::lock::PrimaryLock;
use nudge_client::token;

/// How long calls under way may take when the server stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(2);

/// How long readers of the store's log are waited for before it is left as it is, which harms
/// nothing.
const CLOSE_WITHIN: Duration = Duration::from_millis(100);

/// A PRIMARY that serves.
pub(super) struct Primary {
    lock: PrimaryLock,
    local: Arc<Local>,
    identity: Arc<Identity>,
    files: Arc<PrimaryFiles>,
    stop: CancellationToken,
    under_way: TaskTracker,
}

/// Why this process could not become PRIMARY.
pub(super) enum CannotStart {
    /// No port or no socket can be had. The store is sound and open.
    NoListener(Fault),
    /// The disk is full. The store can be read; PRIMARY can start when there is room again.
    NoRoom(Fault),
    /// Anything else.
    Other(Fault),
}

impl CannotStart {
    /// The fault, whatever it prevents.
    pub(super) fn into_fault(self) -> Fault {
        match self {
            Self::NoListener(fault) | Self::NoRoom(fault) | Self::Other(fault) => fault,
        }
    }
}

impl From<Fault> for CannotStart {
    fn from(fault: Fault) -> Self {
        if fault.reason == Fault::DISK_FULL { Self::NoRoom(fault) } else { Self::Other(fault) }
    }
}

impl Primary {
    /// Starts it. On failure the lock is released.
    pub(super) fn start(
        options: &ServeOptions,
        backend: &Arc<Backend>,
        lock: PrimaryLock,
        how: StartedAs,
        stop: CancellationToken,
    ) -> Result<Self, CannotStart> {
        let ephemeral = is_ephemeral(options, how);
        let local = open(options, backend, ephemeral)?;
        let Listeners { listener, port, socket, socket_path } =
            Listeners::open(options, how).map_err(CannotStart::NoListener)?;
        if let Err(fault) = token::ensure(&options.home) {
            tracing::warn!(
                reason = fault.reason,
                cause = fault.causes().join(": "),
                "no usable token: the port admits nobody until it is rotated"
            );
        }
        let files = Arc::new(PrimaryFiles::note(&options.home, lock.file_id().ok(), ephemeral, &socket_path));
        let identity = Arc::new(Identity::new(&options.home, socket_path, ephemeral, port));
        if let Err(error) = identity.publish() {
            let _ = files.remove_socket(identity.socket_path());
            return Err(not_recorded(options, error).into());
        }
        let primary = Self { lock, local, identity, files, stop, under_way: TaskTracker::new() };
        primary.serve(options, backend, listener, socket);
        tracing::info!(
            port = port.number,
            pending = port.pending,
            ?how,
            instance = primary.identity.instance,
            "PRIMARY"
        );
        Ok(primary)
    }

    /// Begins to serve the socket, then the port, then starts the jobs.
    fn serve(
        &self,
        options: &ServeOptions,
        backend: &Arc<Backend>,
        listener: Option<TcpListener>,
        socket: UnixListener,
    ) {
        let connections = ConnectionState {
            local: self.local.clone(),
            identity: self.identity.clone(),
            stop: self.stop.clone(),
        };
        let (rebind, rebound) = mpsc::channel(1);
        tokio::spawn(socket::serve(socket, rebound, Arc::new(connections), self.under_way.clone()));
        backend.take_role(Role::Local(self.local.clone()));
        let state = AppState::new(options, backend.clone(), self.identity.clone(), self.stop.clone());
        tokio::spawn(serve_port(listener, Arc::new(state), self.under_way.clone()));
        let context = JobContext {
            home: options.home.clone(),
            local: self.local.clone(),
            identity: self.identity.clone(),
            files: self.files.clone(),
            rebind,
            ephemeral: self.identity.ephemeral,
        };
        jobs::start(&Arc::new(context), &self.stop);
    }

    /// Who this PRIMARY is.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Stops it: no new calls, those under way finish, then the store's log, the state
    /// file, the socket and at last the lock. Each step is taken whether or not the one before
    /// succeeded.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.under_way.close();
        if tokio::time::timeout(DRAIN_WITHIN, self.under_way.wait()).await.is_err() {
            tracing::warn!("calls were still under way when the server stopped");
        }
        let store = self.local.memory().store();
        if let Err(error) = store.empty_wal(CLOSE_WITHIN) {
            tracing::warn!(%error, "the log of the store could not be written back");
        }
        if let Err(error) = self.identity.withdraw() {
            tracing::warn!(%error, "the state file could not be removed");
        }
        if let Err(error) = self.files.remove_socket(self.identity.socket_path()) {
            tracing::warn!(%error, "the socket could not be removed");
        }
        tracing::info!(instance = self.identity.instance, "this server ends");
        drop(self.lock);
    }
}

/// Whether the memory ends with this process. A promoted process carries on what its predecessor kept.
fn is_ephemeral(options: &ServeOptions, how: StartedAs) -> bool {
    match how {
        StartedAs::Fresh => options.ephemeral,
        StartedAs::Promoted { after_ephemeral, .. } => options.ephemeral && after_ephemeral,
    }
}

fn open(options: &ServeOptions, backend: &Backend, ephemeral: bool) -> Result<Arc<Local>, Fault> {
    if ephemeral {
        return Ok(Arc::new(Local::new(nudge_client::open::open(
            &options.home,
            &options.settings,
            nudge_client::open::Use::Ephemeral,
        )?)));
    }
    backend.direct().local()
}

fn not_recorded(options: &ServeOptions, error: std::io::Error) -> Fault {
    let why = format!("{} cannot be written: {error}", options.home.state_file().display());
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Fault::disk_full(why).because(error);
    }
    Fault::new(FaultKind::Unavailable, "state_file", why).because(error).next("run `nudge doctor`")
}

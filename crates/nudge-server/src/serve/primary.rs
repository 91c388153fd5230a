//! Starts and stops a PRIMARY: store, socket, port, state file and jobs.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use nudge_client::lock::PrimaryLock;
use nudge_client::lock::ServerState;
use nudge_client::token;
use nudge_client::ui_sessions::Codes;
use nudge_core::{Fault, FaultKind};
use tokio::net::UnixListener;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ServeOptions;
use crate::backend::{Backend, Local, Role};
use crate::http::{self, AppState};
use crate::jobs::{self, JobContext};
use crate::primary::socket::{self, ConnectionState};
use crate::primary::{Identity, InheritedPort, Listeners, PrimaryFiles, Shutdown, StartedAs, port};

/// How long running calls may take when the server stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(2);

/// How long to wait for readers of the store's write-ahead log before leaving it as it is, which is
/// harmless.
const CLOSE_WITHIN: Duration = Duration::from_millis(100);

/// A running PRIMARY.
pub(super) struct Primary {
    lock: PrimaryLock,
    local: Arc<Local>,
    identity: Arc<Identity>,
    files: Arc<PrimaryFiles>,
    shutdown: Shutdown,
    /// Connections on the socket.
    under_way: TaskTracker,
    asked: Arc<Notify>,
    listening: Option<Listening>,
}

/// The tasks that keep the socket and the port open.
struct Listening {
    socket: JoinHandle<()>,
    port: JoinHandle<()>,
}

/// State that a process keeps even when it stops being PRIMARY and becomes it again.
#[derive(Clone)]
pub(super) struct ProcessState {
    /// Ends the process.
    pub(super) stop: CancellationToken,
    /// Connections on the port. They may outlast a handover.
    pub(super) connections: TaskTracker,
}

impl ProcessState {
    /// Waits briefly until the requests on the port are answered. For a process that ends.
    pub(super) async fn drain(&self) {
        self.connections.close();
        let _ = tokio::time::timeout(DRAIN_WITHIN, self.connections.wait()).await;
    }
}

/// Why this process could not become PRIMARY.
pub(super) enum CannotStart {
    /// No port or no socket is available. The store is intact and open.
    NoListener(Fault),
    /// The disk is full. The store can be read; PRIMARY can start when there is space again.
    NoRoom(Fault),
    /// Anything else.
    Other(Fault),
}

impl CannotStart {
    /// The fault, for any reason.
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
        lasting: &ProcessState,
    ) -> Result<Self, CannotStart> {
        let ephemeral = is_ephemeral(options, how);
        forget_previous(options);
        let inherited = InheritedPort::bind(options, how);
        let local = open(options, backend, ephemeral)?;
        let Listeners { listener, port, socket, socket_path } =
            Listeners::open(options, how, inherited).map_err(CannotStart::NoListener)?;
        if let Err(fault) = token::ensure(&options.home) {
            tracing::warn!(
                reason = fault.reason,
                cause = fault.causes().join(": "),
                "no usable token: the port admits nobody until it is rotated"
            );
        }
        let files = Arc::new(PrimaryFiles::note(&options.home, lock.file_id().ok(), ephemeral, &socket_path));
        let identity = Arc::new(Identity::new(&options.home, &options.version, socket_path, ephemeral, port));
        if let Err(error) = identity.publish() {
            let _ = files.remove_socket(identity.socket_path());
            return Err(not_recorded(options, error).into());
        }
        let shutdown = Shutdown::new(lasting.stop.clone());
        let mut primary = Self {
            lock,
            local,
            identity,
            files,
            shutdown,
            under_way: TaskTracker::new(),
            asked: Arc::default(),
            listening: None,
        };
        primary.serve(options, backend, listener, socket, lasting);
        tracing::info!(
            version = options.version,
            mode = mode(options, ephemeral),
            port = port.number,
            pending = port.pending,
            ?how,
            instance = primary.identity.instance,
            "PRIMARY"
        );
        Ok(primary)
    }

    /// Serves the socket, then the port, then starts the jobs.
    fn serve(
        &mut self,
        options: &ServeOptions,
        backend: &Arc<Backend>,
        listener: Option<TcpListener>,
        socket: UnixListener,
        lasting: &ProcessState,
    ) {
        let codes = Arc::<Codes>::default();
        let connections = ConnectionState {
            local: self.local.clone(),
            identity: self.identity.clone(),
            shutdown: self.shutdown.clone(),
            asked: self.asked.clone(),
            codes: codes.clone(),
        };
        let (rebind, rebound) = mpsc::channel(1);
        let socket =
            tokio::spawn(socket::serve(socket, rebound, Arc::new(connections), self.under_way.clone()));
        backend.take_role(Role::Local(self.local.clone()));
        let state =
            AppState::new(options, backend.clone(), self.identity.clone(), self.shutdown.clone(), codes);
        let port = tokio::spawn(serve_port(listener, Arc::new(state), lasting.connections.clone()));
        self.listening = Some(Listening { socket, port });
        let context = JobContext {
            home: options.home.clone(),
            local: self.local.clone(),
            identity: self.identity.clone(),
            files: self.files.clone(),
            rebind,
            end: lasting.stop.clone(),
            by_agent: options.by_agent,
            ephemeral: self.identity.ephemeral,
        };
        jobs::start(&Arc::new(context), &self.shutdown.primary);
    }

    /// The identity of this PRIMARY.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns when a newer server asks to take over.
    pub(super) async fn asked_to_hand_over(&self) {
        self.asked.notified().await;
    }

    /// Hands over: no new calls on the socket, running ones finish, then the port is closed and the
    /// lock released. From then on `backend` forwards to the process that takes the lock, including
    /// calls on HTTP connections that are still open.
    ///
    /// State file and socket stay, as after a crash: the successor replaces them.
    pub(super) async fn hand_over(mut self, backend: &Backend, successor: Role) {
        let listening = self.listening.take();
        let (socket, port) = listening.map(|tasks| (tasks.socket, tasks.port)).unzip();
        self.shutdown.primary.cancel();
        ended(socket).await;
        backend.take_role(successor);
        self.under_way.close();
        let drained = async { tokio::join!(self.under_way.wait(), self.local.idle()) };
        if tokio::time::timeout(DRAIN_WITHIN, drained).await.is_err() {
            tracing::warn!("calls are still under way: they go on while another server takes over");
        }
        self.shutdown.port.cancel();
        ended(port).await;
        backend.direct().close();
        tracing::info!(instance = self.identity.instance, "handed over");
    }

    /// Stops it: no new calls, running ones finish, then it closes the store's log, the state file,
    /// the socket and finally the lock. Each step runs whether or not the one before succeeded.
    pub(super) async fn stop(self, connections: &TaskTracker) {
        self.shutdown.process.cancel();
        self.under_way.close();
        connections.close();
        let drained = async { tokio::join!(self.under_way.wait(), connections.wait(), self.local.idle()) };
        if tokio::time::timeout(DRAIN_WITHIN, drained).await.is_err() {
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

/// Waits until a cancelled task has ended, and its listener is closed.
async fn ended(task: Option<JoinHandle<()>>) {
    if let Some(task) = task
        && let Err(error) = task.await
    {
        tracing::error!(%error, "a listening task failed");
    }
}

/// Whether the memory ends with this process. A promoted process continues the memory of its
/// predecessor.
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
            nudge_client::open::OpenFor::Ephemeral,
        )?)));
    }
    backend.direct().local()
}

/// Removes the state file of a server that crashed: with the lock taken again, it would name a
/// process that is gone. That of an ephemeral server stays, because it tells others not to open the
/// store.
fn forget_previous(options: &ServeOptions) {
    let file = options.home.state_file();
    if ServerState::read(&file).is_none_or(|state| !state.ephemeral) {
        let _ = std::fs::remove_file(file);
    }
}

/// How it runs, for the log.
fn mode(options: &ServeOptions, ephemeral: bool) -> &'static str {
    match (ephemeral, options.detached) {
        (true, _) => "ephemeral",
        (false, true) => "daemon",
        (false, false) => "stdio",
    }
}

fn not_recorded(options: &ServeOptions, error: std::io::Error) -> Fault {
    let why = format!("cannot write {}: {error}", options.home.state_file().display());
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Fault::disk_full(why).because(error);
    }
    Fault::new(FaultKind::Unavailable, "state_file", why).because(error).next("run `nudge doctor`")
}

// HTTP on the port of record, which may not be free yet.

/// How soon a promoted PRIMARY first retries the recorded port: the dead process may keep it for an
/// instant after losing the lock. The delay then doubles each time, up to [`PORT_AGAIN`].
const PORT_AT_FIRST: Duration = Duration::from_millis(5);

/// The longest delay, while a stranger uses the port.
const PORT_AGAIN: Duration = Duration::from_secs(1);

/// Serves HTTP, once the recorded port can be bound.
async fn serve_port(listener: Option<TcpListener>, state: Arc<AppState>, connections: TaskTracker) {
    let listener = match listener {
        Some(listener) => listener,
        None => match wait_for_port(&state).await {
            Some(listener) => listener,
            None => return,
        },
    };
    match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => http::serve(listener, state, connections).await,
        Err(error) => tracing::error!(%error, "the port cannot be served"),
    }
}

async fn wait_for_port(state: &AppState) -> Option<TcpListener> {
    let number = state.identity.port().number;
    tracing::warn!(port = number, "the recorded port is taken; the socket is served meanwhile");
    let mut pause = PORT_AT_FIRST;
    loop {
        tokio::select! {
            () = state.shutdown.port.cancelled() => return None,
            () = tokio::time::sleep(pause) => {}
        }
        pause = PORT_AGAIN.min(pause * 2);
        if let Ok(listener) = port::listen(number) {
            if let Err(error) = state.identity.note_port_bound() {
                tracing::warn!(%error, "the state file could not be written");
            }
            tracing::info!(port = number, "the recorded port is served again");
            return Some(listener);
        }
    }
}

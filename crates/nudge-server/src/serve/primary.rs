//! A term of office as PRIMARY: store, socket, port and state file, taken up and laid down.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::backend::{Backend, Local, Seat};
use crate::http::{self, House};
use crate::jobs::{self, Belongings, JobContext};
use crate::options::ServeOptions;
use crate::primary::socket::{self, Counter};
use crate::primary::{Doors, Identity, Rise, port};
use nudge_client::lock::PrimaryLock;
use nudge_client::token;

/// How soon a promoted PRIMARY first tries the recorded port again: the one that died may hold it
/// for an instant after it lost the lock. Then twice as long each time, up to [`PORT_AGAIN`].
const PORT_AT_FIRST: Duration = Duration::from_millis(5);

/// How often it tries in the long run, while a stranger sits on the port.
const PORT_AGAIN: Duration = Duration::from_secs(1);

/// How long calls under way may take when the server stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(2);

/// How long readers of the store's log are waited for before it is left as it is, which harms
/// nothing.
const CLOSE_WITHIN: Duration = Duration::from_millis(100);

/// A PRIMARY in office.
pub(crate) struct Primary {
    lock: PrimaryLock,
    local: Arc<Local>,
    identity: Arc<Identity>,
    belongings: Arc<Belongings>,
    stop: CancellationToken,
    under_way: TaskTracker,
}

/// Why an office was not taken.
pub(crate) enum Hindrance {
    /// No port or no socket can be had. The store is sound and open.
    NoDoor(Fault),
    /// The disk is full. The store can be read, and the office be had when there is room again.
    NoRoom(Fault),
    /// Anything else.
    Other(Fault),
}

impl Hindrance {
    /// The fault, whatever it hinders.
    pub(crate) fn into_fault(self) -> Fault {
        match self {
            Self::NoDoor(fault) | Self::NoRoom(fault) | Self::Other(fault) => fault,
        }
    }
}

impl From<Fault> for Hindrance {
    fn from(fault: Fault) -> Self {
        if fault.reason == Fault::DISK_FULL { Self::NoRoom(fault) } else { Self::Other(fault) }
    }
}

impl Primary {
    /// Takes office. On failure the lock goes with it.
    pub(crate) fn rise(
        options: &ServeOptions,
        backend: &Arc<Backend>,
        lock: PrimaryLock,
        how: Rise,
        stop: CancellationToken,
    ) -> Result<Self, Hindrance> {
        let ephemeral = is_ephemeral(options, how);
        let local = open(options, backend, ephemeral)?;
        let Doors { listener, port, socket, socket_path } =
            Doors::open(options, how).map_err(Hindrance::NoDoor)?;
        if let Err(fault) = token::ensure(&options.home) {
            tracing::warn!(
                reason = fault.reason,
                "no usable token: the port admits nobody until it is rotated"
            );
        }
        let belongings = Arc::new(Belongings::note(&options.home, lock.mark().ok(), ephemeral, &socket_path));
        let identity = Arc::new(Identity::new(&options.home, socket_path, ephemeral, port));
        if let Err(error) = identity.publish() {
            let _ = belongings.remove_socket(identity.socket_path());
            return Err(not_recorded(options, &error).into());
        }
        let under_way = TaskTracker::new();
        let counter =
            Arc::new(Counter { local: local.clone(), identity: identity.clone(), stop: stop.clone() });
        let (socket, sockets) = watch::channel(Arc::new(socket));
        tokio::spawn(socket::serve(sockets, counter, under_way.clone()));
        backend.sit(Seat::Local(local.clone()));
        let house = Arc::new(House::new(options, backend.clone(), identity.clone(), stop.clone()));
        tokio::spawn(serve_port(listener, house, under_way.clone()));
        let context = JobContext {
            home: options.home.clone(),
            local: local.clone(),
            identity: identity.clone(),
            belongings: belongings.clone(),
            socket,
            ephemeral,
        };
        jobs::start(&Arc::new(context), &stop);
        tracing::info!(
            port = port.number,
            pending = port.pending,
            ?how,
            instance = identity.instance,
            "PRIMARY"
        );
        Ok(Self { lock, local, identity, belongings, stop, under_way })
    }

    /// Who this PRIMARY is.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Lays the office down: no new calls, those under way finish, then the store's log, the state
    /// file, the socket and at last the lock. Each step is taken whether or not the one before
    /// succeeded.
    pub(crate) async fn fall(self) {
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
        if let Err(error) = self.belongings.remove_socket(self.identity.socket_path()) {
            tracing::warn!(%error, "the socket could not be removed");
        }
        tracing::info!(instance = self.identity.instance, "the office is laid down");
        drop(self.lock);
    }
}

/// Whether this term's memory ends with it. A promoted process carries on what its predecessor kept.
fn is_ephemeral(options: &ServeOptions, how: Rise) -> bool {
    match how {
        Rise::Fresh => options.ephemeral,
        Rise::Promoted { after_ephemeral, .. } => options.ephemeral && after_ephemeral,
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

/// Serves HTTP, once the recorded port can be had.
async fn serve_port(listener: Option<TcpListener>, house: Arc<House>, under_way: TaskTracker) {
    let listener = match listener {
        Some(listener) => listener,
        None => match wait_for_port(&house).await {
            Some(listener) => listener,
            None => return,
        },
    };
    match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => http::serve(listener, house, under_way).await,
        Err(error) => tracing::error!(%error, "the port cannot be served"),
    }
}

async fn wait_for_port(house: &House) -> Option<TcpListener> {
    let number = house.identity.port().number;
    tracing::warn!(port = number, "the recorded port is taken; the socket is served meanwhile");
    let mut pause = PORT_AT_FIRST;
    loop {
        tokio::select! {
            () = house.stop.cancelled() => return None,
            () = tokio::time::sleep(pause) => {}
        }
        pause = PORT_AGAIN.min(pause * 2);
        if let Ok(listener) = port::listen(number) {
            if let Err(error) = house.identity.port_is_bound() {
                tracing::warn!(%error, "the state file could not be written");
            }
            tracing::info!(port = number, "the recorded port is served again");
            return Some(listener);
        }
    }
}

fn not_recorded(options: &ServeOptions, error: &std::io::Error) -> Fault {
    let why = format!("{} cannot be written: {error}", options.home.state_file().display());
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Fault::disk_full(why);
    }
    Fault::new(FaultKind::Unavailable, "state_file", why).next("run `nudge doctor`")
}

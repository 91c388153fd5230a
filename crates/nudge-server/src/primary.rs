//! A term of office as PRIMARY: store, socket, port and state file, taken up and laid down.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::backend::{Backend, Seat};
use crate::doors::Doors;
use crate::election::PrimaryLock;
use crate::http::{self, House};
use crate::identity::Identity;
use crate::indexing;
use crate::local::Local;
use crate::options::ServeOptions;
use crate::port;
use crate::socket::{self, Counter};
use crate::spooled;
use crate::token;
use crate::watch::{self, Belongings};

/// How often expired hints and old operation ids are removed. They are invisible from the moment
/// they end; this only gives the room back.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Every how many sweeps sessions are summed up and what is old goes: after the first, then every ten minutes.
const UPKEEP_EVERY: u32 = 10;

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

/// How the office was come by; it decides what a taken port means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rise {
    /// By starting first.
    Fresh,
    /// In place of a PRIMARY that was last seen on this port. A port that is taken is waited for.
    Promoted {
        /// That port, if one was ever seen.
        port: Option<u16>,
        /// Whether the memory of that PRIMARY ended with it. If not, what it acknowledged is in the
        /// store, and its successor serves the store whatever it was started for.
        after_ephemeral: bool,
    },
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
        let accepting = tokio::spawn(socket::serve(socket, counter.clone(), under_way.clone()));
        tokio::spawn(watch::watch(belongings.clone(), counter, under_way.clone(), accepting));
        backend.sit(Seat::Local(local.clone()));
        let house = Arc::new(House::new(options, backend.clone(), identity.clone(), stop.clone()));
        tokio::spawn(serve_port(listener, house, under_way.clone()));
        tokio::spawn(spooled::keep_taking_in(options.home.clone(), local.clone(), stop.clone()));
        if !ephemeral {
            indexing::keep(local.clone(), stop.clone());
        }
        tokio::spawn(sweep(local.clone(), SWEEP_EVERY, stop.clone()));
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
        if let Err(error) = tokio::task::block_in_place(|| store.empty_wal(CLOSE_WITHIN)) {
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
        return Ok(Arc::new(Local::new(crate::direct::open(
            &options.home,
            &options.settings,
            crate::direct::Use::Ephemeral,
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

async fn sweep(local: Arc<Local>, every: Duration, stop: CancellationToken) {
    for round in 1_u32.. {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        if let Err(fault) = tokio::task::block_in_place(|| local.memory().sweep(crate::clock::now())) {
            tracing::warn!(reason = fault.reason, "the sweep failed");
        }
        if round % UPKEEP_EVERY == 1 {
            keep_house(local.clone()).await;
        }
    }
}

/// Upkeep takes its time, in short transactions; meanwhile calls are answered by other threads.
async fn keep_house(local: Arc<Local>) {
    let work = move || nudge_memory::house::upkeep(local.memory(), crate::clock::now());
    let steps = tokio::task::spawn_blocking(work).await.unwrap_or_default();
    for step in steps.iter().filter(|step| step.failed.is_some()) {
        tracing::warn!(step = step.step, "a step of the upkeep failed");
    }
}

fn not_recorded(options: &ServeOptions, error: &std::io::Error) -> Fault {
    let why = format!("{} cannot be written: {error}", options.home.state_file().display());
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Fault::disk_full(why);
    }
    Fault::new(FaultKind::Unavailable, "state_file", why).next("run `nudge doctor`")
}

#[cfg(test)]
mod tests {
    use nudge_memory::{Caller, Memory, Settings, Surface};
    use nudge_store::{HostIdentity, Location, OpenOptions, Store};
    use serde_json::json;

    use super::*;

    fn local() -> Arc<Local> {
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now: crate::clock::now(),
            busy: Duration::from_secs(1),
            backups: None,
        });
        Arc::new(Local::new(Memory::open(store.expect("opens"), Settings::default())))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn hints_that_ended_are_removed_round_after_round() {
        let local = local();
        let stop = CancellationToken::new();
        let sweeping = tokio::spawn(sweep(local.clone(), Duration::from_millis(10), stop.clone()));
        let count = || local.memory().stats().expect("counted").hints;
        for round in 0..2 {
            let params = json!({"component": "c", "key": "k", "value": "v", "meta": {"ttl": "PT0.2S"}});
            let caller = Caller::new(Surface::Cli, crate::clock::now());
            local.run(caller, "set_hint", params).expect("set");
            let mut caller = Caller::new(Surface::Cli, crate::clock::now());
            caller.now = caller.now.plus(Duration::from_secs(1));
            let gone = local.run(caller, "get_hint", json!({"component": "c", "key": "k"}));
            assert!(gone.is_err(), "what has ended is ignored, swept or not: round {round}");
            for _ in 0..500 {
                if count() == 0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(count(), 0, "round {round}");
        }
        stop.cancel();
        sweeping.await.expect("it ends");
    }
}

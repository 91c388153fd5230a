//! The life of a server process: it starts as PRIMARY or PROXY, and may be promoted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_client::Failed;
use nudge_client::lock::PrimaryLock;
use nudge_client::state::ServerState;
use nudge_core::Fault;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::aside;
use super::primary::{CannotStart, Lasting, Primary};
use super::runtime::internal;
use super::upgrade;
use crate::backend::{Backend, Remote, Role};
use crate::options::ServeOptions;
use crate::primary::{Presence, StartedAs, election};

/// How long after a failed promotion the next attempt is made.
const AGAIN: Duration = Duration::from_secs(1);

/// This process as a server: PRIMARY, PROXY, or neither where it can have no socket.
pub(super) struct Server<'a> {
    options: &'a ServeOptions,
    pub(super) backend: Arc<Backend>,
    pub(super) remote: Arc<Remote>,
    pub(super) lasting: Lasting,
    pub(super) primary: Option<Primary>,
    /// Says to older servers that this one can take over.
    pub(super) presence: Option<Presence>,
    /// Asks older PRIMARYs to hand over.
    asking: Option<AbortHandle>,
    /// This process handed over and has no client: it ends when its successor answers.
    pub(super) is_spare: bool,
    /// The disk was full when it last tried to become PRIMARY.
    lacks_room: bool,
    /// Hears when the lock is ours.
    pub(super) turn: Option<Turn>,
}

/// Hears who won the lock.
type Turn = oneshot::Receiver<std::io::Result<PrimaryLock>>;

impl<'a> Server<'a> {
    pub(super) fn new(
        options: &'a ServeOptions,
        backend: Arc<Backend>,
        remote: Arc<Remote>,
        presence: Option<Presence>,
    ) -> Self {
        let lasting = Lasting { stop: CancellationToken::new(), connections: TaskTracker::new() };
        Self {
            options,
            backend,
            remote,
            lasting,
            primary: None,
            presence,
            asking: None,
            is_spare: false,
            lacks_room: false,
            turn: None,
        }
    }

    /// Becomes PRIMARY as the first. Where no port or socket can be had, the client is served without.
    pub(super) fn begin(&mut self, lock: PrimaryLock, how: StartedAs, has_client: bool) -> Result<(), Fault> {
        match self.start_primary(lock, how) {
            Err(CannotStart::NoListener(fault)) if aside::is_possible(self.options, has_client) => {
                self.step_aside(&fault);
                Ok(())
            }
            Err(CannotStart::NoRoom(fault)) if aside::is_possible_meanwhile(self.options, has_client) => {
                self.wait_for_room(&fault);
                Ok(())
            }
            outcome => outcome.map_err(CannotStart::into_fault),
        }
    }

    /// Serves the client on the store itself from now on. What keeps a process from its sockets
    /// rarely ends before it does, so it does not queue for the lock.
    fn step_aside(&self, fault: &Fault) {
        aside::note(fault);
        self.backend.take_role(Role::Aside);
    }

    /// Serves the client on the store itself until the disk has room for a PRIMARY.
    fn wait_for_room(&mut self, fault: &Fault) {
        if !std::mem::replace(&mut self.lacks_room, true) {
            tracing::error!(why = fault.message, "the disk is full: memory can be read, but not written");
        }
        self.backend.take_role(Role::Aside);
        self.queue_later();
    }

    fn start_primary(&mut self, lock: PrimaryLock, how: StartedAs) -> Result<(), CannotStart> {
        // On the thread that waits for the server's end: no worker of the runtime stands still for it.
        let started = Primary::start(self.options, &self.backend, lock, how, &self.lasting);
        if started.is_err() {
            // Older servers need not wait for this one.
            self.presence = None;
        }
        self.primary = Some(started?);
        (self.lacks_room, self.is_spare) = (false, false);
        if self.presence.is_none() {
            self.presence = upgrade::announce(self.options);
        }
        Ok(())
    }

    /// Becomes a PROXY: meets PRIMARY and queues for the lock.
    pub(super) fn join(&mut self) -> Result<(), Fault> {
        tracing::info!("PROXY");
        if !self.options.ephemeral {
            let (home, version) = (self.options.home.clone(), self.options.version.clone());
            let asking = tokio::spawn(upgrade::ask_older(home, version, self.remote.greetings()));
            self.asking = Some(asking.abort_handle());
        }
        let (remote, backend) = (self.remote.clone(), self.backend.clone());
        tokio::spawn(async move {
            // Only to know its port and nature before it can go away; calls connect by themselves.
            let _ = remote.meet().await;
            if remote.is_barred() {
                tracing::warn!(
                    "PRIMARY may not be called from here: the client is served on the store itself"
                );
                backend.take_role(Role::Aside);
            }
        });
        self.queue()
    }

    fn queue(&mut self) -> Result<(), Fault> {
        let turn = election::wait_in_background(&self.options.home, &self.options.version);
        self.turn = Some(turn.map_err(|error| internal(format!("no thread to wait for the lock: {error}")))?);
        Ok(())
    }

    /// Queues for the lock after a while, in which the client is served.
    fn queue_later(&mut self) {
        let (sender, turn) = oneshot::channel();
        let (home, version) = (self.options.home.clone(), self.options.version.clone());
        tokio::spawn(async move {
            tokio::time::sleep(AGAIN).await;
            let won = match election::wait_in_background(&home, &version) {
                Ok(turn) => next_turn(&mut Some(turn)).await,
                Err(error) => Err(error),
            };
            let _ = sender.send(won);
        });
        self.turn = Some(turn);
    }

    /// What is known of the PRIMARY that went. A crash leaves its state file behind, which may tell of a
    /// later one than this process ever met.
    fn succession(&self) -> StartedAs {
        let met = self.remote.last_greeting();
        let noted = ServerState::read(&self.options.home.state_file());
        let after_ephemeral = met.as_ref().is_some_and(|greeting| greeting.ephemeral)
            && noted.is_none_or(|state| state.ephemeral);
        StartedAs::Promoted { port: met.map(|greeting| greeting.port), after_ephemeral }
    }

    /// PRIMARY is gone and the lock is ours: takes its place, while the client goes on.
    pub(super) async fn promote(&mut self, won: std::io::Result<PrimaryLock>) {
        self.turn = None;
        // Whoever fails now does not ask another to make way for it.
        if let Some(asking) = self.asking.take() {
            asking.abort();
        }
        let began = Instant::now();
        let how = self.succession();
        let outcome = match won {
            Ok(lock) => self.start_primary(lock, how),
            Err(error) => Err(internal(format!("waiting for the lock failed: {error}")).into()),
        };
        if let Err(refusal) = outcome {
            let fault = match refusal {
                CannotStart::NoListener(fault) if !self.options.ephemeral => return self.step_aside(&fault),
                CannotStart::NoRoom(fault) if !self.options.ephemeral => return self.wait_for_room(&fault),
                refusal => refusal.into_fault(),
            };
            let failed = Failed::new("promotion", "server", began.elapsed(), &fault);
            tracing::error!("the promotion failed; another may try: {failed}");
            self.queue_later();
        }
    }

    /// A newer server takes over: this process becomes its PROXY. Without a client it has nothing left to do.
    pub(super) async fn hand_over(&mut self, has_client: bool) -> Result<(), Fault> {
        let Some(primary) = self.primary.take() else { return Ok(()) };
        primary.hand_over(&self.backend, Role::Remote(self.remote.clone())).await;
        self.is_spare = !has_client;
        self.join()
    }
}

/// Returns when a process without a client can end, because it handed over and its successor serves; never otherwise.
pub(super) async fn relieved(is_spare: bool, remote: &Remote, lasting: &Lasting) {
    if is_spare {
        upgrade::wait_for_successor(remote, &lasting.connections).await;
    } else {
        std::future::pending().await
    }
}

/// Returns when PRIMARY is asked to hand over; never where there is none.
pub(super) async fn asked_to_hand_over(primary: &Option<Primary>) {
    match primary {
        Some(primary) => primary.asked_to_hand_over().await,
        None => std::future::pending().await,
    }
}

/// Waits until the lock is ours; for ever where this process does not queue.
pub(super) async fn next_turn(turn: &mut Option<Turn>) -> std::io::Result<PrimaryLock> {
    match turn {
        Some(receiver) => receiver.await.unwrap_or_else(|_| Err(std::io::Error::other("the thread ended"))),
        None => std::future::pending().await,
    }
}

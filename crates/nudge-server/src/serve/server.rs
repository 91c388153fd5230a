//! The life of a server process: it starts as PRIMARY or PROXY, may be promoted, and asks an older
//! PRIMARY to hand over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_client::Failed;
use nudge_client::control::{HandoverReply, ask_to_hand_over, can_be_asked};
use nudge_client::frame::Greeting;
use nudge_client::lock::PrimaryLock;
use nudge_client::lock::ServerState;
use nudge_core::Fault;
use nudge_home::Home;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::primary::{CannotStart, Primary, ProcessState};
use super::{internal, stdio};
use crate::ServeOptions;
use crate::backend::{Backend, Remote, Role};
use crate::primary::{Presence, StartedAs, election};

/// How long after a failed promotion the next attempt is made.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// This process as a server: PRIMARY, PROXY, or neither where it can have no socket.
pub(super) struct Server<'a> {
    options: &'a ServeOptions,
    pub(super) backend: Arc<Backend>,
    pub(super) remote: Arc<Remote>,
    pub(super) lasting: ProcessState,
    pub(super) primary: Option<Primary>,
    /// Announces to older servers that this one can take over.
    pub(super) presence: Option<Presence>,
    /// Asks older PRIMARYs to hand over.
    asking: Option<AbortHandle>,
    /// This process handed over and has no client: it ends when its successor answers.
    pub(super) is_spare: bool,
    /// The disk was full when it last tried to become PRIMARY.
    lacks_room: bool,
    /// Resolves when we have the lock.
    pub(super) turn: Option<Turn>,
}

/// Receives the lock when we win it.
type Turn = oneshot::Receiver<std::io::Result<PrimaryLock>>;

impl<'a> Server<'a> {
    pub(super) fn new(
        options: &'a ServeOptions,
        backend: Arc<Backend>,
        remote: Arc<Remote>,
        presence: Option<Presence>,
    ) -> Self {
        let lasting = ProcessState { stop: CancellationToken::new(), connections: TaskTracker::new() };
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

    /// Becomes the first PRIMARY. If no port or socket is available, the client is served without.
    pub(super) fn begin(&mut self, lock: PrimaryLock, how: StartedAs, has_client: bool) -> Result<(), Fault> {
        match self.start_primary(lock, how) {
            Err(CannotStart::NoListener(fault)) if stdio::is_possible(self.options, has_client) => {
                self.serve_directly(&fault);
                Ok(())
            }
            Err(CannotStart::NoRoom(fault)) if stdio::is_possible_meanwhile(self.options, has_client) => {
                self.wait_for_room(&fault);
                Ok(())
            }
            outcome => outcome.map_err(CannotStart::into_fault),
        }
    }

    /// Serves the client directly from the store from now on. Whatever denies a process its sockets
    /// rarely ends before the process does, so it does not queue for the lock.
    fn serve_directly(&self, fault: &Fault) {
        stdio::note(fault);
        self.backend.take_role(Role::Direct);
    }

    /// Serves the client directly from the store until the disk has space for a PRIMARY.
    fn wait_for_room(&mut self, fault: &Fault) {
        if !std::mem::replace(&mut self.lacks_room, true) {
            tracing::error!(why = fault.message, "the disk is full: memory can be read, but not written");
        }
        self.backend.take_role(Role::Direct);
        self.queue_later();
    }

    fn start_primary(&mut self, lock: PrimaryLock, how: StartedAs) -> Result<(), CannotStart> {
        // On the thread that waits for the server's end, so that no worker of the runtime is
        // blocked.
        let started = Primary::start(self.options, &self.backend, lock, how, &self.lasting);
        if started.is_err() {
            // Older servers need not wait for this one.
            self.presence = None;
        }
        self.primary = Some(started?);
        (self.lacks_room, self.is_spare) = (false, false);
        if self.presence.is_none() {
            self.presence = announce(self.options);
        }
        Ok(())
    }

    /// Becomes a PROXY: connects to PRIMARY and queues for the lock.
    pub(super) fn join(&mut self) -> Result<(), Fault> {
        tracing::info!("PROXY");
        if !self.options.ephemeral {
            let (home, version) = (self.options.home.clone(), self.options.version.clone());
            let asking = tokio::spawn(ask_older(home, version, self.remote.greetings()));
            self.asking = Some(asking.abort_handle());
        }
        let (remote, backend) = (self.remote.clone(), self.backend.clone());
        tokio::spawn(async move {
            // Only to learn its port and whether it is ephemeral before it can go away; calls
            // connect by themselves.
            let _ = remote.meet().await;
            if remote.is_barred() {
                tracing::warn!(
                    "PRIMARY may not be called from here: the client is served on the store itself"
                );
                backend.take_role(Role::Direct);
            }
        });
        self.queue()
    }

    fn queue(&mut self) -> Result<(), Fault> {
        let turn = election::wait_in_background(&self.options.home, &self.options.version);
        self.turn = Some(turn.map_err(|error| internal(format!("no thread to wait for the lock: {error}")))?);
        Ok(())
    }

    /// Queues for the lock after a delay, in which the client is served.
    fn queue_later(&mut self) {
        let (sender, turn) = oneshot::channel();
        let (home, version) = (self.options.home.clone(), self.options.version.clone());
        tokio::spawn(async move {
            tokio::time::sleep(RETRY_DELAY).await;
            let won = match election::wait_in_background(&home, &version) {
                Ok(turn) => next_turn(&mut Some(turn)).await,
                Err(error) => Err(error),
            };
            let _ = sender.send(won);
        });
        self.turn = Some(turn);
    }

    /// What is known about the PRIMARY that went away. After a crash its state file remains, which
    /// may describe a later PRIMARY than this process ever met.
    fn succession(&self) -> StartedAs {
        let met = self.remote.last_greeting();
        let noted = ServerState::read(&self.options.home.state_file());
        let after_ephemeral = met.as_ref().is_some_and(|greeting| greeting.ephemeral)
            && noted.is_none_or(|state| state.ephemeral);
        StartedAs::Promoted { port: met.map(|greeting| greeting.port), after_ephemeral }
    }

    /// PRIMARY is gone and we have the lock: replaces it, while the client continues.
    pub(super) async fn promote(&mut self, won: std::io::Result<PrimaryLock>) {
        self.turn = None;
        // A server that fails now must not ask another to hand over.
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
                CannotStart::NoListener(fault) if !self.options.ephemeral => {
                    return self.serve_directly(&fault);
                }
                CannotStart::NoRoom(fault) if !self.options.ephemeral => return self.wait_for_room(&fault),
                refusal => refusal.into_fault(),
            };
            let failed = Failed::new("promotion", "server", began.elapsed(), &fault);
            tracing::error!("the promotion failed; another may try: {failed}");
            self.queue_later();
        }
    }

    /// A newer server takes over: this process becomes its PROXY. Without a client it has nothing
    /// left to do.
    pub(super) async fn hand_over(&mut self, has_client: bool) -> Result<(), Fault> {
        let Some(primary) = self.primary.take() else { return Ok(()) };
        primary.hand_over(&self.backend, Role::Remote(self.remote.clone())).await;
        self.is_spare = !has_client;
        self.join()
    }
}

/// Returns when a process without a client can end, because it handed over and its successor
/// serves; never otherwise.
pub(super) async fn replaced_by_successor(is_spare: bool, remote: &Remote, lasting: &ProcessState) {
    if is_spare {
        wait_for_successor(remote, &lasting.connections).await;
    } else {
        std::future::pending().await
    }
}

/// Returns when PRIMARY is asked to hand over; never if this process is not PRIMARY.
pub(super) async fn asked_to_hand_over(primary: &Option<Primary>) {
    match primary {
        Some(primary) => primary.asked_to_hand_over().await,
        None => std::future::pending().await,
    }
}

/// Waits until we have the lock; forever if this process does not queue.
pub(super) async fn next_turn(turn: &mut Option<Turn>) -> std::io::Result<PrimaryLock> {
    match turn {
        Some(receiver) => receiver.await.unwrap_or_else(|_| Err(std::io::Error::other("the thread ended"))),
        None => std::future::pending().await,
    }
}

// Upgrades: a newer server asks an older PRIMARY to hand over.

/// How often one process asks during its life. A PRIMARY that answered is not asked again; another
/// older one appears only when newer ones fail.
const MAX_ASKS: usize = 3;

/// How long after an unanswered request it asks again.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How often a process that handed over polls for its successor.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long the HTTP connections of a process that handed over may stay open. Idle ones are closed
/// after ten seconds.
const LEFT_WITHIN: Duration = Duration::from_secs(11);

/// Announces to older servers that one of this version is running. If that fails, they do not wait
/// for it.
pub(super) fn announce(options: &ServeOptions) -> Option<Presence> {
    // Nothing is written to a directory that others can access; the code that needs the directory
    // reports the problem.
    let run_dir = options.home.secure_run_dir().ok()?;
    let announced = Presence::announce(&run_dir, &options.version);
    announced.inspect_err(|error| tracing::warn!(%error, "older servers cannot know of this one")).ok()
}

/// Asks every older PRIMARY that this PROXY meets to hand over. The lock then arrives as it does
/// when PRIMARY ends.
async fn ask_older(home: Home, version: String, mut greetings: watch::Receiver<Option<Greeting>>) {
    for _ in 0..MAX_ASKS {
        let older = |greeting: &Option<Greeting>| {
            greeting.as_ref().is_some_and(|greeting| can_be_asked(greeting, &version))
        };
        let Ok(found) = greetings.wait_for(older).await.map(|greeting| greeting.clone()) else { return };
        let (place, own) = (home.clone(), version.clone());
        let asked = tokio::task::spawn_blocking(move || ask_to_hand_over(&place, &own)).await;
        match asked {
            Ok(HandoverReply::Agreed(old)) => {
                tracing::info!(from = old.version, pid = old.pid, "the older server hands over");
            }
            Ok(HandoverReply::Refused(fault)) => {
                tracing::info!(
                    reason = fault.reason,
                    "the older server does not hand over: this one stays PROXY"
                );
            }
            Ok(HandoverReply::NotAsked) | Err(_) => {
                // It did not answer in time, or it is already gone.
                tokio::time::sleep(ASK_AGAIN).await;
                continue;
            }
        }
        let another = |greeting: &Option<Greeting>| {
            greeting.as_ref().map(|greeting| &greeting.instance) != found.as_ref().map(|old| &old.instance)
        };
        if greetings.wait_for(another).await.is_err() {
            return;
        }
    }
}

/// Waits until a PRIMARY answers and all HTTP requests are answered. This process no longer
/// listens, so that PRIMARY is another one.
async fn wait_for_successor(remote: &Remote, connections: &TaskTracker) {
    while remote.meet().await.is_err() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    connections.close();
    let _ = tokio::time::timeout(LEFT_WITHIN, connections.wait()).await;
}

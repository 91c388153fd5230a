//! `nudge serve`: PRIMARY or PROXY, for a client on stdio or for nobody in particular.

mod aside;
mod daemon;
mod entry;
mod lines;
mod pipe;
mod primary;
mod stdio;
mod stray_id;

use std::sync::Arc;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, Direct, Remote, Seat, pool};
use crate::options::ServeOptions;
use crate::primary::{Rise, election};
use crate::terminal;
use entry::Entry;
use nudge_client::lock::PrimaryLock;
use nudge_client::sockets;
use nudge_client::state::ServerState;
use primary::{Hindrance, Primary};
use stdio::Session;

/// How long after a failed promotion the next attempt is made.
const AGAIN: Duration = Duration::from_secs(1);

/// Serves until the client hangs up, a signal comes or `nudge stop` says so. Builds its own runtime.
pub fn serve(options: ServeOptions) -> Result<(), Fault> {
    if options.daemon && !options.detached {
        return daemon::launch(&options);
    }
    // Fails where the home cannot be written; what then still works is found out below.
    let _ = options.home.prepare();
    if options.detached {
        daemon::leave_terminal(&options.home);
    }
    crate::log::start(&options.home, &options.settings);
    let outcome = serve_here(&options);
    if let Err(fault) = &outcome {
        tracing::error!(id = fault.kind.id(), reason = fault.reason, "the server could not serve");
        daemon::report(&options, &daemon::Readiness::Failed(fault.clone()));
    }
    outcome
}

fn serve_here(options: &ServeOptions) -> Result<(), Fault> {
    let has_client = !options.detached && terminal::stdin_has_client();
    let entry = match entry::enter(options, has_client)? {
        Entry::Already(running) if options.port.is_some_and(|port| port != running.port) => {
            return Err(Fault::invalid(
                "wrong_port",
                format!("a server runs already, on port {}", running.port),
            )
            .with("port", running.port)
            .next(format!("leave --port out, pass --port {}, or `nudge stop` first", running.port)));
        }
        Entry::Already(running) => {
            daemon::report(options, &daemon::Readiness::Already(running));
            return Ok(());
        }
        entry => entry,
    };
    if let Err(error) = sockets::probe() {
        drop(entry);
        return aside::serve(options, has_client, &error);
    }
    let runtime = runtime()?;
    let outcome = runtime.block_on(run(options, entry, has_client));
    // A read of stdin that nobody answers must not keep the process.
    runtime.shutdown_background();
    outcome
}

fn runtime() -> Result<Runtime, Fault> {
    let built = workers().enable_all().build();
    built.map_err(|error| internal(format!("the runtime cannot start: {error}")))
}

/// Two workers at least: a quick read may hold one while the other reads the client's next call.
fn workers() -> Builder {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(cores.clamp(2, 4)).max_blocking_threads(pool::THREADS).thread_name("nudge");
    builder
}

async fn run(options: &ServeOptions, entry: Entry, has_client: bool) -> Result<(), Fault> {
    let stop = CancellationToken::new();
    let mut signals = Signals::new()?;
    let remote = Arc::new(Remote::new(options.home.clone()));
    let direct = Direct::new(options.home.clone(), options.settings.clone());
    let alone = matches!(entry, Entry::Alone);
    let backend = Arc::new(Backend::new(Seat::Remote(remote.clone()), direct, alone));
    let mut server = Server { options, backend, remote, stop, office: None, lacks_room: false, turn: None };
    match entry {
        Entry::Primary(lock) => server.begin(lock, has_client)?,
        Entry::Proxy => server.join()?,
        Entry::Alone | Entry::Already(_) => {}
    }
    if let Some(office) = &server.office {
        daemon::report(options, &daemon::Readiness::Ready(office.identity().state()));
    }
    let mut session = has_client.then(|| Session::start(options, server.backend.clone(), pipe::open));
    loop {
        tokio::select! {
            () = stdio::ended(&mut session) => break,
            () = signals.next() => break,
            () = server.stop.cancelled() => break,
            won = next_turn(&mut server.turn) => server.promote(won).await,
        }
    }
    if let Some(session) = session {
        session.finish().await;
    }
    if let Some(office) = server.office.take() {
        office.fall().await;
    }
    Ok(())
}

/// This process as a server: PRIMARY with an office, PROXY without one; neither where it can have no socket.
struct Server<'a> {
    options: &'a ServeOptions,
    backend: Arc<Backend>,
    remote: Arc<Remote>,
    stop: CancellationToken,
    office: Option<Primary>,
    /// The disk was full when the office was last tried for.
    lacks_room: bool,
    /// Hears when the lock is ours.
    turn: Option<oneshot::Receiver<std::io::Result<PrimaryLock>>>,
}

impl Server<'_> {
    /// Becomes PRIMARY as the first. Where no door can be had, the client is served without one.
    fn begin(&mut self, lock: PrimaryLock, has_client: bool) -> Result<(), Fault> {
        match self.take_office(lock, Rise::Fresh) {
            Err(Hindrance::NoDoor(fault)) if aside::is_possible(self.options, has_client) => {
                self.step_aside(&fault);
                Ok(())
            }
            Err(Hindrance::NoRoom(fault)) if aside::is_possible_meanwhile(self.options, has_client) => {
                self.wait_for_room(&fault);
                Ok(())
            }
            outcome => outcome.map_err(Hindrance::into_fault),
        }
    }

    /// Serves the client on the store itself from now on. What keeps a process from its sockets rarely ends before it does, so
    /// it queues for no office.
    fn step_aside(&self, fault: &Fault) {
        aside::note(fault);
        self.backend.sit(Seat::Aside);
    }

    /// Serves the client on the store itself until the disk has room for an office.
    fn wait_for_room(&mut self, fault: &Fault) {
        if !std::mem::replace(&mut self.lacks_room, true) {
            tracing::error!(why = fault.message, "the disk is full: memory can be read, but not written");
        }
        self.backend.sit(Seat::Aside);
        self.queue_later();
    }

    fn take_office(&mut self, lock: PrimaryLock, how: Rise) -> Result<(), Hindrance> {
        // On the thread that waits for the server's end: no worker of the runtime stands still for it.
        let rise = || Primary::rise(self.options, &self.backend, lock, how, self.stop.clone());
        self.office = Some(rise()?);
        self.lacks_room = false;
        Ok(())
    }

    /// Becomes a PROXY: meets PRIMARY and queues for the lock.
    fn join(&mut self) -> Result<(), Fault> {
        tracing::info!("PROXY");
        let (remote, backend) = (self.remote.clone(), self.backend.clone());
        tokio::spawn(async move {
            // Only to know its port and nature before it can go away; calls connect by themselves.
            let _ = remote.meet().await;
            if remote.is_barred() {
                tracing::warn!(
                    "PRIMARY may not be called from here: the client is served on the store itself"
                );
                backend.sit(Seat::Aside);
            }
        });
        self.queue()
    }

    fn queue(&mut self) -> Result<(), Fault> {
        let turn = election::wait_in_background(self.options.home.lock_file());
        self.turn = Some(turn.map_err(|error| internal(format!("no thread to wait for the lock: {error}")))?);
        Ok(())
    }

    /// Queues for the lock after a while, in which the client is served.
    fn queue_later(&mut self) {
        let (sender, turn) = oneshot::channel();
        let lock_file = self.options.home.lock_file();
        tokio::spawn(async move {
            tokio::time::sleep(AGAIN).await;
            let won = match election::wait_in_background(lock_file) {
                Ok(turn) => next_turn(&mut Some(turn)).await,
                Err(error) => Err(error),
            };
            let _ = sender.send(won);
        });
        self.turn = Some(turn);
    }

    /// What is known of the PRIMARY that went. A crash leaves its state file behind, which may tell of a
    /// later one than this process ever met.
    fn succession(&self) -> Rise {
        let met = self.remote.last_greeting();
        let noted = ServerState::read(&self.options.home.state_file());
        let after_ephemeral = met.as_ref().is_some_and(|greeting| greeting.ephemeral)
            && noted.is_none_or(|state| state.ephemeral);
        Rise::Promoted { port: met.map(|greeting| greeting.port), after_ephemeral }
    }

    /// PRIMARY is gone and the lock is ours: takes its place, while the client goes on.
    async fn promote(&mut self, won: std::io::Result<PrimaryLock>) {
        self.turn = None;
        let how = self.succession();
        let outcome = match won {
            Ok(lock) => self.take_office(lock, how),
            Err(error) => Err(internal(format!("waiting for the lock failed: {error}")).into()),
        };
        if let Err(hindrance) = outcome {
            let fault = match hindrance {
                Hindrance::NoDoor(fault) if !self.options.ephemeral => return self.step_aside(&fault),
                Hindrance::NoRoom(fault) if !self.options.ephemeral => return self.wait_for_room(&fault),
                hindrance => hindrance.into_fault(),
            };
            tracing::error!(
                id = fault.kind.id(),
                reason = fault.reason,
                "the promotion failed; another may try"
            );
            self.queue_later();
        }
    }
}

async fn next_turn(
    turn: &mut Option<oneshot::Receiver<std::io::Result<PrimaryLock>>>,
) -> std::io::Result<PrimaryLock> {
    match turn {
        Some(receiver) => receiver.await.unwrap_or_else(|_| Err(std::io::Error::other("the thread ended"))),
        None => std::future::pending().await,
    }
}

/// The signals that end a server in good order.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> Result<Self, Fault> {
        let listen =
            |kind| signal(kind).map_err(|error| internal(format!("signals cannot be heard: {error}")));
        Ok(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

fn internal(message: String) -> Fault {
    Fault::new(FaultKind::Internal, "server", message).next("run `nudge doctor`")
}

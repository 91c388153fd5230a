//! `nudge serve`: PRIMARY or PROXY, with or without a client on stdio.

mod daemon;
mod entry;
mod lines;
mod primary;
mod server;
mod stdio;

use std::sync::Arc;
use std::time::Instant;

use entry::Entry;
use nudge_client::{Failed, connection};
use nudge_core::{Fault, FaultKind};
use server::{Server, asked_to_hand_over, next_turn, replaced_by_successor};
use stdio::Session;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::backend::{self, Backend, Direct, Remote, Role};
use crate::primary::Presence;
use crate::{ServeOptions, terminal};

/// Serves until the client disconnects, a signal arrives or `nudge stop` ends it. Builds its own
/// runtime.
pub fn serve(options: ServeOptions) -> Result<(), Fault> {
    if options.daemon && !options.detached {
        return daemon::launch(&options);
    }
    // Fails if the home cannot be written; the code below finds out what still works.
    let _ = options.home.prepare();
    if options.detached {
        daemon::leave_terminal(&options.home);
    }
    crate::log::start(&options.home, &options.settings);
    if options.mistakes > 0 {
        // What they are may quote a value.
        tracing::warn!(mistakes = options.mistakes, "the settings have mistakes; `nudge config` lists them");
    }
    let began = Instant::now();
    let outcome = serve_here(&options);
    if let Err(fault) = &outcome {
        let failed = Failed::new("serve", "server", began.elapsed(), fault);
        tracing::error!("the server could not serve: {failed}");
        daemon::report(&options, &daemon::Readiness::Failed(fault.clone()));
    }
    outcome
}

fn serve_here(options: &ServeOptions) -> Result<(), Fault> {
    let has_client = !options.detached && terminal::stdin_has_client();
    let presence = server::announce(options);
    let entry = match entry::enter(options, has_client)? {
        Entry::Already(running) if options.port.is_some_and(|port| port != running.port) => {
            return Err(Fault::invalid(
                "wrong_port",
                format!("a server is already running on port {}", running.port),
            )
            .with("port", running.port)
            .next(format!("remove --port, pass --port {}, or run `nudge stop` first", running.port)));
        }
        Entry::Already(running) => {
            daemon::report(options, &daemon::Readiness::Already(running));
            return Ok(());
        }
        entry => entry,
    };
    if let Err(error) = connection::probe() {
        drop((entry, presence));
        return stdio::serve_without_sockets(options, has_client, &error);
    }
    let runtime = build_runtime()?;
    let outcome = runtime.block_on(run(options, entry, presence, has_client));
    // A pending read of stdin must not keep the process alive.
    runtime.shutdown_background();
    outcome
}

async fn run(
    options: &ServeOptions,
    entry: Entry,
    presence: Option<Presence>,
    has_client: bool,
) -> Result<(), Fault> {
    let mut signals = Signals::new()?;
    let remote = Arc::new(Remote::new(options.home.clone()));
    let direct = Direct::new(options.home.clone(), options.settings.clone());
    let alone = matches!(entry, Entry::Alone);
    let backend = Arc::new(Backend::new(Role::Remote(remote.clone()), direct, alone));
    let mut server = Server::new(options, backend, remote, presence);
    match entry {
        Entry::Primary(lock, how) => server.begin(lock, how, has_client)?,
        Entry::Proxy => server.join()?,
        Entry::Alone | Entry::Already(_) => server.presence = None,
    }
    if let Some(primary) = &server.primary {
        daemon::report(options, &daemon::Readiness::Ready(primary.identity().state()));
    }
    let mut session = has_client.then(|| Session::start(options, server.backend.clone(), stdio::open));
    loop {
        tokio::select! {
            () = stdio::ended(&mut session) => break,
            () = signals.next() => break,
            () = server.lasting.stop.cancelled() => break,
            () = asked_to_hand_over(&server.primary) => server.hand_over(has_client).await?,
            () = replaced_by_successor(server.is_spare, &server.remote, &server.lasting) => {
                terminal::say("a newer nudge took over; this server ends");
                break;
            }
            won = next_turn(&mut server.turn) => server.promote(won).await,
        }
    }
    if let Some(session) = session {
        session.finish().await;
    }
    // An older server that waits for the lock may take it now.
    server.presence = None;
    server.lasting.stop.cancel();
    match server.primary.take() {
        Some(primary) => primary.stop(&server.lasting.connections).await,
        // Answer the HTTP requests that came before a handover.
        None => server.lasting.drain().await,
    }
    Ok(())
}

// The signals that end a server.

/// The signals that end a server cleanly.
struct Signals([Signal; 3]);

impl Signals {
    /// Starts to listen.
    fn new() -> Result<Self, Fault> {
        let listen =
            |kind| signal(kind).map_err(|error| internal(format!("signals cannot be heard: {error}")));
        Ok(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    /// Waits for one of them.
    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

// The async runtime of a server.

/// The runtime with all its drivers.
fn build_runtime() -> Result<Runtime, Fault> {
    let built = workers().enable_all().build();
    built.map_err(|error| internal(format!("cannot start the runtime: {error}")))
}

/// At least two workers: a quick read may occupy one while the other reads the client's next call.
fn workers() -> Builder {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(cores.clamp(2, 4)).max_blocking_threads(backend::MAX_THREADS).thread_name("nudge");
    builder
}

/// A failure of the server itself.
fn internal(message: String) -> Fault {
    Fault::new(FaultKind::Internal, "server", message).next("run `nudge doctor`")
}

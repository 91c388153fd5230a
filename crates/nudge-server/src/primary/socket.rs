//! The Unix socket in `run/`, over which our own programs reach PRIMARY.

use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nudge_client::frame::{self, MAX_FRAME, Request};
use nudge_client::older;
use nudge_client::ui_sessions::Codes;
use nudge_client::version::is_newer;
use nudge_core::{Fault, FaultKind};
use nudge_memory::capture::CapturedEvent;
use nudge_memory::inject::InjectionLimits;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::task::TaskTracker;

use super::Shutdown;
use super::identity::Identity;
use crate::backend::{self, Local, is_upgraded};

/// The most connections at once. Each PROXY keeps one, each command uses one briefly.
const MAX_CONNECTIONS: usize = 256;

/// The most concurrent calls on one connection; a peer that sends more waits.
const MAX_CALLS_PER_CONNECTION: usize = 64;

/// What a connection may access.
pub(crate) struct ConnectionState {
    pub(crate) local: Arc<Local>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) shutdown: Shutdown,
    /// Notified when a newer server asks to take over.
    pub(crate) asked: Arc<Notify>,
    /// The codes that sign a browser in.
    pub(crate) codes: Arc<Codes>,
}

/// Binds the socket, replacing a stale one. Only the process with the lock may do this.
pub(crate) fn bind(path: &Path) -> io::Result<UnixListener> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() || found.file_type().is_symlink() => {
            std::fs::remove_file(path)?
        }
        Ok(_) => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "a file that is not a socket is in its place",
            ));
        }
        Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    // The directory admits nobody else, so the mode before this line does not matter.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Serves connections until this process is no longer PRIMARY. Connections finish what they have
/// begun.
///
/// If the socket's name was removed, it is bound again; the new listener comes through `rebound`.
/// Only this function owns the listener, so that it closes with the server: a later client is
/// refused instead of waiting for a greeting.
pub(crate) async fn serve(
    mut listener: UnixListener,
    mut rebound: mpsc::Receiver<UnixListener>,
    state: Arc<ConnectionState>,
    under_way: TaskTracker,
) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let stream = tokio::select! {
            () = state.shutdown.primary.cancelled() => return,
            Some(again) = rebound.recv() => {
                listener = again;
                continue;
            }
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept on the socket");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let (state, free) = (state.clone(), free.clone());
        under_way.spawn(async move {
            if let Err(error) = admit(stream, &state, &free).await {
                tracing::debug!(%error, "a connection to the socket ended");
            }
        });
    }
}

async fn admit(stream: UnixStream, state: &Arc<ConnectionState>, free: &Semaphore) -> io::Result<()> {
    let stream = stream.into_std()?;
    nudge_client::connection::check_peer(&stream)
        .inspect_err(|error| tracing::warn!(%error, "a stranger at the socket"))?;
    let (reader, mut writer) = UnixStream::from_std(stream)?.into_split();
    let Ok(_permit) = free.try_acquire() else {
        return writer.write_all(&frame::reply(None, &Err(crowded()))).await;
    };
    writer.write_all(&frame::greeting(&state.identity.greeting())).await?;
    let writer = Arc::new(Mutex::new(writer));
    let mut calls = JoinSet::new();
    let ended = converse(BufReader::new(reader), &writer, state, &mut calls).await;
    while calls.join_next().await.is_some() {}
    if let Err(fault) = ended {
        writer.lock().await.write_all(&frame::reply(None, &Err(fault))).await?;
    }
    Ok(())
}

/// Reads frames until the peer or the server ends the connection. An invalid frame ends it with a
/// fault.
async fn converse(
    mut reader: BufReader<OwnedReadHalf>,
    writer: &Arc<Mutex<OwnedWriteHalf>>,
    state: &Arc<ConnectionState>,
    calls: &mut JoinSet<()>,
) -> Result<(), Fault> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = async {
            let mut bounded = (&mut reader).take(MAX_FRAME as u64);
            bounded.read_until(b'\n', &mut line).await
        };
        tokio::select! {
            () = state.shutdown.primary.cancelled() => return Ok(()),
            read = read => match read {
                Ok(0) | Err(_) => return Ok(()),
                Ok(_) => {}
            },
        }
        if line.last() != Some(&b'\n') {
            return if line.len() >= MAX_FRAME { Err(frame::too_long()) } else { Ok(()) };
        }
        let request = frame::decode(&line)?;
        // A hook sends one frame and waits: there is nothing to do in parallel.
        if request.capture.is_some() || request.op.as_deref().is_some_and(|op| state.local.is_quick(op)) {
            answer(request, writer, state).await;
            continue;
        }
        if calls.len() >= MAX_CALLS_PER_CONNECTION {
            calls.join_next().await;
        }
        while calls.try_join_next().is_some() {}
        let (writer, state) = (writer.clone(), state.clone());
        calls.spawn(async move { answer(request, &writer, &state).await });
    }
}

async fn answer(mut request: Request, writer: &Mutex<OwnedWriteHalf>, state: &ConnectionState) {
    let id = request.id;
    if let Some(event) = request.capture.take() {
        return receive(id, event, request.inject, writer, state).await;
    }
    let word = request.control.clone();
    let outcome = outcome(request, state).await;
    if is_upgraded(&outcome) && state.shutdown.primary.is_cancelled() {
        // The newer PRIMARY has upgraded the store. Without a reply the peer repeats the call
        // there.
        return;
    }
    // A peer that is gone will ask again elsewhere, under the same operation id.
    let _ = writer.lock().await.write_all(&frame::reply(Some(id), &outcome)).await;
    match word.as_deref() {
        Some("stop") => state.shutdown.process.cancel(),
        Some("hand_over") if outcome.is_ok() => state.asked.notify_one(),
        _ => {}
    }
}

/// Stores an event from a hook. The hook exits as soon as it has its reply; the reactions continue.
async fn receive(
    id: u64,
    event: Box<CapturedEvent>,
    limits: Option<InjectionLimits>,
    writer: &Mutex<OwnedWriteHalf>,
    state: &ConnectionState,
) {
    let (answer, answered) = oneshot::channel();
    let local = state.local.clone();
    let reacting = backend::run_write(move || local.receive(&event, limits, answer));
    let replying = async {
        let outcome = answered.await.unwrap_or_else(|_| Err(stopping()));
        let _ = writer.lock().await.write_all(&frame::reply(Some(id), &outcome)).await;
    };
    let _ = tokio::join!(reacting, replying);
}

async fn outcome(request: Request, state: &ConnectionState) -> Result<Value, Fault> {
    match (request.op, request.control) {
        (Some(op), None) => {
            let caller = request.caller.ok_or_else(|| frame::malformed("the frame has no caller"))?;
            let mut answer = state.local.call(caller.into_caller()?, &op, request.params).await?;
            older::add_names(request.names, &op, &mut answer);
            Ok(answer)
        }
        (None, Some(word)) => answer_control(&word, &request.params, state).await,
        _ => Err(frame::malformed("a frame is either an operation or a control word")),
    }
}

fn stopping() -> Fault {
    Fault::new(FaultKind::Unavailable, "stopping", "the server is stopping; the event was not stored")
        .next("try again")
}

fn crowded() -> Fault {
    Fault::new(
        FaultKind::Busy,
        "too_many_connections",
        format!("{MAX_CONNECTIONS} connections are already open"),
    )
    .next("close programs that use nudge, or try again")
}

// Control words: requests to the server itself.

/// Answers a control word. [`super::socket`] acts on it after the reply is sent.
async fn answer_control(word: &str, params: &Value, state: &ConnectionState) -> Result<Value, Fault> {
    match word {
        "health" => Ok(health(state).await),
        "stop" => Ok(stop(state).await),
        "hand_over" => hand_over(params, &state.identity),
        "ui_code" => ui_code(params, state),
        _ => Err(frame::malformed(format!("unknown control word `{word}`"))),
    }
}

/// The facts that `nudge status` shows.
async fn health(state: &ConnectionState) -> Value {
    let mut facts = serde_json::to_value(state.identity.state()).unwrap_or_default();
    let local = state.local.clone();
    let found = backend::run_blocking(move || (local.memory().session(), local.memory().stats())).await;
    let Ok(found) = found else { return facts };
    if let (Ok(session), Value::Object(facts)) = (&found.0, &mut facts) {
        facts.insert("session".into(), session.id.to_string().into());
    }
    if let (Ok(stats), Value::Object(facts)) = (&found.1, &mut facts) {
        facts.insert("entries".into(), stats.entries.into());
        facts.insert("hints".into(), stats.hints.into());
    }
    facts
}

/// Ends the memory session for `nudge stop`. If it cannot be ended (a read-only home), the server
/// still stops.
async fn stop(state: &ConnectionState) -> Value {
    let agent = crate::terminal::stdin_has_client();
    let (local, began) = (state.local.clone(), Instant::now());
    let ended = backend::run_blocking(move || local.memory().end_session(nudge_client::now())).await;
    let Ok(ended) = ended else { return json!({"agent": agent}) };
    match ended {
        Ok(ended) => json!({"session": ended.next.id, "hints_ended": ended.hints, "agent": agent}),
        Err(fault) => {
            crate::log::failed("end_session", "control", began, &fault);
            json!({"agent": agent})
        }
    }
}

/// A code that signs one browser in, for `nudge ui`, and the port to use it on.
fn ui_code(params: &Value, state: &ConnectionState) -> Result<Value, Fault> {
    let port = state.identity.port();
    if port.pending {
        let why = format!("another program uses port {}, so the page cannot be served", port.number);
        return Err(Fault::new(FaultKind::Unavailable, "port_taken", why)
            .next("end that program; the server tries again every second"));
    }
    let code = state.codes.make(params["read_only"] == json!(true))?;
    Ok(json!({"code": code, "port": port.number}))
}

/// Whether this PRIMARY hands over to the server that asks: only to a newer one, and never a memory
/// that exists only in this process.
fn hand_over(params: &Value, identity: &Identity) -> Result<Value, Fault> {
    let asker = params["version"].as_str().unwrap_or_default();
    if identity.ephemeral {
        let why = "this server keeps its memory in no file (--ephemeral) and cannot hand it over";
        return Err(
            Fault::new(FaultKind::Unavailable, "ephemeral_server", why).next("stop it with `nudge stop`")
        );
    }
    if !is_newer(asker, &identity.version) {
        let why = format!("this server has version {}, and `{asker}` is not newer", identity.version);
        return Err(Fault::invalid("not_newer", why).next("use the running server"));
    }
    tracing::info!(to = asker, "a newer server asked: this one hands over");
    Ok(json!({"version": identity.version}))
}

#[cfg(test)]
mod tests {
    use nudge_home::Home;

    use super::*;
    use crate::primary::identity::Port;

    fn identity(version: &str, ephemeral: bool) -> Identity {
        let home = Home::locate(Some(std::path::Path::new("/nowhere")), &|_| None).expect("a home");
        Identity::new(&home, version, home.socket(), ephemeral, Port { number: 1, pending: false })
    }

    #[test]
    fn only_a_newer_server_is_handed_over_to() {
        let asked = |own: &str, by: Value| hand_over(&json!({"version": by}), &identity(own, false));
        assert!(asked("0.1.0", json!("0.1.1")).is_ok());
        for by in [json!("0.1.0"), json!("0.0.9"), json!("new"), json!(2), Value::Null] {
            assert_eq!(asked("0.1.0", by).expect_err("not newer").reason, "not_newer");
        }
    }

    #[test]
    fn a_memory_in_the_process_is_not_handed_over() {
        let refused = hand_over(&json!({"version": "9.0.0"}), &identity("0.1.0", true));
        assert_eq!(refused.expect_err("it stays").reason, "ephemeral_server");
    }
}

//! Delivers a captured event within milliseconds: to PRIMARY, else to the store directly.
//!
//! The caller has the spool for when neither accepts the event in time. Every step may be repeated,
//! even one that succeeded without our knowing: an event is stored once.

use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_home::{Home, Settings};
use nudge_memory::capture::{CapturedEvent, EventBody, StoreOutcome};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Memory, Received};
use nudge_store::{Location, OpenOptions, Store};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use serde::Deserialize;

use crate::connection::read_frame;
use crate::frame::{self, Greeting, Reply};
use crate::link::out_of_reach;
use crate::lock::ServerState;
use crate::{indexing, lock, open};

/// How much of its time a hook spends on events that others have spooled.
const SPOOL_SHARE: Duration = Duration::from_millis(20);

/// How much time must be left to start on a reply. Looking up what is known about a command takes a
/// few queries.
const REPLY_NEEDS: Duration = Duration::from_millis(100);

const WORTH_WHILE_OF_COMMAND: Duration = Duration::from_millis(20);

/// The result for an event that is in the memory.
pub struct Delivered {
    /// The text that its session gets.
    pub reply: Option<Injected>,
    /// Why there is no reply. The event is stored anyway.
    pub unanswered: Option<Fault>,
}

/// Stores an event before `until`. Calls `stored` as soon as it is stored, and `replied` as soon as
/// there is a reply, which is in the ledger by then. After an error it is not known whether the
/// event is stored.
pub fn deliver(
    home: &Home,
    event: &CapturedEvent,
    limits: Option<InjectionLimits>,
    until: Instant,
    stored: impl FnOnce(),
    replied: impl FnOnce(&Injected),
) -> Result<Delivered, Fault> {
    match hand_over(home, event, limits, until) {
        Ok(reply) => {
            stored();
            return Ok(Delivered { reply, unanswered: None });
        }
        Err(NotDelivered::Nobody) => {}
        // That server's memory exists only in its process; the store on disk is a different memory.
        Err(NotDelivered::Final(fault)) => return Err(fault),
    }
    let memory = open(home, until)?;
    let received = memory.receive(event)?;
    stored();
    let delivered = reply(&received, limits, until);
    if let Some(reply) = &delivered.reply {
        replied(reply);
    }
    follow_up(home, &memory, &received, until);
    Ok(delivered)
}

/// The reply, if there is time for one.
fn reply(received: &Received<'_>, limits: Option<InjectionLimits>, until: Instant) -> Delivered {
    let least = match received.event().what {
        EventBody::About { .. } | EventBody::Action(_) => WORTH_WHILE_OF_COMMAND,
        _ => REPLY_NEEDS,
    };
    let in_time = until.saturating_duration_since(Instant::now()) > least;
    match received.reply(limits.filter(|_| in_time), crate::now()) {
        Ok(reply) => Delivered { reply, unanswered: None },
        Err(fault) => Delivered { reply: None, unanswered: Some(fault) },
    }
}

/// Work for when the event is stored and there is time: the reactions to it, events that others
/// have spooled, and, at the start of a session, a check of how far the search index is behind. The
/// next process can do all of it instead.
fn follow_up(home: &Home, memory: &Memory, received: &Received<'_>, until: Instant) {
    let _ = received.react();
    let _ = open::store_spooled(home, memory, until.min(Instant::now() + SPOOL_SHARE));
    if matches!(received.event().what, EventBody::Start { .. }) {
        indexing::start_if_behind(home, memory);
    }
}

/// The store, if it can be opened in time and needs no migration.
fn open(home: &Home, until: Instant) -> Result<Memory, Fault> {
    let store = Store::open_promptly(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_home::host::identity(),
        now: crate::now(),
        busy: until.saturating_duration_since(Instant::now()),
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

/// PRIMARY's answer when it has stored an event.
pub fn answer(outcome: StoreOutcome, injected: Option<Injected>) -> serde_json::Value {
    let mut answer = serde_json::Map::from_iter([("kept".to_owned(), outcome.word().into())]);
    if let Some(Ok(serde_json::Value::Object(injected))) = injected.map(serde_json::to_value) {
        answer.extend(injected);
    }
    answer.into()
}

// Sends a captured event to PRIMARY: one connection, one frame, one reply, each with a short
// timeout.

/// Why PRIMARY did not accept the event.
enum NotDelivered {
    /// There is no PRIMARY, or it cannot accept the event now; try the store.
    Nobody,
    /// There is one, and nothing else can accept the event.
    Final(Fault),
}

/// Sends the event and waits until it is stored, for at most half of the time left, because the
/// store may still have to be tried. Returns the text for its session.
fn hand_over(
    home: &Home,
    captured: &CapturedEvent,
    limits: Option<InjectionLimits>,
    until: Instant,
) -> Result<Option<Injected>, NotDelivered> {
    // A directory that others could have created counts as no server.
    let Ok(Some(socket)) = home.existing_socket() else { return Err(NotDelivered::Nobody) };
    let Ok(stream) = connect(&socket) else { return Err(NotDelivered::Nobody) };
    let timeout = until.saturating_duration_since(Instant::now()) / 2;
    match converse(stream, captured, limits, timeout) {
        // A server that injects nothing omits this from its answer.
        Ok((_, Ok(answer))) => Ok(Injected::deserialize(&answer).ok()),
        Ok((greeting, Err(fault))) if greeting.ephemeral => Err(NotDelivered::Final(fault)),
        Ok(_) => Err(NotDelivered::Nobody),
        Err(_) if is_ephemeral(home) => Err(NotDelivered::Final(out_of_reach())),
        Err(_) => Err(NotDelivered::Nobody),
    }
}

/// Connects without waiting: a stopped server with a full queue counts as unavailable.
fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::from(rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
    stream.set_nonblocking(true)?;
    rustix::net::connect(&stream, &SocketAddrUnix::new(socket)?)?;
    stream.set_nonblocking(false)?;
    crate::connection::check_peer(&stream)?;
    Ok(stream)
}

/// Sends the event and reads the answer. The event is sent before the greeting is read, which saves
/// a round trip; a server with another protocol rejects the frame.
fn converse(
    stream: UnixStream,
    captured: &CapturedEvent,
    limits: Option<InjectionLimits>,
    timeout: Duration,
) -> io::Result<(Greeting, Result<serde_json::Value, Fault>)> {
    let timeout = timeout.max(Duration::from_millis(1));
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(&frame::capture(1, captured, limits))?;
    let greeting = Greeting::read(&read_frame(&mut stream)?)?;
    let reply: Reply = serde_json::from_slice(&read_frame(&mut stream)?)?;
    if reply.id != Some(1) {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    Ok((greeting, reply.outcome()))
}

fn is_ephemeral(home: &Home) -> bool {
    ServerState::read(&home.state_file()).is_some_and(|state| state.ephemeral)
        && lock::is_held(&home.lock_file())
}

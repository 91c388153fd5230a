//! Sends a captured event to PRIMARY: one connection, one frame, one reply, each with a short
//! timeout.

use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_home::Home;
use nudge_memory::capture::CapturedEvent;
use nudge_memory::inject::{Injected, InjectionLimits};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use serde::Deserialize;

use crate::connection::read_frame;
use crate::frame::{self, Greeting, Reply};
use crate::link::out_of_reach;
use crate::lock;
use crate::state::ServerState;

/// Why PRIMARY did not accept the event.
pub(super) enum NotDelivered {
    /// There is no PRIMARY, or it cannot accept the event now; try the store.
    Nobody,
    /// There is one, and nothing else can accept the event.
    Final(Fault),
}

/// Sends the event and waits until it is stored, for at most half of the time left, because the
/// store may still have to be tried. Returns the text for its session.
pub(super) fn hand_over(
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
    crate::peer::check(&stream)?;
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

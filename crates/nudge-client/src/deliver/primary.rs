//! Handing a moment to PRIMARY: one connection, one frame, one reply, none of them waited for too long.

use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_home::Home;
use nudge_memory::capture::Moment;
use nudge_memory::inject::{Injected, InjectionLimits};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use serde::Deserialize;

use crate::connection::read_frame;
use crate::frame::{self, Greeting, Reply};
use crate::link::out_of_reach;
use crate::lock;
use crate::state::ServerState;

/// Why PRIMARY did not take it.
pub(super) enum Refused {
    /// There is none, or none that takes it now; the store may.
    Nobody,
    /// There is one, and nobody else can take it.
    Final(Fault),
}

/// Hands the moment over and waits until it is kept, for at most half of the time that is left: the
/// store is still to be tried. Gives back what its session is told.
pub(super) fn hand_over(
    home: &Home,
    moment: &Moment,
    limits: Option<InjectionLimits>,
    until: Instant,
) -> Result<Option<Injected>, Refused> {
    // A directory that others could have put there is as good as no server.
    let Ok(Some(socket)) = home.existing_socket() else { return Err(Refused::Nobody) };
    let Ok(stream) = connect(&socket) else { return Err(Refused::Nobody) };
    let patience = until.saturating_duration_since(Instant::now()) / 2;
    match converse(stream, moment, limits, patience) {
        // A server that tells nothing answers without it.
        Ok((_, Ok(answer))) => Ok(Injected::deserialize(&answer).ok()),
        Ok((greeting, Err(fault))) if greeting.ephemeral => Err(Refused::Final(fault)),
        Ok(_) => Err(Refused::Nobody),
        Err(_) if is_ephemeral(home) => Err(Refused::Final(out_of_reach())),
        Err(_) => Err(Refused::Nobody),
    }
}

/// Connects without waiting: a server that is stopped, with a full queue before it, refuses.
fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::from(rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
    stream.set_nonblocking(true)?;
    rustix::net::connect(&stream, &SocketAddrUnix::new(socket)?)?;
    stream.set_nonblocking(false)?;
    crate::peer::check(&stream)?;
    Ok(stream)
}

/// Says it and hears the answer. The moment is sent before the greeting is read, which saves a
/// round trip; whoever speaks another protocol refuses the frame.
fn converse(
    stream: UnixStream,
    moment: &Moment,
    limits: Option<InjectionLimits>,
    patience: Duration,
) -> io::Result<(Greeting, Result<serde_json::Value, Fault>)> {
    let patience = patience.max(Duration::from_millis(1));
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(&frame::capture(1, moment, limits))?;
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

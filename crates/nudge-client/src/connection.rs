//! One blocking connection to PRIMARY's socket, with a process of the same user at the other end.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::Caller;
use rustix::io::Errno;
use serde_json::Value;

use crate::frame::{self, Greeting, MAX_FRAME, Reply};

/// A reply that takes longer counts as lost, and the call is repeated under its id.
pub const REPLY_WITHIN: Duration = Duration::from_secs(5);

/// A live PRIMARY greets at once; one that takes longer is stopped or stuck.
pub const GREETED_WITHIN: Duration = Duration::from_millis(500);

/// The connection ended, was refused or fell silent, so the call may or may not have been done.
#[derive(Debug, PartialEq, Eq)]
pub struct Lost;

/// A connection that has received its greeting.
pub struct Connection {
    stream: BufReader<UnixStream>,
    greeting: Greeting,
    last_id: u64,
}

/// Why there is no connection.
pub enum Unreachable {
    /// Nobody listens, or nobody answers.
    Nobody,
    /// The system forbids this process to connect, as in a sandbox. A server may be running.
    Barred(io::Error),
    /// `run/` is not safe to use. This must be reported, not ignored.
    Refused(Fault),
}

impl Connection {
    /// Connects to the PRIMARY of a home. First checks that `run/` is ours, then that the process
    /// listening there is.
    pub fn reach(home: &Home) -> Result<Self, Unreachable> {
        let socket = home.existing_socket().map_err(Unreachable::Refused)?.ok_or(Unreachable::Nobody)?;
        let stream = UnixStream::connect(&socket).map_err(|error| {
            if is_barred(&error) { Unreachable::Barred(error) } else { Unreachable::Nobody }
        })?;
        Self::meet(stream).map_err(|_| Unreachable::Nobody)
    }

    fn meet(stream: UnixStream) -> io::Result<Self> {
        check_peer(&stream)?;
        stream.set_read_timeout(Some(GREETED_WITHIN))?;
        stream.set_write_timeout(Some(REPLY_WITHIN))?;
        let mut stream = BufReader::new(stream);
        let greeting = Greeting::read(&read_frame(&mut stream)?)?;
        stream.get_ref().set_read_timeout(Some(REPLY_WITHIN))?;
        Ok(Self { stream, greeting, last_id: 0 })
    }

    /// PRIMARY's greeting.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Sends a call and waits for its reply.
    pub fn call(&mut self, caller: &Caller, op: &str, params: &Value) -> Result<Result<Value, Fault>, Lost> {
        self.last_id += 1;
        let bytes = frame::call(self.last_id, caller, op, params);
        self.exchange(&bytes).map_err(|_| Lost)
    }

    /// Sends a control word to the server itself.
    pub fn control(&mut self, word: &str, params: &Value) -> Result<Result<Value, Fault>, Lost> {
        self.last_id += 1;
        let bytes = frame::control(self.last_id, word, params);
        self.exchange(&bytes).map_err(|_| Lost)
    }

    fn exchange(&mut self, bytes: &[u8]) -> io::Result<Result<Value, Fault>> {
        self.stream.get_mut().write_all(bytes)?;
        let reply: Reply = serde_json::from_slice(&read_frame(&mut self.stream)?)?;
        // Any other id means that the server is closing this connection.
        if reply.id == Some(self.last_id) {
            Ok(reply.outcome())
        } else {
            Err(io::ErrorKind::ConnectionAborted.into())
        }
    }
}

/// The fault when a server runs and this process may not connect to it.
pub fn barred(error: io::Error) -> Fault {
    let why = format!("a server is running, but this process cannot connect to its socket: {error}");
    Fault::new(FaultKind::Unavailable, "socket_barred", why)
        .because(error)
        .next("run it outside the sandbox, or as the user who started the server")
}

/// Reads one frame, including its line break.
pub fn read_frame(stream: &mut BufReader<UnixStream>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    stream.by_ref().take(MAX_FRAME as u64).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') { Ok(line) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

// Whether this process may use sockets. In a sandbox it may not.

/// Whether a socket error means that the system forbids sockets, not that nobody listens.
pub fn is_barred(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
        || error.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error())
}

/// Creates a pair of connected sockets. If even that fails, no sockets are available.
pub fn probe() -> io::Result<()> {
    UnixStream::pair().map(|_| ())
}

// Checks that the process at the other end of a Unix socket belongs to the same user.

/// Rejects a peer of another user. The kernel supplies the answer, not the peer.
pub fn check_peer(stream: &UnixStream) -> io::Result<()> {
    let theirs = uid_of(stream)?;
    let ours = rustix::process::geteuid().as_raw();
    if theirs == ours {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("the peer runs as user {theirs}, this process as user {ours}"),
    ))
}

#[cfg(target_os = "linux")]
fn uid_of(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// On other systems, checks the owner of the socket file; `run/` admits nobody else anyway.
#[cfg(not(target_os = "linux"))]
fn uid_of(stream: &UnixStream) -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    let (peer, local) = (stream.peer_addr()?, stream.local_addr()?);
    let path = peer.as_pathname().or_else(|| local.as_pathname());
    let path = path.ok_or_else(|| io::Error::new(io::ErrorKind::PermissionDenied, "the peer has no name"))?;
    Ok(std::fs::metadata(path)?.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_let_in() {
        let (one, _other) = UnixStream::pair().expect("socket pair");
        assert!(check_peer(&one).is_ok());
    }
}

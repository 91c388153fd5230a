//! One blocking connection to PRIMARY's socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::Caller;
use serde_json::Value;

use crate::frame::{self, FRAME_LIMIT, Greeting, Reply};
use crate::sockets;

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
            if sockets::is_barred(&error) { Unreachable::Barred(error) } else { Unreachable::Nobody }
        })?;
        Self::meet(stream).map_err(|_| Unreachable::Nobody)
    }

    fn meet(stream: UnixStream) -> io::Result<Self> {
        crate::peer::check(&stream)?;
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
    stream.by_ref().take(FRAME_LIMIT as u64).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') { Ok(line) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

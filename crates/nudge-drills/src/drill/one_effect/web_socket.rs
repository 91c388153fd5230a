//! `/ws`: one connection, one message for each verb.

use super::surface::Surface;
use super::verb::Verb;
use crate::stage::{Daemon, Home, Socket};

/// A server in the background, and a connection to it. The connection is closed first.
pub(super) struct Ws {
    socket: Socket,
    _daemon: Daemon,
}

impl Ws {
    pub(super) fn open(home: &Home) -> anyhow::Result<Self> {
        let daemon = Daemon::start(home)?;
        Ok(Self { socket: daemon.connect()?, _daemon: daemon })
    }
}

impl Surface for Ws {
    fn name(&self) -> &'static str {
        "/ws"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        Ok(self.socket.call(verb.name, &verb.in_session())?.get("error").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.socket.close()
    }
}

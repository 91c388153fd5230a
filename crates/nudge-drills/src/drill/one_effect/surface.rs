//! A way to call Nudge.

use super::command_line::CommandLine;
use super::http::Rpc;
use super::stdio::Stdio;
use super::tag::Tags;
use super::verb::Verb;
use super::web_socket::Ws;
use crate::stage::{Home, free_port};

/// A way to call Nudge.
pub(super) trait Surface {
    fn name(&self) -> &'static str;

    /// Calls a verb, and returns whether the call as a whole was refused.
    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool>;

    /// Ends what it started.
    fn close(self: Box<Self>) -> anyhow::Result<()>;
}

/// Opens a surface in an empty home.
type Open = fn(&Home) -> anyhow::Result<Box<dyn Surface>>;

/// All five. The first is the one that the others are compared with.
pub(super) const ALL: [Open; 5] = [
    |home| Ok(Box::new(Stdio::open(home)?)),
    |home| Ok(Box::new(Rpc::open(home)?)),
    |home| Ok(Box::new(Ws::open(home)?)),
    |home| Ok(Box::new(CommandLine::open(home))),
    |home| Ok(Box::new(Tags::open(home)?)),
];

/// A server in the background of a home. It ends with the value.
pub(super) struct Daemon {
    home: Home,
    pub(super) port: u16,
    pub(super) token: String,
}

impl Daemon {
    pub(super) fn start(home: &Home) -> anyhow::Result<Self> {
        let home = Home::at(home.path().to_owned(), home.binary().to_owned());
        let port = free_port()?;
        home.run(&["serve", "--daemon", "--port", &port.to_string()])?;
        let token = std::fs::read_to_string(home.memory().join("run/token"))?.trim().to_owned();
        Ok(Self { home, port, token })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A server that is gone already has nothing to stop.
        let _ = self.home.run(&["stop"]);
    }
}

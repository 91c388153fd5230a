//! A way to call Nudge.

use super::verb::Verb;
use crate::stage::{Home, free_port};

/// A way to call Nudge.
pub(super) trait Surface {
    fn name(&self) -> &'static str;

    /// Calls a verb, and returns whether the call as a whole was refused.
    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool>;

    /// Ends what it started.
    fn close(self: Box<Self>) -> anyhow::Result<()>;
}

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

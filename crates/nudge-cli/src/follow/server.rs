//! A server for runs: only a server drives them.

use std::time::Duration;

use nudge_client::status::status;
use nudge_core::Fault;

use crate::daemon;
use crate::exit::Failure;
use crate::invocation::Invocation;

/// How long to wait for a server. It starts in less than a second.
const WITHIN: Duration = Duration::from_secs(10);

/// How many servers one command starts.
const MOST: u32 = 3;

/// Starts a server unless one answers.
pub(super) fn ensure(invocation: &Invocation) -> Result<(), Failure> {
    let home = invocation.home()?;
    if status(&home).responding {
        return Ok(());
    }
    daemon::start(&home, invocation.globals.port, WITHIN, |_| {}).map_err(needed)?;
    Ok(())
}

/// Servers that were started in place of one that ended.
#[derive(Default)]
pub(super) struct Restarts(u32);

impl Restarts {
    /// Starts another server unless one answers. Gives up after a few.
    pub(super) fn again(&mut self, invocation: &Invocation) -> Result<(), Failure> {
        if self.0 >= MOST {
            let why = "the server ended several times while the model worked";
            return Err(Fault::new(nudge_core::FaultKind::Unavailable, "server_not_started", why)
                .next("run `nudge doctor`")
                .into());
        }
        self.0 += 1;
        ensure(invocation)
    }
}

fn needed(fault: Fault) -> Fault {
    fault.next("a model is only asked by a server; run `nudge serve --daemon` to see why it does not start")
}

//! Starts a server after an installation, and waits until it answers.

use std::time::{Duration, Instant};

use nudge_client::background;
use nudge_client::status::status;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::exit::Failure;
use crate::invocation::Invocation;

/// The timeout for the server. It includes the migration of a large memory.
const WITHIN: Duration = Duration::from_secs(60);

/// How often to report to a waiting user. A start that takes longer than this is slow.
const REPORT: Duration = Duration::from_secs(10);

/// Starts a server unless one answers already.
pub(super) fn start(invocation: &Invocation, home: &Home) -> Result<(), Failure> {
    if status(home).responding {
        say(invocation, "a server is already running");
        return Ok(());
    }
    let started = background::command(home).and_then(|mut command| {
        if let Some(port) = invocation.globals.port {
            command.args(["--port", &port.to_string()]);
        }
        command.args(["serve", "--daemon"]).spawn()
    });
    let mut child = started.map_err(|error| not_started(&error.to_string()))?;
    let began = Instant::now();
    let mut reported = 1;
    loop {
        if status(home).responding {
            let _ = child.wait();
            let seconds = began.elapsed().as_secs();
            let slow = if began.elapsed() > REPORT {
                format!(", after {seconds} s, which is slow")
            } else {
                String::new()
            };
            say(invocation, &format!("a server is running in the background{slow}"));
            return Ok(());
        }
        if child.try_wait().ok().flatten().is_some_and(|status| !status.success()) {
            return Err(not_started("it exited").into());
        }
        if began.elapsed() > WITHIN {
            return Err(not_started(&format!("it did not answer within {} s", WITHIN.as_secs())).into());
        }
        if began.elapsed() > REPORT * reported {
            say(invocation, &format!("still waiting for the server, {} s", began.elapsed().as_secs()));
            reported += 1;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn say(invocation: &Invocation, text: &str) {
    invocation.output.aside(|page| {
        page.text(text).end();
    });
}

fn not_started(why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "server_not_started", format!("could not start the server: {why}"))
        .next("Nudge works without it; run `nudge serve --daemon` to see why")
}

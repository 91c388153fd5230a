//! Starts a server after an installation, and waits until it answers.

use std::time::Duration;

use nudge_client::status::status;
use nudge_home::Home;

use crate::daemon;
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
    let mut reported = 1;
    let took = daemon::start(home, invocation.globals.port, WITHIN, |waited| {
        if waited > REPORT * reported {
            say(invocation, &format!("still waiting for the server, {} s", waited.as_secs()));
            reported += 1;
        }
    })?;
    let slow =
        if took > REPORT { format!(", after {} s, which is slow", took.as_secs()) } else { String::new() };
    say(invocation, &format!("a server is running in the background{slow}"));
    Ok(())
}

fn say(invocation: &Invocation, text: &str) {
    invocation.output.aside(|page| {
        page.text(text).end();
    });
}

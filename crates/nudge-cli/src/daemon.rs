//! Starts a server in the background, and waits until it answers.

use std::process::Child;
use std::time::{Duration, Instant};

use nudge_client::background;
use nudge_client::status::status;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

/// How often to look whether the server answers.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Starts a server for this home and waits until it answers. `waiting` gets how long that takes
/// so far. Returns the time that it took.
pub(crate) fn start(
    home: &Home,
    port: Option<u16>,
    within: Duration,
    mut waiting: impl FnMut(Duration),
) -> Result<Duration, Fault> {
    let mut child = spawn(home, port).map_err(|error| not_started(&error.to_string()))?;
    let began = Instant::now();
    loop {
        if status(home).responding {
            let _ = child.wait();
            return Ok(began.elapsed());
        }
        if child.try_wait().ok().flatten().is_some_and(|status| !status.success()) {
            return Err(not_started("it exited"));
        }
        if began.elapsed() > within {
            return Err(not_started(&format!("it did not answer within {} s", within.as_secs())));
        }
        waiting(began.elapsed());
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn spawn(home: &Home, port: Option<u16>) -> std::io::Result<Child> {
    let mut command = background::command(home)?;
    if let Some(port) = port {
        command.args(["--port", &port.to_string()]);
    }
    // The settings of the project that the user is in are not those of the server.
    if home.root().is_dir() {
        command.current_dir(home.root());
    }
    command.args(["serve", "--daemon"]).spawn()
}

fn not_started(why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "server_not_started", format!("could not start the server: {why}"))
        .next("Nudge works without it; run `nudge serve --daemon` to see why")
}

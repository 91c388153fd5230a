//! A detached server for one test, stopped when the test ends.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::home::TestHome;

/// How long a server may take to answer. Generous, because the machine may be busy building.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// How often a state that no event announces is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A running server of a [`TestHome`].
pub struct Server<'a> {
    home: &'a TestHome,
    pid: i64,
}

impl TestHome {
    /// Starts a detached server and waits until it answers.
    pub fn daemon(&self, args: &[&str]) -> Server<'_> {
        Server::daemon(self, args)
    }
}

impl<'a> Server<'a> {
    /// Runs `nudge serve --daemon` and waits until `status` sees it.
    pub fn daemon(home: &'a TestHome, args: &[&str]) -> Self {
        let mut words = vec!["serve", "--daemon"];
        words.extend(args);
        home.run(words).ok();
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            let status = status(home);
            if let Some(pid) = status.get("pid").and_then(Value::as_i64) {
                return Self { home, pid };
            }
            assert!(Instant::now() < deadline, "no server within {READY_WITHIN:?}: {status}");
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The process id.
    pub fn pid(&self) -> i64 {
        self.pid
    }

    /// Kills it without warning, as a crash would.
    pub fn kill(&self) {
        signal(self.pid, "-KILL");
        self.wait_until_gone();
    }

    /// Waits for the process to end.
    pub fn wait_until_gone(&self) {
        let deadline = Instant::now() + READY_WITHIN;
        while alive(self.pid) {
            assert!(Instant::now() < deadline, "process {} does not end", self.pid);
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Whether the process is still alive.
    pub fn is_alive(&self) -> bool {
        alive(self.pid)
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        if !alive(self.pid) {
            return;
        }
        let mut stop = self.home.command();
        let _ = stop.arg("stop").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if alive(self.pid) {
            signal(self.pid, "-KILL");
        }
    }
}

fn status(home: &TestHome) -> Value {
    let outcome = home.run(["status", "--json"]);
    serde_json::from_str(&outcome.stdout).unwrap_or(Value::Null)
}

/// Whether a process is alive and not a zombie.
pub(crate) fn alive(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z') && !rest.starts_with('X'))
}

fn signal(pid: i64, name: &str) {
    let _ = Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status();
}

//! Failures in the logs: one line each, written once, where a failure leaves the process.
//!
//! A server writes to `server.log`; a command or hook that runs without a server writes to
//! `hooks.log`. The line has the operation and the causes, never the arguments: of a fault it
//! contains only the reason and the causes, not the message.

use std::fmt;
use std::io::Read;
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_home::Home;
use nudge_home::home::private_file;
use nudge_memory::capture::troubles;
use serde::{Deserialize, Serialize};

/// The logs, older ones first.
const LOG_FILES: [&str; 4] = ["server.log.1", "hooks.log.1", "server.log", "hooks.log"];

/// How many bytes of a log are read; a log is rotated at 1 MiB.
const MAX_READ: u64 = 2 * 1024 * 1024;

/// How many characters of a cause are kept.
const MAX_CAUSE: usize = 400;

/// The text that identifies such a line.
const FAILURE_MARK: &str = " failed {";

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The operation, command, event or job.
    pub what: String,
    /// What requested it: a surface, an agent, or `job`.
    pub by: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The fault's id.
    pub id: String,
    /// The fault's reason.
    pub reason: String,
    /// The causes, nearest first; empty if none were recorded.
    pub cause: String,
}

impl Failed {
    /// Takes from a fault only what may be logged.
    pub fn new(what: &str, by: &str, took: Duration, fault: &Fault) -> Self {
        Self {
            what: what.to_owned(),
            by: by.to_owned(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            id: fault.kind.id().to_owned(),
            reason: fault.reason.clone(),
            cause: fault.causes().join(": ").chars().take(MAX_CAUSE).collect(),
        }
    }

    /// Writes it to `hooks.log`, for processes without a server. Does not create a missing home.
    pub fn note(&self, home: &Home) {
        if home.root().is_dir() {
            troubles::write(home, &self.to_string(), crate::now());
        }
    }

    /// The failures logged since then, oldest first.
    pub fn since(home: &Home, since: Timestamp) -> Vec<(Timestamp, Self)> {
        let mut found: Vec<_> = LOG_FILES
            .iter()
            .flat_map(|name| noted(&text_of(home, name)))
            .filter(|(at, _)| *at >= since)
            .collect();
        found.sort_by_key(|(at, _)| *at);
        found
    }
}

/// The marker and the facts, on one line.
impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed {}", serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

fn noted(log: &str) -> Vec<(Timestamp, Failed)> {
    let read = |line: &str| {
        let at = Timestamp::parse(line.split_once(' ')?.0)?;
        let facts = &line[line.find(FAILURE_MARK)? + FAILURE_MARK.len() - 1..];
        Some((at, serde_json::from_str(facts).ok()?))
    };
    log.lines().filter_map(read).collect()
}

fn text_of(home: &Home, name: &str) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = private_file::read(&home.log_dir().join(name)) {
        // A partial read is good enough.
        let _ = file.take(MAX_READ).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use nudge_core::FaultKind;
    use tempfile::TempDir;

    use super::*;

    fn failed(cause: &str) -> Failed {
        let fault = Fault::new(FaultKind::Internal, Fault::DATABASE, "about my secret plans");
        let fault = fault.because(std::io::Error::other(cause.to_owned()));
        Failed::new("search", "mcp", Duration::from_millis(12), &fault)
    }

    #[test]
    fn a_line_has_the_cause_and_not_the_message() {
        let line = failed("a \"quoted\"\nthing").to_string();
        assert_eq!(
            line,
            r#"failed {"what":"search","by":"mcp","took_ms":12,"id":"E_INTERNAL","reason":"database","cause":"a \"quoted\"\nthing"}"#
        );
    }

    #[test]
    fn what_was_written_is_read_back_from_both_logs() {
        let dir = TempDir::new().expect("temporary directory");
        let root = dir.path().join("home");
        let home = Home::locate(Some(&root), &|_| None).expect("absolute");
        failed("unseen").note(&home);
        assert!(!root.exists());
        std::fs::create_dir(&root).expect("made");
        failed("two").note(&home);
        let lines = format!(
            "2026-11-15T06:10:27.123Z [7] ERROR {}\n2026-11-15T06:10:28.123Z [7] ERROR failed {{cut\n",
            failed("one")
        );
        std::fs::write(home.log_dir().join("server.log"), lines).expect("written");
        let causes = |since| {
            let found = Failed::since(&home, Timestamp::from_millis(since));
            found.into_iter().map(|(_, failed)| failed.cause).collect::<Vec<_>>()
        };
        let long_ago = Timestamp::parse("2026-11-15T06:10:27.123Z").expect("a time");
        assert_eq!(causes(0).len(), 2);
        assert!(!causes(long_ago.as_millis() + 1).contains(&"one".to_owned()));
    }
}

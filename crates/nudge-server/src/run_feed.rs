//! What clients hear of runs while they go on.

use serde_json::Value;
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, broadcast};

/// How many notes a slow client may be behind before it misses some.
const MAX_STORED: usize = 1_024;

/// The operations after which a run may have work.
const WAKING_OPERATIONS: [&str; 11] = [
    "ask",
    "act",
    "inject_run",
    "resume_run",
    "resolve_run",
    "abort_run",
    "set",
    "accept_proposal",
    "drop_proposal",
    "complete_stream",
    "abort_stream",
];

/// The state of a run.
pub(crate) const STATE: &str = "run/state";

/// What a run does at the moment.
pub(crate) const PROGRESS: &str = "run/progress";

/// A run waits for the user.
pub(crate) const PROPOSAL: &str = "run/proposal";

/// What a run waited for is decided.
pub(crate) const DECIDED: &str = "run/decided";

/// Output of a command as it comes.
pub(crate) const OUTPUT: &str = "run/output";

/// A command was ended before its end: a program that runs it itself stops it.
pub(crate) const STREAM_CANCELLED: &str = "stream/cancelled";

/// Text of the model as it comes.
pub(crate) const RENDER: &str = "ui/render";

/// A short message for the user.
pub(crate) const NOTIFY: &str = "ui/notify";

/// One notification.
#[derive(Clone, Debug)]
pub(crate) struct RunNote {
    /// The key of the run's project.
    pub(crate) project: std::sync::Arc<str>,
    /// The method of the notification.
    pub(crate) method: &'static str,
    /// Its parameters.
    pub(crate) params: Value,
}

/// Where the notes of all runs pass, and what wakes the driver.
pub(crate) struct RunFeed {
    notes: broadcast::Sender<RunNote>,
    wake: Notify,
}

impl RunFeed {
    pub(crate) fn new() -> Self {
        Self { notes: broadcast::Sender::new(MAX_STORED), wake: Notify::new() }
    }

    /// Receives the notes from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<RunNote> {
        self.notes.subscribe()
    }

    /// Whether anybody would hear a note.
    pub(crate) fn has_listeners(&self) -> bool {
        self.notes.receiver_count() > 0
    }

    /// Sends a note to whoever listens.
    pub(crate) fn send(&self, note: RunNote) {
        let _ = self.notes.send(note);
    }

    /// Notes that an operation was carried out: a run may have work now.
    pub(crate) fn noticed(&self, operation: &str) {
        if WAKING_OPERATIONS.contains(&operation) {
            self.wake.notify_waiters();
        }
    }

    /// Returns when a run may have work. Counts from the call on, not from the first poll: ask for
    /// it before you look for work.
    pub(crate) fn woken(&self) -> Notified<'_> {
        self.wake.notified()
    }
}

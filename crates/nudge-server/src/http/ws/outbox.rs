//! What goes out on a connection: answers in order, notifications in a bounded queue.
//!
//! Answers wait for the client, which slows down only its own requests. A notification waits for a
//! few seconds; then the client counts as too slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::link::Goodbye;

/// How many notifications wait for a client.
const MAX_NOTES: usize = 256;

/// The number of notifications that belong to no subscription. Subscriptions count from 1.
pub(super) const NO_SUBSCRIPTION: u64 = 0;

/// How long a full queue may stay full.
const SLOW_AFTER: Duration = Duration::from_secs(5);

/// What the writer of a connection takes from.
pub(super) struct Outbox {
    /// The notifications.
    pub(super) waiting: Waiting,
    /// Whether to close.
    pub(super) farewell: Farewell,
}

/// The notifications that wait for the client.
pub(super) struct Waiting {
    notes: mpsc::Receiver<Note>,
    current: Arc<AtomicU64>,
}

/// Says when the connection must be closed before anything else is sent.
pub(super) struct Farewell {
    asked: watch::Receiver<Option<Goodbye>>,
}

/// Where the notifications of a connection go in.
#[derive(Clone)]
pub(super) struct Notes {
    sender: mpsc::Sender<Note>,
    current: Arc<AtomicU64>,
    goodbye: Arc<watch::Sender<Option<Goodbye>>>,
}

/// One notification, with the number of its subscription.
struct Note {
    subscription: u64,
    text: String,
}

impl Note {
    /// Whether it is still wanted while this subscription counts.
    const fn is_wanted(&self, current: u64) -> bool {
        self.subscription == NO_SUBSCRIPTION || self.subscription == current
    }
}

/// The notifications of this subscription no longer reach the client.
pub(super) struct Ended;

/// Both ends.
pub(super) fn open() -> (Outbox, Notes) {
    let (sender, notes) = mpsc::channel(MAX_NOTES);
    let (goodbye, asked) = watch::channel(None);
    let current = Arc::new(AtomicU64::new(0));
    let goodbye = Arc::new(goodbye);
    let waiting = Waiting { notes, current: current.clone() };
    (Outbox { waiting, farewell: Farewell { asked } }, Notes { sender, current, goodbye })
}

impl Waiting {
    /// The next notification that is still wanted. Ends only with the connection.
    pub(super) async fn next(&mut self) -> String {
        loop {
            match self.notes.recv().await {
                Some(note) if note.is_wanted(self.current.load(Ordering::Acquire)) => return note.text,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

impl Farewell {
    /// Returns when the connection must be closed.
    pub(super) async fn asked(&mut self) -> Goodbye {
        match self.asked.wait_for(Option::is_some).await.map(|asked| *asked) {
            Ok(Some(goodbye)) => goodbye,
            _ => std::future::pending().await,
        }
    }
}

impl Notes {
    /// Begins a subscription, or ends the last one. What waits for an earlier one is not sent.
    pub(super) fn next_subscription(&self) -> u64 {
        self.current.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Sends a notification of a subscription, and closes the connection of a client that is too
    /// slow.
    pub(super) async fn send(&self, subscription: u64, text: String) -> Result<(), Ended> {
        let sent = self.sender.send(Note { subscription, text });
        match tokio::time::timeout(SLOW_AFTER, sent).await {
            Ok(sent) => sent.map_err(|_| Ended),
            Err(_) => {
                self.close(Goodbye::TooSlow);
                Err(Ended)
            }
        }
    }

    /// Asks the writer to close the connection. The first reason counts.
    pub(super) fn close(&self, goodbye: Goodbye) {
        self.goodbye.send_if_modified(|asked| {
            let is_first = asked.is_none();
            asked.get_or_insert(goodbye);
            is_first
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// @ws_limits: a full queue is not waited for without end; the connection is closed.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (mut outbox, notes) = open();
        let number = notes.next_subscription();
        for at in 0..MAX_NOTES {
            assert!(notes.send(number, at.to_string()).await.is_ok());
        }
        assert!(notes.send(number, "one too many".to_owned()).await.is_err());
        assert_eq!(outbox.farewell.asked().await, Goodbye::TooSlow);
    }

    /// @ws_notifications: nothing of a subscription is sent after its end.
    #[tokio::test]
    async fn what_waits_for_an_ended_subscription_is_dropped() {
        let (mut outbox, notes) = open();
        let old = notes.next_subscription();
        assert!(notes.send(old, "old".to_owned()).await.is_ok());
        let new = notes.next_subscription();
        assert!(notes.send(new, "new".to_owned()).await.is_ok());
        assert_eq!(outbox.waiting.next().await, "new");
    }
}

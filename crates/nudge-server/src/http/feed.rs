//! The change feed as live listeners read it: one hub that polls, and one reader for each listener.
//!
//! Each listener reads the feed from its own position, so none can block another, and one that does
//! not read loses nothing. It does not matter which process wrote: one task polls the head of the
//! feed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_memory::events::{EventPage, EventsAfter, LiveEvent, Wanted};
use nudge_memory::{Caller, Surface};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::backend::{self, Local};

/// The most listeners at once; each keeps a connection.
const MAX_LISTENERS: usize = 64;

/// How many changes are read at a time.
const PAGE_CHANGES: u32 = 256;

/// How often the head of the feed is polled while anybody listens. A poll costs about ten
/// microseconds.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a listener waits after it could not read the feed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// State that the listeners share.
pub(super) struct Hub {
    head: watch::Sender<i64>,
    listeners: AtomicUsize,
    listener_added: Notify,
}

impl Hub {
    /// A hub that polls the feed until the server stops, while anybody listens.
    pub(super) fn spawn(
        stop: CancellationToken,
        local: impl Fn() -> Option<Arc<Local>> + Send + 'static,
    ) -> Arc<Self> {
        let hub = Arc::new(Self {
            head: watch::Sender::new(0),
            listeners: AtomicUsize::new(0),
            listener_added: Notify::new(),
        });
        let polling = hub.clone();
        tokio::spawn(async move {
            let polls = polling.poll(local);
            tokio::select! {
                () = stop.cancelled() => {}
                () = polls => {}
            }
        });
        hub
    }

    async fn poll(&self, local: impl Fn() -> Option<Arc<Local>>) {
        loop {
            if self.listeners.load(Ordering::Acquire) == 0 {
                self.listener_added.notified().await;
            }
            if let Some(local) = local()
                && let Ok(Ok(head)) = backend::run_blocking(move || local.memory().feed_head()).await
            {
                self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// A slot for a listener; `None` when all are taken.
    pub(super) fn listen(self: &Arc<Self>) -> Option<Listening> {
        let taken = self.listeners.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < MAX_LISTENERS).then_some(count + 1)
        });
        taken.ok()?;
        self.listener_added.notify_one();
        Some(Listening { hub: self.clone() })
    }
}

/// A taken slot.
pub(super) struct Listening {
    hub: Arc<Hub>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hub.listeners.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The next part of the feed.
pub(super) enum Step {
    /// Events, in feed order. There may be none.
    Events {
        /// The events.
        events: Vec<LiveEvent>,
        /// Whether the listener now has everything.
        caught_up: bool,
    },
    /// Part of the feed is gone; the reader continues from the head.
    Gone {
        /// The oldest position from which a listener can resume.
        oldest: i64,
        /// The newest position.
        head: i64,
    },
}

/// Reads the feed for one listener.
pub(super) struct FeedReader {
    local: Arc<Local>,
    wanted: Wanted,
    heads: watch::Receiver<i64>,
    position: i64,
    caught_up: bool,
}

impl FeedReader {
    /// A reader that begins after a position, or else at the head.
    pub(super) async fn open(
        local: Arc<Local>,
        listening: &Listening,
        wanted: Wanted,
        after: Option<i64>,
    ) -> Self {
        let heads = listening.hub.head.subscribe();
        let position = match after {
            Some(position) => position,
            None => head(&local).await,
        };
        Self { local, wanted, heads, position, caught_up: false }
    }

    /// The position that it has reached.
    pub(super) fn position(&self) -> i64 {
        self.position
    }

    /// The next part, as soon as there is one. `None` when the hub has ended.
    pub(super) async fn next(&mut self) -> Option<Step> {
        if self.caught_up {
            self.heads.changed().await.ok()?;
        }
        loop {
            self.heads.borrow_and_update();
            match self.read().await {
                Some(found) => return Some(self.advance(found)),
                None => tokio::time::sleep(RETRY_DELAY).await,
            }
        }
    }

    fn advance(&mut self, found: EventsAfter) -> Step {
        match found {
            EventsAfter::Gone { oldest, head } => {
                (self.position, self.caught_up) = (head, true);
                Step::Gone { oldest, head }
            }
            EventsAfter::Page(EventPage { events, position, head }) => {
                (self.position, self.caught_up) = (position, position >= head);
                Step::Events { events, caught_up: self.caught_up }
            }
        }
    }

    async fn read(&self) -> Option<EventsAfter> {
        let (local, wanted, position) = (self.local.clone(), self.wanted.clone(), self.position);
        let read = move || local.memory().events_after(position, &wanted, &caller(), PAGE_CHANGES);
        match backend::run_blocking(read).await {
            Ok(Ok(found)) => Some(found),
            Ok(Err(fault)) => {
                tracing::warn!(reason = fault.reason, "the feed could not be read for a listener");
                None
            }
            Err(_) => None,
        }
    }
}

async fn head(local: &Arc<Local>) -> i64 {
    let local = local.clone();
    backend::run_blocking(move || local.memory().feed_head()).await.ok().and_then(Result::ok).unwrap_or(0)
}

/// A listener has the rights of a program with the token.
pub(super) fn caller() -> Caller {
    Caller::new(Surface::Rpc, nudge_client::now())
}

/// The fault for a listener when this server has no store.
pub(super) fn no_store() -> Fault {
    Fault::new(FaultKind::Unavailable, "no_store", "this server has no store").next("try again later")
}

/// The fault for a listener when all slots are taken.
pub(super) fn too_many() -> Fault {
    Fault::new(FaultKind::Unavailable, "too_many_listeners", "too many listeners are connected")
        .next("try again later")
}

//! `/events`: server-sent events over the change feed, for a limited number of listeners.
//!
//! Each listener reads the feed from its own position, so none can block another, and one that does
//! not read loses nothing. It does not matter which process wrote: one task polls the head of the
//! feed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use nudge_core::{Fault, FaultKind};
use nudge_memory::events::{EventPage, EventsAfter, LiveEvent, Wanted};
use nudge_memory::{Caller, Surface};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Notify, watch};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use super::{answer, mcp};
use crate::backend::{Local, pool};

/// The most listeners at once; each keeps a connection.
const LISTENERS: usize = 64;

/// How many events are buffered for a listener that does not read; the feed keeps the rest.
const WAITING: usize = 64;

/// How many changes are read at a time.
const PAGE: u32 = 256;

/// How often the head of the feed is polled while anybody listens. A poll costs about ten
/// microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a listener waits after it could not read the feed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The header in which a reconnecting listener names its last position.
const LAST_EVENT_ID: &str = "last-event-id";

type Sent = Result<Event, std::convert::Infallible>;

/// State that the listeners share.
pub(super) struct Hub {
    head: watch::Sender<i64>,
    listeners: AtomicUsize,
    came: Notify,
}

impl Hub {
    /// A hub that polls the feed until the server stops, while anybody listens.
    pub(super) fn until(
        stop: CancellationToken,
        local: impl Fn() -> Option<Arc<Local>> + Send + 'static,
    ) -> Arc<Self> {
        let hub = Arc::new(Self {
            head: watch::Sender::new(0),
            listeners: AtomicUsize::new(0),
            came: Notify::new(),
        });
        let looking = hub.clone();
        tokio::spawn(async move {
            let looks = looking.look(local);
            tokio::select! {
                () = stop.cancelled() => {}
                () = looks => {}
            }
        });
        hub
    }

    async fn look(&self, local: impl Fn() -> Option<Arc<Local>>) {
        loop {
            if self.listeners.load(Ordering::Acquire) == 0 {
                self.came.notified().await;
            }
            if let Some(local) = local()
                && let Ok(Ok(head)) = pool::run(move || local.memory().feed_head()).await
            {
                self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// A slot for a listener; `None` when all are taken.
    fn listen(self: &Arc<Self>) -> Option<Listening> {
        let taken = self.listeners.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < LISTENERS).then_some(count + 1)
        });
        taken.ok()?;
        self.came.notify_one();
        Some(Listening { hub: self.clone() })
    }
}

/// A taken slot.
struct Listening {
    hub: Arc<Hub>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hub.listeners.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The query parameters of a listener.
#[derive(Deserialize)]
pub(super) struct Asked {
    /// The position to continue after.
    after: Option<i64>,
    /// Only events of this session.
    session: Option<String>,
    /// Only events of these schemes, separated by commas.
    schemes: Option<String>,
}

/// `GET /events`.
pub(super) async fn stream(
    State(mounted): State<mcp::Mounted>,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Query(asked)) = asked else { return bad("cannot read the query") };
    let said =
        headers.get(LAST_EVENT_ID).map(|said| said.to_str().ok().and_then(|said| said.trim().parse().ok()));
    let after = match said {
        Some(Some(position)) => Some(position),
        Some(None) => return bad("Last-Event-ID is not a position"),
        None => asked.after,
    };
    let Some(local) = mounted.state.backend.local() else {
        return unavailable("no_store", "this server has no store");
    };
    let Some(listening) = mounted.hub.listen() else {
        return unavailable("too_many_listeners", "too many listeners are connected");
    };
    let schemes = asked.schemes.as_deref().unwrap_or_default().split(',').filter(|scheme| !scheme.is_empty());
    let wanted = Wanted { session: asked.session, schemes: schemes.map(str::to_owned).collect() };
    let (sender, receiver) = channel(WAITING);
    let stop = mounted.state.shutdown.primary.clone();
    tokio::spawn(async move {
        let listener = Listener { local, listening, wanted, sender };
        tokio::select! {
            () = stop.cancelled() => {}
            () = listener.run(after) => {}
        }
    });
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()).into_response()
}

fn bad(why: &str) -> Response {
    let fault = Fault::invalid("position", why).next("set `after` to the id of the last event you have");
    answer::fault(StatusCode::BAD_REQUEST, &fault)
}

fn unavailable(reason: &str, why: &str) -> Response {
    let fault = Fault::new(FaultKind::Unavailable, reason, why).next("try again later");
    answer::fault(StatusCode::SERVICE_UNAVAILABLE, &fault)
}

/// One listener.
struct Listener {
    local: Arc<Local>,
    listening: Listening,
    wanted: Wanted,
    sender: Sender<Sent>,
}

/// The listener has disconnected.
struct Disconnected;

impl Listener {
    async fn run(self, after: Option<i64>) {
        let _ = self.send_from(after).await;
    }

    /// Sends everything after a position, then new events as they happen.
    async fn send_from(&self, after: Option<i64>) -> Result<(), Disconnected> {
        let mut heads = self.listening.hub.head.subscribe();
        let mut position = match after {
            Some(position) => position,
            None => self.head().await,
        };
        self.send(Some(position), "ready", &json!({"position": position})).await?;
        let mut is_loaded = false;
        loop {
            heads.borrow_and_update();
            let Some(found) = self.after(position).await else {
                tokio::select! {
                    () = self.sender.closed() => return Err(Disconnected),
                    () = tokio::time::sleep(AFTER_FAILURE) => continue,
                }
            };
            let is_all = match found {
                EventsAfter::Gone { oldest, head } => {
                    position = head;
                    self.send(Some(head), "gone", &json!({"oldest": oldest, "head": head})).await?;
                    true
                }
                EventsAfter::Page(EventPage { events, position: read, head }) => {
                    for LiveEvent { position, name, data } in &events {
                        self.send(Some(*position), name, data).await?;
                    }
                    position = read;
                    read >= head
                }
            };
            if is_all && !is_loaded {
                is_loaded = true;
                self.load().await?;
            }
            if is_all {
                tokio::select! {
                    () = self.sender.closed() => return Err(Disconnected),
                    changed = heads.changed() => changed.map_err(|_| Disconnected)?,
                }
            }
        }
    }

    /// Sends the context sets of the requested session, only to this listener.
    async fn load(&self) -> Result<(), Disconnected> {
        let Some(session) = self.wanted.session.clone() else { return Ok(()) };
        let local = self.local.clone();
        let loaded = pool::run(move || local.memory().loaded_context(&session, &caller())).await;
        match loaded {
            Ok(Ok(Some(data))) => self.send(None, "nudge.context", &data).await,
            _ => Ok(()),
        }
    }

    async fn head(&self) -> i64 {
        let local = self.local.clone();
        pool::run(move || local.memory().feed_head()).await.ok().and_then(Result::ok).unwrap_or(0)
    }

    async fn after(&self, position: i64) -> Option<EventsAfter> {
        let (local, wanted) = (self.local.clone(), self.wanted.clone());
        let read = move || local.memory().events_after(position, &wanted, &caller(), PAGE);
        match pool::run(read).await {
            Ok(Ok(found)) => Some(found),
            Ok(Err(fault)) => {
                tracing::warn!(reason = fault.reason, "the feed could not be read for a listener");
                None
            }
            Err(_) => None,
        }
    }

    async fn send(&self, position: Option<i64>, name: &str, data: &Value) -> Result<(), Disconnected> {
        let event = Event::default().event(name).data(data.to_string());
        let event = match position {
            Some(position) => event.id(position.to_string()),
            None => event,
        };
        self.sender.send(Ok(event)).await.map_err(|_| Disconnected)
    }
}

/// A listener has the rights of a program with the token.
fn caller() -> Caller {
    Caller::new(Surface::Rpc, nudge_client::clock::now())
}

//! `/events`: server-sent events over the change feed, for as many listeners as there are places.
//!
//! A listener reads the feed from a position of its own, so none can hold another up, and one that
//! does not read loses nothing. Who wrote does not matter: one task looks at the head of the feed.

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

/// Listeners at once; each keeps a connection.
const LISTENERS: usize = 64;

/// Events that wait for a listener which does not read; then the feed keeps the rest for it.
const WAITING: usize = 64;

/// How many changes are read at a time.
const PAGE: u32 = 256;

/// How often the head of the feed is looked at while anybody listens. A look costs some ten microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a listener waits that could not read the feed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Where a listener that reconnects says how far it has come.
const LAST_EVENT_ID: &str = "last-event-id";

type Sent = Result<Event, std::convert::Infallible>;

/// What listeners share.
pub(super) struct Hub {
    head: watch::Sender<i64>,
    listeners: AtomicUsize,
    came: Notify,
}

impl Hub {
    /// A hub that looks at the feed until the server stops, while anybody listens.
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

    /// A place for a listener, or nothing when all are taken.
    fn listen(self: &Arc<Self>) -> Option<Listening> {
        let taken = self.listeners.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < LISTENERS).then_some(count + 1)
        });
        taken.ok()?;
        self.came.notify_one();
        Some(Listening { hub: self.clone() })
    }
}

/// A taken place.
struct Listening {
    hub: Arc<Hub>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hub.listeners.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a listener asks for.
#[derive(Deserialize)]
pub(super) struct Asked {
    /// The position to go on after.
    after: Option<i64>,
    /// Only of this session.
    session: Option<String>,
    /// Only of these schemes, with commas between them.
    schemes: Option<String>,
}

/// `GET /events`.
pub(super) async fn stream(
    State(mounted): State<mcp::Mounted>,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Query(asked)) = asked else { return bad("the query cannot be read") };
    let said =
        headers.get(LAST_EVENT_ID).map(|said| said.to_str().ok().and_then(|said| said.trim().parse().ok()));
    let after = match said {
        Some(Some(position)) => Some(position),
        Some(None) => return bad("Last-Event-ID is no position"),
        None => asked.after,
    };
    let Some(local) = mounted.state.backend.local() else {
        return unavailable("no_store", "the store is not here");
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
    let fault = Fault::invalid("position", why).next("give `after` the id of the last event that you have");
    answer::fault(StatusCode::BAD_REQUEST, &fault)
}

fn unavailable(reason: &str, why: &str) -> Response {
    let fault = Fault::new(FaultKind::Unavailable, reason, why).next("try again later");
    answer::fault(StatusCode::SERVICE_UNAVAILABLE, &fault)
}

/// One who listens.
struct Listener {
    local: Arc<Local>,
    listening: Listening,
    wanted: Wanted,
    sender: Sender<Sent>,
}

/// Nobody reads any more.
struct Left;

impl Listener {
    async fn run(self, after: Option<i64>) {
        let _ = self.tell(after).await;
    }

    /// Sends all that comes after a position, and then whatever happens.
    async fn tell(&self, after: Option<i64>) -> Result<(), Left> {
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
                    () = self.sender.closed() => return Err(Left),
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
                    () = self.sender.closed() => return Err(Left),
                    changed = heads.changed() => changed.map_err(|_| Left)?,
                }
            }
        }
    }

    /// The context sets of the session that is listened to, to this listener alone.
    async fn load(&self) -> Result<(), Left> {
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

    async fn send(&self, position: Option<i64>, name: &str, data: &Value) -> Result<(), Left> {
        let event = Event::default().event(name).data(data.to_string());
        let event = match position {
            Some(position) => event.id(position.to_string()),
            None => event,
        };
        self.sender.send(Ok(event)).await.map_err(|_| Left)
    }
}

/// A listener has the rights of a program with the token.
fn caller() -> Caller {
    Caller::new(Surface::Rpc, nudge_client::clock::now())
}

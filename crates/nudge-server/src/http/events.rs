//! `/events`: server-sent events over the change feed, for a limited number of listeners.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use nudge_core::Fault;
use nudge_memory::events::{LiveEvent, Wanted};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

use super::feed::{self, FeedReader, Listening, Step};
use super::{body, mcp};
use crate::backend::{self, Local};

/// How many events are buffered for a listener that does not read; the feed keeps the rest.
const MAX_QUEUED: usize = 64;

/// The header in which a reconnecting listener names its last position.
const LAST_EVENT_ID: &str = "last-event-id";

type Sent = Result<Event, std::convert::Infallible>;

/// The query parameters of a listener.
#[derive(Deserialize)]
pub(super) struct EventsQuery {
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
    asked: Result<Query<EventsQuery>, QueryRejection>,
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
    let Some(local) = mounted.state.backend.local() else { return unavailable(&feed::no_store()) };
    let Some(listening) = mounted.hub.listen() else { return unavailable(&feed::too_many()) };
    let schemes = asked.schemes.as_deref().unwrap_or_default().split(',').filter(|scheme| !scheme.is_empty());
    let wanted = Wanted { session: asked.session, schemes: schemes.map(str::to_owned).collect() };
    let (sender, receiver) = channel(MAX_QUEUED);
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
    body::fault_response(StatusCode::BAD_REQUEST, &fault)
}

fn unavailable(fault: &Fault) -> Response {
    body::fault_response(StatusCode::SERVICE_UNAVAILABLE, fault)
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
        let mut feed =
            FeedReader::open(self.local.clone(), &self.listening, self.wanted.clone(), after).await;
        let position = feed.position();
        self.send(Some(position), "ready", &json!({"position": position})).await?;
        let mut is_loaded = false;
        loop {
            let step = tokio::select! {
                () = self.sender.closed() => return Err(Disconnected),
                step = feed.next() => step.ok_or(Disconnected)?,
            };
            let caught_up = match step {
                Step::Gone { oldest, head } => {
                    self.send(Some(head), "gone", &json!({"oldest": oldest, "head": head})).await?;
                    true
                }
                Step::Events { events, caught_up } => {
                    for LiveEvent { position, name, data } in &events {
                        self.send(Some(*position), name, data).await?;
                    }
                    caught_up
                }
            };
            if caught_up && !is_loaded {
                is_loaded = true;
                self.load().await?;
            }
        }
    }

    /// Sends the context sets of the requested session, only to this listener.
    async fn load(&self) -> Result<(), Disconnected> {
        let Some(session) = self.wanted.session.clone() else { return Ok(()) };
        let local = self.local.clone();
        let loaded =
            backend::run_blocking(move || local.memory().loaded_context(&session, &feed::caller())).await;
        match loaded {
            Ok(Ok(Some(data))) => self.send(None, "nudge.context", &data).await,
            _ => Ok(()),
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

//! `/sse` and `/messages`: the MCP transport from before streamable HTTP, for clients that support
//! no other.
//!
//! `GET /sse` opens a stream; its first event names the path to post this stream's messages to.
//! Posted messages go through the same handler as `/mcp`, and the answer comes on the stream.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::to_bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use nudge_core::{Fault, FaultKind};
use serde::Deserialize;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{body, mcp};

/// The most streams at once; each keeps a connection. With the listeners of the feed they take
/// three quarters of the port's slots, so other requests always have the rest.
const MAX_STREAMS: usize = 32;

/// The query parameters that a stream accepts.
const PROFILES: [&str; 3] = ["profile=full", "profile=work", "profile=default"];

/// How many answers are buffered for a client that does not read.
const MAX_QUEUED: usize = 64;

/// What is sent on a stream. Cannot fail.
type Sent = Result<Event, Infallible>;

/// The open streams, by the id in the messages for them.
#[derive(Clone)]
pub(super) struct Streams {
    open: Arc<Mutex<HashMap<Uuid, Sender<Sent>>>>,
    stop: CancellationToken,
}

/// Which stream a message is for.
#[derive(Deserialize)]
pub(super) struct Address {
    session_id: Uuid,
}

impl Streams {
    /// Streams that end when this process is no longer PRIMARY.
    pub(super) fn until(stop: CancellationToken) -> Self {
        let streams = Self { open: Arc::default(), stop: stop.clone() };
        let open = streams.clone();
        tokio::spawn(async move {
            stop.cancelled().await;
            open.lock().clear();
        });
        streams
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Sender<Sent>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new stream; `None` when there are too many or they have ended.
    fn open(&self, query: Option<&str>) -> Option<ReceiverStream<Sent>> {
        let (sender, receiver) = channel(MAX_QUEUED);
        let id = Uuid::new_v4();
        let asked = query.map_or_else(String::new, |query| format!("&{query}"));
        let endpoint = Event::default().event("endpoint").data(format!("/messages?session_id={id}{asked}"));
        sender.try_send(Ok(endpoint)).ok()?;
        let mut open = self.lock();
        open.retain(|_, sender| !sender.is_closed());
        if open.len() >= MAX_STREAMS || self.stop.is_cancelled() {
            return None;
        }
        open.insert(id, sender);
        Some(ReceiverStream::new(receiver))
    }

    fn of(&self, id: Uuid) -> Option<Sender<Sent>> {
        self.lock().get(&id).filter(|sender| !sender.is_closed()).cloned()
    }
}

/// `GET /sse`.
pub(super) async fn stream(State(mounted): State<mcp::Mounted>, uri: Uri) -> Response {
    let query = uri.query().filter(|query| PROFILES.contains(query));
    match mounted.streams.open(query) {
        Some(stream) => Sse::new(stream).keep_alive(KeepAlive::default()).into_response(),
        None => {
            let fault = Fault::new(FaultKind::Unavailable, "too_many_streams", "too many streams are open")
                .next("use /mcp, which needs none");
            body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &fault)
        }
    }
}

/// `POST /messages?session_id=…`: accepted at once; the answer comes on the stream.
pub(super) async fn message(
    State(mounted): State<mcp::Mounted>,
    address: Result<Query<Address>, QueryRejection>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return mcp::post_only();
    }
    let Some(sender) = address.ok().and_then(|Query(address)| mounted.streams.of(address.session_id)) else {
        let fault =
            Fault::new(FaultKind::NotFound, "no_such_stream", "there is no stream with this session_id")
                .next("open one with GET /sse");
        return body::fault_response(StatusCode::NOT_FOUND, &fault);
    };
    // Before running anything: a call that cannot be answered must not run.
    let Ok(place) = sender.try_reserve_owned() else {
        let fault = Fault::new(FaultKind::Unavailable, "stream_not_read", "no client reads this stream")
            .next("read it, or open another one with GET /sse");
        return body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &fault);
    };
    let answer = mcp::endpoint(State(mounted), request).await;
    let (status, answer) = (answer.status(), answer.into_body());
    let Ok(text) = to_bytes(answer, body::MAX_BODY).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    // A notification has no answer.
    if !text.is_empty() {
        let text = String::from_utf8_lossy(&text);
        place.send(Ok(Event::default().event("message").data(text.trim_end())));
    }
    if status.is_client_error() { status.into_response() } else { StatusCode::ACCEPTED.into_response() }
}

//! Accepts connections on the loopback port, within limits.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::StatusCode;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use super::guard::Ends;
use super::places::ConnectionSlots;
use super::router;
use super::state::AppState;
use super::ws::Upgrades;
use crate::primary::Shutdown;

/// How long a request's head may take, and how long an idle connection is kept.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// How long a connection that must free its slot may take to finish an answer it has begun.
const LEAVE_WITHIN: Duration = Duration::from_millis(500);

/// The longest head. Ours have a few hundred bytes.
const MAX_HEAD: usize = 32 * 1024;

/// Serves HTTP until the port is closed. Running requests are finished.
pub(crate) async fn serve(listener: TcpListener, state: Arc<AppState>, connections: TaskTracker) {
    let port = Port { router: router(&state), places: Arc::default(), state, connections };
    loop {
        let stream = tokio::select! {
            () = port.state.shutdown.port.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept on the port");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        port.admit(stream).await;
    }
    // Serve connections that were made before the port closes. Closing it would reset them.
    let Ok(listener) = listener.into_std() else { return };
    while let Ok((stream, _)) = listener.accept() {
        if stream.set_nonblocking(true).is_ok()
            && let Ok(stream) = TcpStream::from_std(stream)
        {
            port.admit(stream).await;
        }
    }
}

/// State that the connections of a port share.
struct Port {
    router: Router,
    places: Arc<ConnectionSlots>,
    state: Arc<AppState>,
    connections: TaskTracker,
}

impl Port {
    async fn admit(&self, stream: TcpStream) {
        let Some(place) = self.places.take().await else {
            return self.state.note_refusal("too_many_connections");
        };
        let upgrades = Upgrades { connections: self.connections.clone(), slot: place };
        self.connections.spawn(connection(
            stream,
            self.router.clone(),
            self.state.shutdown.clone(),
            upgrades,
        ));
    }
}

/// Whether the answer lasts as long as its connection.
fn is_stream<B>(answer: &hyper::Response<B>) -> bool {
    is_upgrade(answer)
        || answer.headers().get(hyper::header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

fn is_upgrade<B>(answer: &hyper::Response<B>) -> bool {
    answer.status() == StatusCode::SWITCHING_PROTOCOLS
}

/// Serves one connection. After a handover it is closed with the next answer, so that its client
/// finds the new PRIMARY.
async fn connection(stream: TcpStream, router: Router, shutdown: Shutdown, upgrades: Upgrades) {
    let place = &upgrades.slot;
    let ends = stream.peer_addr().ok().zip(stream.local_addr().ok()).map(|(peer, own)| Ends { peer, own });
    // Without this, a reply in two pieces waits about 40 ms for the peer's acknowledgement.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(MAX_HEAD);
    let service = TowerToHyperService::new(router);
    let connection = http.serve_connection(
        TokioIo::new(stream),
        service_fn(|mut request| {
            place.has_request();
            request.extensions_mut().insert(upgrades.clone());
            if let Some(ends) = ends {
                request.extensions_mut().insert(ends);
            }
            let answer = service.call(request);
            async {
                let mut answer = answer.await;
                if let Ok(answer) = &mut answer
                    && shutdown.primary.is_cancelled()
                    && !is_upgrade(answer)
                {
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                // A stream counts as being answered for as long as it is open.
                if !answer.as_ref().is_ok_and(is_stream) {
                    place.has_answered();
                }
                answer
            }
        }),
    );
    let connection = connection.with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.process.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = place.given_up() => {
            if !place.was_used() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(LEAVE_WITHIN, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection on the port ended");
    }
}

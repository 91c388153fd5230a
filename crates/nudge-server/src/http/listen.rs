//! Accepting connections on the loopback port, within bounds.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::places::{Place, Places};
use super::router::router;
use super::state::AppState;

/// How long a request's head may take, and how long an idle connection is kept.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// How long a connection that has to give up its place may take to finish an answer it has begun.
const LEAVE_WITHIN: Duration = Duration::from_millis(500);

/// The longest head. Ours hold a few hundred bytes.
const HEAD_LIMIT: usize = 32 * 1024;

/// Serves HTTP until the server stops. Requests under way are finished.
pub(crate) async fn serve(listener: TcpListener, state: Arc<AppState>, under_way: TaskTracker) {
    let router = router(&state);
    let places = Arc::new(Places::default());
    loop {
        let stream = tokio::select! {
            () = state.stop.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept on the port");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(place) = places.take() else {
            state.note_refusal("too_many_connections");
            continue;
        };
        under_way.spawn(connection(stream, router.clone(), state.stop.clone(), place));
    }
}

fn is_stream<B>(answer: &hyper::Response<B>) -> bool {
    answer.headers().get(hyper::header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken, place: Arc<Place>) {
    // Without this a reply in two pieces waits some 40 ms for the peer's acknowledgement.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_LIMIT);
    let service = TowerToHyperService::new(router);
    let connection = http.serve_connection(
        TokioIo::new(stream),
        service_fn(|request| {
            place.has_request();
            let answer = service.call(request);
            async {
                let answer = answer.await;
                // A stream goes on being answered for as long as it is open.
                if !answer.as_ref().is_ok_and(is_stream) {
                    place.has_answered();
                }
                answer
            }
        }),
    );
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
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

//! Accepting connections on the loopback port, within bounds.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{House, router};

/// Connections at once; further ones are closed unanswered.
const CONNECTIONS: usize = 128;

/// How long a request's head may take, and how long an idle connection is kept.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// The longest head. Ours hold a few hundred bytes.
const HEAD_LIMIT: usize = 32 * 1024;

/// Serves HTTP until the server stops. Requests under way are finished.
pub(crate) async fn serve(listener: TcpListener, house: Arc<House>, under_way: TaskTracker) {
    let router = router(&house);
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let stream = tokio::select! {
            () = house.stop.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept on the port");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Ok(permit) = free.clone().try_acquire_owned() else {
            house.note_refusal("too_many_connections");
            continue;
        };
        let (router, stop) = (router.clone(), house.stop.clone());
        under_way.spawn(async move {
            connection(stream, router, stop).await;
            drop(permit);
        });
    }
}

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken) {
    // Without this a reply in two pieces waits some 40 ms for the peer's acknowledgement.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_LIMIT);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection on the port ended");
    }
}

//! HTTP on the port of record, which may not be free yet.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::TaskTracker;

use crate::http::{self, AppState};
use crate::primary::port;

/// How soon a promoted PRIMARY first retries the recorded port: the dead process may keep it for an
/// instant after losing the lock. The delay then doubles each time, up to [`PORT_AGAIN`].
const PORT_AT_FIRST: Duration = Duration::from_millis(5);

/// The longest delay, while a stranger uses the port.
const PORT_AGAIN: Duration = Duration::from_secs(1);

/// Serves HTTP, once the recorded port can be bound.
pub(super) async fn serve_port(
    listener: Option<TcpListener>,
    state: Arc<AppState>,
    connections: TaskTracker,
) {
    let listener = match listener {
        Some(listener) => listener,
        None => match wait_for_port(&state).await {
            Some(listener) => listener,
            None => return,
        },
    };
    match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => http::serve(listener, state, connections).await,
        Err(error) => tracing::error!(%error, "the port cannot be served"),
    }
}

async fn wait_for_port(state: &AppState) -> Option<TcpListener> {
    let number = state.identity.port().number;
    tracing::warn!(port = number, "the recorded port is taken; the socket is served meanwhile");
    let mut pause = PORT_AT_FIRST;
    loop {
        tokio::select! {
            () = state.shutdown.port.cancelled() => return None,
            () = tokio::time::sleep(pause) => {}
        }
        pause = PORT_AGAIN.min(pause * 2);
        if let Ok(listener) = port::listen(number) {
            if let Err(error) = state.identity.note_port_bound() {
                tracing::warn!(%error, "the state file could not be written");
            }
            tracing::info!(port = number, "the recorded port is served again");
            return Some(listener);
        }
    }
}

//! Maps paths to handlers.

use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{any, get, post};
use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind};

use super::state::AppState;
use super::{answer, events, guard, health, mcp, rpc, sessions, sse, ws};

/// All routes, behind the guard. The guard is added last, so that it covers every route and the
/// fallback.
pub(super) fn router(state: &Arc<AppState>) -> Router {
    // Later: add the web UI here, behind the same guard.
    Router::new()
        .route("/", get(health::welcome))
        .route("/health", get(health::health))
        .route("/rpc", any(rpc::endpoint))
        .route("/mcp", any(mcp::endpoint))
        .route("/sse", get(sse::stream))
        .route("/messages", any(sse::message))
        .route("/events", get(events::stream))
        .route(guard::WEB_SOCKET, get(ws::endpoint))
        .route("/api/sessions", get(sessions::list))
        .route("/api/sessions/{id}", get(sessions::get).patch(sessions::patch))
        .route("/api/sessions/{id}/observe", post(sessions::observe))
        .fallback(unknown)
        .with_state(mcp::Mounted::new(state))
        .layer(axum::middleware::from_fn_with_state(state.clone(), guard::guard))
}

async fn unknown(uri: Uri) -> Response {
    let path = first_chars(uri.path(), 80);
    let fault = Fault::new(FaultKind::NotFound, "no_such_path", format!("nothing is served at {path}"))
        .next("GET / lists the paths");
    answer::fault(StatusCode::NOT_FOUND, &fault)
}

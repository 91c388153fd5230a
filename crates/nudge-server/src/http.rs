//! HTTP on the loopback port: for other programs, never for our own.
//!
//! Our own programs use the socket, so that a stranger on the recorded port never sees the token.
//! Every request passes [`guard`] first.

mod body;
mod events;
mod feed;
mod guard;
mod jsonrpc;
mod listen;
mod mcp;
mod methods;
mod places;
mod rpc;
mod sessions;
mod sse;
mod state;
mod ws;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{any, get, post};
use mcp::Mounted;
use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind};
use serde_json::json;

pub(crate) use listen::serve;
pub(crate) use state::AppState;

/// All routes, behind the guard. The guard is added last, so that it covers every route and the
/// fallback.
fn router(state: &Arc<AppState>) -> Router {
    // Later: add the web UI here, behind the same guard.
    Router::new()
        .route("/", get(welcome))
        .route("/health", get(health))
        .route("/rpc", any(rpc::endpoint))
        .route("/mcp", any(mcp::endpoint))
        .route("/sse", get(sse::stream))
        .route("/messages", any(sse::message))
        .route("/events", get(events::stream))
        .route(guard::WEB_SOCKET, get(ws::endpoint))
        .route("/api/sessions", get(sessions::list))
        .route("/api/sessions/{id}", get(sessions::get).patch(sessions::patch))
        .route("/api/sessions/{id}/observe", post(sessions::observe))
        .fallback(unknown_path)
        .with_state(mcp::Mounted::new(state))
        .layer(axum::middleware::from_fn_with_state(state.clone(), guard::guard))
}

async fn unknown_path(uri: Uri) -> Response {
    let path = first_chars(uri.path(), 80);
    let fault = Fault::new(FaultKind::NotFound, "no_such_path", format!("nothing is served at {path}"))
        .next("GET / lists the paths");
    body::fault_response(StatusCode::NOT_FOUND, &fault)
}

// What anybody on the machine may know: that this is Nudge, and that it is running.

/// `GET /health`. The instance id distinguishes the process that the state file names from a
/// successor or a stranger on the port.
async fn health(State(mounted): State<Mounted>) -> Response {
    let identity = &mounted.state.identity;
    let shutdown = &mounted.state.shutdown;
    let stopping = shutdown.process.is_cancelled();
    let status = match (stopping, shutdown.primary.is_cancelled()) {
        (true, _) => "stopping",
        (false, true) => "handing_over",
        (false, false) => "healthy",
    };
    let facts = json!({
        "status": status,
        "server": "nudge",
        "version": identity.version,
        "instance": identity.instance,
        "mode": "primary",
        "ephemeral": identity.ephemeral,
        "started": identity.started.to_string(),
    });
    body::json_response(if stopping { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, &facts)
}

/// `GET /`, until there is a web UI.
async fn welcome(State(mounted): State<Mounted>) -> String {
    let version = &mounted.state.identity.version;
    format!(
        "Nudge {version}: the memory that your coding agents share.\n\n\
         /health  is it alive\n\
         /mcp     MCP over streamable HTTP; also takes a single tools/call\n\
         /rpc     JSON-RPC 2.0; the method `discover` lists the operations\n\
         /ws      the same over a WebSocket, with notifications of changes\n\
         /events  server-sent events: every change, from a position on\n\
         /api/sessions  sessions, what they are doing and their context sets\n\n\
         All but /health and this page need `Authorization: Bearer TOKEN`; `nudge token show --reveal` prints it.\n\
         `nudge --help`, docs/spec/server.md and docs/spec/ws.md say the rest.\n"
    )
}

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
mod ui;
mod ws;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{any, delete, get, post};
use mcp::Mounted;
use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind};
use serde_json::json;

pub(crate) use listen::serve;
pub(crate) use state::AppState;

/// All routes, behind the guard. The guard is added last, so that it covers every route and the
/// fallback.
fn router(state: &Arc<AppState>) -> Router {
    ui::pages()
        .fold(Router::new(), |router, (path, pages)| router.route(path, pages))
        .route(&format!("{}{{name}}", nudge_web::ASSETS), get(ui::asset))
        .route(ui::SESSION, get(ui::session).post(ui::sign_in).delete(ui::sign_out))
        .route(ui::BROWSERS, get(ui::acts::browsers))
        .route(ui::BROWSER, delete(ui::acts::end_browser))
        .route(ui::PAUSE, get(ui::acts::pauses).post(ui::acts::pause).delete(ui::acts::unpause))
        .route(ui::ENTRY, delete(ui::acts::delete))
        .route(ui::COMMAND, get(ui::acts::command))
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
        .next("docs/spec/server.md lists the paths");
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

//! What anybody on the machine may know: that this is Nudge, and that it is running.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::answer;
use super::mcp::Mounted;

/// `GET /health`. The instance id distinguishes the process that the state file names from a
/// successor or a stranger on the port.
pub(super) async fn health(State(mounted): State<Mounted>) -> Response {
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
    answer::json(if stopping { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, &facts)
}

/// `GET /`, until there is a web UI.
pub(super) async fn welcome(State(mounted): State<Mounted>) -> String {
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

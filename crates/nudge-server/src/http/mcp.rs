//! `/mcp`: MCP over streamable HTTP, stateless, with JSON replies.
//!
//! The same endpoint answers a bare `tools/call` POST, as a hook or `curl` sends it: no session, no
//! negotiated version, no Accept header.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::body;
use super::feed::Hub;
use super::sse::Streams;
use super::state::AppState;
use crate::mcp::{Handler, Transport};

type Service = StreamableHttpService<Handler, NeverSessionManager>;

/// The shared state, with the MCP service.
#[derive(Clone)]
pub(super) struct Mounted {
    pub(super) state: Arc<AppState>,
    pub(super) streams: Streams,
    pub(super) hub: Arc<Hub>,
    service: Service,
}

impl Mounted {
    pub(super) fn new(state: &Arc<AppState>) -> Self {
        let port = state.identity.port().number;
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_origins([format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}")])
            .enforce_origin_validation()
            .with_max_request_body_bytes(body::MAX_BODY)
            .with_cancellation_token(state.shutdown.process.child_token());
        let handler =
            Handler::new(state.backend.clone(), Transport::Http, state.profile, &state.identity.version);
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let backend = state.backend.clone();
        let hub = Hub::spawn(state.shutdown.primary.clone(), move || backend.local());
        let streams = Streams::until(state.shutdown.primary.clone());
        Self { state: state.clone(), streams, hub, service }
    }
}

/// Any request to `/mcp`.
pub(super) async fn endpoint(State(mounted): State<Mounted>, request: Request) -> Response {
    if request.method() != Method::POST {
        return post_only();
    }
    let (mut head, body) = request.into_parts();
    let bytes = match body::read(&head.headers, body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    if let Err(refusal) = one_message(&bytes) {
        return refusal;
    }
    add_default_accept(&mut head.headers);
    let request = Request::from_parts(head, Body::from(bytes));
    let Ok(response) = mounted.service.oneshot(request).await;
    // The library uses this status for an object that is not a message. It cannot mean the content
    // type, which we set ourselves.
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return refusal(-32600, "the object is no JSON-RPC message");
    }
    response.map(Body::new)
}

/// Adds default content types for a client that names none.
fn add_default_accept(headers: &mut HeaderMap) {
    const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
    let takes = |mime: &str| {
        headers
            .get(header::ACCEPT)
            .and_then(|accept| accept.to_str().ok())
            .is_some_and(|accept| accept.contains(mime))
    };
    if !(takes("application/json") && takes("text/event-stream")) {
        headers.insert(header::ACCEPT, BOTH);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// Rejects a body that is not a single message, with JSON-RPC's own errors.
fn one_message(bytes: &[u8]) -> Result<(), Response> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(_)) => Ok(()),
        Ok(Value::Array(_)) => Err(refusal(-32600, "MCP takes one message at a time; /rpc takes batches")),
        Ok(_) => Err(refusal(-32600, "a message is a JSON object")),
        Err(error) => Err(refusal(-32700, &format!("the body is not JSON: {error}"))),
    }
}

fn refusal(code: i32, message: &str) -> Response {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    body::json_response(StatusCode::BAD_REQUEST, &error)
}

pub(super) fn post_only() -> Response {
    let mut response = refusal(-32600, "this endpoint takes POST only");
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

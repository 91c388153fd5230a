//! `/ws`: JSON-RPC 2.0 over a WebSocket, with notifications from the change feed.
//!
//! The guard has checked Host, Origin and token before a request comes here. A connection takes one
//! of the slots that the listeners of `/events` share.

mod binding;
mod link;
mod outbox;
mod peer;
mod subscription;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper_util::rt::TokioIo;
use link::Link;
use nudge_core::Fault;
use peer::{Credential, Peer};
use serde_json::json;
use sha1::{Digest, Sha1};
use tokio_util::task::TaskTracker;

use super::mcp::Mounted;
use super::places::ConnectionSlot;
use super::state::Rights;
use super::{body, feed, guard, jsonrpc, methods, rpc};

/// What a connection takes along when it stops being HTTP.
#[derive(Clone)]
pub(super) struct Upgrades {
    /// The connections that the server waits for when it ends.
    pub(super) connections: TaskTracker,
    /// The connection's slot on the port.
    pub(super) slot: Arc<ConnectionSlot>,
}

/// `GET /ws`.
pub(super) async fn endpoint(
    State(mounted): State<Mounted>,
    Extension(upgrades): Extension<Upgrades>,
    mut request: Request,
) -> Response {
    let response = match accept(&request) {
        Ok(response) => response,
        Err(refusal) => return refusal,
    };
    let state = mounted.state.clone();
    let local = state.backend.local().filter(|_| !state.shutdown.primary.is_cancelled());
    let Some(local) = local else {
        return body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &feed::no_store());
    };
    let Some(listening) = mounted.hub.listen() else {
        return body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &feed::too_many());
    };
    let port = state.identity.port().number;
    let Some(shown) = guard::shown(request.uri().path(), request.headers(), port) else {
        return bad("no_token", "the connection shows no token");
    };
    let credential = Credential::new(state.clone(), shown);
    let client = rpc::client_of(request.headers());
    let rights = request.extensions().get().cloned().unwrap_or(Rights::Agent);
    let upgraded = hyper::upgrade::on(&mut request);
    let Upgrades { connections, slot } = upgrades;
    connections.spawn(async move {
        let _slot = slot;
        let Ok(upgraded) = upgraded.await else { return };
        let version = &state.identity.version;
        let greeting = json!({"nudgeVersion": version, "version": version});
        let hello = jsonrpc::notification(methods::HELLO, &greeting);
        let (outbox, notes) = outbox::open();
        let caller = rights.caller(client);
        let peer = Peer::new(state.clone(), local, listening, caller, credential, notes);
        Link::new(TokioIo::new(upgraded), state.shutdown.primary.clone())
            .await
            .run(hello, peer, outbox)
            .await;
    });
    response
}

// The opening handshake of RFC 6455, over a request that the guard has let through.

/// The protocol that we speak.
const SUBPROTOCOL: &str = "nudge.v1";

/// The version of the WebSocket protocol.
const WS_VERSION: &str = "13";

/// The text that RFC 6455 adds to the client's key.
const WS_MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The length of a decoded key.
const KEY_LENGTH: usize = 16;

/// The answer that opens the connection, or the one that rejects it.
fn accept(request: &Request) -> Result<Response, Response> {
    let headers = request.headers();
    if request.method() != Method::GET {
        return Err(get_only());
    }
    if !lists(headers, header::CONNECTION, "upgrade") || !lists(headers, header::UPGRADE, "websocket") {
        return Err(upgrade_required("this path is a WebSocket"));
    }
    if !lists(headers, header::SEC_WEBSOCKET_VERSION, WS_VERSION) {
        return Err(upgrade_required("only version 13 of the WebSocket protocol is supported"));
    }
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return Err(bad("websocket_key", "the handshake needs one Sec-WebSocket-Key"));
    };
    if STANDARD.decode(key.as_bytes()).map(|key| key.len()) != Ok(KEY_LENGTH) {
        return Err(bad("websocket_key", "Sec-WebSocket-Key is not 16 bytes in base64"));
    }
    let protocol = chosen_protocol(headers)?;
    let Ok(accepted) = HeaderValue::from_str(&accept_key(key.as_bytes())) else {
        return Err(bad("websocket_key", "Sec-WebSocket-Key cannot be answered"));
    };
    Ok(switching(accepted, protocol))
}

/// Our protocol if the client offers any. A token or key among the offers is never sent back.
fn chosen_protocol(headers: &HeaderMap) -> Result<Option<HeaderValue>, Response> {
    let mut offered = guard::offered_protocols(headers).peekable();
    if offered.peek().is_none() {
        return Ok(None);
    }
    if offered.any(|offered| offered == SUBPROTOCOL) {
        return Ok(Some(HeaderValue::from_static(SUBPROTOCOL)));
    }
    Err(bad("websocket_protocol", "the only protocol is nudge.v1"))
}

fn accept_key(key: &[u8]) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(WS_MAGIC).finalize())
}

/// Whether a header lists a word, in any case.
fn lists(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|item| item.trim().eq_ignore_ascii_case(word))
}

fn switching(accepted: HeaderValue, protocol: Option<HeaderValue>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
    if let Some(protocol) = protocol {
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
    }
    response
}

fn bad(reason: &str, why: &str) -> Response {
    body::fault_response(StatusCode::BAD_REQUEST, &Fault::invalid(reason, why))
}

fn upgrade_required(why: &str) -> Response {
    let fault = Fault::invalid("upgrade_required", why).next("connect with a WebSocket client");
    let mut response = body::fault_response(StatusCode::UPGRADE_REQUIRED, &fault);
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static(WS_VERSION));
    response
}

fn get_only() -> Response {
    let mut response = bad("get_only", "this path takes GET only");
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// @ws_rules: the example of RFC 6455, section 1.3.
    #[test]
    fn the_key_is_answered_as_the_standard_says() {
        assert_eq!(accept_key(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}

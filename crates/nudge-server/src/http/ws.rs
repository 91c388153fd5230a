//! `/ws`: JSON-RPC 2.0 over a WebSocket, with notifications from the change feed.
//!
//! The guard has checked Host, Origin and token before a request comes here. A connection takes one
//! of the slots that the listeners of `/events` share.

mod binding;
mod goodbye;
mod handshake;
mod link;
mod outbox;
mod peer;
mod subscription;

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio_util::task::TaskTracker;

use super::mcp::Mounted;
use super::places::ConnectionSlot;
use super::state::Rights;
use super::{answer, feed, guard, jsonrpc, methods, rpc};
use link::Link;
use peer::{Credential, Peer};

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
    let response = match handshake::accept(&request) {
        Ok(response) => response,
        Err(refusal) => return refusal,
    };
    let state = mounted.state.clone();
    let local = state.backend.local().filter(|_| !state.shutdown.primary.is_cancelled());
    let Some(local) = local else {
        return answer::fault(StatusCode::SERVICE_UNAVAILABLE, &feed::no_store());
    };
    let Some(listening) = mounted.hub.listen() else {
        return answer::fault(StatusCode::SERVICE_UNAVAILABLE, &feed::too_many());
    };
    let shown = guard::shown_token(request.uri().path(), request.headers()).unwrap_or_default();
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

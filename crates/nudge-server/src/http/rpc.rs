//! `/rpc`: JSON-RPC 2.0 over one POST, for programs with the user's token.
//!
//! Methods are the operations, by name or dotted alias.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use nudge_core::Fault;
use serde_json::Value;

use super::jsonrpc::{self, Methods, Reply};
use super::mcp::Mounted;
use super::state::Rights;
use super::{body, methods};
use crate::backend::Backend;

/// Any request to `/rpc`.
pub(super) async fn endpoint(State(mounted): State<Mounted>, request: Request) -> Response {
    if request.method() != Method::POST {
        return post_only();
    }
    let (head, body) = request.into_parts();
    let bytes = match body::read(&head.headers, body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    let rights = head.extensions.get().cloned().unwrap_or(Rights::Agent);
    let mut once = Once { backend: &mounted.state.backend, rights, client: client_of(&head.headers) };
    match jsonrpc::answer(&bytes, &mut once).await {
        Reply::Answer(reply) => body::json_response(StatusCode::OK, &reply),
        Reply::Refused(error) => body::json_response(StatusCode::BAD_REQUEST, &error),
        Reply::Nothing => nothing_to_say(),
    }
}

/// The caller of one POST.
struct Once<'m> {
    backend: &'m Backend,
    rights: Rights,
    client: Option<String>,
}

impl Methods for Once<'_> {
    async fn call(&mut self, method: &str, params: Value) -> Result<Value, Fault> {
        if methods::needs_connection(method) {
            return Err(methods::no_connection(method));
        }
        // A program of the user names its place with `init`, or the project of a run itself.
        let names_place = methods::works_on_runs(method) && params["project"].is_string();
        if self.rights != Rights::Agent && methods::needs_place(method) && !names_place {
            return Err(methods::no_connection(method));
        }
        let caller = self.rights.caller(self.client.clone());
        methods::operate(self.backend, caller, None, method, params).await
    }
}

/// The client program, according to its User-Agent.
pub(super) fn client_of(headers: &HeaderMap) -> Option<String> {
    crate::mcp::client_name(headers.get(header::USER_AGENT)?.to_str().ok()?)
}

fn nothing_to_say() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn post_only() -> Response {
    let error = jsonrpc::refusal(-32600, "post_only", "this endpoint takes POST only");
    let mut response = body::json_response(StatusCode::METHOD_NOT_ALLOWED, &error);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

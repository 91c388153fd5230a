//! `/rpc`: JSON-RPC 2.0 over one POST, for programs with the user's token.
//!
//! Methods are the operations, by name or dotted alias. Failed operations keep their own error
//! numbers; the standard ones are for invalid requests.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use nudge_core::{Fault, FaultKind};
use nudge_memory::{Caller, Surface};
use serde_json::{Map, Value, json};

use super::mcp::Mounted;
use super::{answer, body};
use crate::backend::Backend;

/// The most calls in one batch. Enough for a warm start; a larger batch is rejected as a whole.
const BATCH_LIMIT: usize = 50;

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
    let message = match serde_json::from_slice::<Value>(&bytes) {
        Ok(message) => message,
        Err(error) => return refusal(-32700, "parse_error", &format!("the body is not JSON: {error}")),
    };
    let client = client_of(&head.headers);
    match message {
        Value::Array(batch) => all(&mounted.state.backend, client.as_deref(), batch).await,
        single => match one(&mounted.state.backend, client.as_deref(), single).await {
            Some(reply) => answer::json(StatusCode::OK, &reply),
            None => nothing_to_say(),
        },
    }
}

async fn all(backend: &Backend, client: Option<&str>, batch: Vec<Value>) -> Response {
    if batch.is_empty() {
        return refusal(-32600, "empty_batch", "a batch needs at least one call");
    }
    if batch.len() > BATCH_LIMIT {
        let message = format!("a batch is limited to {BATCH_LIMIT} calls; this one has {}", batch.len());
        return refusal(-32600, "batch_too_large", &message);
    }
    let mut replies = Vec::new();
    for message in batch {
        replies.extend(one(backend, client, message).await);
    }
    if replies.is_empty() { nothing_to_say() } else { answer::json(StatusCode::OK, &Value::Array(replies)) }
}

/// One call; `None` for a notification, which is run but not answered.
async fn one(backend: &Backend, client: Option<&str>, message: Value) -> Option<Value> {
    let call = match Call::read(message) {
        Ok(call) => call,
        Err((id, code, message)) => {
            return Some(error(&id, code, &message, json!({"reason": "invalid_request"})));
        }
    };
    let mut caller = Caller::new(Surface::Rpc, nudge_client::clock::now());
    caller.client = client.map(str::to_owned);
    let outcome = backend.call(caller, &call.method, call.params).await;
    let id = call.id?;
    Some(match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(fault) => error(&id, code_of(&fault), &fault.message, data_of(&fault)),
    })
}

struct Call {
    /// `None` for a notification.
    id: Option<Value>,
    method: String,
    params: Value,
}

impl Call {
    fn read(message: Value) -> Result<Self, (Value, i32, String)> {
        let Value::Object(mut fields) = message else {
            return Err((Value::Null, -32600, "a call is a JSON object".into()));
        };
        let id = match fields.remove("id") {
            None => None,
            Some(id @ (Value::Null | Value::String(_) | Value::Number(_))) => Some(id),
            Some(_) => return Err((Value::Null, -32600, "an id is a string, a number or null".into())),
        };
        let refuse = |code, message: &str| Err((id.clone().unwrap_or(Value::Null), code, message.to_owned()));
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refuse(-32600, "`jsonrpc` must be \"2.0\"");
        }
        let Some(Value::String(method)) = fields.remove("method") else {
            return refuse(-32600, "`method` must be a string");
        };
        match fields.remove("params").unwrap_or_else(|| Value::Object(Map::new())) {
            params @ Value::Object(_) => Ok(Self { id, method, params }),
            Value::Array(_) => refuse(-32602, "parameters are given by name, in an object"),
            _ => refuse(-32602, "`params` must be an object"),
        }
    }
}

/// The number on the wire: JSON-RPC's own for an unknown method, else the operation's.
fn code_of(fault: &Fault) -> i32 {
    if fault.kind == FaultKind::UnknownOperation { -32601 } else { fault.kind.code() }
}

fn data_of(fault: &Fault) -> Value {
    let mut data = Map::new();
    data.insert("reason".into(), fault.reason.clone().into());
    data.insert("id".into(), fault.kind.id().into());
    data.extend(fault.data.clone());
    if let Some(next) = &fault.next {
        data.insert("next".into(), next.clone().into());
    }
    data.into()
}

fn error(id: &Value, code: i32, message: &str, data: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
}

/// The client program, according to its User-Agent.
pub(super) fn client_of(headers: &HeaderMap) -> Option<String> {
    crate::mcp::client_name(headers.get(header::USER_AGENT)?.to_str().ok()?)
}

fn refusal(code: i32, reason: &str, message: &str) -> Response {
    answer::json(StatusCode::BAD_REQUEST, &error(&Value::Null, code, message, json!({"reason": reason})))
}

fn nothing_to_say() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn post_only() -> Response {
    let mut response = refusal(-32600, "post_only", "this endpoint takes POST only");
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: Value) -> (Value, i32) {
        match Call::read(message) {
            Ok(call) => panic!("{} was accepted", call.method),
            Err((id, code, _)) => (id, code),
        }
    }

    #[test]
    fn a_call_is_read_whole() {
        let call =
            Call::read(json!({"jsonrpc": "2.0", "id": "a", "method": "nudge.get_hint", "params": {"x": 1}}));
        let call = call.unwrap_or_else(|_| panic!("accepted"));
        assert_eq!(
            (call.id, call.method.as_str(), call.params),
            (Some(json!("a")), "nudge.get_hint", json!({"x": 1}))
        );
    }

    #[test]
    fn without_an_id_it_is_a_notification_and_null_is_an_id() {
        let call = |id: Value| Call::read(id).unwrap_or_else(|_| panic!("accepted")).id;
        assert_eq!(call(json!({"jsonrpc": "2.0", "method": "bump"})), None);
        assert_eq!(call(json!({"jsonrpc": "2.0", "id": null, "method": "bump"})), Some(Value::Null));
    }

    #[test]
    fn what_is_no_call_gets_the_standard_numbers() {
        assert_eq!(refused(json!(1)), (Value::Null, -32600));
        assert_eq!(refused(json!({"id": 1, "method": "x"})), (json!(1), -32600));
        assert_eq!(refused(json!({"jsonrpc": "1.0", "id": 1, "method": "x"})), (json!(1), -32600));
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": 1})), (json!(1), -32600));
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": [1], "method": "x"})), (Value::Null, -32600));
        assert_eq!(
            refused(json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": [1]})),
            (json!(1), -32602)
        );
        assert_eq!(
            refused(json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": null})),
            (json!(1), -32602)
        );
    }

    #[test]
    fn a_fault_keeps_its_number_reason_and_next_step() {
        let fault = Fault::new(FaultKind::Conflict, "version_mismatch", "a/b is at version 3")
            .with("current_version", 3)
            .next("read it again");
        assert_eq!(code_of(&fault), 40901);
        assert_eq!(
            data_of(&fault),
            json!({"reason": "version_mismatch", "id": "E_CONFLICT", "current_version": 3, "next": "read it again"})
        );
        assert_eq!(code_of(&Fault::new(FaultKind::UnknownOperation, "x", "y")), -32601);
    }
}

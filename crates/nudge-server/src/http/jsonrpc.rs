//! JSON-RPC 2.0: from the text of a request to the text of its answer, for every transport.
//!
//! Failed operations keep their own error numbers; the standard ones are for invalid requests.

use nudge_core::{Fault, FaultKind};
use serde_json::{Map, Value, json};

/// The most calls in one batch. Enough for a warm start; a larger batch is rejected as a whole.
const MAX_BATCH: usize = 50;

/// Runs the methods that requests name.
pub(super) trait Methods: Send {
    /// Runs one method.
    fn call(&mut self, method: &str, params: Value) -> impl Future<Output = Result<Value, Fault>> + Send;
}

/// The answer to a text.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// Answers to its calls.
    Answer(Value),
    /// The text as a whole is no valid request.
    Refused(Value),
    /// It had notifications only, which get no answer.
    Nothing,
}

/// Runs all calls in a text, one after the other.
pub(super) async fn answer(text: &[u8], methods: &mut impl Methods) -> Reply {
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Array(batch)) => all(methods, batch).await,
        Ok(single) => one(methods, single).await.map_or(Reply::Nothing, Reply::Answer),
        Err(error) => {
            Reply::Refused(refusal(-32700, "parse_error", &format!("the body is not JSON: {error}")))
        }
    }
}

/// An error about the request as a whole.
pub(super) fn refusal(code: i32, reason: &str, message: &str) -> Value {
    error(&Value::Null, code, message, json!({"reason": reason}))
}

/// A message that gets no answer.
pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

async fn all(methods: &mut impl Methods, batch: Vec<Value>) -> Reply {
    if batch.is_empty() {
        return Reply::Refused(refusal(-32600, "empty_batch", "a batch needs at least one call"));
    }
    if batch.len() > MAX_BATCH {
        let message = format!("a batch is limited to {MAX_BATCH} calls; this one has {}", batch.len());
        return Reply::Refused(refusal(-32600, "batch_too_large", &message));
    }
    let mut replies = Vec::new();
    for message in batch {
        replies.extend(one(methods, message).await);
    }
    if replies.is_empty() { Reply::Nothing } else { Reply::Answer(Value::Array(replies)) }
}

/// One call; `None` for a notification, which is run but not answered.
async fn one(methods: &mut impl Methods, message: Value) -> Option<Value> {
    let call = match Call::read(message) {
        Ok(call) => call,
        Err((id, code, message)) => {
            return Some(error(&id, code, &message, json!({"reason": "invalid_request"})));
        }
    };
    let outcome = methods.call(&call.method, call.params).await;
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

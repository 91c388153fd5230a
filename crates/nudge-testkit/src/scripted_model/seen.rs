//! What a scripted model saw of a call.

use serde_json::Value;

use super::protocol::Protocol;

/// A call of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenRequest {
    /// The path, such as `/v1/messages`.
    pub path: String,
    /// The header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// The last four characters of the key, if one came.
    pub authorization: Option<String>,
    /// The headers `HTTP-Referer` and `X-Title`, which OpenRouter credits requests to.
    pub credit: [Option<String>; 2],
    /// The body.
    pub body: Value,
    /// The system text; empty if there is none.
    pub system: String,
    /// The last user text.
    pub user: String,
}

impl SeenRequest {
    pub(super) fn new(
        protocol: Protocol,
        path: &str,
        header: &dyn Fn(&str) -> Option<String>,
        body: Value,
    ) -> Self {
        let message = |role: &str| {
            let messages = body.get("messages").and_then(Value::as_array)?;
            messages
                .iter()
                .rev()
                .find(|message| message["role"] == role)
                .map(|message| text(&message["content"]))
        };
        let system = match protocol {
            Protocol::Anthropic => body.get("system").map(text),
            Protocol::OpenAi | Protocol::Ollama => message("system"),
        };
        Self {
            path: path.to_owned(),
            idempotency_key: header("idempotency-key"),
            authorization: header("authorization").or_else(|| header("x-api-key")).map(|key| last_four(&key)),
            credit: [header("http-referer"), header("x-title")],
            system: system.unwrap_or_default(),
            user: message("user").unwrap_or_default(),
            body,
        }
    }
}

/// A text, or the texts of its parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn last_four(key: &str) -> String {
    let chars: Vec<char> = key.chars().collect();
    chars[chars.len().saturating_sub(4)..].iter().collect()
}

//! Ollama's `/api/chat`.

use serde_json::{Value, json};

use super::answer::{Answer, Fault};
use crate::completion::{Finish, Usage};
use crate::progress::On;
use crate::request::ModelRequest;
use crate::shape::{Shape, Thinking};
use crate::spec::ModelSpec;

pub(super) fn body(spec: &ModelSpec, request: &ModelRequest<'_>, shape: &Shape) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.push(json!({ "role": "user", "content": request.user }));
    let mut options = json!({ "temperature": request.temperature() });
    if let Some(limit) = request.max_tokens {
        options["num_predict"] = json!(limit);
    }
    if let Some(context) = spec.context {
        options["num_ctx"] = json!(context);
    }
    // Without `truncate`, a server drops the start of a long request and says nothing.
    let mut body = json!({
        "model": spec.name, "messages": messages, "stream": true, "options": options, "truncate": false,
    });
    if shape.thinking == Thinking::Usual {
        body["think"] = json!(request.think);
    }
    body
}

/// One line.
pub(super) fn read(line: &Value, answer: &mut Answer, on: On<'_>) -> Result<(), Fault> {
    if line.get("error").is_some_and(|error| !error.is_null()) {
        return Err(Fault::said(line));
    }
    let done = line.get("done").and_then(Value::as_bool);
    if done.is_none() && line.get("message").is_none() {
        return Err(Fault::Malformed("a line has no message"));
    }
    answer.events += 1;
    answer.model(line);
    let text = |path: &str| line.pointer(path).and_then(Value::as_str);
    answer.reasoning(text("/message/thinking"), on)?;
    answer.text(text("/message/content"), on)?;
    if done == Some(true) {
        let count = |name: &str| line.get(name).and_then(Value::as_u64);
        let (input, output) = (count("prompt_eval_count"), count("eval_count"));
        answer.completion.usage = Usage { input, output, ..Usage::default() };
        answer.finish(match text("/done_reason").unwrap_or("stop") {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            other => Finish::Other(other.to_owned()),
        });
        answer.is_done = true;
    }
    Ok(())
}

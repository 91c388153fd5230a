//! Anthropic's Messages.

use serde_json::{Value, json};

use super::{Answer, Fault};
use crate::request::ModelRequest;
use crate::request::On;
use crate::request::{Finish, Usage};
use crate::shape::{Shape, Thinking};
use crate::spec::ModelSpec;

/// The limit of output when the request has none. The protocol requires one.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// The smallest budget for reasoning that the protocol accepts.
const MIN_BUDGET: u32 = 1024;

pub(super) fn body(spec: &ModelSpec, request: &ModelRequest<'_>, shape: &Shape) -> Value {
    let limit = request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
    let mut body = json!({
        "model": spec.name,
        "max_tokens": limit,
        "messages": [{ "role": "user", "content": request.user }],
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    let thinking = thinking(request, shape, limit);
    // The protocol allows no temperature beside reasoning, and none above 1.
    if thinking.is_none() && shape.temperature {
        body["temperature"] = json!(request.temperature().min(1.0));
    }
    if let Some(thinking) = thinking {
        body["thinking"] = thinking;
    }
    body
}

fn thinking(request: &ModelRequest<'_>, shape: &Shape, limit: u32) -> Option<Value> {
    if !request.think {
        return None;
    }
    match shape.thinking {
        Thinking::Usual => Some(json!({ "type": "adaptive" })),
        Thinking::Budget => {
            let budget = limit / 2;
            (budget >= MIN_BUDGET).then(|| json!({ "type": "enabled", "budget_tokens": budget }))
        }
        Thinking::Unsaid => None,
    }
}

/// One event.
pub(super) fn read(event: &Value, answer: &mut Answer, on: On<'_>) -> Result<(), Fault> {
    let text = |path: &str| event.pointer(path).and_then(Value::as_str);
    let Some(kind) = text("/type") else { return Err(Fault::Malformed("an event has no type")) };
    if kind == "error" {
        return Err(Fault::reported(event));
    }
    answer.events += 1;
    match kind {
        "message_start" => {
            if let Some(message) = event.get("message") {
                answer.model(message);
            }
            read_usage(event.pointer("/message/usage"), &mut answer.completion.usage);
        }
        "content_block_start" => {
            answer.text(text("/content_block/text"), on)?;
            answer.reasoning(text("/content_block/thinking"), on)?;
        }
        "content_block_delta" => {
            answer.text(text("/delta/text"), on)?;
            answer.reasoning(text("/delta/thinking"), on)?;
        }
        "message_delta" => {
            read_usage(event.get("usage"), &mut answer.completion.usage);
            if let Some(reason) = text("/delta/stop_reason") {
                answer.finish(finish(reason));
            }
        }
        "message_stop" => answer.is_done = true,
        _ => {}
    }
    Ok(())
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" => Finish::Length,
        other => Finish::Other(other.to_owned()),
    }
}

/// Counts replace earlier ones. The protocol counts cached input apart from the rest.
fn read_usage(usage: Option<&Value>, known: &mut Usage) {
    let Some(usage) = usage else { return };
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    if let Some(fresh) = count("input_tokens") {
        let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
        known.input = Some(fresh + read.unwrap_or(0) + written.unwrap_or(0));
        known.cached = read.or(known.cached);
    }
    known.output = count("output_tokens").or(known.output);
}

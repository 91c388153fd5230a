//! OpenAI's chat completions, as OpenAI, OpenRouter, xAI, llama.cpp and others speak them, and
//! Ollama's `/api/chat`.

use serde_json::{Value, json};

use super::{Answer, Fault};
use crate::endpoint::Endpoint;
use crate::request::{Finish, ModelRequest, On, Usage};
use crate::shape::{Shape, Thinking};
use crate::spec::{ModelSpec, Provider};

pub(super) fn body(
    endpoint: &Endpoint,
    spec: &ModelSpec,
    request: &ModelRequest<'_>,
    shape: &Shape,
) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.push(json!({ "role": "user", "content": request.user }));
    let mut body = json!({ "model": spec.name, "messages": messages, "stream": true });
    if shape.stream_options {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if shape.temperature {
        body["temperature"] = json!(request.temperature());
    }
    if let Some(limit) = request.max_tokens {
        let name = if shape.new_limit_name { "max_completion_tokens" } else { "max_tokens" };
        body[name] = json!(limit);
    }
    if endpoint.provider == Provider::OpenRouter {
        body["usage"] = json!({ "include": true });
    }
    if endpoint.provider == Provider::OpenAi
        && spec.constrained
        && let Some(grammar) = request.grammar
    {
        body["grammar"] = json!(grammar);
    }
    if shape.thinking == Thinking::Usual {
        ask_to_think(&mut body, endpoint, request.think);
    }
    body
}

/// There is no common field. A local server is asked through its chat template, where reasoning
/// can be switched off too.
fn ask_to_think(body: &mut Value, endpoint: &Endpoint, think: bool) {
    match endpoint.provider {
        Provider::OpenRouter if think => body["reasoning"] = json!({ "enabled": true }),
        Provider::OpenAi if endpoint.is_local => {
            body["chat_template_kwargs"] = json!({ "enable_thinking": think });
        }
        Provider::OpenAi | Provider::Xai if think => body["reasoning_effort"] = json!("medium"),
        _ => {}
    }
}

/// One chunk.
pub(super) fn read(chunk: &Value, answer: &mut Answer, on: On<'_>) -> Result<(), Fault> {
    if chunk.get("error").is_some_and(|error| !error.is_null()) {
        return Err(Fault::reported(chunk));
    }
    let choices = chunk.get("choices").and_then(Value::as_array);
    let usage = chunk.get("usage").filter(|usage| usage.is_object());
    if choices.is_none() && usage.is_none() {
        return Ok(());
    }
    answer.events += 1;
    answer.model(chunk);
    if let Some(usage) = usage {
        answer.completion.usage = read_usage(usage);
        answer.reported_cost = usage.get("cost").and_then(Value::as_f64).or(answer.reported_cost);
    }
    let Some(choice) = choices.and_then(|choices| choices.first()) else { return Ok(()) };
    if let Some(delta) = choice.get("delta") {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        answer.reasoning(text("reasoning_content").or_else(|| text("reasoning")), on)?;
        answer.text(text("content"), on)?;
    }
    if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
        answer.finish(match reason {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            other => Finish::Other(other.to_owned()),
        });
    }
    Ok(())
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let input = count("/prompt_tokens");
    let reasoning = count("/completion_tokens_details/reasoning_tokens");
    let mut output = count("/completion_tokens");
    // xAI counts reasoning beside the output; the total shows it.
    if let (Some(input), Some(written), Some(thought)) = (input, output, reasoning)
        && thought > 0
        && count("/total_tokens") == Some(input.saturating_add(written).saturating_add(thought))
    {
        output = Some(written.saturating_add(thought));
    }
    Usage { input, cached: count("/prompt_tokens_details/cached_tokens"), output, reasoning }
}

// Ollama's `/api/chat`.

pub(super) fn ollama_body(spec: &ModelSpec, request: &ModelRequest<'_>, shape: &Shape) -> Value {
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
pub(super) fn read_ollama(line: &Value, answer: &mut Answer, on: On<'_>) -> Result<(), Fault> {
    if line.get("error").is_some_and(|error| !error.is_null()) {
        return Err(Fault::reported(line));
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

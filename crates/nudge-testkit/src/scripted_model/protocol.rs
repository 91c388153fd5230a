//! The wire forms of an answer.

use serde_json::{Value, json};

use super::step::Tokens;

/// The name by which the server answers.
pub const MODEL: &str = "scripted-1";

/// The context that the server reports where it is asked.
pub const CONTEXT_TOKENS: u32 = 8192;

/// How a call speaks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    OpenAi,
    Anthropic,
    Ollama,
}

impl Protocol {
    /// The protocol of a call's path.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" | "/api/v1/chat/completions" => Some(Self::OpenAi),
            "/v1/messages" => Some(Self::Anthropic),
            "/api/chat" => Some(Self::Ollama),
            _ => None,
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }

    /// What comes before the first piece.
    pub(super) fn start(self, tokens: Option<Tokens>) -> String {
        match self {
            Self::OpenAi => chunk(&json!({ "role": "assistant" }), None),
            Self::Anthropic => {
                let mut message =
                    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL });
                if let Some(tokens) = tokens {
                    let fresh = tokens.input - tokens.cached;
                    message["usage"] = json!({ "input_tokens": fresh, "output_tokens": 1,
                        "cache_read_input_tokens": tokens.cached, "cache_creation_input_tokens": 0 });
                }
                let ping = event(&json!({ "type": "ping" }));
                event(&json!({ "type": "message_start", "message": message })) + &ping
            }
            Self::Ollama => String::new(),
        }
    }

    pub(super) fn text(self, text: &str) -> String {
        match self {
            Self::OpenAi => chunk(&json!({ "content": text }), None),
            Self::Anthropic => delta(&json!({ "type": "text_delta", "text": text })),
            Self::Ollama => line(&json!({ "role": "assistant", "content": text })),
        }
    }

    pub(super) fn reasoning(self, text: &str) -> String {
        match self {
            Self::OpenAi => chunk(&json!({ "reasoning_content": text }), None),
            Self::Anthropic => delta(&json!({ "type": "thinking_delta", "thinking": text })),
            Self::Ollama => line(&json!({ "role": "assistant", "content": "", "thinking": text })),
        }
    }

    /// What comes after the last piece.
    pub(super) fn end(self, finish: &str, tokens: Option<Tokens>) -> String {
        match self {
            Self::OpenAi => {
                let usage = tokens.map(openai_usage).unwrap_or_default();
                chunk(&json!({}), Some(finish)) + &usage + "data: [DONE]\n\n"
            }
            Self::Anthropic => {
                let reason = match finish {
                    "stop" => "end_turn",
                    "length" => "max_tokens",
                    other => other,
                };
                let mut last = json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
                if let Some(tokens) = tokens {
                    last["usage"] = json!({ "output_tokens": tokens.output });
                }
                event(&last) + &event(&json!({ "type": "message_stop" }))
            }
            Self::Ollama => {
                let mut last = json!({ "model": MODEL, "message": { "role": "assistant", "content": "" },
                    "done": true, "done_reason": finish });
                if let Some(tokens) = tokens {
                    last["prompt_eval_count"] = json!(tokens.input);
                    last["eval_count"] = json!(tokens.output);
                }
                format!("{last}\n")
            }
        }
    }

    /// An error inside the stream.
    pub(super) fn error(self, error: &Value) -> String {
        match self {
            Self::OpenAi => format!("data: {}\n\n", json!({ "error": error })),
            Self::Anthropic => event(&json!({ "type": "error", "error": error })),
            Self::Ollama => format!("{}\n", json!({ "error": error })),
        }
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let object = "chat.completion.chunk";
    format!("data: {}\n\n", json!({ "id": "c1", "object": object, "model": MODEL, "choices": [choice] }))
}

fn openai_usage(tokens: Tokens) -> String {
    let mut usage = json!({
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": { "cached_tokens": tokens.cached },
        "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
    });
    if let Some(cost) = tokens.cost {
        usage["cost"] = json!(cost);
    }
    format!("data: {}\n\n", json!({ "id": "c1", "model": MODEL, "choices": [], "usage": usage }))
}

fn delta(delta: &Value) -> String {
    event(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
}

fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

fn line(message: &Value) -> String {
    format!("{}\n", json!({ "model": MODEL, "message": message, "done": false }))
}

/// The answer to a question about models.
pub(super) fn lookup(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("GET", "/props") => Some(json!({ "default_generation_settings": { "n_ctx": CONTEXT_TOKENS } })),
        ("GET", "/v1/models" | "/api/v1/models") => {
            Some(json!({ "data": [{ "id": MODEL, "object": "model", "context_length": CONTEXT_TOKENS }] }))
        }
        ("POST", "/api/show") => Some(
            json!({ "parameters": "temperature 0.7", "model_info": { "scripted.context_length": CONTEXT_TOKENS } }),
        ),
        _ => None,
    }
}

//! What an answer that is no success means.

use std::time::Duration;

use hyper::header::HeaderMap;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::endpoint::Endpoint;
use crate::error::{ErrorKind, ModelError, clean, message_of};

/// Texts that say that a request is longer than the model's context, in lower case, and who says
/// so. A text counts at any provider: gateways pass on what the server behind them says.
const TOO_LONG: &[(&str, &str)] = &[
    ("openai", "context_length_exceeded"),
    ("openai", "maximum context length"),
    ("openai", "exceeds the context window"),
    ("openai", "reduce the length of the messages"),
    ("anthropic", "prompt is too long"),
    ("anthropic", "input is too long"),
    ("anthropic", "exceed context limit"),
    ("anthropic", "request_too_large"),
    ("llama.cpp", "exceed_context_size_error"),
    ("llama.cpp", "exceeds the available context size"),
    ("llama.cpp", "context size has been exceeded"),
    ("ollama", "exceeds the context length"),
    ("ollama", "exceeds maximum context length"),
    ("ollama", "exceed the context length"),
    ("ollama", "prompt too long"),
    ("openrouter", "too many tokens"),
    ("openrouter", "context length exceeded"),
    ("xai", "maximum prompt length"),
];

/// Statuses with which a text of [`TOO_LONG`] counts.
const TOO_LONG_STATUSES: [u16; 4] = [400, 413, 422, 500];

/// Texts with which a 503 means that the model is not loaded yet.
const WARMING_UP: [&str; 6] = ["loading", "warming", "warm up", "warmup", "not ready", "not_ready"];

/// Texts with which a 400 means a wrong key.
const WRONG_KEY: [&str; 4] = ["incorrect api key", "invalid api key", "invalid_api_key", "invalid x-api-key"];

/// Texts with which a 429 does not pass by itself: there is nothing to spend.
const NO_CREDIT: [&str; 2] = ["insufficient_quota", "check your plan and billing"];

/// What a status and the body with it mean.
pub(crate) fn kind_of(status: u16, body: &str) -> ErrorKind {
    let body = body.to_lowercase();
    let has = |texts: &[&str]| texts.iter().any(|text| body.contains(text));
    if TOO_LONG_STATUSES.contains(&status) && TOO_LONG.iter().any(|(_, text)| body.contains(text)) {
        return ErrorKind::ContextTooLong;
    }
    match status {
        401 | 403 => ErrorKind::Auth,
        400 if has(&WRONG_KEY) => ErrorKind::Auth,
        408 => ErrorKind::Timeout,
        429 if has(&NO_CREDIT) => ErrorKind::Rejected,
        429 => ErrorKind::RateLimit,
        503 if has(&WARMING_UP) => ErrorKind::WarmUp,
        // 520 to 527 are what Cloudflare says of a server that it does not reach.
        502..=504 | 520..=527 => ErrorKind::Gateway,
        500.. => ErrorKind::Server,
        _ => ErrorKind::Rejected,
    }
}

/// The error for an answer with this status. `body` may be anything.
pub(crate) fn refusal(endpoint: &Endpoint, status: u16, body: &str, headers: &HeaderMap) -> ModelError {
    let kind = kind_of(status, body);
    let said = clean(&message_of(body), endpoint.key.as_ref());
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    let message = format!("{} at {} answered {status}{said}", endpoint.provider, endpoint.host());
    ModelError { kind, status: Some(status), message, retry_after: retry_after(headers, Timestamp::now()) }
}

/// How long the answer asks to wait: `Retry-After` in seconds or as a date, or OpenAI's
/// `retry-after-ms`.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |text: &str, unit: f64| {
        text.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number * unit).ok())
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(wait);
    }
    let stated = text("retry-after")?;
    seconds(stated, 1.0).or_else(|| {
        let at = rfc2822::parse(stated).ok()?.timestamp();
        Duration::try_from(at.duration_since(now)).ok()
    })
}

#[cfg(test)]
mod tests;

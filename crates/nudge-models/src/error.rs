//! What can go wrong with a call, by what can be done about it, and texts of providers made fit for
//! an error message.

use std::fmt;
use std::time::Duration;

use nudge_core::text::{cut_to_chars, is_hidden, steers_terminal};
use serde_json::Value;

use crate::keys::Key;

nudge_core::named_enum! {
    /// What kind of failure a call ended with.
    pub enum ErrorKind {
        /// The provider is not configured, or its address is refused. Nothing was sent.
        NotConfigured => "not_configured",
        /// The provider does not accept the key.
        Auth => "auth",
        /// The request is longer than the model's context.
        ContextTooLong => "context_too_long",
        /// Too many requests.
        RateLimit => "rate_limit",
        /// The server still loads the model.
        WarmUp => "warm_up",
        /// Something between here and the model failed.
        Gateway => "gateway",
        /// The provider failed or is overloaded.
        Server => "server",
        /// The provider refuses the request.
        Rejected => "rejected",
        /// Nothing came for too long.
        Timeout => "timeout",
        /// No connection, or it broke before any output.
        Network => "network",
        /// The stream broke after output began.
        Interrupted => "interrupted",
        /// The answer is not the protocol.
        Malformed => "malformed",
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed call. The message never contains a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What happened, for a person.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, status: None, message: message.into(), retry_after: None }
    }
}

/// The most characters of a provider's text in a message.
const MAX_CHARS: usize = 300;

/// What a provider says, without keys, other credentials and control characters, and cut.
///
/// Secrets are replaced before the text is cut: half a key would not be recognised. The caller
/// bounds the text.
pub(crate) fn clean(text: &str, key: Option<&Key>) -> String {
    let plain: String = text.chars().filter_map(visible).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let hidden = key.map_or_else(|| words.clone(), |key| key.hide_in(&words));
    let redacted = nudge_secrets::redact(&hidden);
    match cut_to_chars(&redacted, MAX_CHARS) {
        Some(start) => format!("{start}…"),
        None => redacted.into_owned(),
    }
}

/// White space as a space; what controls a terminal or is not seen is left out.
fn visible(c: char) -> Option<char> {
    if c.is_whitespace() {
        return Some(' ');
    }
    (!c.is_control() && !is_hidden(c) && !steers_terminal(c)).then_some(c)
}

/// The sentence for people in the body of an error; the body itself if it has none.
pub(crate) fn message_of(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    message_in(&value).unwrap_or_else(|| body.to_owned())
}

/// The message of an error object, in the forms that providers use.
fn message_in(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let message =
        text(error).or_else(|| ["message", "detail"].iter().find_map(|name| text(error.get(name)?)))?;
    // OpenRouter puts what the provider behind it said here.
    let behind = error.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(text);
    Some(behind.map_or_else(|| message.clone(), |behind| format!("{message}: {behind}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_other_credentials_are_replaced() {
        let key = Key::new("my-own-plain-key").unwrap();
        let other = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let text = format!("wrong key my-own-plain-key, also {other}");
        assert_eq!(clean(&text, Some(&key)), "wrong key [REDACTED], also [REDACTED]");
    }

    #[test]
    fn a_key_with_controls_inside_or_at_the_cut_is_replaced() {
        let key = Key::new("my-own-plain-key").unwrap();
        assert_eq!(clean("x my-own\u{1b}-plain\u{200b}-key", Some(&key)), "x [REDACTED]");
        let text = format!("{} my-own-plain-key", "a ".repeat(145));
        assert!(!clean(&text, Some(&key)).contains("my-own"));
    }

    #[test]
    fn controls_go_and_the_text_is_cut() {
        assert_eq!(clean("a\u{1b}[31m\n\tb\u{202e}c", None), "a[31m bc");
        assert_eq!(clean(&"é ".repeat(900), None).chars().count(), MAX_CHARS + 1);
    }

    #[test]
    fn the_message_is_found_in_every_form() {
        for (body, expected) in [
            (r#"{"error":{"message":"No","type":"x"}}"#, "No"),
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}"#, "Busy"),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"code":"x","error":"Incorrect"}"#, "Incorrect"),
            (r#"{"detail":"nope"}"#, "nope"),
            (
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"full"}}}"#,
                "Provider returned error: full",
            ),
            ("<html>", "<html>"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
        ] {
            assert_eq!(message_of(body), expected);
        }
    }
}

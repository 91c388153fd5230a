//! The three protocols: what is sent, and how the stream of an answer is read.

mod anthropic;
mod chat;

use serde_json::Value;

use crate::endpoint::Endpoint;
use crate::request::{Completion, Finish, ModelRequest, On, Progress, computed_cost};
use crate::shape::Shape;
use crate::spec::{ModelSpec, Protocol};

/// The body of a request.
pub(crate) fn body(
    endpoint: &Endpoint,
    spec: &ModelSpec,
    request: &ModelRequest<'_>,
    shape: &Shape,
) -> Value {
    match endpoint.provider.protocol() {
        Protocol::OpenAi => chat::body(endpoint, spec, request, shape),
        Protocol::Anthropic => anthropic::body(spec, request, shape),
        Protocol::Ollama => chat::ollama_body(spec, request, shape),
    }
}

/// The most bytes of one event.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// Reads the stream of one answer.
#[derive(Debug)]
pub(crate) struct Reader {
    protocol: Protocol,
    lines: Lines,
    /// The data of a server-sent event that is not complete yet.
    data: String,
    pub(crate) answer: Answer,
}

impl Reader {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self { protocol, lines: Lines::default(), data: String::new(), answer: Answer::default() }
    }

    /// Takes bytes as they arrive.
    pub(crate) fn push(&mut self, bytes: &[u8], on: On<'_>) -> Result<(), Fault> {
        self.lines.push(bytes).map_err(|_| Fault::Malformed("a line is too long"))?;
        while let Some(line) = self.lines.next() {
            self.line(&line, on)?;
        }
        Ok(())
    }

    /// Takes what is left when the stream has ended.
    pub(crate) fn end(&mut self, on: On<'_>) -> Result<(), Fault> {
        if let Some(line) = self.lines.rest() {
            self.line(&line, on)?;
        }
        self.line("", on)
    }

    fn line(&mut self, line: &str, on: On<'_>) -> Result<(), Fault> {
        match self.protocol {
            Protocol::Ollama if line.trim().is_empty() => Ok(()),
            Protocol::Ollama => chat::read_ollama(&parse(line)?, &mut self.answer, on),
            Protocol::OpenAi | Protocol::Anthropic => self.event_line(line, on),
        }
    }

    /// A line of server-sent events. Fields other than data are not needed: the data says what it
    /// is.
    fn event_line(&mut self, line: &str, on: On<'_>) -> Result<(), Fault> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return if data.is_empty() { Ok(()) } else { self.event(&data, on) };
        }
        let Some((field, value)) = line.split_once(':') else { return Ok(()) };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                match self.data.len() > MAX_EVENT_BYTES {
                    true => Err(Fault::Malformed("a part is too long")),
                    false => Ok(()),
                }
            }
            // Older llama.cpp.
            "error" => Err(Fault::reported(&serde_json::json!({ "error": parse(value)? }))),
            _ => Ok(()),
        }
    }

    fn event(&mut self, data: &str, on: On<'_>) -> Result<(), Fault> {
        match self.protocol {
            _ if data == "[DONE]" => {
                self.answer.events += 1;
                self.answer.is_done = true;
                Ok(())
            }
            Protocol::Anthropic => anthropic::read(&parse(data)?, &mut self.answer, on),
            Protocol::OpenAi | Protocol::Ollama => chat::read(&parse(data)?, &mut self.answer, on),
        }
    }
}

fn parse(text: &str) -> Result<Value, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|_| Fault::Malformed("a part is not JSON"))?;
    if value.is_object() { Ok(value) } else { Err(Fault::Malformed("a part is not an object")) }
}

// An answer while it arrives.

/// The most bytes of text and reasoning together. No model writes as much.
const MAX_TEXT_BYTES: usize = 32 * 1024 * 1024;

/// Why a stream cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not the protocol.
    Malformed(&'static str),
    /// The server reports an error inside the stream.
    Reported { status: u16, body: String },
}

/// What has arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) completion: Completion,
    /// What the provider says that it cost.
    pub(crate) reported_cost: Option<f64>,
    /// How many parts were understood.
    pub(crate) events: usize,
    /// Whether the reason for the end came: the text is whole.
    pub(crate) is_finished: bool,
    /// Whether the last part came.
    pub(crate) is_done: bool,
}

impl Answer {
    pub(crate) fn has_output(&self) -> bool {
        !self.completion.text.is_empty() || !self.completion.reasoning.is_empty()
    }

    pub(crate) fn text(&mut self, more: Option<&str>, on: On<'_>) -> Result<(), Fault> {
        let Some(more) = more.filter(|more| !more.is_empty()) else { return Ok(()) };
        self.completion.text.push_str(more);
        on(Progress::Text(more));
        self.check_length()
    }

    pub(crate) fn reasoning(&mut self, more: Option<&str>, on: On<'_>) -> Result<(), Fault> {
        let Some(more) = more.filter(|more| !more.is_empty()) else { return Ok(()) };
        self.completion.reasoning.push_str(more);
        on(Progress::Reasoning(more));
        self.check_length()
    }

    fn check_length(&self) -> Result<(), Fault> {
        let length = self.completion.text.len() + self.completion.reasoning.len();
        if length > MAX_TEXT_BYTES { Err(Fault::Malformed("the answer is too long")) } else { Ok(()) }
    }

    pub(crate) fn finish(&mut self, finish: Finish) {
        self.completion.finish = finish;
        self.is_finished = true;
    }

    pub(crate) fn model(&mut self, value: &Value) {
        if let Some(model) = value.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.completion.model = Some(model.to_owned());
        }
    }

    /// The whole answer, with its cost.
    pub(crate) fn complete(self, spec: &ModelSpec) -> Completion {
        let cost_usd = self.reported_cost.or_else(|| computed_cost(spec, &self.completion.usage));
        Completion { cost_usd, ..self.completion }
    }
}

impl Fault {
    /// An error object inside a stream. Its status is what the object says, or what the name of
    /// the error means.
    pub(crate) fn reported(value: &Value) -> Self {
        let error = value.get("error").unwrap_or(value);
        let number = |name: &str| {
            let code = error.get(name)?;
            code.as_u64().or_else(|| code.as_str()?.parse().ok()).and_then(|code| u16::try_from(code).ok())
        };
        let named = || {
            let names = ["type", "code"].iter().filter_map(|name| error.get(name)?.as_str());
            names
                .filter_map(|name| NAMED_STATUSES.iter().find(|(known, _)| *known == name))
                .map(|(_, status)| *status)
                .next()
        };
        let stated = number("code").or_else(|| number("status")).filter(|status| (400..600).contains(status));
        Self::Reported { status: stated.or_else(named).unwrap_or(500), body: value.to_string() }
    }
}

/// The statuses that names of errors stand for.
const NAMED_STATUSES: &[(&str, u16)] = &[
    ("invalid_request_error", 400),
    ("context_length_exceeded", 400),
    ("exceed_context_size_error", 400),
    ("authentication_error", 401),
    ("invalid_api_key", 401),
    ("billing_error", 402),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("request_too_large", 413),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("api_error", 500),
    ("server_error", 500),
    ("unavailable_error", 503),
    ("timeout_error", 504),
    ("overloaded_error", 529),
];

// Lines out of bytes that arrive in any pieces.

/// The longest line that is accepted. A delta has a few hundred bytes.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// A line is longer than any protocol sends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Collects bytes and gives out whole lines, so that no character is ever halved.
#[derive(Debug, Default)]
struct Lines {
    pending: Vec<u8>,
    /// Up to where `pending` is known to have no line end.
    searched: usize,
}

impl Lines {
    /// Takes more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() > MAX_LINE_BYTES { Err(TooLong) } else { Ok(()) }
    }

    /// The next whole line, without its end.
    pub(crate) fn next(&mut self) -> Option<String> {
        let Some(at) = self.pending[self.searched..].iter().position(|byte| *byte == b'\n') else {
            self.searched = self.pending.len();
            return None;
        };
        let line: Vec<u8> = self.pending.drain(..=self.searched + at).collect();
        self.searched = 0;
        Some(text(&line))
    }

    /// What is left when the stream has ended.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.searched = 0;
        let rest = std::mem::take(&mut self.pending);
        (!rest.is_empty()).then(|| text(&rest))
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}

#[cfg(test)]
mod tests;

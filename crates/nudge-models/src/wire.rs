//! The three protocols: what is sent, and how the stream of an answer is read.

mod answer;
mod anthropic;
mod ollama;
mod openai;

use serde_json::Value;

use crate::endpoint::Endpoint;
use crate::lines::Lines;
use crate::progress::On;
use crate::provider::Protocol;
use crate::request::ModelRequest;
use crate::shape::Shape;
use crate::spec::ModelSpec;

pub(crate) use answer::{Answer, Fault};

/// The body of a request.
pub(crate) fn body(
    endpoint: &Endpoint,
    spec: &ModelSpec,
    request: &ModelRequest<'_>,
    shape: &Shape,
) -> Value {
    match endpoint.provider.protocol() {
        Protocol::OpenAi => openai::body(endpoint, spec, request, shape),
        Protocol::Anthropic => anthropic::body(spec, request, shape),
        Protocol::Ollama => ollama::body(spec, request, shape),
    }
}

/// The most bytes of one event.
const EVENT_MOST: usize = 8 * 1024 * 1024;

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
            Protocol::Ollama => ollama::read(&parse(line)?, &mut self.answer, on),
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
                match self.data.len() > EVENT_MOST {
                    true => Err(Fault::Malformed("a part is too long")),
                    false => Ok(()),
                }
            }
            // Older llama.cpp.
            "error" => Err(Fault::said(&serde_json::json!({ "error": parse(value)? }))),
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
            Protocol::OpenAi | Protocol::Ollama => openai::read(&parse(data)?, &mut self.answer, on),
        }
    }
}

fn parse(text: &str) -> Result<Value, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|_| Fault::Malformed("a part is not JSON"))?;
    if value.is_object() { Ok(value) } else { Err(Fault::Malformed("a part is not an object")) }
}

#[cfg(test)]
mod tests;

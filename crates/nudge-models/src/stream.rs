//! One attempt: a request, and the stream of its answer.

use std::time::Duration;

use hyper::Response;
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue};
use tokio::time::{Instant, timeout, timeout_at};

use crate::classify::refusal;
use crate::endpoint::Endpoint;
use crate::error::{ErrorKind, ModelError, clean};
use crate::request::{Completion, ModelRequest, On};
use crate::shape::Shape;
use crate::spec::{ModelSpec, Provider};
use crate::transport::{Transport, broken, first_bytes_of, next_piece, unsent};
use crate::wire::{Fault, Reader, body};

/// The most bytes of an error's body that are read.
const MAX_BODY: usize = 64 * 1024;

/// The most bytes of a stream that are kept until something is understood.
const MAX_START: usize = 4096;

/// How long usage is waited for after the text has ended.
const AFTER_THE_END: Duration = Duration::from_secs(5);

/// The longest id that is sent.
const MAX_ID: usize = 200;

/// Everything about an attempt that stays the same.
pub(crate) struct Attempt<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) spec: &'a ModelSpec,
    pub(crate) request: &'a ModelRequest<'a>,
    /// How long no part of an answer may come.
    pub(crate) silence: Duration,
}

/// A failed attempt, and the body of the refusal if it was one.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: ModelError,
    pub(crate) body: Option<String>,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self { error, body: None }
    }
}

impl Attempt<'_> {
    /// Sends the request in this shape and reads the answer.
    pub(crate) async fn run(&self, shape: &Shape, on: On<'_>) -> Result<Completion, Failure> {
        let mut response = self.send(shape).await?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(self.read(&mut response, on).await?);
        }
        let headers = response.headers().clone();
        let body = timeout(self.silence, first_bytes_of(&mut response, MAX_BODY)).await;
        let body = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
        let error = refusal(self.endpoint, status, &body, &headers);
        Err(Failure { error, body: Some(body) })
    }

    async fn send(&self, shape: &Shape) -> Result<Response<Incoming>, ModelError> {
        let body = body(self.endpoint, self.spec, self.request, shape);
        let mut request = self.transport.post(self.endpoint, &self.endpoint.completions(), &body)?;
        let id = idempotency_key(self.request.turn_id, shape.changes);
        if !id.is_empty() {
            let id = HeaderValue::from_str(&id).expect("an id consists of visible ASCII");
            request = request.with("idempotency-key", id);
        }
        if self.endpoint.provider == Provider::OpenRouter {
            for (name, value) in [("http-referer", self.request.referer), ("x-title", self.request.title)] {
                let value = value.and_then(|value| HeaderValue::from_str(value).ok());
                request = value.into_iter().fold(request, |request, value| request.with(name, value));
            }
        }
        let sent = timeout(self.silence, request.send()).await.map_err(|_| self.silent())?;
        sent.map_err(|error| unsent(self.endpoint, &error))
    }

    async fn read(&self, response: &mut Response<Incoming>, on: On<'_>) -> Result<Completion, ModelError> {
        let mut reader = Reader::new(self.endpoint.provider.protocol());
        let mut start = Vec::new();
        let end = self.read_to_end(response, &mut reader, &mut start, on).await;
        match end {
            // Once the reason for the end is there, the text is whole.
            _ if reader.answer.is_finished || reader.answer.is_done => Ok(reader.answer.complete(self.spec)),
            Err(End::Silent) => Err(self.silent()),
            Err(End::Fault(Fault::Malformed(why))) => Err(self.malformed(why)),
            Err(End::Fault(Fault::Reported { status, body })) => Err(self.reported(&reader, status, &body)),
            Err(End::Broken(error)) => Err(self.ended(&reader, &error.message)),
            Ok(()) => Err(self.ended_early(&reader, &start)),
        }
    }

    /// Reads until the last part, or until the stream ends.
    async fn read_to_end(
        &self,
        response: &mut Response<Incoming>,
        reader: &mut Reader,
        start: &mut Vec<u8>,
        on: On<'_>,
    ) -> Result<(), End> {
        let mut until = Instant::now() + self.silence;
        while !reader.answer.is_done {
            let (events, was_finished) = (reader.answer.events, reader.answer.is_finished);
            let more = timeout_at(until, next_piece(response)).await.map_err(|_| End::Silent)?;
            let more = more.map_err(|error| End::Broken(broken(self.endpoint, &error)))?;
            let Some(bytes) = more else {
                return reader.end(on).map_err(End::Fault);
            };
            if reader.answer.events == 0 && start.len() < MAX_START {
                start.extend(bytes.iter().take(MAX_START - start.len()));
            }
            reader.push(&bytes, on).map_err(End::Fault)?;
            // Comments keep the connection open; they are no answer.
            if reader.answer.events > events && !was_finished {
                let wait =
                    if reader.answer.is_finished { self.silence.min(AFTER_THE_END) } else { self.silence };
                until = Instant::now() + wait;
            }
        }
        Ok(())
    }

    fn silent(&self) -> ModelError {
        let (provider, host) = (self.endpoint.provider, self.endpoint.host());
        let message = format!("{provider}: nothing came from {host} for {:?}", self.silence);
        ModelError::new(ErrorKind::Timeout, message)
    }

    /// The answer came, but not to an end.
    pub(crate) fn too_slow(&self, most: Duration) -> ModelError {
        let (provider, host) = (self.endpoint.provider, self.endpoint.host());
        let message = format!("{provider}: the answer of {host} took longer than {most:?}");
        ModelError::new(ErrorKind::Timeout, message)
    }

    fn malformed(&self, why: &str) -> ModelError {
        let (provider, host) = (self.endpoint.provider, self.endpoint.host());
        let message = format!("{host} does not speak the protocol of {provider}: {why}");
        ModelError::new(ErrorKind::Malformed, message)
    }

    /// The server reported an error inside the stream.
    fn reported(&self, reader: &Reader, status: u16, body: &str) -> ModelError {
        let error = refusal(self.endpoint, status, body, &HeaderMap::new());
        let kind = if reader.answer.has_output() { ErrorKind::Interrupted } else { error.kind };
        ModelError { kind, ..error }
    }

    fn ended(&self, reader: &Reader, why: &str) -> ModelError {
        let kind = if reader.answer.has_output() { ErrorKind::Interrupted } else { ErrorKind::Network };
        ModelError::new(kind, why)
    }

    /// The stream ended in order, but without its last part.
    fn ended_early(&self, reader: &Reader, start: &[u8]) -> ModelError {
        if reader.answer.events > 0 || start.is_empty() {
            let (provider, host) = (self.endpoint.provider, self.endpoint.host());
            return self.ended(reader, &format!("{provider}: the stream from {host} ended too early"));
        }
        let start = String::from_utf8_lossy(start);
        match serde_json::from_str::<serde_json::Value>(&start) {
            Ok(value) if value.get("error").is_some_and(|error| !error.is_null()) => {
                let Fault::Reported { status, body } = Fault::reported(&value) else {
                    return self.malformed("an error that cannot be read");
                };
                refusal(self.endpoint, status, &body, &HeaderMap::new())
            }
            _ => self.malformed(&format!("it sent {}", clean(&start, self.endpoint.key.as_ref()))),
        }
    }
}

/// Why reading stopped before the last part.
enum End {
    Silent,
    Broken(ModelError),
    Fault(Fault),
}

/// The id of a turn as a header. A request that was changed is another request.
fn idempotency_key(turn_id: &str, changes: u32) -> String {
    let id: String = turn_id.chars().filter(char::is_ascii_graphic).take(MAX_ID).collect();
    if id.is_empty() || changes == 0 { id } else { format!("{id}-{changes}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_a_header_and_changes_with_the_request() {
        assert_eq!(idempotency_key("turn-7", 0), "turn-7");
        assert_eq!(idempotency_key("turn-7", 2), "turn-7-2");
        assert_eq!(idempotency_key("a\r\nX: b", 0), "aX:b");
        assert_eq!(idempotency_key("", 1), "");
    }
}

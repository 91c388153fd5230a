//! An answer while it arrives.

use serde_json::Value;

use crate::completion::{Completion, Finish, computed_cost};
use crate::progress::{On, Progress};
use crate::spec::ModelSpec;

/// The most bytes of text and reasoning together. No model writes as much.
const LONGEST: usize = 32 * 1024 * 1024;

/// Why a stream cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not the protocol.
    Malformed(&'static str),
    /// The server reports an error inside the stream.
    Said { status: u16, body: String },
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
        if length > LONGEST { Err(Fault::Malformed("the answer is too long")) } else { Ok(()) }
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
    pub(crate) fn said(value: &Value) -> Self {
        let error = value.get("error").unwrap_or(value);
        let number = |name: &str| {
            let code = error.get(name)?;
            code.as_u64().or_else(|| code.as_str()?.parse().ok()).and_then(|code| u16::try_from(code).ok())
        };
        let named = || {
            let names = ["type", "code"].iter().filter_map(|name| error.get(name)?.as_str());
            names
                .filter_map(|name| NAMED.iter().find(|(known, _)| *known == name))
                .map(|(_, status)| *status)
                .next()
        };
        let stated = number("code").or_else(|| number("status")).filter(|status| (400..600).contains(status));
        Self::Said { status: stated.or_else(named).unwrap_or(500), body: value.to_string() }
    }
}

/// The statuses that names of errors stand for.
const NAMED: &[(&str, u16)] = &[
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

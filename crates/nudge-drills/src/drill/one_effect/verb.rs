//! One call of a verb, with its parameters as they stand in JSON.

use std::fmt;

use serde_json::{Map, Value};

/// The session that a call over HTTP names.
pub(super) const SESSION: &str = "one-effect";

/// One call.
#[derive(Clone, Debug)]
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) params: Map<String, Value>,
}

impl Verb {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, params: Map::new() }
    }

    /// The call with one more parameter.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// The parameters, with the session of the call.
    pub(super) fn in_session(&self) -> Value {
        let mut params = self.params.clone();
        params.insert("session".to_owned(), SESSION.into());
        Value::Object(params)
    }

    /// A parameter that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }

    /// Whether a parameter is set to true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.params.get(name) == Some(&Value::Bool(true))
    }

    /// The facts of a `set`.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.params.get("attributes").and_then(Value::as_object);
        all.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, Value::Object(self.params.clone()))
    }
}

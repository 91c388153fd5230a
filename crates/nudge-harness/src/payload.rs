//! Lenient reading of JSON objects that other programs wrote: a field of an unexpected type counts
//! as absent.

pub(crate) mod surrogates;

use nudge_core::Timestamp;
use serde_json::{Map, Value};

/// The fields of a JSON object. Given several names, the first with a value wins.
#[derive(Debug, Default)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub(crate) fn new(map: Map<String, Value>) -> Self {
        Self(map)
    }

    /// The remaining fields.
    pub(crate) fn into_inner(self) -> Map<String, Value> {
        self.0
    }

    /// A string that is not empty.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names
            .iter()
            .find_map(|name| self.0.get(*name)?.as_str().filter(|text| !text.is_empty()))
            .map(Into::into)
    }

    /// A string, empty or not.
    pub(crate) fn any_text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.0.get(*name)?.as_str()).map(Into::into)
    }

    /// A string without which there is no event.
    pub(crate) fn required(&self, names: &[&'static str]) -> Result<String, ParseError> {
        self.text(names).ok_or(ParseError::Missing(names[0]))
    }

    /// Any value but `null`.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// The same, moved out, because inputs and responses can be large.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<Value> {
        names.iter().find_map(|name| self.0.get_mut(*name).filter(|value| !value.is_null()).map(Value::take))
    }

    /// The fields of a nested object, moved out; empty when there is none.
    pub(crate) fn take_object(&mut self, names: &[&str]) -> Self {
        match self.take(names) {
            Some(Value::Object(map)) => Self(map),
            _ => Self::default(),
        }
    }

    /// A count.
    pub(crate) fn count(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| count(self.0.get(*name)?))
    }

    /// A flag; false when absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A point in time: ISO 8601, or milliseconds since the epoch.
    pub(crate) fn point(&self, name: &str) -> Option<Timestamp> {
        match self.0.get(name)? {
            Value::String(text) => Timestamp::parse(text),
            value => value.as_i64().map(Timestamp::from_millis),
        }
    }

    /// The first string of a list.
    pub(crate) fn first_of(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_array()?.first()?.as_str().map(Into::into)
    }
}

/// Integers as they are; fractions are cut off.
fn count(value: &Value) -> Option<u64> {
    let of_fraction = |number: f64| (0.0..1e15).contains(&number).then_some(number as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(of_fraction))
}

/// What is wrong with a payload. Never repeats the payload's content, which may contain a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is not JSON.
    #[error("malformed JSON at line {line}, column {column}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The text is JSON, but not an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// A field that every payload of this agent has is absent, empty or not a string.
    #[error("missing required field: {0}")]
    Missing(&'static str),
}

impl ParseError {
    pub(crate) fn malformed(error: serde_json::Error) -> Self {
        Self::Malformed { line: error.line(), column: error.column() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Fields {
        Fields::new(serde_json::from_str(json).expect("an object"))
    }

    #[test]
    fn other_types_count_as_absent() {
        let fields = fields(r#"{"a": 5, "b": "", "c": "x", "d": null, "e": {"f": 1}}"#);
        assert_eq!(fields.text(&["a", "b", "c"]), Some("x".into()));
        assert_eq!(fields.required(&["b", "d"]), Err(ParseError::Missing("b")));
        assert_eq!(fields.count(&["c", "e"]), None);
        assert!(!fields.flag("a"));
        assert_eq!(fields.point("c"), None);
    }

    #[test]
    fn moments_are_texts_or_milliseconds() {
        let fields = fields(r#"{"a": 1794699059780, "b": "2026-11-14T23:30:59.780Z"}"#);
        assert_eq!(fields.point("a"), fields.point("b"));
        assert_eq!(fields.point("a"), Some(Timestamp::from_millis(1_794_699_059_780)));
    }
}

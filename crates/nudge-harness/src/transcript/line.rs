//! One line of a transcript.

use serde_json::Value;

use crate::payload::Fields;
use crate::payload::surrogates;

/// The fields of a line that is a JSON object.
pub(crate) fn object(text: &str) -> Option<Fields> {
    match surrogates::read(text.trim_start_matches('\u{feff}').trim()) {
        Ok(Value::Object(map)) => Some(Fields::new(map)),
        _ => None,
    }
}

/// The text of a content field: a string, or a list of text blocks.
pub(crate) fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// A string in an object that is not empty.
pub(crate) fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// An exit status under that key.
pub(crate) fn status(value: &Value, key: &str) -> Option<i32> {
    value.get(key)?.as_i64().and_then(|status| i32::try_from(status).ok())
}

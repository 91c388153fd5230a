//! A moment as it may lie in a file: without any credential.

use std::io;

use nudge_core::secret;
use serde_json::Value;

use crate::capture::{Moment, strict};

/// The moment as one line of JSON, every text of it screened.
pub(super) fn line(moment: &Moment) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(&*strict::screened(moment))?;
    screen(&mut value);
    Ok(serde_json::to_vec(&value)?)
}

fn screen(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(screen),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    // Under a name such as `password` the text as a whole is one.
                    Value::String(text) => clean_named(name, text),
                    other => screen(other),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(text: &mut String) {
    if let std::borrow::Cow::Owned(clean) = secret::redact(text) {
        *text = clean;
    }
}

fn clean_named(name: &str, text: &mut String) {
    // Names of our own that happen to be credential words elsewhere: a session id is how moments belong together.
    if !matches!(name, "session" | "turn" | "call" | "key") {
        let findings = secret::scan_keyed(name, text);
        if !findings.is_empty() {
            *text = secret::replace(text, &findings);
        }
    }
    clean(text);
}

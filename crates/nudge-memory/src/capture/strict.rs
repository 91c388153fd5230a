//! What is kept of a moment in a project that is strict about credentials.

use std::borrow::Cow;

use nudge_core::secret;
use serde_json::Value;

use super::moment::{Moment, What};

/// Fields that say what a moment is, not what was written in it.
const OURS: [&str; 8] = ["is", "kind", "tool", "call", "by", "manner", "source", "outcome"];

/// The moment with everything replaced that strictly looks like a credential; as it is where its project is not strict.
pub(super) fn screened(moment: &Moment) -> Cow<'_, Moment> {
    if !moment.project.said.strict {
        return Cow::Borrowed(moment);
    }
    let what = serde_json::to_value(&moment.what).ok().and_then(|mut what| {
        screen(&mut what);
        serde_json::from_value::<What>(what).ok()
    });
    // What cannot be screened is not kept.
    Cow::Owned(Moment { what: what.unwrap_or(What::Seen), ..moment.clone() })
}

fn screen(value: &mut Value) {
    match value {
        Value::String(text) => clean(None, text),
        Value::Array(items) => items.iter_mut().for_each(screen),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut().filter(|(name, _)| !OURS.contains(&name.as_str())) {
                match value {
                    Value::String(text) => clean(Some(name), text),
                    other => screen(other),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(name: Option<&str>, text: &mut String) {
    if let Cow::Owned(clean) = secret::redact_strictly(name, text) {
        *text = clean;
    }
}

//! What is stored of a captured event in a project with strict redaction.

use std::borrow::Cow;

use nudge_core::HookEvent;
use serde_json::Value;

use super::captured_event::{CapturedEvent, EventBody};

/// Fields that say what an event is, not what was written in it.
const OWN_FIELDS: [&str; 8] = ["is", "kind", "tool", "call", "by", "manner", "source", "outcome"];

/// The captured event with everything replaced that strict redaction takes for a credential;
/// unchanged if its project is not strict.
pub(super) fn screened(captured: &CapturedEvent) -> Cow<'_, CapturedEvent> {
    if !captured.project.claims.strict {
        return Cow::Borrowed(captured);
    }
    let what = serde_json::to_value(&captured.what).ok().and_then(|mut what| {
        each_text(&mut what, &OWN_FIELDS, &mut clean);
        serde_json::from_value::<EventBody>(what).ok()
    });
    // Text that cannot be screened is not stored.
    Cow::Owned(CapturedEvent { what: what.unwrap_or(EventBody::Seen), ..captured.clone() })
}

/// An event and its payload without anything that strict redaction takes for a credential, so that
/// no hash or size derived from them reveals one.
pub(super) fn event(event: &HookEvent, payload: &str) -> (HookEvent, String) {
    let mut event = event.clone();
    if let Some(prompt) = &mut event.prompt {
        clean(None, &mut prompt.text);
    }
    if let Some(message) = &mut event.message {
        clean(None, message);
    }
    if let Some(about) = event.speech.as_mut().and_then(|speech| speech.about.as_mut()) {
        clean(None, about);
    }
    if let Some(tool) = &mut event.tool {
        each_text(&mut tool.input, &[], &mut clean);
        tool.response.iter_mut().for_each(|response| each_text(response, &[], &mut clean));
        tool.error.iter_mut().for_each(|error| clean(None, error));
    }
    let payload = match serde_json::from_str::<Value>(payload) {
        Ok(mut value) => {
            each_text(&mut value, &[], &mut clean);
            value.to_string()
        }
        Err(_) => nudge_secrets::redact_strictly(None, payload).into_owned(),
    };
    (event, payload)
}

/// A text as it is hashed in a project.
pub(crate) fn text_to_hash(text: &str, is_strict: bool) -> Cow<'_, str> {
    if is_strict { nudge_secrets::redact_strictly(None, text) } else { Cow::Borrowed(text) }
}

fn clean(name: Option<&str>, text: &mut String) {
    if let Cow::Owned(clean) = nudge_secrets::redact_strictly(name, text) {
        *text = clean;
    }
}

// The texts of a JSON value.

/// Calls `change` for every text of a value, with the name of its field. Fields named in
/// `passed_over` are skipped.
pub(super) fn each_text(
    value: &mut Value,
    passed_over: &[&str],
    change: &mut impl FnMut(Option<&str>, &mut String),
) {
    match value {
        Value::String(text) => change(None, text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, passed_over, change)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut().filter(|(name, _)| !passed_over.contains(&name.as_str())) {
                match value {
                    Value::String(text) => change(Some(name), text),
                    other => each_text(other, passed_over, change),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

//! The texts of a JSON value.

use serde_json::Value;

/// Shows every text of a value to `change`, with the name it stands under. What stands under one of `passed_over` is left alone.
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

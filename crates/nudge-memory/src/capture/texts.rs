//! The texts of a JSON value.

use serde_json::Value;

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

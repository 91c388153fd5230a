//! Credentials in a JSON value: every string is checked decoded, not in its escaped form.

use serde_json::{Map, Value};

use super::{is_name, redact, replace, scan_keyed};

/// Replaces the credentials in all strings of a value. Returns whether there were any.
///
/// A string is checked with its name: its key, the `name` next to a `value`, or the item before it
/// in a list.
pub fn redact_json(value: &mut Value) -> bool {
    clean("", value)
}

fn clean(name: &str, value: &mut Value) -> bool {
    match value {
        Value::String(text) => clean_text(name, text),
        Value::Array(items) => {
            let mut changed = false;
            for index in 0..items.len() {
                let before = index.checked_sub(1).and_then(|index| items[index].as_str());
                let name = before.filter(|before| is_name(before)).unwrap_or(name).to_owned();
                changed |= clean(&name, &mut items[index]);
            }
            changed
        }
        Value::Object(fields) => {
            let named = named_by_sibling(fields).map(str::to_owned);
            let mut changed = false;
            for (name, value) in fields.iter_mut() {
                let of_sibling = named.as_deref().filter(|_| name.eq_ignore_ascii_case("value"));
                changed |= clean(of_sibling.unwrap_or(name), value);
            }
            changed
        }
        Value::Number(number) => {
            let text = number.to_string();
            let is_one = !name.is_empty() && !scan_keyed(name, &text).is_empty();
            if is_one {
                *value = Value::String(super::finding::REDACTED.to_owned());
            }
            is_one
        }
        Value::Null | Value::Bool(_) => false,
    }
}

fn clean_text(name: &str, text: &mut String) -> bool {
    let findings = scan_keyed(name, text);
    if findings.is_empty() {
        return false;
    }
    *text = redact(&replace(text, &findings)).into_owned();
    true
}

/// The name that an object gives its `value`: `{"name": "DB_PASSWORD", "value": "…"}`.
fn named_by_sibling(fields: &Map<String, Value>) -> Option<&str> {
    const NAMES: [&str; 2] = ["name", "key"];
    fields.iter().find_map(|(name, value)| {
        let is_name = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        value.as_str().filter(|_| is_name)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::redact_json;

    #[test]
    fn strings_are_judged_as_they_read_and_with_their_names() {
        let secret = concat!("kolibri", "-am-meer-77");
        for mut value in [
            json!({"env": [{"name": "DB_PASSWORD", "value": secret}]}),
            json!({"args": ["run", "--password", secret]}),
            json!({"message": format!("first line\npassword:\n  \"{secret}\"\nlast")}),
        ] {
            assert!(redact_json(&mut value) && !value.to_string().contains(secret), "{value}");
        }
        let mut innocent = json!({"message": "cargo build\ncargo test", "count": 4, "ok": true});
        assert!(!redact_json(&mut innocent));
    }
}

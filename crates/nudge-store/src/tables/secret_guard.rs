//! The secret detector at the store's boundary: no writer can bypass it.

use std::borrow::Cow;

use nudge_core::EntryPath;
use serde_json::{Map, Value};

use crate::db::error::StoreError;

/// What happens to text that looks like a credential.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SecretPolicy {
    /// The write is rejected. For what is stated on purpose.
    Reject,
    /// The credential is replaced. For passive capture.
    Redact,
    /// It is stored, because the user allowed it.
    Allow,
}

/// A text with every credential replaced.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    nudge_secrets::redact(text)
}

/// The fields with every credential replaced; `None` if there is nothing to replace.
pub(crate) fn redacted_object(fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    let guard = SecretGuard { reject: false };
    guard.object("", fields).expect("a guard that does not reject has no errors")
}

pub(crate) fn replace<T>(field: &mut T, clean: Option<T>) {
    if let Some(clean) = clean {
        *field = clean;
    }
}

/// Applies a policy to findings. Its functions return `None` if the text is clean.
pub(crate) struct SecretGuard {
    reject: bool,
}

impl SecretGuard {
    pub(crate) fn of(policy: SecretPolicy) -> Option<Self> {
        match policy {
            SecretPolicy::Reject => Some(Self { reject: true }),
            SecretPolicy::Redact => Some(Self { reject: false }),
            SecretPolicy::Allow => None,
        }
    }

    /// Checks one text; `name` is the name of its field, which may be a credential word.
    pub(crate) fn text(
        &self,
        field: &str,
        name: Option<&str>,
        text: &str,
    ) -> Result<Option<String>, StoreError> {
        let findings =
            name.map_or_else(|| nudge_secrets::scan(text), |name| nudge_secrets::scan_keyed(name, text));
        match findings.first() {
            None => Ok(None),
            Some(first) if self.reject => {
                Err(StoreError::Secret { rule: first.rule.to_owned(), field: field.to_owned() })
            }
            // A replacement can uncover another credential that was joined to it.
            Some(_) => Ok(Some(nudge_secrets::redact(&nudge_secrets::replace(text, &findings)).into_owned())),
        }
    }

    pub(crate) fn list(&self, field: &str, texts: &[String]) -> Result<Option<Vec<String>>, StoreError> {
        let mut clean: Option<Vec<String>> = None;
        for (index, text) in texts.iter().enumerate() {
            if let Some(text) = self.text(field, None, text)? {
                clean.get_or_insert_with(|| texts.to_vec())[index] = text;
            }
        }
        Ok(clean)
    }

    /// Checks the decoded parts of a path: an encoded credential counts too.
    pub(crate) fn path(&self, path: &EntryPath) -> Result<Option<EntryPath>, StoreError> {
        let Some(parts) = self.list("path", &path.parts())? else {
            return Ok(None);
        };
        let text = path.as_str();
        let rebuilt = if text.contains("://") {
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            EntryPath::from_parts(path.scheme(), &parts, text.split_once("?if=").map(|(_, hash)| hash))
        } else {
            EntryPath::parse(&parts.concat())
        };
        // A redacted path can only be invalid by being too long.
        rebuilt
            .map(Some)
            .map_err(|_| StoreError::Secret { rule: "path".to_owned(), field: "path".to_owned() })
    }

    pub(crate) fn object(
        &self,
        at: &str,
        fields: &Map<String, Value>,
    ) -> Result<Option<Map<String, Value>>, StoreError> {
        let mut changed = false;
        let mut clean = Map::new();
        let named = named_by_sibling(fields);
        for (name, value) in fields {
            let field = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            let clean_name = self.text(at_or_attributes(at), None, name)?;
            let announced = if name.eq_ignore_ascii_case("value") { named.unwrap_or(name) } else { name };
            let clean_value = self.value(&field, announced, value)?;
            changed |= clean_name.is_some() || clean_value.is_some();
            clean.insert(
                clean_name.unwrap_or_else(|| name.clone()),
                clean_value.unwrap_or_else(|| value.clone()),
            );
        }
        Ok(changed.then_some(clean))
    }

    fn value(&self, field: &str, name: &str, value: &Value) -> Result<Option<Value>, StoreError> {
        match value {
            Value::String(text) => Ok(self.text(field, Some(name), text)?.map(Value::String)),
            Value::Object(fields) => Ok(self.object(field, fields)?.map(Value::Object)),
            Value::Array(items) => {
                let mut clean: Option<Vec<Value>> = None;
                for (index, item) in items.iter().enumerate() {
                    // Command arguments, or a header as a pair: the name is the item before.
                    let before = index.checked_sub(1).and_then(|index| items[index].as_str());
                    let name = before.filter(|before| nudge_secrets::is_name(before)).unwrap_or(name);
                    if let Some(item) = self.value(field, name, item)? {
                        clean.get_or_insert_with(|| items.clone())[index] = item;
                    }
                }
                Ok(clean.map(Value::Array))
            }
            // A PIN or an all-digit password.
            Value::Number(number) => {
                Ok(self.text(field, Some(name), &number.to_string())?.map(Value::String))
            }
            Value::Null | Value::Bool(_) => Ok(None),
        }
    }
}

/// The name that an object gives its `value`: `{"name": "DB_PASSWORD", "value": "…"}`.
fn named_by_sibling(fields: &Map<String, Value>) -> Option<&str> {
    const NAMES: [&str; 2] = ["name", "key"];
    fields.iter().find_map(|(name, value)| {
        let is_name = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        value.as_str().filter(|_| is_name)
    })
}

fn at_or_attributes(at: &str) -> &str {
    if at.is_empty() { "attributes" } else { at }
}

#[cfg(test)]
mod tests;

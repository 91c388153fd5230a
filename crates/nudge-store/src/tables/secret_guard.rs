//! The secret detector at the store's boundary: no writer can pass it by.

use std::borrow::Cow;

use nudge_core::EntryPath;
use nudge_core::secret;
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::tables::entry::EntryDraft;
use crate::tables::hint::HintDraft;
use crate::tables::seen;

/// What happens to text that looks like a credential.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SecretPolicy {
    /// The write is refused. For what is stated on purpose.
    Reject,
    /// The credential is replaced. For passive capture.
    Redact,
    /// It is kept: the person said so.
    Allow,
}

/// Cleans all text of an entry: path, body, attributes.
pub(crate) fn entry(draft: &EntryDraft) -> Result<Cow<'_, EntryDraft>, StoreError> {
    let Some(guard) = SecretGuard::of(draft.secrets) else {
        return Ok(Cow::Borrowed(draft));
    };
    let path = guard.path(&draft.path)?;
    let body = guard.text("body", None, &draft.body)?;
    let attributes = guard.object("", &draft.attributes)?;
    if path.is_none() && body.is_none() && attributes.is_none() {
        return Ok(Cow::Borrowed(draft));
    }
    let mut clean = draft.clone();
    replace(&mut clean.path, path);
    replace(&mut clean.body, body);
    replace(&mut clean.attributes, attributes);
    Ok(Cow::Owned(clean))
}

/// Cleans all text of a hint: component, key, value, tags and what was said about it.
pub(crate) fn hint(draft: &HintDraft) -> Result<Cow<'_, HintDraft>, StoreError> {
    let Some(guard) = SecretGuard::of(draft.secrets) else {
        return Ok(Cow::Borrowed(draft));
    };
    let component = guard.text("component", None, &draft.component)?;
    let key = guard.text("key", None, &draft.key)?;
    let path = guard.path(&draft.path)?;
    let body = guard.text("value", Some(&draft.key), &draft.body)?;
    let tags = guard.list("tags", &draft.tags)?;
    let attributes = guard.object("", &draft.attributes)?;
    let mut clean = Cow::Borrowed(draft);
    if component.is_some()
        || key.is_some()
        || path.is_some()
        || body.is_some()
        || tags.is_some()
        || attributes.is_some()
    {
        let owned = clean.to_mut();
        replace(&mut owned.component, component);
        replace(&mut owned.key, key);
        replace(&mut owned.path, path);
        replace(&mut owned.body, body);
        replace(&mut owned.tags, tags);
        replace(&mut owned.attributes, attributes);
    }
    Ok(clean)
}

/// What was seen, with every credential replaced.
pub(crate) struct Seen<'t> {
    pub(crate) body: Cow<'t, str>,
    pub(crate) attributes: Cow<'t, Map<String, Value>>,
}

/// Cleans what was captured: nothing is refused, credentials are replaced, and the attributes then say so.
pub(crate) fn seen<'t>(body: &'t str, attributes: &'t Map<String, Value>) -> Seen<'t> {
    let clean_body = redacted(body);
    let clean_attributes = redacted_object(attributes);
    let changed = matches!(clean_body, Cow::Owned(_)) || clean_attributes.is_some();
    let mut attributes = clean_attributes.map_or(Cow::Borrowed(attributes), Cow::Owned);
    if changed {
        attributes.to_mut().insert(seen::REDACTED.to_owned(), Value::Bool(true));
    }
    Seen { body: clean_body, attributes }
}

/// A text with every credential replaced.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    secret::redact(text)
}

/// `None` when there is nothing to replace.
fn redacted_object(fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    let guard = SecretGuard { reject: false };
    guard.object("", fields).expect("a guard that does not reject has no errors")
}

fn replace<T>(field: &mut T, clean: Option<T>) {
    if let Some(clean) = clean {
        *field = clean;
    }
}

/// What to do with a finding. The answers below are `None` when the text is clean.
struct SecretGuard {
    reject: bool,
}

impl SecretGuard {
    fn of(policy: SecretPolicy) -> Option<Self> {
        match policy {
            SecretPolicy::Reject => Some(Self { reject: true }),
            SecretPolicy::Redact => Some(Self { reject: false }),
            SecretPolicy::Allow => None,
        }
    }

    /// One text; `name` is what it is the value of, which may be a credential word.
    fn text(&self, field: &str, name: Option<&str>, text: &str) -> Result<Option<String>, StoreError> {
        let findings = name.map_or_else(|| secret::scan(text), |name| secret::scan_keyed(name, text));
        match findings.first() {
            None => Ok(None),
            Some(first) if self.reject => {
                Err(StoreError::Secret { rule: first.rule.to_owned(), field: field.to_owned() })
            }
            // What is replaced can uncover another one that had run into it.
            Some(_) => Ok(Some(secret::redact(&secret::replace(text, &findings)).into_owned())),
        }
    }

    fn list(&self, field: &str, texts: &[String]) -> Result<Option<Vec<String>>, StoreError> {
        let mut clean: Option<Vec<String>> = None;
        for (index, text) in texts.iter().enumerate() {
            if let Some(text) = self.text(field, None, text)? {
                clean.get_or_insert_with(|| texts.to_vec())[index] = text;
            }
        }
        Ok(clean)
    }

    /// The parts of a path, decoded: an encoded credential is one too.
    fn path(&self, path: &EntryPath) -> Result<Option<EntryPath>, StoreError> {
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
        // Redaction can only fail to be a path by growing too long.
        rebuilt
            .map(Some)
            .map_err(|_| StoreError::Secret { rule: "path".to_owned(), field: "path".to_owned() })
    }

    fn object(
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
                    // Arguments of a command, a header as a pair: the name is the item before.
                    let before = index.checked_sub(1).and_then(|index| items[index].as_str());
                    let name = before.filter(|before| secret::is_name(before)).unwrap_or(name);
                    if let Some(item) = self.value(field, name, item)? {
                        clean.get_or_insert_with(|| items.clone())[index] = item;
                    }
                }
                Ok(clean.map(Value::Array))
            }
            // A PIN or a password of digits only.
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
mod tests {
    use nudge_core::secret::REDACTED;
    use nudge_core::{Provenance, Scope, Source, Tier, Timestamp};
    use serde_json::json;

    use super::*;

    /// A key in the documented shape of the vendor's example keys, split so that scanners of this
    /// repository pass over it.
    const KEY: &str = concat!("AKIA", "QZ3MFJ6T2XW7NB4D");

    fn draft(path: &str, body: &str, attributes: Value, secrets: SecretPolicy) -> EntryDraft {
        let Value::Object(attributes) = attributes else { panic!("attributes are an object") };
        EntryDraft {
            scope: Scope::Global,
            path: EntryPath::parse(path).expect("a valid path"),
            body: body.to_owned(),
            attributes,
            provenance: Provenance {
                source: Source::Agent,
                tier: Tier::Model,
                client: None,
                session: None,
                project: None,
                machine: None,
            },
            secrets,
            now: Timestamp::from_millis(1),
        }
    }

    fn rejected_field(path: &str, body: &str, attributes: Value) -> Option<String> {
        match entry(&draft(path, body, attributes, SecretPolicy::Reject)) {
            Err(StoreError::Secret { field, .. }) => Some(field),
            Err(other) => panic!("unexpected {other}"),
            Ok(_) => None,
        }
    }

    #[test]
    fn every_text_of_an_entry_is_checked() {
        assert_eq!(rejected_field("known://a", "cargo build", json!({"n": 1})), None);
        assert_eq!(rejected_field("known://a", &format!("use {KEY}"), json!({})), Some("body".to_owned()));
        assert_eq!(rejected_field(&format!("known://{KEY}"), "x", json!({})), Some("path".to_owned()));
        assert_eq!(
            rejected_field("known://a", "x", json!({"meta": {"tags": ["ok", KEY]}})),
            Some("meta.tags".to_owned())
        );
        assert_eq!(rejected_field("known://a", "x", json!({"meta": {KEY: "x"}})), Some("meta".to_owned()));
    }

    #[test]
    fn redaction_replaces_the_credential_and_nothing_else() {
        let found = draft(
            &format!("obs://s/{KEY}"),
            &format!("before {KEY} after"),
            json!({"input": {"args": ["-v", KEY]}, "exit": 0}),
            SecretPolicy::Redact,
        );
        let clean = entry(&found).expect("redacted").into_owned();
        assert_eq!(clean.path.parts(), ["s", REDACTED]);
        assert_eq!(clean.body, "before [REDACTED] after");
        assert_eq!(
            Value::Object(clean.attributes),
            json!({"input": {"args": ["-v", "[REDACTED]"]}, "exit": 0})
        );
    }

    #[test]
    fn a_name_beside_a_value_announces_it() {
        let secret = concat!("kolibri", "-am-meer-77");
        for found in [
            json!({"name": "DB_PASSWORD", "value": secret}),
            json!({"headers": [["X-Api-Key", secret]]}),
            json!({"args": ["run", "--password", secret]}),
            json!({"login": {"pin": 471_108}}),
            json!({"response": format!("keytool -srcstorepass d3st-Finch-10 -deststorepass {secret}")}),
        ] {
            let kept =
                entry(&draft("known://a", "x", found, SecretPolicy::Redact)).expect("redacted").into_owned();
            let text = Value::Object(kept.attributes).to_string();
            assert!(text.contains(REDACTED) && !text.contains(secret) && !text.contains("471108"), "{text}");
        }
        assert_eq!(
            rejected_field("known://a", "x", json!({"name": "colour", "value": "kolibri-blue-77"})),
            None
        );
        assert_eq!(rejected_field("known://a", "x", json!({"tokens": 4096, "port": 5432})), None);
    }

    #[test]
    fn what_the_person_allows_passes_unchanged() {
        let kept = draft("known://a", KEY, json!({}), SecretPolicy::Allow);
        assert_eq!(entry(&kept).expect("allowed").into_owned(), kept);
    }
}

//! Every text of an entry passes the guard.

use nudge_core::{Provenance, Scope, Source, Tier, Timestamp};
use nudge_secrets::REDACTED;
use serde_json::json;

use super::*;
use crate::tables::entry::EntryDraft;

/// A key in the documented shape of the vendor's example keys, split so that scanners of this
/// repository ignore it.
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
    match draft(path, body, attributes, SecretPolicy::Reject).without_secrets() {
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
    let clean = found.without_secrets().expect("redacted").into_owned();
    assert_eq!(clean.path.parts(), ["s", REDACTED]);
    assert_eq!(clean.body, "before [REDACTED] after");
    assert_eq!(Value::Object(clean.attributes), json!({"input": {"args": ["-v", "[REDACTED]"]}, "exit": 0}));
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
        let kept = draft("known://a", "x", found, SecretPolicy::Redact)
            .without_secrets()
            .expect("redacted")
            .into_owned();
        let text = Value::Object(kept.attributes).to_string();
        assert!(text.contains(REDACTED) && !text.contains(secret) && !text.contains("471108"), "{text}");
    }
    assert_eq!(rejected_field("known://a", "x", json!({"name": "colour", "value": "kolibri-blue-77"})), None);
    assert_eq!(rejected_field("known://a", "x", json!({"tokens": 4096, "port": 5432})), None);
}

#[test]
fn what_the_person_allows_passes_unchanged() {
    let kept = draft("known://a", KEY, json!({}), SecretPolicy::Allow);
    assert_eq!(kept.without_secrets().expect("allowed").into_owned(), kept);
}

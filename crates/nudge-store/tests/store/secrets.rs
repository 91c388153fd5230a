//! The secret guard at the store's boundary.

use nudge_core::{Fault, FaultKind};
use nudge_store::{Durability, SecretPolicy};
use serde_json::json;

use crate::support::{Home, NOW, body, entry, hint, read, write};

const KEY: &str = concat!("AKIA", "QZ3MFJ6T2XW7NB4D");

/// @kernel_secret_boundary: a hint with a credential anywhere is rejected, with the rule and field,
/// and nothing is stored.
#[test]
fn a_credential_is_refused_wherever_it_stands() {
    let home = Home::new();
    let store = home.open();
    let refused = |field: &str, draft: nudge_store::HintDraft| {
        let error = store.write(Durability::Stated, |writer| writer.put_hint(&draft)).expect_err("refused");
        let fault = Fault::from(error);
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::SecretRejected, "secret_detected"));
        assert_eq!(fault.data["field"], field);
        assert!(!fault.message.contains(KEY), "the refusal does not repeat the secret");
    };
    refused("value", hint("api", "deploy", &format!("AWS_ACCESS_KEY_ID={KEY} deploy")));
    refused("component", hint(KEY, "deploy", "x"));
    let mut tagged = hint("api", "deploy", "x");
    tagged.tags = vec!["ok".to_owned(), KEY.to_owned()];
    refused("tags", tagged);
    let mut explained = hint("api", "deploy", "x");
    explained.attributes.insert("meta".to_owned(), json!({"reason": format!("uses {KEY}")}));
    refused("meta.reason", explained);
    assert_eq!(store.stats().expect("counted").entries, 0);
}

/// @kernel_secret_boundary: the key of a hint counts as the name of its value.
#[test]
fn a_hint_called_password_may_not_hold_one() {
    let home = Home::new();
    let store = home.open();
    let error = store
        .write(Durability::Stated, |writer| writer.put_hint(&hint("db", "password", "xK9#mQ2vL8pR")))
        .expect_err("refused");
    assert_eq!(Fault::from(error).kind, FaultKind::SecretRejected);
}

/// @kernel_secret_boundary: the user's override stores the text as it is.
#[test]
fn what_the_person_allows_is_kept() {
    let home = Home::new();
    let store = home.open();
    let mut draft = hint("api", "key", KEY);
    draft.secrets = SecretPolicy::Allow;
    write(&store, |writer| writer.put_hint(&draft));
    assert_eq!(read(&store, |reader| reader.hints_of_key("api", "key", NOW))[0].entry.body, KEY);
}

/// @kernel_secret_boundary: captured text keeps everything but the credential.
#[test]
fn captured_text_is_redacted() {
    let home = Home::new();
    let store = home.open();
    let mut draft = entry("log://1", &format!("export AWS_ACCESS_KEY_ID={KEY}"));
    draft.secrets = SecretPolicy::Redact;
    write(&store, |writer| writer.put_entry(&draft));
    assert_eq!(body(&store, "log://1").as_deref(), Some("export AWS_ACCESS_KEY_ID=[REDACTED]"));
}

/// @secret_views: a credential is rejected in any encoding, and after any name that announces it.
#[test]
fn a_credential_is_found_in_what_a_text_decodes_to() {
    let home = Home::new();
    let store = home.open();
    let secret = concat!("eT7kgfivgSU", "oBDv17Xod");
    for text in [
        format!("password\n{secret}"),
        format!("PASSWORD = \\\n  {secret}"),
        format!("\u{1b}[32mPASSWORD\u{1b}[0m=\u{1b}[33m{secret}\u{1b}[0m"),
        format!("\u{ff30}assword\u{ff1a}{secret}"),
        format!("{{\\\"db\\\":{{\\\"password\\\":\\\"{secret}\\\"}}}}"),
        format!("+  - name: DB_PASSWORD\n+    value: {secret}"),
        format!("variable \"db_password\" {{\n  default = \"{secret}\"\n}}"),
        format!("\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}: {secret}"),
        format!("token = '{}' + '{}'", &secret[..10], &secret[10..]),
        "echo REJfUEFTU1dPUkQ9dHIwdWI0ZG9yLWFuZC0zLWtvbGlicmk= | base64 -d".to_owned(),
    ] {
        let refused = store.write(Durability::Stated, |writer| writer.put_hint(&hint("api", "note", &text)));
        assert_eq!(Fault::from(refused.expect_err(&text)).kind, FaultKind::SecretRejected, "{text}");
    }
}

/// @secret_time: a text that consists only of names is rejected or stored quickly.
#[test]
fn a_text_that_repeats_a_name_takes_no_time() {
    let began = std::time::Instant::now();
    let text = "password:".repeat(7_000);
    std::hint::black_box(nudge_secrets::redact(&text));
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}

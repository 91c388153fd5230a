//! Keys, and what happens without them.

use std::io::{Read, Write};
use std::net::TcpListener;

use nudge_models::{ErrorKind, Key, Keys, KeysError, Provider, write_key};
use nudge_testkit::ScriptedModel;
use nudge_testkit::scripted_model::Step;
use serde_json::json;

use crate::asking::{Asking, KEY};

/// @model_inert: a provider without configuration is not called, and the message says what is
/// missing.
#[tokio::test]
async fn a_provider_without_configuration_is_inert() {
    for (provider, missing) in [
        (Provider::OpenAi, "OPENAI_API_KEY"),
        (Provider::Anthropic, "ANTHROPIC_API_KEY"),
        (Provider::Ollama, "OLLAMA_BASE_URL"),
        (Provider::OpenRouter, "OPENROUTER_API_KEY"),
        (Provider::Xai, "XAI_API_KEY"),
    ] {
        let mut asking = Asking::new(provider, Vec::new());
        asking.spec.base_url = None;
        asking.keys = Keys::from_env(&|_| None).expect("nothing is set");
        assert!(!asking.keys.is_configured(provider));
        let error = asking.error().await;
        assert_eq!((error.kind, error.status), (ErrorKind::NotConfigured, None));
        assert!(error.message.contains(missing), "{error}");
        assert_eq!(asking.client.context_length(&asking.spec, &asking.keys).await, None);
        assert!(asking.server.requests().is_empty() && asking.server.lookups().is_empty());
    }
}

/// @model_inert: a local server needs an address and no key.
#[tokio::test]
async fn a_local_server_needs_no_key() {
    for provider in Provider::ALL {
        let mut asking = Asking::new(provider, Vec::new());
        asking.keys = Keys::default();
        asking.answer().await;
        assert_eq!(asking.server.requests()[0].authorization, None, "{provider}");
    }
}

/// @model_keys: a key that a provider repeats is in no message and in no debug text.
#[tokio::test]
async fn a_key_is_in_no_error() {
    let home = tempfile::tempdir().expect("a directory can be made");
    let path = home.path().join("keys.toml");
    for provider in Provider::ALL {
        write_key(&path, provider, &Key::new(KEY).expect("a key")).expect("it is written");
    }
    let body = format!(r#"{{"error":{{"message":"Incorrect API key: {KEY}\u001b[31m\n"}}}}"#);
    for provider in Provider::ALL {
        for step in [
            Step::fail(401, &body),
            Step::fail(400, &format!("plain {KEY}")),
            Step::error_inside("", json!({ "code": 400, "message": format!("no {KEY}") })),
            Step::error_inside("a", json!({ "code": 400, "message": format!("no {KEY}") })),
            Step::fail(404, &"<html> no ".repeat(900)),
        ] {
            let mut asking = Asking::new(provider, vec![step]);
            asking.keys = Keys::load(&|_| None, Some(&path)).expect("the file is private");
            asking.deadlines.server = std::time::Duration::ZERO;
            let error = asking.error().await;
            let shown = format!("{error} {error:?} {:?} {:?}", asking.keys, asking.client);
            assert!(!shown.contains(KEY), "{shown}");
            assert!(error.message.chars().count() < 400, "{error}");
            assert!(!error.message.contains(char::is_control), "{error}");
        }
    }
}

/// @model_keys: credentials of others in an error are replaced too.
#[tokio::test]
async fn other_credentials_are_in_no_error() {
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let asking = Asking::new(Provider::OpenAi, vec![Step::fail(400, &format!("bad prompt: {token}"))]);
    let message = asking.error().await.message;
    assert!(message.ends_with("answered 400: bad prompt: [REDACTED]"), "{message}");
}

/// @model_keys: a written key is used, a variable wins, and a file that others may read is refused.
#[tokio::test]
async fn keys_come_from_a_private_file_or_from_variables() {
    let home = tempfile::tempdir().expect("a directory can be made");
    let path = home.path().join("keys.toml");
    for provider in Provider::ALL {
        write_key(&path, provider, &Key::new("of-the-file-1111").expect("a key")).expect("it is written");
    }
    for provider in Provider::ALL {
        let mut asking = Asking::new(provider, Vec::new());
        asking.keys = Keys::load(&|_| None, Some(&path)).expect("the file is private");
        asking.answer().await;
        let env =
            |name: &str| (Some(name) == provider.key_variable()).then(|| "of-the-shell-2222".to_owned());
        asking.keys = Keys::load(&env, Some(&path)).expect("the file is private");
        asking.answer().await;
        let seen: Vec<_> =
            asking.server.requests().into_iter().map(|seen| seen.authorization.unwrap_or_default()).collect();
        let expected = if provider == Provider::Ollama { ["1111", "1111"] } else { ["1111", "2222"] };
        assert_eq!(seen, expected, "{provider}");
    }
}

/// @model_keys: a file that others may read is refused as a whole.
#[cfg(unix)]
#[test]
fn a_file_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().expect("a directory can be made");
    let path = home.path().join("keys.toml");
    write_key(&path, Provider::Xai, &Key::new(KEY).expect("a key")).expect("it is written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("the mode can be set");
    let refused = Keys::load(&|_| None, Some(&path)).expect_err("others may read it");
    assert!(matches!(refused, KeysError::NotPrivate { mode: 0o644, .. }), "{refused}");
}

/// @model_keys: a key is not sent without TLS to another machine, and nothing else is either.
#[tokio::test]
async fn a_key_does_not_leave_this_machine_without_tls() {
    let mut asking = Asking::new(Provider::OpenAi, Vec::new());
    asking.spec.base_url = Some("http://192.0.2.1:8080/v1".to_owned());
    let error = asking.error().await;
    assert_eq!(error.kind, ErrorKind::NotConfigured);
    assert!(error.message.contains("without TLS") && !error.message.contains(KEY), "{error}");
}

/// @model_keys: a redirect is not followed, so the key stays with the server it is for.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = ScriptedModel::start(Vec::new());
    for status in [301, 302, 307, 308] {
        let to = format!("{}/chat/completions", other.base_url("openai"));
        let asking = Asking::new(Provider::OpenAi, vec![Step::fail(status, "").header("Location", &to)]);
        let error = asking.error().await;
        assert_eq!((error.kind, error.status), (ErrorKind::Rejected, Some(status)));
    }
    assert!(other.requests().is_empty());
}

/// @model_keys: a server that speaks no TLS at an https address gets nothing of the request.
#[tokio::test]
async fn a_server_without_tls_gets_no_key() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
    let address = listener.local_addr().expect("a bound listener has an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the client connects");
        let mut got = [0; 4096];
        let count = stream.read(&mut got).expect("the client says hello");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("the client listens");
        String::from_utf8_lossy(&got[..count]).into_owned()
    });
    let mut asking = Asking::new(Provider::OpenAi, Vec::new());
    asking.spec.base_url = Some(format!("https://{address}/v1"));
    asking.deadlines.gateway = std::time::Duration::ZERO;
    let error = asking.error().await;
    assert_eq!(error.kind, ErrorKind::Network, "{error}");
    let got = server.join().expect("the server ends");
    assert!(!got.contains(KEY) && !got.contains("Who is there?"), "{got}");
}

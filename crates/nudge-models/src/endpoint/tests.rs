//! Tests of addresses.

use super::*;

fn endpoint(model: &str, base_url: Option<&str>, env: &[(&str, &str)]) -> Result<Endpoint, ModelError> {
    let get = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let keys = Keys::from_env(&get).expect("valid variables");
    let mut spec = ModelSpec::parse("m", model).expect("a valid model");
    spec.base_url = base_url.map(str::to_owned);
    Endpoint::of(&spec, &keys)
}

fn message(model: &str, base_url: Option<&str>, env: &[(&str, &str)]) -> String {
    let error = endpoint(model, base_url, env).expect_err("refused");
    assert_eq!(error.kind, ErrorKind::NotConfigured);
    error.message
}

#[test]
fn completions_are_at_the_path_of_the_protocol() {
    for (model, base_url, expected) in [
        ("openai/m", None, "https://api.openai.com/v1/chat/completions"),
        ("openai/m", Some("http://127.0.0.1:8080"), "http://127.0.0.1:8080/v1/chat/completions"),
        ("openai/m", Some("http://[::1]:8080/v1/"), "http://[::1]:8080/v1/chat/completions"),
        ("openai/m", Some("https://h/a/openai?v=1"), "https://h/a/openai/chat/completions?v=1"),
        ("anthropic/m", None, "https://api.anthropic.com/v1/messages"),
        ("anthropic/m", Some("https://h/v1"), "https://h/v1/messages"),
        ("ollama/m", Some("http://localhost:11434/api/"), "http://localhost:11434/api/chat"),
        ("openrouter/a/m", None, "https://openrouter.ai/api/v1/chat/completions"),
        ("xai/m", None, "https://api.x.ai/v1/chat/completions"),
    ] {
        let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY"];
        let found = endpoint(model, base_url, &keys.map(|name| (name, "k"))).expect(model);
        assert_eq!(found.completions().to_string(), expected);
    }
}

#[test]
fn the_address_of_the_model_wins() {
    let env = [("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")];
    assert_eq!(endpoint("openai/m", None, &env).unwrap().host(), "127.0.0.1:1");
    assert_eq!(endpoint("openai/m", Some("http://127.0.0.1:2/v1"), &env).unwrap().host(), "127.0.0.1:2");
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(
        message("xai/m", None, &[]),
        "xai is not configured: set XAI_API_KEY, or add the line xai = \"…\" to the keys file"
    );
    assert!(message("ollama/m", None, &[]).contains("OLLAMA_BASE_URL"));
    assert!(message("openai/m", None, &[]).contains("OPENAI_BASE_URL"));
    assert!(message("anthropic/m", Some("https://h"), &[]).contains("no key: set ANTHROPIC_API_KEY"));
}

#[test]
fn a_key_needs_tls_or_this_machine() {
    let key = [("OPENAI_API_KEY", "k")];
    for local in ["http://127.0.0.1:1", "http://127.9.9.9", "http://localhost:1/v1", "http://[::1]"] {
        assert!(endpoint("openai/m", Some(local), &key).is_ok(), "{local}");
    }
    for far in ["http://192.168.0.2:8080/v1", "http://localhost.example.org", "http://127.0.0.1.nip.io"] {
        assert!(message("openai/m", Some(far), &key).contains("without TLS"), "{far}");
        assert!(endpoint("openai/m", Some(far), &[]).is_ok(), "{far} without a key");
    }
}

#[test]
fn addresses_that_are_none_are_refused() {
    for bad in ["", "127.0.0.1:8080", "ftp://h/", "file:///etc/passwd", "http://"] {
        let text = message("ollama/m", Some(bad), &[]);
        assert!(text.starts_with("the address of ollama"), "{text}");
    }
    let text = message("ollama/m", Some("https://user:hunter2@h/"), &[]);
    assert!(text.contains("contains a user") && !text.contains("hunter2"));
}

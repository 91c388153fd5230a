//! Tests that agents are recognised by their traces.

use std::ffi::OsString;

use super::*;

#[test]
fn clients_are_known_by_the_names_they_send() {
    for (name, harness) in [
        ("claude-code", Some(Harness::Claude)),
        ("codex-mcp-client", Some(Harness::Codex)),
        ("copilot-cli", Some(Harness::Copilot)),
        ("gemini-cli-mcp-client", Some(Harness::Gemini)),
        ("opencode", Some(Harness::Opencode)),
        ("qwen-cli-mcp-client-probe", Some(Harness::Qwen)),
        ("@cline/core", Some(Harness::Cline)),
        ("Cursor", Some(Harness::Cursor)),
        ("claude-ai", None),
        ("curl", None),
        ("", None),
    ] {
        assert_eq!(Harness::of_client(name), harness, "{name}");
    }
}

#[test]
fn transcripts_are_known_by_their_lines() {
    let of = Harness::of_transcript;
    let codex = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a"}}"#;
    assert_eq!(of(codex), Some(Harness::Codex));
    assert_eq!(of(&codex[..codex.len() - 3]), Some(Harness::Codex), "of a line that is cut off");
    let copilot = r#"{"type":"session.start","data":{"sessionId":"a"}}"#;
    assert_eq!(of(copilot), Some(Harness::Copilot));
    let gemini = "{\n  \"sessionId\": \"a\",\n  \"messages\": [\n    {";
    assert_eq!(of(gemini), Some(Harness::Gemini));
    assert_eq!(of(r#"{"sessionId":"a","projectHash":"b"}"#), Some(Harness::Gemini));
    let claude = "{\"type\":\"summary\"}\n{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}";
    assert_eq!(of(claude), Some(Harness::Claude));
    assert_eq!(of("{\"type\":\"queue-operation\"}\nno JSON"), None);
}

fn headless(harness: Harness, attended: Option<&str>, entry: Option<&str>) -> Option<bool> {
    harness.is_headless(&|name| {
        let value = if name.ends_with("ATTENDED") { attended } else { entry };
        value.map(OsString::from)
    })
}

#[test]
fn claude_tells_whether_it_is_watched_and_nobody_is_guessed_for() {
    let claude = Harness::Claude;
    assert_eq!(headless(claude, Some("0"), Some("sdk-cli")), Some(true));
    assert_eq!(headless(claude, Some("1"), Some("sdk-ts")), Some(false));
    assert_eq!(headless(claude, None, Some("sdk-cli")), Some(true));
    assert_eq!(headless(claude, None, Some("cli")), Some(false));
    assert_eq!(headless(claude, None, Some("vscode")), None);
    assert_eq!(headless(claude, None, None), None);
    assert_eq!(headless(Harness::Codex, Some("0"), Some("sdk-cli")), None);
}

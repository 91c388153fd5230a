//! Every captured payload, and its captured event.

use nudge_harness::Harness;
use nudge_memory::capture::{CapturedEvent, EventBody};

use crate::captured_events::fixtures;

/// One paragraph per payload: where it belongs, and what is stored.
fn table(harness: Harness) -> String {
    fixtures::of(harness)
        .iter()
        .map(|(name, payload)| match fixtures::captured(harness, payload) {
            Some(captured) => format!("{name}: {}\n", line(&captured)),
            None => format!("{name}: of no session\n"),
        })
        .collect()
}

fn line(captured: &CapturedEvent) -> String {
    let mut parts = Vec::new();
    let mut part =
        |key: &str, value: Option<String>| parts.extend(value.map(|value| format!("{key}={value}")));
    part("session", Some(short(&captured.session)));
    part("turn", captured.turn.as_deref().map(short));
    part(
        "agent",
        captured
            .agent
            .as_ref()
            .map(|agent| format!("{} {}", short(&agent.id), agent.kind.as_deref().unwrap_or("-"))),
    );
    part("within", captured.identity.within_ms.map(|within| within.to_string()));
    part("at", (captured.at != fixtures::NOW).then(|| captured.at.to_string()));
    part("cwd", captured.cwd.clone().filter(|cwd| cwd != "/home/dev/project"));
    if captured.what == EventBody::Seen {
        return format!("seen | {}", parts.join(" "));
    }
    let what = serde_json::to_string(&captured.what).expect("JSON");
    let what: String =
        if what.chars().count() > 700 { what.chars().take(160).chain("…".chars()).collect() } else { what };
    format!("{}\n    {what}", parts.join(" "))
}

fn short(id: &str) -> String {
    id.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect()
}

/// @capture_kinds
#[test]
fn claude_code() {
    insta::assert_snapshot!(table(Harness::Claude));
}

/// @capture_kinds
#[test]
fn codex() {
    insta::assert_snapshot!(table(Harness::Codex));
}

/// @capture_kinds
#[test]
fn opencode() {
    insta::assert_snapshot!(table(Harness::Opencode));
}

/// @capture_kinds
#[test]
fn copilot() {
    insta::assert_snapshot!(table(Harness::Copilot));
}

/// @capture_kinds
#[test]
fn gemini() {
    insta::assert_snapshot!(table(Harness::Gemini));
}

/// @capture_kinds
#[test]
fn qwen() {
    insta::assert_snapshot!(table(Harness::Qwen));
}

/// @capture_kinds
#[test]
fn cline() {
    insta::assert_snapshot!(table(Harness::Cline));
}

/// @capture_kinds
#[test]
fn cursor_as_documented() {
    insta::assert_snapshot!(table(Harness::Cursor));
}

//! Every payload that real agents sent, through the real program.

mod replay;
mod reply;

use nudge_harness::Harness;
use replay::Replay;

/// Replays all payloads of an agent; shows what each one left in the store.
fn page(harness: Harness) -> String {
    let mut replay = Replay::new(harness);
    let payloads = replay.payloads();
    assert!(payloads.len() > 10, "only {} payloads of {}", payloads.len(), harness.name());
    payloads.iter().map(|payload| replay.send(payload)).collect()
}

/// @capture_every_payload: those of Claude Code.
#[test]
fn claude_code() {
    insta::assert_snapshot!(page(Harness::Claude));
}

/// @capture_every_payload: those of Codex.
#[test]
fn codex() {
    insta::assert_snapshot!(page(Harness::Codex));
}

/// @capture_every_payload: those of opencode.
#[test]
fn opencode() {
    insta::assert_snapshot!(page(Harness::Opencode));
}

/// @capture_every_payload: those of Copilot CLI.
#[test]
fn copilot_cli() {
    insta::assert_snapshot!(page(Harness::Copilot));
}

/// @capture_every_payload: those of Gemini CLI.
#[test]
fn gemini_cli() {
    insta::assert_snapshot!(page(Harness::Gemini));
}

/// @capture_every_payload: those of Qwen Code.
#[test]
fn qwen_code() {
    insta::assert_snapshot!(page(Harness::Qwen));
}

/// @capture_every_payload: those of Cline CLI.
#[test]
fn cline() {
    insta::assert_snapshot!(page(Harness::Cline));
}

/// @capture_every_payload: those of Cursor.
#[test]
fn cursor() {
    insta::assert_snapshot!(page(Harness::Cursor));
}

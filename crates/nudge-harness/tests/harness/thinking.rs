//! What transcripts add to hooks while a session runs: thinking, and how calls ended.

use std::time::{Duration, Instant};

use nudge_core::event::Outcome;
use nudge_harness::Harness;
use nudge_harness::transcript::{Tail, tail};
use proptest::prelude::*;
use serde_json::json;

use crate::import::{captured, read};

fn thoughts(found: &Tail) -> Vec<&str> {
    found.thinking.iter().map(|thinking| thinking.text.as_str()).collect()
}

/// @transcript_thinking
#[test]
fn thinking_is_found_where_each_agent_writes_it() {
    let claude = json!({"type": "assistant", "sessionId": "s", "timestamp": "2026-11-14T23:18:00.000Z", "agentId": "a1",
        "message": {"content": [{"type": "thinking", "thinking": "Look first.", "signature": "x"}, {"type": "redacted_thinking", "data": "y"}]}});
    let codex = json!({"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first."}]}});
    let newer = json!({"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "Reasoning", "id": "r", "summary_text": ["Look first."]}}});
    let gemini = json!({"id": "m", "type": "gemini", "timestamp": "2026-11-14T23:18:00.000Z", "thoughts": [{"subject": "Look", "description": "first."}]});
    let qwen = json!({"type": "assistant", "sessionId": "s", "message": {"parts": [{"text": "Look first.", "thought": true}, {"text": "Hi"}]}});
    let copilot =
        json!({"type": "assistant.message", "data": {"content": "Hi", "reasoningText": "Look first."}});
    for (harness, line, text) in [
        (Harness::Claude, claude, "Look first."),
        (Harness::Codex, codex, "Look first."),
        (Harness::Codex, newer, "Look first."),
        (Harness::Gemini, gemini, "Look\nfirst."),
        (Harness::Qwen, qwen, "Look first."),
        (Harness::Copilot, copilot, "Look first."),
    ] {
        // The same line again is the same thought.
        let piece = format!("cut off\"}}\n{line}\n{line}\n{{\"cut off");
        assert_eq!(thoughts(&tail(harness, &piece)), [text], "{harness:?}");
    }
    let agent = tail(
        Harness::Claude,
        &json!({"agentId": "a1", "message": {"content": [{"type": "thinking", "thinking": "x"}]}})
            .to_string(),
    );
    assert_eq!(agent.thinking[0].agent.as_ref().map(|agent| agent.id.as_str()), Some("a1"));
}

/// @transcript_thinking
#[test]
fn a_whole_transcript_tells_its_thinking_in_its_place() {
    use nudge_harness::transcript::Item;
    let text = json!({"type": "user", "sessionId": "s", "promptId": "p1", "message": {"content": "fix it"}}).to_string()
        + "\n"
        + &json!({"type": "assistant", "sessionId": "s", "message": {"content": [{"type": "thinking", "thinking": "Look first."}]}}).to_string();
    let items = read(Harness::Claude, "s.jsonl", &text);
    let found: Vec<_> = items
        .iter()
        .filter_map(|item| if let Item::Thinking(thinking) = item { Some(thinking) } else { None })
        .collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].text.as_str(), found[0].turn.as_deref()), ("Look first.", Some("p1")));
}

/// @harness_transcript_outcomes
#[test]
fn calls_that_ended_are_found_where_each_agent_writes_them() {
    let ends = |harness, name| tail(harness, &captured(harness, name)).ends;
    let of = |ends: Vec<nudge_harness::transcript::ToolEnd>, id: &str| {
        ends.into_iter().rfind(|end| end.id == id).map(|end| end.outcome)
    };
    let failed = |exit| Some(Outcome::Failed { exit });
    let claude = || ends(Harness::Claude, "transcript.jsonl");
    assert_eq!(of(claude(), "toolu_53ef8783d8ab"), failed(Some(3)));
    assert_eq!(of(claude(), "toolu_c5314a7e7e5b"), None, "its hook reported it");
    let qwen = || ends(Harness::Qwen, "transcript-chat.jsonl");
    assert_eq!(of(qwen(), "call_559792f3"), Some(Outcome::Success));
    assert_eq!(of(qwen(), "call_33f7c169"), failed(Some(3)));
    assert_eq!(of(qwen(), "call_31524cc2"), failed(None));
    let gemini = || ends(Harness::Gemini, "transcript-session.jsonl");
    assert_eq!(of(gemini(), "run_shell_command__fc4bf2e2"), Some(Outcome::Success));
    assert_eq!(of(gemini(), "run_shell_command__fc4bdce3"), failed(Some(3)));
    assert_eq!(of(gemini(), "mcp_probe_memory_search__fcf274b5"), failed(None));
    let copilot = || ends(Harness::Copilot, "transcript-events.jsonl");
    assert_eq!(of(copilot(), "call_1776f2d7"), Some(Outcome::Success));
    assert_eq!(of(copilot(), "call_9cb154b8"), failed(Some(3)));
    assert_eq!(of(copilot(), "call_d516a1df"), failed(None));
}

/// @harness_never_panics
#[test]
fn reading_takes_time_in_proportion_to_length() {
    let time = |repeats: usize| {
        let text = captured(Harness::Claude, "transcript.jsonl").repeat(repeats);
        let start = Instant::now();
        let items = read(Harness::Claude, "s.jsonl", &text);
        assert!(!items.is_empty());
        let _ = tail(Harness::Claude, &text);
        start.elapsed()
    };
    let (short, long) = (time(10), time(80));
    // Eight times as long. A machine under load may double that; a quadratic reader would need 64
    // times.
    assert!(long < short * 32 + Duration::from_millis(200), "{short:?} {long:?}");
}

fn samples() -> [(Harness, String); 4] {
    [
        (Harness::Claude, captured(Harness::Claude, "transcript.jsonl")),
        (Harness::Claude, captured(Harness::Claude, "transcript-subagent.jsonl")),
        (Harness::Codex, captured(Harness::Codex, "transcript-rollout.jsonl")),
        (Harness::Opencode, captured(Harness::Opencode, "transcript-rows.jsonl")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// @harness_never_panics
    #[test]
    fn transcripts_with_bytes_changed_are_read_to_their_end(which in 0..4usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let (harness, text) = samples()[which].clone();
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = read(harness, "s.jsonl", &text);
        for harness in Harness::ALL {
            let _ = tail(harness, &text);
        }
    }

    /// @harness_never_panics
    #[test]
    fn any_lines_of_json_are_passed_over_or_read(json in crate::anything::any_json(), kind in "(user|assistant|attachment|system|event_msg|response_item|session_meta|item_completed)", key in "(message|payload|session|parts|item|data|toolCalls|thoughts)") {
        let line = json!({"type": kind, "sessionId": "s", key: json}).to_string();
        for harness in Harness::ALL {
            let _ = tail(harness, &line);
        }
        for harness in [Harness::Claude, Harness::Codex, Harness::Opencode] {
            let _ = read(harness, "s.jsonl", &line);
        }
    }
}

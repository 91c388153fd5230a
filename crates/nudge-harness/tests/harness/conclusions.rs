//! The conclusions of the turns in whole transcripts.

use nudge_core::event::EventKind;
use nudge_harness::Harness;
use nudge_harness::transcript::{Item, Skip};
use serde_json::{Value, json};

use crate::import::{captured, read};

fn concluded(item: &Item) -> Option<&str> {
    match item {
        Item::Event(event) if event.kind == EventKind::Stop => event.message.as_deref(),
        _ => None,
    }
}

fn conclusions(items: &[Item]) -> Vec<&str> {
    items.iter().filter_map(concluded).collect()
}

fn of_lines(harness: Harness, values: &[Value]) -> Vec<Item> {
    let text: String = values.iter().map(|value| format!("{value}\n")).collect();
    read(harness, "s.jsonl", &text)
}

fn claude(kind: &str, content: Value) -> Value {
    json!({"type": kind, "sessionId": "s", "timestamp": "2026-11-14T10:00:00.000Z", "message": {"content": content}})
}

/// @capture_conclusions
#[test]
fn every_agents_transcript_tells_what_its_turns_came_to() {
    for (harness, name, turns, first) in [
        (Harness::Claude, "transcript.jsonl", 2, "All done."),
        (Harness::Codex, "transcript-rollout.jsonl", 2, "All done."),
        (Harness::Copilot, "transcript-events.jsonl", 1, "All done."),
        (Harness::Gemini, "transcript-session.jsonl", 1, "All done."),
        (Harness::Opencode, "transcript-rows.jsonl", 1, "ok"),
    ] {
        let items = read(harness, name, &captured(harness, name));
        let found = conclusions(&items);
        assert_eq!(found.len(), turns, "{}: {found:?}", harness.name());
        assert_eq!(found[0], first, "{}", harness.name());
    }
}

/// @capture_conclusions: an answer before a call is skipped, even when the call never ended.
#[test]
fn what_is_said_before_a_call_is_not_the_last_word() {
    let text = |words: &str| json!([{"type": "text", "text": words}]);
    let call =
        |id: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]);
    let beside = json!([{"type": "text", "text": "Beside."},
        {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "make"}}]);
    let items = of_lines(
        Harness::Claude,
        &[
            claude("user", "one".into()),
            claude("assistant", text("I look first.")),
            claude("assistant", call("a")),
            claude("user", json!([{"type": "tool_result", "tool_use_id": "a", "content": "ok"}])),
            claude("assistant", text("It is the lock.")),
            claude("user", "two".into()),
            claude("assistant", text("I try again.")),
            claude("assistant", call("c")),
            claude("user", "three".into()),
            claude("assistant", beside),
        ],
    );
    assert_eq!(conclusions(&items), ["It is the lock."]);
    let passed: Vec<u64> = items
        .iter()
        .filter_map(|item| match item {
            Item::Skipped { line, why: Skip::Answer } => Some(*line),
            _ => None,
        })
        .collect();
    assert_eq!(passed, [2, 7]);
}

/// @capture_conclusions: an error, a subagent's answer and Codex's commentary are not conclusions.
#[test]
fn errors_subagents_and_comments_are_no_conclusions() {
    let with = |key: &str, value: Value| {
        let mut line = claude("assistant", json!([{"type": "text", "text": "no"}]));
        line[key] = value;
        line
    };
    for line in [with("isApiErrorMessage", json!(true)), with("agentId", json!("a1"))] {
        assert_eq!(conclusions(&of_lines(Harness::Claude, &[line])), Vec::<&str>::new());
    }
    let message = |phase: &str| {
        json!({"timestamp": "2026-11-14T10:00:00.000Z", "type": "response_item", "payload": {"type": "message",
            "role": "assistant", "phase": phase, "content": [{"type": "output_text", "text": phase}]}})
    };
    let items = of_lines(Harness::Codex, &[message("final_answer"), message("commentary")]);
    assert_eq!(conclusions(&items), ["final_answer"]);
}

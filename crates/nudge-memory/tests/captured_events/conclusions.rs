//! What an agent said at the end of its turn, and its open to-dos.

use nudge_harness::Harness;
use nudge_memory::capture::EventBody;
use serde_json::json;

use crate::captured_events::fixtures::{action, captured, ended};

fn concluded(harness: Harness, payload: &serde_json::Value) -> Option<String> {
    match captured(harness, &payload.to_string()).expect("a moment").what {
        EventBody::Concluded { text, .. } => Some(text),
        _ => None,
    }
}

/// @capture_conclusions: the last words of a turn are stored and cut, for every agent with hooks
/// that send them; an error, a subagent and an empty answer leave none.
#[test]
fn the_last_words_of_a_turn_are_kept() {
    let claude = |more: serde_json::Value| {
        let mut payload = json!({"session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "Stop"});
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        payload
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        concluded(Harness::Claude, &claude(json!({"last_assistant_message": "Done."}))),
        said("Done.")
    );
    assert_eq!(concluded(Harness::Codex, &claude(json!({"last_assistant_message": "Done."}))), said("Done."));
    assert_eq!(concluded(Harness::Qwen, &claude(json!({"last_assistant_message": "Done."}))), said("Done."));
    let gemini = json!({"session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "AfterAgent",
        "prompt": "do", "prompt_response": "Done."});
    assert_eq!(concluded(Harness::Gemini, &gemini), said("Done."));
    let cursor = json!({"conversation_id": "s", "hook_event_name": "afterAgentResponse", "text": "Done.",
        "workspace_roots": ["/home/dev/project"]});
    assert_eq!(concluded(Harness::Cursor, &cursor), said("Done."));
    let long = concluded(Harness::Claude, &claude(json!({"last_assistant_message": "word ".repeat(1_000)})));
    assert!(long.is_some_and(|text| text.chars().count() <= 1_500));
    for none in [
        json!({"last_assistant_message": " "}),
        json!({}),
        json!({"last_assistant_message": "API error", "error": "rate limit", "hook_event_name": "StopFailure"}),
        json!({"last_assistant_message": "found it", "agent_id": "a1"}),
    ] {
        assert_eq!(concluded(Harness::Claude, &claude(none.clone())), None, "{none}");
    }
    let private = claude(json!({"last_assistant_message": "Done. <private>the code is 42</private>"}));
    assert!(!concluded(Harness::Claude, &private).expect("kept").contains("42"));
}

/// @capture_todos: the open items of an agent's to-do list are stored; a finished list is an empty
/// one.
#[test]
fn open_to_dos_are_kept() {
    let todos = json!({"todos": [
        {"content": "write it", "status": "completed", "activeForm": "writing"},
        {"content": "test it", "status": "in_progress", "activeForm": "testing"}]});
    assert_eq!(action(&ended("TodoWrite", todos, json!("ok"))).metadata["todos"], json!(["test it"]));
    let done = json!({"todos": [{"content": "write it", "status": "completed"}]});
    assert_eq!(action(&ended("TodoWrite", done, json!("ok"))).metadata["todos"], json!([]));
    assert!(!action(&ended("Read", json!({"file_path": "/a"}), json!("ok"))).metadata.contains_key("todos"));
}

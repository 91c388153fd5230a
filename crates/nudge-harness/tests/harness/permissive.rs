//! Fields and events that are not known yet.

use nudge_core::event::EventKind;
use nudge_harness::{Harness, ParseError, parse};
use serde_json::{Value, json};

use crate::fixtures;

/// @harness_unknown_fields
#[test]
fn unknown_fields_change_nothing() {
    for fixture in fixtures::all() {
        let mut payload: Value = serde_json::from_str(&fixture.text).expect("JSON");
        payload["a_field_of_tomorrow"] = json!({"deep": [1, null, {"er": "x"}]});
        payload["schemaVersion"] = json!(7);
        let event = parse(fixture.harness, &payload.to_string()).expect("an event");
        assert_eq!(event, fixture.event(), "{}", fixture.name);
    }
}

/// @harness_unknown_events
#[test]
fn unknown_events_are_kept_by_their_name() {
    for (harness, payload) in [
        (
            Harness::Claude,
            json!({"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p", "tool_name": "Bash"}),
        ),
        (Harness::Codex, json!({"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p"})),
        (Harness::Gemini, json!({"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p"})),
        (Harness::Qwen, json!({"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p"})),
        (Harness::Copilot, json!({"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p"})),
        (Harness::Cursor, json!({"hook_event_name": "Tomorrow", "conversation_id": "s"})),
        (Harness::Cline, json!({"hookName": "Tomorrow", "taskId": "s"})),
        (Harness::Opencode, json!({"hook": "Tomorrow", "input": {"sessionID": "s"}})),
    ] {
        let event = parse(harness, &payload.to_string()).expect("an event");
        assert_eq!((event.kind, event.name.as_str()), (EventKind::Other, "Tomorrow"), "{harness:?}");
        assert_eq!(event.session.as_deref(), Some("s"), "{harness:?}");
    }
    let nameless = parse(Harness::Copilot, r#"{"sessionId": "s", "cwd": "/p", "colour": "red"}"#);
    assert_eq!(nameless.expect("an event").kind, EventKind::Other);
}

/// @harness_permissive_fields
#[test]
fn fields_of_other_types_count_as_absent() {
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/p",
        "prompt_id": 5, "transcript_path": ["x"], "timestamp": {"a": 1}, "agent_id": false,
        "tool_name": "Bash", "tool_input": "not an object", "tool_response": 7, "duration_ms": "long",
    });
    for harness in [Harness::Claude, Harness::Codex, Harness::Qwen, Harness::Copilot] {
        let event = parse(harness, &payload.to_string()).expect("an event");
        assert_eq!((event.kind.clone(), event.prompt_id, event.agent), (EventKind::PostTool, None, None));
        let tool = event.tool.expect("a tool");
        assert_eq!((tool.input, tool.duration_ms), (json!("not an object"), None));
    }
}

/// @harness_permissive_fields
#[test]
fn tools_have_no_schema_so_any_input_is_read() {
    for input in
        [json!(null), json!([]), json!("x"), json!({"file_path": {"a": 1}}), json!({"command": [1, 2]})]
    {
        for name in
            ["Bash", "Read", "Write", "Edit", "Grep", "WebFetch", "Agent", "mcp__a__b", "apply_patch", "New"]
        {
            let payload = json!({
                "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/p",
                "tool_name": name, "tool_input": input, "tool_response": input,
            });
            let event = parse(Harness::Claude, &payload.to_string()).expect("an event");
            let used = nudge_harness::tool_use(&event).expect("a tool");
            assert_eq!((used.files.len(), used.command), (0, None), "{name} {input}");
        }
    }
}

/// @harness_refused
#[test]
fn only_what_is_no_event_at_all_is_refused() {
    for harness in Harness::ALL {
        let refused = |text: &str| parse(harness, text).expect_err(text);
        assert_eq!(refused("[]"), ParseError::NotAnObject);
        assert_eq!(refused("\"x\""), ParseError::NotAnObject);
        assert!(matches!(refused("{\"a\": "), ParseError::Malformed { line: 1, .. }));
        assert!(matches!(refused(""), ParseError::Malformed { .. }));
        assert!(matches!(refused("{} {}"), ParseError::Malformed { .. }));
        assert!(matches!(refused("{}"), ParseError::Missing(_)));
    }
    let missing = |payload: Value| parse(Harness::Claude, &payload.to_string()).map(|event| event.name);
    assert_eq!(missing(json!({"session_id": "s", "cwd": "/p"})), Err(ParseError::Missing("hook_event_name")));
    assert_eq!(
        missing(json!({"hook_event_name": "Stop", "cwd": "/p"})),
        Err(ParseError::Missing("session_id"))
    );
    assert_eq!(
        missing(json!({"hook_event_name": "Stop", "session_id": "s"})),
        Err(ParseError::Missing("cwd"))
    );
    assert_eq!(
        missing(json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/p"})),
        Ok("Stop".into())
    );
}

/// @harness_refused
#[test]
fn errors_do_not_repeat_the_payload() {
    let secret = "hunter2-hunter2";
    for text in [
        format!("{{\"password\": \"{secret}\" oops"),
        format!("[\"{secret}\"]"),
        format!("{{\"a\": \"{secret}\"}}"),
    ] {
        let error = parse(Harness::Claude, &text).expect_err("no event");
        assert!(!format!("{error} {error:?}").contains(secret));
    }
}

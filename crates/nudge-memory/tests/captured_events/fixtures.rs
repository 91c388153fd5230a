//! The captured payloads of every agent, and payloads made for a test.

use std::fs;
use std::path::Path;

use nudge_core::Timestamp;
use nudge_harness::{Harness, parse};
use nudge_memory::capture::{Action, CapturedEvent, CapturedVia, EventBody, ProjectRef, ReadContext, read};
use serde_json::{Value, json};

/// The current time in these tests: after all captured payloads.
pub(crate) const NOW: i64 = 1_794_700_000_000;

/// Surroundings that are the same in every test.
pub(crate) fn here() -> ReadContext {
    ReadContext {
        now: Timestamp::from_millis(NOW),
        project: ProjectRef {
            key: "/home/dev/project".into(),
            name: "project".into(),
            root: "/home/dev/project".into(),
            ..ProjectRef::default()
        },
        headless: None,
        via: CapturedVia::Hook,
        own_root: Some("/home/dev/.local/share/nudge".into()),
        is_own_tool: nudge_testkit::registry::has,
    }
}

/// One agent's payloads, by name, for the version its facts were measured on.
pub(crate) fn of(harness: Harness) -> Vec<(String, String)> {
    let spec = harness.spec();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nudge-harness/tests/fixtures");
    let mut found: Vec<_> = fs::read_dir(fixtures.join(spec.name).join(spec.measured))
        .expect("a folder of payloads")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| !path.ends_with("env-of-hook-process.json"))
        .map(|path| (name(&path), fs::read_to_string(&path).expect("a readable file")))
        .collect();
    found.sort();
    found
}

/// One payload by its name.
pub(crate) fn one(harness: Harness, name: &str) -> String {
    of(harness).into_iter().find(|(known, _)| known == name).expect("a payload of that name").1
}

fn name(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// The captured event of a payload.
pub(crate) fn captured(harness: Harness, payload: &str) -> Option<CapturedEvent> {
    read(&parse(harness, payload).expect("a payload that can be read"), payload, &here())
}

/// A tool call that has ended, as Claude Code reports it.
pub(crate) fn ended(tool: &str, input: Value, response: Value) -> Value {
    json!({
        "session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "PostToolUse", "tool_use_id": "t",
        "tool_name": tool, "tool_input": input, "tool_response": response,
    })
}

/// A tool call that has failed, as Claude Code reports it.
pub(crate) fn failed(tool: &str, input: Value, error: &str) -> Value {
    json!({
        "session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "PostToolUseFailure", "tool_use_id": "t",
        "tool_name": tool, "tool_input": input, "error": error,
    })
}

/// A prompt, as Claude Code reports it.
pub(crate) fn prompted(text: &str) -> Value {
    json!({
        "session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "UserPromptSubmit", "prompt_id": "p",
        "prompt": text,
    })
}

/// The body of the captured event.
pub(crate) fn what(payload: &Value) -> EventBody {
    captured(Harness::Claude, &payload.to_string()).expect("a moment").what
}

/// The action in the captured event.
pub(crate) fn action(payload: &Value) -> Action {
    match what(payload) {
        EventBody::Action(action) => action,
        other => panic!("no action but {other:?}"),
    }
}

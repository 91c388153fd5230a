//! The payload of the measured hooks: an agent's command with its output.

use serde_json::json;

/// The payload of the command with this number; no two are equal.
pub(in crate::bench) fn payload(number: usize, cwd: &str) -> String {
    let output = "test search::tests::finds_what_was_said ... ok\n".repeat(40);
    json!({
        "session_id": "0c1f9b1e-6f0a-4a53-9d1c-3f0f5f2f1a11",
        "transcript_path": format!("{cwd}/.claude/projects/engine/0c1f9b1e.jsonl"),
        "cwd": cwd,
        "prompt_id": "136d5225-ea05-4f7b-b54a-68828a2948e2",
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": format!("toolu_{number:08}"),
        "tool_input": {
            "command": format!("cargo test -p engine --lib search::tests::case_{number}"),
            "description": "Run the tests of the search",
        },
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false},
        "duration_ms": 139,
    })
    .to_string()
}

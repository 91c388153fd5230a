//! Payloads in the format of Claude Code, with made-up content.

use serde_json::{Value, json};

use super::{Again, Event, What};

/// The number of projects that the lanes work in: a few, as one user has.
const PROJECTS: usize = 5;

/// A line of output.
const OUTPUT: &str = "test search::tests::finds_what_was_said ... ok\n";

/// A line of a file.
const SOURCE: &str = "    let found = index.search(&query, limit)?; // in the order people expect\n";

/// One session of one lane.
pub(super) struct Setting {
    pub(super) session: String,
    cwd: String,
    transcript: String,
}

impl Setting {
    pub(super) fn new(home: &str, lane: usize, ordinal: usize) -> Self {
        let session = format!("5e551011-0000-4000-8000-{:06}{:06}", lane, ordinal);
        let transcript = format!("{home}/.claude/projects/work/{session}.jsonl");
        Self { session, cwd: format!("{home}/{}", project(lane)), transcript }
    }

    pub(super) fn event(&self, what: What, marker: &str, turn: usize, again: Option<Again>) -> Event {
        let mut payload = json!({
            "session_id": self.session, "transcript_path": self.transcript, "cwd": self.cwd,
        });
        let prompt = format!("0000{turn:04}-0000-4000-8000-{}", &self.session[24..]);
        if what != What::Start {
            payload["prompt_id"] = prompt.into();
        }
        for (name, value) in self.particulars(what, marker).as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        // The stored form of these has no room for a marker, but a session has one of each.
        let key = match what {
            What::Start => format!("{}/session_start", self.session),
            What::End => format!("{}/session_end", self.session),
            _ => marker.to_owned(),
        };
        Event { key, what, payload: payload.to_string(), again }
    }

    fn particulars(&self, what: What, marker: &str) -> Value {
        match what {
            What::Start => json!({"hook_event_name": "SessionStart", "source": "startup"}),
            What::End => json!({"hook_event_name": "SessionEnd", "reason": "other"}),
            What::Stop => json!({
                "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false,
                "last_assistant_message": format!("Done with {marker}."), "background_tasks": [], "session_crons": [],
            }),
            What::SilentStop => json!({
                "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false,
                "background_tasks": [marker], "session_crons": [],
            }),
            What::Prompt => json!({
                "hook_event_name": "UserPromptSubmit", "permission_mode": "default",
                "prompt": format!("Please make {marker} work as the README says, and show me the tests that prove it."),
            }),
            What::Failure => {
                let mut call = call("PostToolUseFailure", marker, "Bash", &command(marker));
                call["error"] = format!("Exit code 101\n{}", OUTPUT.repeat(5)).into();
                call["is_interrupt"] = false.into();
                call
            }
            What::Command => {
                let mut call = call("PostToolUse", marker, "Bash", &command(marker));
                call["tool_response"] = json!({"stdout": OUTPUT.repeat(12), "stderr": "", "interrupted": false, "isImage": false});
                call
            }
            What::Mcp => {
                let mut call = call(
                    "PostToolUse",
                    marker,
                    "mcp__tracker__search_issues",
                    &json!({"query": format!("who changed {marker}")}),
                );
                call["tool_response"] = json!("{\"hits\":[]}");
                call
            }
            What::Read => {
                let path = self.file(marker);
                let mut call = call("PostToolUse", marker, "Read", &json!({"file_path": path}));
                let file = json!({
                    "filePath": path, "content": SOURCE.repeat(40), "numLines": 41, "startLine": 1, "totalLines": 41,
                });
                call["tool_response"] = json!({"type": "text", "file": file});
                call
            }
            What::Edit => self.edit(marker),
            What::Write => {
                let path = self.file(marker);
                let content = SOURCE.repeat(30);
                let mut call =
                    call("PostToolUse", marker, "Write", &json!({"file_path": path, "content": content}));
                call["tool_response"] = json!({
                    "type": "create", "filePath": path, "content": content, "structuredPatch": [],
                    "originalFile": null, "userModified": false,
                });
                call
            }
        }
    }

    fn edit(&self, marker: &str) -> Value {
        let path = self.file(marker);
        let (old, new) = ("    let limit = 20;", "    let limit = settings.limit;");
        let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": false});
        let mut call = call("PostToolUse", marker, "Edit", &input);
        let lines = [SOURCE.trim_end(), old, new].into_iter().zip([" ", "-", "+"]);
        let lines: Vec<String> = lines.map(|(line, sign)| format!("{sign}{line}")).collect();
        call["tool_response"] = json!({
            "filePath": path, "oldString": old, "newString": new, "originalFile": SOURCE.repeat(40),
            "structuredPatch": [{"oldStart": 12, "oldLines": 2, "newStart": 12, "newLines": 2, "lines": lines}],
            "userModified": false, "replaceAll": false,
        });
        call
    }

    /// A file that no other event names.
    fn file(&self, marker: &str) -> String {
        format!("{}/src/{marker}.rs", self.cwd)
    }
}

/// The directory of a lane's project.
pub(in crate::drill::capture) fn project(lane: usize) -> String {
    format!("project-{}", lane % PROJECTS)
}

fn command(marker: &str) -> Value {
    json!({"command": format!("cargo test -p engine --lib {marker} -- --nocapture"), "description": "Run the tests"})
}

fn call(event: &str, marker: &str, tool: &str, input: &Value) -> Value {
    json!({
        "hook_event_name": event, "permission_mode": "default", "effort": {"level": "medium"},
        "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{marker}"), "duration_ms": 42,
    })
}

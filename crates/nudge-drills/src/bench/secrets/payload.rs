//! The payloads that an agent's hooks would send: those of Claude Code, with a case in its place.

use std::path::Path;

use serde_json::{Value, json};

use super::case::{Case, Place};
use super::entry_points::EntryPoint;

/// A session in its own project.
pub(super) struct Session<'h> {
    pub(super) id: String,
    pub(super) home: &'h Path,
}

impl Session<'_> {
    /// The path of its transcript.
    pub(super) fn transcript(&self) -> std::path::PathBuf {
        self.home.join("transcripts").join(format!("{}.jsonl", self.id))
    }

    /// All payloads of a case, in order. Those stored word for word come first.
    pub(super) fn payloads(&self, case: &Case) -> Vec<Value> {
        let text = case.text.as_str();
        let mut all = vec![self.prompt(case, text)];
        match case.place {
            Place::Prompt => {}
            Place::Command | Place::Env => {
                all.push(self.tool(case, 1, "Bash", json!({"command": text}), shell("")))
            }
            Place::Header => {
                let lines: Vec<String> = text.lines().map(|line| format!("-H '{line}'")).collect();
                let command = format!("curl -sS {} https://api.corvid.example/v1", lines.join(" "));
                all.push(self.tool(case, 1, "Bash", json!({"command": command}), shell("")));
            }
            Place::File => {
                let file = self.home.join("project/settings.txt");
                let input = json!({"file_path": file, "content": text});
                all.push(self.tool(
                    case,
                    1,
                    "Write",
                    input,
                    json!({"type": "create", "filePath": file, "content": text}),
                ));
                let input =
                    json!({"file_path": file, "old_string": "x", "new_string": text, "replace_all": false});
                let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
                let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": lines.len(), "lines": lines}]);
                all.push(self.tool(
                    case,
                    2,
                    "Edit",
                    input,
                    json!({"filePath": file, "structuredPatch": patch}),
                ));
                let read = json!({"type": "text", "file": {"filePath": file, "content": text}});
                all.push(self.tool(case, 3, "Read", json!({"file_path": file}), read));
            }
            Place::Path => {
                all.push(self.tool(
                    case,
                    1,
                    "Read",
                    json!({"file_path": text}),
                    json!({"type": "text", "file": {"filePath": text}}),
                ));
                all.push(self.tool(
                    case,
                    2,
                    "Write",
                    json!({"file_path": text, "content": "x\n"}),
                    json!({"filePath": text}),
                ));
            }
            Place::Url => {
                let input = json!({"url": text, "prompt": "sum it up"});
                all.push(self.tool(
                    case,
                    1,
                    "WebFetch",
                    input,
                    json!({"url": text, "code": 200, "result": "done"}),
                ));
            }
            Place::Json => {
                let input = serde_json::from_str(text).unwrap_or_else(|_| json!({"body": text}));
                let response = Value::String(text.to_owned());
                all.push(self.tool(case, 1, "mcp__probe__send", input, response));
            }
            Place::Thinking => all.push(self.stop(case)),
            Place::Output => {
                let error = format!("Exit code 1\n{text}");
                all.push(self.failure(case, 1, json!({"command": "./deploy.sh"}), &error));
                all.push(self.tool(
                    case,
                    2,
                    "Bash",
                    json!({"command": "./deploy.sh --verbose"}),
                    shell(text),
                ));
            }
        }
        all
    }

    /// The one event that carries a text through an entry point.
    pub(super) fn through(&self, entry_point: EntryPoint, case: &Case) -> Option<Value> {
        let text = case.text.as_str();
        let file = self.home.join("project/settings.txt");
        Some(match entry_point {
            EntryPoint::Prompt => self.prompt(case, text),
            EntryPoint::Command => self.tool(case, 1, "Bash", json!({"command": text}), shell("")),
            EntryPoint::Output => {
                self.failure(case, 1, json!({"command": "./deploy.sh"}), &format!("Exit code 1\n{text}"))
            }
            EntryPoint::Edit => {
                let input =
                    json!({"file_path": file, "old_string": "x", "new_string": text, "replace_all": false});
                let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
                let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": lines.len(), "lines": lines}]);
                self.tool(case, 1, "Edit", input, json!({"filePath": file, "structuredPatch": patch}))
            }
            EntryPoint::Write => {
                let input = json!({"file_path": file, "content": text});
                let made = json!({"type": "create", "filePath": file, "content": text});
                self.tool(case, 1, "Write", input, made)
            }
            EntryPoint::Mcp => {
                let input = json!({"channel": "ops", "message": text});
                self.tool(case, 1, "mcp__chat__send", input, json!("sent"))
            }
            EntryPoint::Set | EntryPoint::Import | EntryPoint::Hints => return None,
        })
    }

    fn common(&self, case: &Case, event: &str) -> Value {
        json!({
            "session_id": self.id,
            "transcript_path": self.transcript(),
            "cwd": self.home.join("project"),
            "prompt_id": format!("prompt-{}", case.id),
            "permission_mode": "default",
            "hook_event_name": event,
        })
    }

    fn prompt(&self, case: &Case, text: &str) -> Value {
        with(self.common(case, "UserPromptSubmit"), json!({"prompt": text}))
    }

    fn stop(&self, case: &Case) -> Value {
        with(self.common(case, "Stop"), json!({"stop_hook_active": false, "last_assistant_message": "Done."}))
    }

    fn tool(&self, case: &Case, number: usize, tool: &str, input: Value, response: Value) -> Value {
        let call = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": format!("toolu_{}_{number}", case.id), "duration_ms": 5,
        });
        with(self.common(case, "PostToolUse"), call)
    }

    fn failure(&self, case: &Case, number: usize, input: Value, error: &str) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": input, "error": error, "is_interrupt": false,
            "tool_use_id": format!("toolu_{}_{number}", case.id), "duration_ms": 5,
        });
        with(self.common(case, "PostToolUseFailure"), call)
    }
}

/// The response of a shell.
fn shell(stdout: &str) -> Value {
    json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false})
}

/// Transcript lines with the same content as a session: prompt, thinking, call, result.
pub(super) fn transcript_lines(case: &Case, session: &str, cwd: &Path, number: usize) -> Vec<Value> {
    let text = case.text.as_str();
    let minute = number / 60 % 60;
    let at = |second: usize| {
        format!("2026-11-14T{:02}:{minute:02}:{:02}.{second:03}Z", number / 3600, number % 60)
    };
    let line = |part: usize, kind: &str, content: Value| {
        json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "sessionId": session, "cwd": cwd, "version": "2.1.325",
            "uuid": format!("{session}-{number}-{part}"), "timestamp": at(part), "userType": "external", "gitBranch": "main",
            "promptId": format!("import-{}", case.id),
            "message": {"role": kind, "id": format!("msg_{number}_{part}"), "type": "message", "model": "m", "content": content},
        })
    };
    let call = format!("toolu_import_{}", case.id);
    vec![
        line(1, "user", json!(text)),
        line(2, "assistant", json!([{"type": "thinking", "thinking": text, "signature": "x"}])),
        line(
            3,
            "assistant",
            json!([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text}}]),
        ),
        line(
            4,
            "user",
            json!([{"type": "tool_result", "tool_use_id": call, "is_error": true, "content": text}]),
        ),
    ]
}

fn with(mut payload: Value, more: Value) -> Value {
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload
}

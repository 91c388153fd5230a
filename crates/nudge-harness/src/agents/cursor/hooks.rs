//! Cursor: what its hooks send and accept.

use nudge_core::event::{EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::{Map, Value, json};

use super::spec::SPEC;
use crate::hooks::{Answer, Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let name = fields.required(&["hook_event_name"])?;
    fields.required(&["conversation_id", "session_id"])?;
    let mut event = event::read(&SPEC, &name, fields);
    if let EventKind::SessionStart { source } = &mut event.kind {
        // It fires only for new conversations, so it gives no reason.
        *source = StartSource::Startup;
    }
    event.cwd = event.cwd.or_else(|| fields.first_of("workspace_roots"));
    event.harness_version = fields.text(&["cursor_version"]);
    event.message = event.message.or_else(|| fields.text(&["summary", "text"]));
    if event.tool.is_none() {
        event.tool = special_tool(&name, fields);
    } else if let Some(tool) = event.tool.as_mut().filter(|tool| tool.response.is_none()) {
        tool.response = fields.take(&["result_json"]);
    }
    Ok(event)
}

/// The tool of an event that concerns only one tool and does not name it.
fn special_tool(event: &str, fields: &mut Fields) -> Option<ToolCall> {
    let (name, keys): (&str, &[&str]) = match event {
        "beforeShellExecution" | "afterShellExecution" => ("Shell", &["command"]),
        "beforeReadFile" => ("Read", &["file_path"]),
        "afterFileEdit" => ("Edit", &["file_path", "edits"]),
        _ => return None,
    };
    let mut tool = ToolCall::new(name);
    let input: Map<_, _> =
        keys.iter().filter_map(|key| Some(((*key).to_owned(), fields.take(&[key])?))).collect();
    tool.input = Value::Object(input);
    tool.response = fields.take(&["output"]).map(|output| json!({"output": output}));
    tool.duration_ms = fields.count(&["duration"]);
    Some(tool)
}

/// Failures have their own event; a command's output is JSON inside a string.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Success);
    }
    let output = call.response.clone().map(event::parse_nested_json);
    let status =
        output.as_ref().and_then(|output| output.get("exitCode").or_else(|| output.get("exit_code")));
    tool::outcome_of_status(status.and_then(Value::as_i64).and_then(|status| i32::try_from(status).ok()))
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    dialect::flat("additional_context", context)
}

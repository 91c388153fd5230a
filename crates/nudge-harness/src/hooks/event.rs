//! Reads the fields that most agents share, under any of their names.
//!
//! Six of eight agents use variants of one format: flat objects in snake or camel case. Code for
//! one agent only is in that agent's module.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, McpName, StartSource, ToolCall};
use serde_json::{Value, json};

use super::{Answer, prompt};
use crate::payload::{Fields, ParseError};
use crate::spec::{HarnessSpec, HookPoint};

/// The event of a payload that must name its event, session and working directory.
pub(crate) fn read_with_cwd(spec: &HarnessSpec, fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let name = fields.required(&["hook_event_name"])?;
    fields.required(&["session_id"])?;
    fields.required(&["cwd"])?;
    Ok(read(spec, &name, fields))
}

/// The event of that name, with every shared field in the payload.
pub(crate) fn read(spec: &HarnessSpec, name: &str, fields: &mut Fields) -> HookEvent {
    let known = spec.event(name);
    let point = known.map_or(HookPoint::Other, |event| event.point);
    let mut event = HookEvent::new(spec.name, name, kind(point, fields));
    event.repeats = known.is_some_and(|event| event.repeats);
    event.session = fields.text(&["session_id", "sessionId", "conversation_id"]);
    event.prompt_id = fields.text(&["prompt_id", "turn_id", "generation_id"]);
    event.cwd = fields.text(&["cwd"]);
    event.transcript = fields.text(&["transcript_path", "transcriptPath"]);
    event.agent = agent(fields);
    event.at = fields.point("timestamp");
    event.permission_mode = fields.text(&["permission_mode"]);
    event.model = fields.text(&["model"]);
    event.tool = tool(fields);
    event.prompt = (point == HookPoint::Prompt).then(|| prompt::read(fields));
    event.message = message(point, fields);
    event
}

/// If a turn ended with an error, the message is the program's report, not the agent's words, so it
/// is left out.
fn message(point: HookPoint, fields: &Fields) -> Option<String> {
    let failed = point == HookPoint::Stop && fields.get("error").is_some_and(|error| !error.is_null());
    let names = ["last_assistant_message", "compact_summary", "prompt_response", "response", "message"];
    (!failed).then(|| fields.text(&names)).flatten()
}

/// The kind of the event, with the values that belong to it.
pub(crate) fn kind(point: HookPoint, fields: &Fields) -> EventKind {
    match point {
        HookPoint::SessionStart => EventKind::SessionStart {
            source: StartSource::from_word(&fields.text(&["source"]).unwrap_or_default()),
        },
        HookPoint::SessionEnd => EventKind::SessionEnd { reason: fields.text(&["reason"]) },
        HookPoint::Prompt => EventKind::Prompt,
        HookPoint::PreTool => EventKind::PreTool,
        HookPoint::PostTool => EventKind::PostTool,
        HookPoint::ToolFailure => EventKind::ToolFailure,
        HookPoint::Stop => EventKind::Stop,
        HookPoint::SubagentStart => EventKind::SubagentStart,
        HookPoint::SubagentStop => EventKind::SubagentStop,
        HookPoint::PreCompact => EventKind::PreCompact { trigger: fields.text(&["trigger"]) },
        HookPoint::PostCompact => EventKind::PostCompact { trigger: fields.text(&["trigger"]) },
        HookPoint::Notification => EventKind::Notification,
        HookPoint::Batch => EventKind::Batch { tool_use_ids: batch_ids(fields) },
        HookPoint::Other => EventKind::Other,
    }
}

fn batch_ids(fields: &Fields) -> Vec<String> {
    let calls = fields.get("tool_calls").and_then(Value::as_array);
    let id = |call: &Value| call.get("tool_use_id")?.as_str().map(Into::into);
    calls.into_iter().flatten().filter_map(id).collect()
}

/// A type without an id is the session's own agent, not a subagent.
fn agent(fields: &Fields) -> Option<AgentLabel> {
    Some(AgentLabel {
        id: fields.text(&["agent_id", "agentId", "subagent_id"])?,
        kind: fields.text(&["agent_type", "agentType", "subagent_type"]),
        parent: fields.text(&["parent_agent_id", "parentAgentId"]),
    })
}

fn tool(fields: &mut Fields) -> Option<ToolCall> {
    let mut tool = ToolCall::new(&fields.text(&["tool_name", "toolName"])?);
    tool.id = fields.text(&["tool_use_id"]);
    tool.provider_id = fields.text(&["tool_call_id"]);
    tool.mcp = mcp(fields, &tool.name);
    tool.input = fields.take(&["tool_input", "toolArgs", "toolInput"]).map_or(Value::Null, parse_nested_json);
    tool.response = fields.take(&["tool_response", "tool_result", "toolResult", "tool_output"]);
    tool.error = fields.take(&["error", "error_message"]).and_then(error_text);
    tool.interrupted = fields.flag("is_interrupt");
    tool.duration_ms = fields.count(&["duration_ms", "duration"]);
    Some(tool)
}

/// The MCP server, where the payload names it separately from the tool.
fn mcp(fields: &mut Fields, tool: &str) -> Option<McpName> {
    let context = fields.take_object(&["mcp_context"]);
    if let (Some(server), Some(tool)) = (context.text(&["server_name"]), context.text(&["tool_name"])) {
        return Some(McpName { server, tool });
    }
    let server =
        fields.take_object(&["mcp_server"]).text(&["name"]).or_else(|| fields.text(&["mcp_server_name"]))?;
    let bare =
        tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(tool, |(_, bare)| bare);
    Some(McpName { server, tool: bare.strip_prefix("MCP:").unwrap_or(bare).trim().to_owned() })
}

/// An error is a string, or an object with a message.
pub(crate) fn error_text(error: Value) -> Option<String> {
    match error {
        Value::String(text) => Some(text),
        Value::Object(map) => map.get("message").and_then(Value::as_str).map(Into::into),
        _ => None,
    }
}

/// Some agents send the input as a JSON object inside a string.
pub(crate) fn parse_nested_json(input: Value) -> Value {
    match input {
        Value::String(text) if text.trim_start().starts_with('{') => {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
        other => other,
    }
}

// Answer formats that several agents share.

/// Claude Code's format, also used by Codex, Gemini CLI and Qwen Code: context under the event's
/// name, the user's message next to it.
pub(crate) fn nested(event: &HookEvent, context: Option<&str>, notice: Option<&str>) -> Answer {
    let mut answer = Answer::new();
    if let Some(notice) = notice {
        answer.insert("systemMessage".into(), notice.into());
    }
    if let Some(context) = context {
        let inner = json!({"hookEventName": event.name, "additionalContext": context});
        answer.insert("hookSpecificOutput".into(), inner);
    }
    answer
}

/// One key, without a message to the user.
pub(crate) fn flat(key: &str, context: Option<&str>) -> Answer {
    context.map(|context| (key.to_owned(), Value::from(context))).into_iter().collect()
}

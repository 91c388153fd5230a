//! Cursor. Not measured: read from its published types and documentation.

use nudge_core::event::{EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::{Map, Value, json};

use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::reply::Answer;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cursor",
    title: "Cursor",
    measured: "1.0.32",
    events: &[
        EventSpec::context("sessionStart", Moment::SessionStart),
        EventSpec::silent("sessionEnd", Moment::SessionEnd),
        EventSpec::context("beforeSubmitPrompt", Moment::Prompt),
        EventSpec::context("preToolUse", Moment::PreTool),
        EventSpec::context("postToolUse", Moment::PostTool),
        EventSpec::context("postToolUseFailure", Moment::ToolFailure),
        EventSpec::context("subagentStart", Moment::SubagentStart),
        // Context given here would go to a subagent that is done.
        EventSpec::silent("subagentStop", Moment::SubagentStop),
        EventSpec::silent("preCompact", Moment::PreCompact),
        EventSpec::silent("stop", Moment::Stop),
        // Each of these tells again what preToolUse and postToolUse tell.
        EventSpec::repeat("beforeShellExecution", Moment::PreTool),
        EventSpec::repeat("afterShellExecution", Moment::PostTool),
        EventSpec::repeat("beforeMCPExecution", Moment::PreTool),
        EventSpec::repeat("afterMCPExecution", Moment::PostTool),
        EventSpec::repeat("beforeReadFile", Moment::PreTool),
        EventSpec::repeat("afterFileEdit", Moment::PostTool),
        EventSpec::silent("beforeTabFileRead", Moment::Other),
        EventSpec::silent("afterTabFileEdit", Moment::Other),
        EventSpec::silent("afterAgentResponse", Moment::Other),
        EventSpec::silent("afterAgentThought", Moment::Other),
        EventSpec::silent("workspaceOpen", Moment::Other),
    ],
    tools: &[
        ("Shell", ToolKind::Command),
        ("Read", ToolKind::Read),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("StrReplace", ToolKind::Edit),
        ("Delete", ToolKind::Edit),
        ("Grep", ToolKind::Search),
        ("Glob", ToolKind::Search),
        ("LS", ToolKind::Search),
        ("WebFetch", ToolKind::WebFetch),
        ("WebSearch", ToolKind::WebSearch),
        ("Task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::Colon,
    // One character more and nothing is delivered.
    limit: Limit::Utf16(10_000),
    patience: Patience::millis(60_000),
    session_env: &[],
    silence: "{}",
    traps: &[
        "Context over 10,000 characters is refused with an error, not cut.",
        "Hooks and plugins of Claude Code are loaded too: with both installed every event fires twice.",
        "The answer of preToolUse may hold a permission; ours never does, so that the person is still asked.",
    ],
    read,
    outcome,
    emit,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let name = fields.required(&["hook_event_name"])?;
    fields.required(&["conversation_id", "session_id"])?;
    let mut event = event::read(&SPEC, &name, fields);
    if let EventKind::SessionStart { source } = &mut event.kind {
        // It fires for new conversations alone, and so says nothing of why.
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

/// The tool of an event that is about one tool only and does not name it.
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

/// Failures have their own event; the output of a command is JSON inside a text.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Success);
    }
    let output = call.response.clone().map(event::unpacked);
    let status =
        output.as_ref().and_then(|output| output.get("exitCode").or_else(|| output.get("exit_code")));
    tool::told(status.and_then(Value::as_i64).and_then(|status| i32::try_from(status).ok()))
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    reply::flat("additional_context", context)
}

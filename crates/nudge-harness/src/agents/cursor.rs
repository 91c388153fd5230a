//! Cursor: the facts, and what its hooks send and accept.

use nudge_core::event::{EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::hooks::{Answer, Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};
use crate::tool;
use crate::transcript::Format;

pub(super) const AGENT: Agent =
    Agent { hooks: HOOKS, transcript: Format::NONE, installer: None, manual_steps: MANUAL_STEPS };

const MANUAL_STEPS: &[&str] = &[
    "If Claude Code is installed with Nudge, Cursor loads its hooks already: leave this step out.\n\
     Otherwise, in ~/.cursor/hooks.json, add to \"hooks\" for each of the events sessionStart, beforeSubmitPrompt,\n\
     postToolUse, postToolUseFailure, preCompact, afterAgentResponse, stop and sessionEnd:\n\
     [{\"command\": \"{nudge} hook cursor\", \"timeout\": 5}]",
    "In ~/.cursor/mcp.json, add to \"mcpServers\":\n\
     \"nudge\": {\"command\": \"{nudge}\", \"args\": [\"serve\"]}",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

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
    event::flat("additional_context", context)
}

// Cursor: the facts. Not measured: read from its published types and documentation.

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cursor",
    title: "Cursor",
    measured: "1.0.32",
    events: &[
        EventSpec::context("sessionStart", HookPoint::SessionStart),
        EventSpec::silent("sessionEnd", HookPoint::SessionEnd),
        EventSpec::context("beforeSubmitPrompt", HookPoint::Prompt),
        EventSpec::context("preToolUse", HookPoint::PreTool),
        EventSpec::context("postToolUse", HookPoint::PostTool),
        EventSpec::context("postToolUseFailure", HookPoint::ToolFailure),
        EventSpec::context("subagentStart", HookPoint::SubagentStart),
        // Context given here would go to a subagent that has finished.
        EventSpec::silent("subagentStop", HookPoint::SubagentStop),
        EventSpec::silent("preCompact", HookPoint::PreCompact),
        EventSpec::silent("stop", HookPoint::Stop),
        // It has the agent's last message, which `stop` lacks.
        EventSpec::silent("afterAgentResponse", HookPoint::Stop),
        // Each of these repeats preToolUse or postToolUse.
        EventSpec::repeat("beforeShellExecution", HookPoint::PreTool),
        EventSpec::repeat("afterShellExecution", HookPoint::PostTool),
        EventSpec::repeat("beforeMCPExecution", HookPoint::PreTool),
        EventSpec::repeat("afterMCPExecution", HookPoint::PostTool),
        EventSpec::repeat("beforeReadFile", HookPoint::PreTool),
        EventSpec::repeat("afterFileEdit", HookPoint::PostTool),
        EventSpec::silent("beforeTabFileRead", HookPoint::Other),
        EventSpec::silent("afterTabFileEdit", HookPoint::Other),
        EventSpec::silent("afterAgentThought", HookPoint::Other),
        EventSpec::silent("workspaceOpen", HookPoint::Other),
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
    // With one character more, nothing is delivered.
    limit: Limit::Utf16(10_000),
    timeout: HookTimeout::millis(60_000),
    session_env: &[],
    traces: Traces {
        variables: &["CURSOR_AGENT"],
        programs: &["cursor-agent"],
        packages: &[],
        clients: &["cursor"],
    },
    unseen_ends: &[],
    silence: "{}",
    traps: &[
        "Context over 10,000 characters is refused with an error, not cut.",
        "Hooks and plugins of Claude Code are loaded too: with both installed every event fires twice.",
        "The answer of preToolUse may hold a permission; ours never does, so that the person is still asked.",
    ],
};

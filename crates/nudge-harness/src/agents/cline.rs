//! Cline CLI: the facts, and what its hooks send and accept.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::Value;

use crate::agent::Agent;
use crate::hooks::{Answer, Hooks, event, prompt};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};
use crate::tool;
use crate::transcript::Format;

pub(super) const AGENT: Agent =
    Agent { hooks: HOOKS, transcript: Format::NONE, installer: None, manual_steps: MANUAL_STEPS };

const MANUAL_STEPS: &[&str] = &[
    "For each of the events TaskStart, TaskResume, UserPromptSubmit, PostToolUse, TaskComplete and TaskCancel,\n\
     make an executable file of that name in ~/.cline/hooks:\n\
     #!/bin/sh\n\
     exec {nudge} hook cline",
    "Register the MCP server: cline mcp add nudge --yes -- {nudge} serve",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let name = fields.required(&["hookName"])?;
    let task = fields.text(&["taskId"]);
    let root = fields.take_object(&["sessionContext"]).text(&["rootSessionId"]);
    let session = root.or(task).ok_or(ParseError::Missing("taskId"))?;
    let point = SPEC.event(&name).map_or(HookPoint::Other, |event| event.point);
    let mut read = HookEvent::new(SPEC.name, &name, kind(&name, point, fields));
    read.session = Some(session);
    read.harness_version = fields.text(&["clineVersion"]);
    read.at = fields.point("timestamp");
    read.cwd = fields
        .take_object(&["workspaceInfo"])
        .text(&["rootPath"])
        .or_else(|| fields.first_of("workspaceRoots"));
    read.agent = subagent(fields);
    read.tool = call(fields);
    if read.tool.is_some() && fields.take_object(&["postToolUse"]).get("success") == Some(&Value::Bool(false))
    {
        read.kind = EventKind::ToolFailure;
    }
    read.message = fields.take_object(&["turn"]).text(&["outputText"]);
    if point == HookPoint::Prompt {
        let inner = fields.take_object(&["userPromptSubmit"]).any_text(&["prompt"]);
        read.prompt = Some(prompt::classify_prompt(
            &inner.or_else(|| fields.any_text(&["prompt"])).unwrap_or_default(),
        ));
    }
    Ok(read)
}

fn kind(name: &str, point: HookPoint, fields: &Fields) -> EventKind {
    match name {
        "agent_start" => EventKind::SessionStart { source: StartSource::Startup },
        "agent_resume" => EventKind::SessionStart { source: StartSource::Resume },
        _ => event::kind(point, fields),
    }
}

fn subagent(fields: &Fields) -> Option<AgentLabel> {
    let parent = fields.text(&["parent_agent_id"])?;
    Some(AgentLabel { id: fields.text(&["agent_id"])?, kind: None, parent: Some(parent) })
}

fn call(fields: &mut Fields) -> Option<ToolCall> {
    let mut inner = fields.take_object(&["tool_result", "tool_call"]);
    let mut tool = ToolCall::new(&inner.text(&["name"])?);
    tool.id = inner.text(&["id"]);
    tool.input = inner.take(&["input"]).map_or(Value::Null, event::parse_nested_json);
    tool.response = inner.take(&["output"]);
    tool.error = inner.take(&["error"]).and_then(event::error_text);
    tool.duration_ms = inner.count(&["durationMs"]);
    Some(tool)
}

/// A call may run several commands, each with its own result; the first failure decides.
fn outcome(call: &ToolCall, _: ToolKind) -> Outcome {
    let Some(output) = &call.response else { return Outcome::Unknown };
    if let Some(outcome) = tool::mcp_outcome(Some(output)) {
        return outcome;
    }
    let results = output.as_array().map_or(std::slice::from_ref(output), Vec::as_slice);
    let succeeded = |result: &Value| result.get("success").and_then(Value::as_bool);
    match results.iter().find(|result| succeeded(result) == Some(false)) {
        Some(failed) => {
            let error = failed.get("error").and_then(Value::as_str);
            Outcome::Failed { exit: error.and_then(tool::in_sentence) }
        }
        None if !results.is_empty() && results.iter().all(|result| succeeded(result) == Some(true)) => {
            Outcome::Success
        }
        None => Outcome::Unknown,
    }
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    event::flat("context", context)
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cline",
    title: "Cline CLI",
    measured: "3.0.65",
    // Names as in the payloads. The registered files are called TaskStart, PreToolUse and so on.
    events: &[
        EventSpec::silent("agent_start", HookPoint::SessionStart),
        EventSpec::silent("agent_resume", HookPoint::SessionStart),
        EventSpec::silent("prompt_submit", HookPoint::Prompt),
        EventSpec::context("tool_call", HookPoint::PreTool),
        EventSpec::context("tool_result", HookPoint::PostTool),
        EventSpec::silent("agent_end", HookPoint::Stop),
        EventSpec::silent("agent_abort", HookPoint::Stop),
        EventSpec::silent("agent_error", HookPoint::Stop),
        EventSpec::silent("session_shutdown", HookPoint::SessionEnd),
    ],
    tools: &[
        ("run_commands", ToolKind::Command),
        ("execute_command", ToolKind::Command),
        ("read_files", ToolKind::Read),
        ("read_file", ToolKind::Read),
        ("write_to_file", ToolKind::Write),
        ("replace_in_file", ToolKind::Edit),
        ("editor", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("search_codebase", ToolKind::Search),
        ("search_files", ToolKind::Search),
        ("list_files", ToolKind::Search),
        ("fetch_web_content", ToolKind::WebFetch),
        ("web_fetch", ToolKind::WebFetch),
        ("web_search", ToolKind::WebSearch),
        ("spawn_agent", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::Double,
    limit: Limit::Utf16(50_000),
    timeout: HookTimeout::millis(120_000),
    session_env: &[],
    traces: Traces {
        variables: &["CLINE_ACTIVE", "CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_BUILD_ENV"],
        programs: &["cline"],
        packages: &["@cline/cli"],
        clients: &["@cline/", "cline"],
    },
    unseen_ends: &[],
    silence: "{}",
    traps: &[
        "The events of tasks and prompts are detached: what they print goes nowhere.",
        "UserPromptSubmit does not fire in headless runs.",
        "TaskStart fires at every run of a session, SessionShutdown only after one that was stopped.",
        "A failing command is reported as a success; its own result says otherwise.",
        "Every payload has an agent id; only one with a parent is of a subagent.",
        "The hook is one file per event, so its name is the file's and the payload's is another.",
    ],
};

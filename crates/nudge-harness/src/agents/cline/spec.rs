//! Cline CLI.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::Value;

use crate::hooks::{event, prompt};
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::reply::Answer;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "cline",
    title: "Cline CLI",
    measured: "3.0.65",
    // As payloads name them. The files that are registered are called TaskStart, PreToolUse and so on.
    events: &[
        EventSpec::silent("agent_start", Moment::SessionStart),
        EventSpec::silent("agent_resume", Moment::SessionStart),
        EventSpec::silent("prompt_submit", Moment::Prompt),
        EventSpec::context("tool_call", Moment::PreTool),
        EventSpec::context("tool_result", Moment::PostTool),
        EventSpec::silent("agent_end", Moment::Stop),
        EventSpec::silent("agent_abort", Moment::Stop),
        EventSpec::silent("agent_error", Moment::Stop),
        EventSpec::silent("session_shutdown", Moment::SessionEnd),
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
    patience: Patience::millis(120_000),
    session_env: &[],
    silence: "{}",
    traps: &[
        "The events of tasks and prompts are detached: what they print goes nowhere.",
        "UserPromptSubmit does not fire in headless runs.",
        "TaskStart fires at every run of a session, SessionShutdown only after one that was stopped.",
        "A failing command is reported as a success; its own result says otherwise.",
        "Every payload has an agent id; only one with a parent is of a subagent.",
        "The hook is one file per event, so its name is the file's and the payload's is another.",
    ],
    read,
    outcome,
    emit,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let name = fields.required(&["hookName"])?;
    let task = fields.text(&["taskId"]);
    let root = fields.take_object(&["sessionContext"]).text(&["rootSessionId"]);
    let session = root.or(task).ok_or(ParseError::Missing("taskId"))?;
    let moment = SPEC.event(&name).map_or(Moment::Other, |event| event.moment);
    let mut read = HookEvent::new(SPEC.name, &name, kind(&name, moment, fields));
    read.session = Some(session);
    read.harness_version = fields.text(&["clineVersion"]);
    read.at = fields.moment("timestamp");
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
    if moment == Moment::Prompt {
        let inner = fields.take_object(&["userPromptSubmit"]).any_text(&["prompt"]);
        read.prompt =
            Some(prompt::written(&inner.or_else(|| fields.any_text(&["prompt"])).unwrap_or_default()));
    }
    Ok(read)
}

fn kind(name: &str, moment: Moment, fields: &Fields) -> EventKind {
    match name {
        "agent_start" => EventKind::SessionStart { source: StartSource::Startup },
        "agent_resume" => EventKind::SessionStart { source: StartSource::Resume },
        _ => event::kind(moment, fields),
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
    tool.input = inner.take(&["input"]).map_or(Value::Null, event::unpacked);
    tool.response = inner.take(&["output"]);
    tool.error = inner.take(&["error"]).and_then(event::error_text);
    tool.duration_ms = inner.count(&["durationMs"]);
    Some(tool)
}

/// Commands come in lists, each with its own result; the first that failed decides.
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
    reply::flat("context", context)
}

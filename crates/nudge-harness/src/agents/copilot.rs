//! GitHub Copilot CLI: the facts, and what its hooks send and accept.

mod install;
mod transcript;

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use crate::agent::Agent;
use crate::hooks::{Answer, Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};
use crate::tool;

pub(super) const AGENT: Agent = Agent {
    hooks: HOOKS,
    transcript: transcript::FORMAT,
    installer: Some(install::INSTALLER),
    manual_steps: &[],
};

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    fields.required(&["session_id", "sessionId"])?;
    fields.required(&["cwd"])?;
    let name = fields.text(&["hook_event_name", "hookName"]).unwrap_or_else(|| by_shape(fields).to_owned());
    Ok(event::read(&SPEC, &name, fields))
}

/// Guesses the event's name from the fields present.
fn by_shape(fields: &Fields) -> &'static str {
    let has = |name: &str| fields.get(name).is_some();
    match () {
        () if has("toolName") && has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") => "preToolUse",
        () if has("error") => "errorOccurred",
        () if has("source") || has("initialPrompt") => "sessionStart",
        () if has("prompt") => "userPromptSubmitted",
        () if has("agentName") && has("stopReason") => "subagentStop",
        () if has("agentName") => "subagentStart",
        () if has("stopReason") => "agentStop",
        () if has("reason") => "sessionEnd",
        () if has("trigger") => "preCompact",
        () if has("message") => "notification",
        () => "unknown",
    }
}

fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    let said = |keys: [&str; 2]| {
        let response = call.response.as_ref()?;
        keys.iter().find_map(|key| response.get(*key)?.as_str())
    };
    match said(["resultType", "result_type"]) {
        Some("success") if kind == ToolKind::Command => {
            let text = said(["textResultForLlm", "text_result_for_llm"]);
            tool::outcome_of_status(text.and_then(tool::in_closing_tag))
        }
        Some("success") => Outcome::Success,
        Some(_) => Outcome::Failed { exit: None },
        None => Outcome::Unknown,
    }
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    event::flat("additionalContext", context)
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "copilot",
    title: "GitHub Copilot CLI",
    measured: "1.0.102",
    // An event registered in PascalCase names itself and uses snake case; one in camelCase does
    // neither.
    events: &[
        EventSpec::context("SessionStart", HookPoint::SessionStart),
        EventSpec::context("sessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::silent("sessionEnd", HookPoint::SessionEnd),
        EventSpec::context("UserPromptSubmit", HookPoint::Prompt),
        EventSpec::context("userPromptSubmitted", HookPoint::Prompt),
        EventSpec::context("PreToolUse", HookPoint::PreTool),
        EventSpec::context("preToolUse", HookPoint::PreTool),
        EventSpec::context("PostToolUse", HookPoint::PostTool),
        EventSpec::context("postToolUse", HookPoint::PostTool),
        EventSpec::silent("PostToolUseFailure", HookPoint::ToolFailure),
        EventSpec::silent("postToolUseFailure", HookPoint::ToolFailure),
        EventSpec::silent("Stop", HookPoint::Stop),
        EventSpec::silent("agentStop", HookPoint::Stop),
        EventSpec::context("SubagentStart", HookPoint::SubagentStart),
        EventSpec::context("subagentStart", HookPoint::SubagentStart),
        EventSpec::silent("SubagentStop", HookPoint::SubagentStop),
        EventSpec::silent("subagentStop", HookPoint::SubagentStop),
        EventSpec::silent("PreCompact", HookPoint::PreCompact),
        EventSpec::silent("preCompact", HookPoint::PreCompact),
        EventSpec::silent("Notification", HookPoint::Notification),
        EventSpec::silent("notification", HookPoint::Notification),
        EventSpec::silent("permissionRequest", HookPoint::Other),
        EventSpec::silent("errorOccurred", HookPoint::Other),
    ],
    tools: &[
        ("bash", ToolKind::Command),
        ("Bash", ToolKind::Command),
        ("powershell", ToolKind::Command),
        ("view", ToolKind::Read),
        ("Read", ToolKind::Read),
        ("show_file", ToolKind::Read),
        ("create", ToolKind::Write),
        ("Write", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("Edit", ToolKind::Edit),
        ("str_replace_editor", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("glob", ToolKind::Search),
        ("grep", ToolKind::Search),
        ("rg", ToolKind::Search),
        ("web_fetch", ToolKind::WebFetch),
        ("web_search", ToolKind::WebSearch),
        ("task", ToolKind::TaskSpawn),
        ("Task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::Dash,
    limit: Limit::NotFound,
    timeout: HookTimeout::millis(30_000),
    session_env: &["COPILOT_AGENT_SESSION_ID"],
    traces: Traces {
        variables: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
        programs: &["copilot"],
        packages: &["@github/copilot"],
        clients: &["copilot"],
    },
    unseen_ends: &[],
    silence: "",
    traps: &[
        "The answer is flat; the nested form works before tools only.",
        "A payload of an event registered in camelCase does not say which event it is.",
        "A failing command is a success whose text ends with the exit status.",
        "Subagents run under a session id of their own and fire prompts and stops themselves.",
        "Hooks of type http to loopback addresses are refused and fail the event.",
        "Tool calls have no id.",
    ],
};

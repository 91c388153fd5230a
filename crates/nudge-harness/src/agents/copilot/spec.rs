//! GitHub Copilot CLI.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::reply::Answer;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "copilot",
    title: "GitHub Copilot CLI",
    measured: "1.0.102",
    // Registered in PascalCase an event names itself and comes in snake case; in camelCase it does neither.
    events: &[
        EventSpec::context("SessionStart", Moment::SessionStart),
        EventSpec::context("sessionStart", Moment::SessionStart),
        EventSpec::silent("SessionEnd", Moment::SessionEnd),
        EventSpec::silent("sessionEnd", Moment::SessionEnd),
        EventSpec::context("UserPromptSubmit", Moment::Prompt),
        EventSpec::context("userPromptSubmitted", Moment::Prompt),
        EventSpec::context("PreToolUse", Moment::PreTool),
        EventSpec::context("preToolUse", Moment::PreTool),
        EventSpec::context("PostToolUse", Moment::PostTool),
        EventSpec::context("postToolUse", Moment::PostTool),
        EventSpec::silent("PostToolUseFailure", Moment::ToolFailure),
        EventSpec::silent("postToolUseFailure", Moment::ToolFailure),
        EventSpec::silent("Stop", Moment::Stop),
        EventSpec::silent("agentStop", Moment::Stop),
        EventSpec::context("SubagentStart", Moment::SubagentStart),
        EventSpec::context("subagentStart", Moment::SubagentStart),
        EventSpec::silent("SubagentStop", Moment::SubagentStop),
        EventSpec::silent("subagentStop", Moment::SubagentStop),
        EventSpec::silent("PreCompact", Moment::PreCompact),
        EventSpec::silent("preCompact", Moment::PreCompact),
        EventSpec::silent("Notification", Moment::Notification),
        EventSpec::silent("notification", Moment::Notification),
        EventSpec::silent("permissionRequest", Moment::Other),
        EventSpec::silent("errorOccurred", Moment::Other),
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
    patience: Patience::millis(30_000),
    session_env: &["COPILOT_AGENT_SESSION_ID"],
    silence: "",
    traps: &[
        "The answer is flat; the nested form works before tools only.",
        "A payload of an event registered in camelCase does not say which event it is.",
        "A failing command is a success whose text ends with the exit status.",
        "Subagents run under a session id of their own and fire prompts and stops themselves.",
        "Hooks of type http to loopback addresses are refused and fail the event.",
        "Tool calls have no id.",
    ],
    read,
    outcome,
    emit,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    fields.required(&["session_id", "sessionId"])?;
    fields.required(&["cwd"])?;
    let name = fields.text(&["hook_event_name", "hookName"]).unwrap_or_else(|| by_shape(fields).to_owned());
    Ok(event::read(&SPEC, &name, fields))
}

/// The event that has these fields.
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
            tool::told(text.and_then(tool::in_closing_tag))
        }
        Some("success") => Outcome::Success,
        Some(_) => Outcome::Failed { exit: None },
        None => Outcome::Unknown,
    }
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    reply::flat("additionalContext", context)
}

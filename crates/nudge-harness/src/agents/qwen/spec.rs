//! Qwen Code.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "qwen",
    title: "Qwen Code",
    measured: "0.24.4",
    events: &[
        EventSpec::both("SessionStart", Moment::SessionStart),
        EventSpec::silent("SessionEnd", Moment::SessionEnd),
        EventSpec::silent("SessionDelete", Moment::Other),
        EventSpec::both("UserPromptSubmit", Moment::Prompt),
        EventSpec::notice("PreToolUse", Moment::PreTool),
        EventSpec::both("PostToolUse", Moment::PostTool),
        EventSpec::notice("PostToolUseFailure", Moment::ToolFailure),
        EventSpec::repeat("PostToolBatch", Moment::Batch),
        EventSpec::notice("Stop", Moment::Stop),
        EventSpec::notice("StopFailure", Moment::Stop),
        EventSpec::notice("SubagentStart", Moment::SubagentStart),
        EventSpec::notice("SubagentStop", Moment::SubagentStop),
        EventSpec::notice("PreCompact", Moment::PreCompact),
        EventSpec::notice("PostCompact", Moment::PostCompact),
        EventSpec::silent("Notification", Moment::Notification),
        EventSpec::silent("MessageDisplay", Moment::Other),
        EventSpec::silent("PermissionRequest", Moment::Other),
        EventSpec::silent("PermissionDenied", Moment::Other),
        EventSpec::silent("TodoCreated", Moment::Other),
        EventSpec::silent("TodoCompleted", Moment::Other),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Command),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("replace", ToolKind::Edit),
        ("notebook_edit", ToolKind::Edit),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("lsp", ToolKind::Search),
        ("web_fetch", ToolKind::WebFetch),
        ("web_search", ToolKind::WebSearch),
        ("agent", ToolKind::TaskSpawn),
        ("task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpDouble,
    limit: Limit::NotFound,
    patience: Patience::millis(60_000),
    session_env: &["QWEN_CODE_SESSION_ID"],
    silence: "",
    traps: &[
        "UserPromptSubmit fires again with an empty prompt for every tool result, and injects each time.",
        "The person's own words are in submitted_prompt.",
        "PostToolBatch knows calls by the provider's id, PostToolUse by both.",
        "SessionEnd does not fire in headless runs.",
        "Time-outs of commands are in milliseconds, those of http hooks in seconds.",
    ],
    read,
    outcome,
    emit: reply::nested,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_placed(&SPEC, fields)
}

/// Failures have their own event; a command that ended tells its status all the same.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return Outcome::Success;
    }
    let text = call.response.as_ref().and_then(|response| response.get("llmContent")).and_then(Value::as_str);
    tool::told(text.and_then(tool::after_output))
}

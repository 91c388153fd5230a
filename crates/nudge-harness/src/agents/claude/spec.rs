//! Claude Code.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "claude",
    title: "Claude Code",
    measured: "2.1.325",
    events: &[
        EventSpec::both("SessionStart", Moment::SessionStart),
        EventSpec::silent("SessionEnd", Moment::SessionEnd),
        EventSpec::both("UserPromptSubmit", Moment::Prompt),
        EventSpec::both("UserPromptExpansion", Moment::Other),
        EventSpec::both("PreToolUse", Moment::PreTool),
        EventSpec::both("PostToolUse", Moment::PostTool),
        EventSpec::both("PostToolUseFailure", Moment::ToolFailure),
        EventSpec { repeats: true, ..EventSpec::both("PostToolBatch", Moment::Batch) },
        // Context given here makes the agent go on with a turn that it had ended.
        EventSpec::notice("Stop", Moment::Stop),
        EventSpec::notice("StopFailure", Moment::Stop),
        EventSpec::both("SubagentStart", Moment::SubagentStart),
        EventSpec::notice("SubagentStop", Moment::SubagentStop),
        EventSpec::notice("PreCompact", Moment::PreCompact),
        EventSpec::notice("PostCompact", Moment::PostCompact),
        EventSpec::both("Notification", Moment::Notification),
        EventSpec::both("Setup", Moment::Other),
        EventSpec::both("PostModelSwitch", Moment::Other),
        EventSpec::silent("PreModelSwitch", Moment::Other),
        EventSpec::silent("PermissionRequest", Moment::Other),
        EventSpec::silent("PermissionDenied", Moment::Other),
        EventSpec::silent("TeammateIdle", Moment::Other),
        EventSpec::silent("TaskCreated", Moment::Other),
        EventSpec::silent("TaskCompleted", Moment::Other),
        EventSpec::silent("Elicitation", Moment::Other),
        EventSpec::silent("ElicitationResult", Moment::Other),
        EventSpec::silent("ConfigChange", Moment::Other),
        EventSpec::silent("WorktreeCreate", Moment::Other),
        EventSpec::silent("WorktreeRemove", Moment::Other),
        EventSpec::silent("InstructionsLoaded", Moment::Other),
        EventSpec::silent("CwdChanged", Moment::Other),
        EventSpec::silent("FileChanged", Moment::Other),
        EventSpec::silent("DirectoryAdded", Moment::Other),
        EventSpec::silent("MessageDisplay", Moment::Other),
    ],
    tools: &[
        ("Bash", ToolKind::Command),
        ("PowerShell", ToolKind::Command),
        ("Read", ToolKind::Read),
        ("NotebookRead", ToolKind::Read),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("MultiEdit", ToolKind::Edit),
        ("NotebookEdit", ToolKind::Edit),
        ("Glob", ToolKind::Search),
        ("Grep", ToolKind::Search),
        ("LS", ToolKind::Search),
        ("WebFetch", ToolKind::WebFetch),
        ("WebSearch", ToolKind::WebSearch),
        ("Agent", ToolKind::TaskSpawn),
        ("Task", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpDouble,
    // 9,900 characters came through whole, 10,100 became a preview of 2 KB and a file.
    limit: Limit::Utf16(10_000),
    patience: Patience::millis(30_000).with_session_end(1_500),
    session_env: &["CLAUDE_CODE_SESSION_ID"],
    silence: "",
    traps: &[
        "UserPromptSubmit also fires for turns that begin with <task-notification>.",
        "Context given at Stop makes the agent go on; eight times in a row at most.",
        "/compact fires SubagentStop with an empty agent type.",
        "Hooks of type http and mcp_tool are skipped at SessionStart without a word.",
        "All hooks at SessionEnd share about 1.5 seconds.",
        "PostToolBatch tells again what each PostToolUse told.",
    ],
    read,
    outcome,
    emit: reply::nested,
};

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_placed(&SPEC, fields)
}

/// Failures have their own event, so what comes here went well, unless the command still runs or its status was
/// not 0 and explained away. Only a transcript tells of calls that have no answer.
fn outcome(tool: &ToolCall, kind: ToolKind) -> Outcome {
    let response =
        |key: &str| tool.response.as_ref().and_then(|response| response.get(key)).filter(|v| !v.is_null());
    let is_set = |key: &str| response(key).and_then(serde_json::Value::as_bool) == Some(true);
    match kind {
        _ if tool.response.is_none() => Outcome::Unknown,
        ToolKind::Command if is_set("interrupted") => Outcome::Failed { exit: None },
        ToolKind::Command if response("backgroundTaskId").is_some() => Outcome::Unknown,
        ToolKind::Command if response("returnCodeInterpretation").is_some() => Outcome::Unknown,
        _ => Outcome::Success,
    }
}

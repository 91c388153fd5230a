//! Claude Code: the facts, and what its hooks send and accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use crate::hooks::{Environment, Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};

pub(super) const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit: event::nested, headless };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_with_cwd(&SPEC, fields)
}

/// Failures have their own event, so a call reported here succeeded, unless the command is still
/// running, or its status was not 0 and was explained away. Only a transcript shows calls without a
/// response.
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

/// Newer versions say so in a variable; for older ones the entry point decides.
fn headless(environment: Environment<'_>) -> Option<bool> {
    match environment("CLAUDE_CODE_SESSION_ATTENDED").as_deref().and_then(|said| said.to_str()) {
        Some("0") => return Some(true),
        Some("1") => return Some(false),
        _ => {}
    }
    entry_point(environment("CLAUDE_CODE_ENTRYPOINT")?.to_str()?)
}

/// `cli` is the terminal; `sdk-cli` (`claude -p`), `sdk-ts` and `sdk-py` are programs.
fn entry_point(name: &str) -> Option<bool> {
    match name {
        "cli" => Some(false),
        name if name.starts_with("sdk-") => Some(true),
        _ => None,
    }
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "claude",
    title: "Claude Code",
    measured: "2.1.325",
    events: &[
        EventSpec::both("SessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::both("UserPromptSubmit", HookPoint::Prompt),
        EventSpec::both("UserPromptExpansion", HookPoint::Other),
        EventSpec::both("PreToolUse", HookPoint::PreTool),
        EventSpec::both("PostToolUse", HookPoint::PostTool),
        EventSpec::both("PostToolUseFailure", HookPoint::ToolFailure),
        EventSpec { repeats: true, ..EventSpec::both("PostToolBatch", HookPoint::Batch) },
        // Context given here makes the agent continue a turn that it had ended.
        EventSpec::notice("Stop", HookPoint::Stop),
        EventSpec::notice("StopFailure", HookPoint::Stop),
        EventSpec::both("SubagentStart", HookPoint::SubagentStart),
        EventSpec::notice("SubagentStop", HookPoint::SubagentStop),
        EventSpec::notice("PreCompact", HookPoint::PreCompact),
        EventSpec::notice("PostCompact", HookPoint::PostCompact),
        EventSpec::both("Notification", HookPoint::Notification),
        EventSpec::both("Setup", HookPoint::Other),
        EventSpec::both("PostModelSwitch", HookPoint::Other),
        EventSpec::silent("PreModelSwitch", HookPoint::Other),
        EventSpec::silent("PermissionRequest", HookPoint::Other),
        EventSpec::silent("PermissionDenied", HookPoint::Other),
        EventSpec::silent("TeammateIdle", HookPoint::Other),
        EventSpec::silent("TaskCreated", HookPoint::Other),
        EventSpec::silent("TaskCompleted", HookPoint::Other),
        EventSpec::silent("Elicitation", HookPoint::Other),
        EventSpec::silent("ElicitationResult", HookPoint::Other),
        EventSpec::silent("ConfigChange", HookPoint::Other),
        EventSpec::silent("WorktreeCreate", HookPoint::Other),
        EventSpec::silent("WorktreeRemove", HookPoint::Other),
        EventSpec::silent("InstructionsLoaded", HookPoint::Other),
        EventSpec::silent("CwdChanged", HookPoint::Other),
        EventSpec::silent("FileChanged", HookPoint::Other),
        EventSpec::silent("DirectoryAdded", HookPoint::Other),
        EventSpec::silent("MessageDisplay", HookPoint::Other),
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
    // 9,900 characters arrived whole; 10,100 became a preview of 2 KB and a file.
    limit: Limit::Utf16(10_000),
    timeout: HookTimeout::millis(30_000).with_session_end(1_500),
    session_env: &["CLAUDE_CODE_SESSION_ID"],
    traces: Traces {
        variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"],
        programs: &["claude"],
        packages: &["@anthropic-ai/claude-code"],
        clients: &["claude-code"],
    },
    unseen_ends: &[],
    silence: "",
    traps: &[
        "UserPromptSubmit also fires for turns that begin with <task-notification>.",
        "Context given at Stop makes the agent go on; eight times in a row at most.",
        "/compact fires SubagentStop with an empty agent type.",
        "Hooks of type http and mcp_tool are skipped at SessionStart without a word.",
        "All hooks at SessionEnd share about 1.5 seconds.",
        "PostToolBatch repeats what each PostToolUse reported.",
    ],
};

//! Gemini CLI: the facts, and what its hooks send and accept.

mod transcript;

use nudge_core::event::{EventKind, HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use crate::agent::Agent;
use crate::hooks::{Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces};
use crate::tool;

pub(super) const AGENT: Agent =
    Agent { hooks: HOOKS, transcript: transcript::FORMAT, installer: None, manual_steps: MANUAL_STEPS };

const MANUAL_STEPS: &[&str] = &[
    "In ~/.gemini/settings.json, add to \"hooks\" for each of the events SessionStart, BeforeAgent,\n\
     AfterTool, AfterAgent and SessionEnd (never PreCompress or AfterModel):\n\
     [{\"hooks\": [{\"type\": \"command\", \"name\": \"nudge\", \"command\": \"{nudge} hook gemini\", \"timeout\": 5000}]}]",
    "In the same file, add to \"mcpServers\":\n\
     \"nudge\": {\"command\": \"{nudge}\", \"args\": [\"serve\"]}",
    "Start a new session; `nudge doctor` says whether its hooks were seen.",
];

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit: event::nested, headless: |_| None };

/// A failed tool has the same event as the others, with an error in its response.
fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let mut read = event::read_with_cwd(&SPEC, fields)?;
    let error = read.tool.as_ref().and_then(|tool| tool.response.as_ref()?.get("error").cloned());
    if let (EventKind::PostTool, Some(tool), Some(error)) = (&read.kind, &mut read.tool, error) {
        tool.error = event::error_text(error);
        read.kind = EventKind::ToolFailure;
    }
    Ok(read)
}

/// A command's status is reported only if it is not 0; a cancelled command is reported in a
/// sentence.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return Outcome::Success;
    }
    let content =
        call.response.as_ref().and_then(|response| response.get("llmContent")).and_then(Value::as_str);
    let Some(text) = content.map(|text| text.trim_start_matches("<untrusted_context>").trim_start()) else {
        return Outcome::Unknown;
    };
    match tool::after_output(text) {
        Some(status) => Outcome::of_exit(status),
        None if text.starts_with("Command was ") || was_killed(text) => Outcome::Failed { exit: None },
        None if text.starts_with("Output:") => Outcome::Success,
        // It was sent to the background, or it is something new.
        None => Outcome::Unknown,
    }
}

/// Whether the lines after the output name a signal.
fn was_killed(text: &str) -> bool {
    let mut lines =
        text.lines().rev().take_while(|line| tool::TRAILER_LINES.iter().any(|start| line.starts_with(start)));
    lines.any(|line| line.strip_prefix("Signal:").is_some_and(|signal| signal.trim() != "(none)"))
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "gemini",
    title: "Gemini CLI",
    measured: "0.61.0",
    events: &[
        EventSpec::both("SessionStart", HookPoint::SessionStart),
        EventSpec::silent("SessionEnd", HookPoint::SessionEnd),
        EventSpec::both("BeforeAgent", HookPoint::Prompt),
        EventSpec::notice("AfterAgent", HookPoint::Stop),
        EventSpec::notice("BeforeTool", HookPoint::PreTool),
        EventSpec::both("AfterTool", HookPoint::PostTool),
        EventSpec::silent("Notification", HookPoint::Notification),
        // Fires before every model call, whether anything is compacted or not.
        EventSpec::silent("PreCompress", HookPoint::Other),
        EventSpec::silent("BeforeModel", HookPoint::Other),
        EventSpec::silent("AfterModel", HookPoint::Other),
        EventSpec::silent("BeforeToolSelection", HookPoint::Other),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Command),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("replace", ToolKind::Edit),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("web_fetch", ToolKind::WebFetch),
        ("google_web_search", ToolKind::WebSearch),
        ("invoke_agent", ToolKind::TaskSpawn),
    ],
    mcp: McpNaming::McpSingle,
    limit: Limit::NotFound,
    timeout: HookTimeout::millis(60_000),
    session_env: &["GEMINI_SESSION_ID"],
    traces: Traces {
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_CLI_NO_RELAUNCH"],
        programs: &["gemini"],
        packages: &["@google/gemini-cli"],
        clients: &["gemini-cli"],
    },
    unseen_ends: &[],
    silence: "",
    traps: &[
        "The first prompt of a run comes with what SessionStart injected in front of it.",
        "PreCompress fires before every model call and AfterModel for every chunk: neither is to be registered.",
        "Tool calls have no id.",
        "Nothing but JSON may be printed.",
        "SessionEnd is not waited for.",
        "Time-outs are in milliseconds.",
    ],
};

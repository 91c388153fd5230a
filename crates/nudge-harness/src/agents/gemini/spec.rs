//! Gemini CLI.

use nudge_core::event::{EventKind, HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use crate::hooks::event;
use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply;
use crate::spec::McpNaming;
use crate::spec::{EventSpec, HarnessSpec, Limit, Moment, Patience};
use crate::tool;

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "gemini",
    title: "Gemini CLI",
    measured: "0.61.0",
    events: &[
        EventSpec::both("SessionStart", Moment::SessionStart),
        EventSpec::silent("SessionEnd", Moment::SessionEnd),
        EventSpec::both("BeforeAgent", Moment::Prompt),
        EventSpec::notice("AfterAgent", Moment::Stop),
        EventSpec::notice("BeforeTool", Moment::PreTool),
        EventSpec::both("AfterTool", Moment::PostTool),
        EventSpec::silent("Notification", Moment::Notification),
        // Fires before every model call, whether anything is compacted or not.
        EventSpec::silent("PreCompress", Moment::Other),
        EventSpec::silent("BeforeModel", Moment::Other),
        EventSpec::silent("AfterModel", Moment::Other),
        EventSpec::silent("BeforeToolSelection", Moment::Other),
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
    patience: Patience::millis(60_000),
    session_env: &["GEMINI_SESSION_ID"],
    silence: "",
    traps: &[
        "The first prompt of a run comes with what SessionStart injected in front of it.",
        "PreCompress fires before every model call and AfterModel for every chunk: neither is to be registered.",
        "Tool calls have no id.",
        "Nothing but JSON may be printed.",
        "SessionEnd is not waited for.",
        "Time-outs are in milliseconds.",
    ],
    read,
    outcome,
    emit: reply::nested,
};

/// A tool that failed has the same event as others, and an error in its response.
fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let mut read = event::read_placed(&SPEC, fields)?;
    let error = read.tool.as_ref().and_then(|tool| tool.response.as_ref()?.get("error").cloned());
    if let (EventKind::PostTool, Some(tool), Some(error)) = (&read.kind, &mut read.tool, error) {
        tool.error = event::error_text(error);
        read.kind = EventKind::ToolFailure;
    }
    Ok(read)
}

/// A command's status is told only when it is not 0; one that was cancelled is reported in a sentence.
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
        // It was sent to the background, or something new.
        None => Outcome::Unknown,
    }
}

/// Whether the lines after the output name a signal.
fn was_killed(text: &str) -> bool {
    let mut lines =
        text.lines().rev().take_while(|line| tool::TRAILER.iter().any(|start| line.starts_with(start)));
    lines.any(|line| line.strip_prefix("Signal:").is_some_and(|signal| signal.trim() != "(none)"))
}

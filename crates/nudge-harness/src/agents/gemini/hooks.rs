//! Gemini CLI: what its hooks send and accept.

use nudge_core::event::{EventKind, HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use super::spec::SPEC;
use crate::hooks::{Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks =
    Hooks { spec: &SPEC, read, outcome, emit: dialect::nested, headless: |_| None };

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
        text.lines().rev().take_while(|line| tool::TRAILER.iter().any(|start| line.starts_with(start)));
    lines.any(|line| line.strip_prefix("Signal:").is_some_and(|signal| signal.trim() != "(none)"))
}

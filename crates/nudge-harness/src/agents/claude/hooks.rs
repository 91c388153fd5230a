//! Claude Code: what its hooks send and accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use super::spec::SPEC;
use crate::hooks::{Environment, Hooks, dialect, event};
use crate::payload::{Fields, ParseError};

pub(super) const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit: dialect::nested, headless };

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

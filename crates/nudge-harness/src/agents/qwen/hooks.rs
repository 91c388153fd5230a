//! Qwen Code: what its hooks send and accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use super::spec::SPEC;
use crate::hooks::{Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks =
    Hooks { spec: &SPEC, read, outcome, emit: dialect::nested, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_with_cwd(&SPEC, fields)
}

/// Failures have their own event; even so, a command that ended reports its status.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    if kind != ToolKind::Command {
        return Outcome::Success;
    }
    let text = call.response.as_ref().and_then(|response| response.get("llmContent")).and_then(Value::as_str);
    tool::outcome_of_status(text.and_then(tool::after_output))
}

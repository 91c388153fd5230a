//! Qwen Code: what its hooks send, and what they accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

use super::spec::SPEC;
use crate::hooks::{Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks =
    Hooks { spec: &SPEC, read, outcome, emit: dialect::nested, headless: |_| None };

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

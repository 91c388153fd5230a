//! Codex: what its hooks send, and what they accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use super::spec::SPEC;
use super::transcript::end;
use crate::hooks::{Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks =
    Hooks { spec: &SPEC, read, outcome, emit: dialect::nested, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_placed(&SPEC, fields)
}

/// Only patches and MCP calls tell their hooks how they ended; the rollout file tells the rest, and what is read from it has
/// it in its response.
fn outcome(call: &ToolCall, _: ToolKind) -> Outcome {
    if let Some(told) = call.response.as_ref().filter(|response| response.is_object()).and_then(end::outcome)
    {
        return told;
    }
    if call.name == "apply_patch" {
        let text = call.response.as_ref().and_then(serde_json::Value::as_str);
        return tool::told(text.and_then(tool::on_first_line));
    }
    tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Unknown)
}

//! Codex: what its hooks send and accept.

mod install;
mod spec;
mod transcript;
mod trust;

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use super::codex::spec::SPEC;
use super::codex::transcript::item;
use crate::agent::Agent;
use crate::hooks::{Hooks, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub use trust::hash;

pub(super) const AGENT: Agent = Agent {
    hooks: HOOKS,
    transcript: transcript::FORMAT,
    installer: Some(install::INSTALLER),
    manual_steps: &[],
};

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit: event::nested, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    event::read_with_cwd(&SPEC, fields)
}

/// Hooks report the outcome only for patches and MCP calls. The rollout file has the others, and
/// calls read from it have their outcome in the response.
fn outcome(call: &ToolCall, _: ToolKind) -> Outcome {
    if let Some(outcome) =
        call.response.as_ref().filter(|response| response.is_object()).and_then(item::outcome)
    {
        return outcome;
    }
    if call.name == "apply_patch" {
        let text = call.response.as_ref().and_then(serde_json::Value::as_str);
        return tool::outcome_of_status(text.and_then(tool::on_first_line));
    }
    tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Unknown)
}

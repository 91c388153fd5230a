//! Adapters for the agents that Nudge supports: what their hooks send, and what they accept as an
//! answer.
//!
//! Text in, values out. [`parse`] turns a hook's payload into a [`HookEvent`], the same for all
//! agents. [`tool_use`] says what a tool call did. [`reply()`] writes an answer in the agent's own
//! dialect. Each agent has a module under `agents`: its facts ([`HarnessSpec`]), its hooks, its
//! transcripts, its installer. The code that agents share is outside that module and names none of
//! them.

mod agent;
mod agents;
pub mod ancestors;
pub mod deadline;
mod edit;
mod hooks;
pub mod install;
mod payload;
pub mod reply;
pub mod spec;
pub mod tool;
pub mod transcript;

pub use agents::{Harness, codex_hash};
pub use payload::ParseError;
pub use reply::{Reply, reply};
pub use spec::HarnessSpec;

use nudge_core::HookEvent;
use payload::{Fields, surrogates};
use serde_json::Value;
use tool::ToolUse;

/// Reads one hook payload.
///
/// Unknown events and fields never fail: an event that is not in the agent's list becomes
/// [`EventKind::Other`](nudge_core::EventKind::Other), and a field of an unexpected type counts as
/// absent. Only text that is not a JSON object, or that lacks a field that every payload of that
/// agent has, is rejected.
pub fn parse(harness: Harness, text: &str) -> Result<HookEvent, ParseError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let Value::Object(map) = surrogates::read(text).map_err(ParseError::malformed)? else {
        return Err(ParseError::NotAnObject);
    };
    (harness.hooks().read)(&mut Fields::new(map))
}

/// Reads one payload of `nudge record`: the format of Claude Code, sent by any program.
///
/// Claude Code reports failures in an event of their own. Other programs may not, so a call has the
/// outcome that its response states, and a command without one has none.
pub fn parse_recorded(text: &str) -> Result<HookEvent, ParseError> {
    let mut event = parse(Harness::Claude, text)?;
    tool::state_outcome(&mut event);
    Ok(event)
}

/// What the tool call of an event did; `None` when the event has no call, or the call never began.
///
/// For an unknown agent, only the conventions that all agents share are used.
pub fn tool_use(event: &HookEvent) -> Option<ToolUse<'_>> {
    ToolUse::of(event, Harness::from_name(&event.harness).map(Harness::hooks))
}

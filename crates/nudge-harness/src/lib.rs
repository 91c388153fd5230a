//! The agents Nudge works beside: what their hooks send, and what they accept as an answer.
//!
//! Text in, values out. [`parse`] turns a hook's payload into the one [`HookEvent`] that memory
//! knows, [`tool_use`] says what a tool call did, [`reply()`] writes an answer in the agent's own
//! dialect. Each agent has a folder under `agents`: its facts ([`HarnessSpec`]), its hooks, its
//! transcripts, its installer. What agents share stands beside and below that folder and names none
//! of them.

pub mod above;
mod agent;
mod agents;
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
/// [`EventKind::Other`](nudge_core::EventKind::Other), a field of an unexpected type counts as absent. Only text that is not a JSON
/// object, or that lacks what every payload of that agent has, is refused.
pub fn parse(harness: Harness, text: &str) -> Result<HookEvent, ParseError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let Value::Object(map) = surrogates::read(text).map_err(ParseError::malformed)? else {
        return Err(ParseError::NotAnObject);
    };
    (harness.hooks().read)(&mut Fields::new(map))
}

/// Says what the tool call of an event did; `None` when the event is about none, or about one that
/// never began.
///
/// An event of an unknown agent is read with what all agents share.
pub fn tool_use(event: &HookEvent) -> Option<ToolUse<'_>> {
    ToolUse::of(event, Harness::from_name(&event.harness).map(Harness::hooks))
}

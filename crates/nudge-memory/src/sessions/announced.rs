//! Calls of our own tools that a hook announced: how an MCP call finds its session.

use nudge_core::Fault;
use nudge_harness::Harness;
use nudge_store::{Reader, SessionRow};

use crate::capture::identity;
use crate::capture::reaction::Stored;

/// The agent that gives MCP servers the id its hooks have for a call, and the event that announces one. Nothing
/// else is kept of a call of our own tools.
const ANNOUNCES: (Harness, &str) = (Harness::Claude, "PreToolUse");

/// Notes a call that an event announces.
pub(super) fn note(stored: &Stored<'_>) -> Result<(), Fault> {
    let event = stored.event;
    if (event.harness.as_str(), event.event.as_str()) == (ANNOUNCES.0.name(), ANNOUNCES.1) {
        stored.writer.note_call(event.identity.hash, stored.at)?;
    }
    Ok(())
}

/// Whether the hook of a session announced a tool call: an MCP call that carries its id is of that session.
pub(crate) fn is_announced(reader: &Reader<'_>, session: &SessionRow, tool_use: &str) -> Result<bool, Fault> {
    Ok(reader.is_call_noted(identity::of_call(&session.harness, &session.name, tool_use).hash)?)
}

//! Calls to Nudge's own tools that a hook announced: how an MCP call finds its session.

use nudge_core::Fault;
use nudge_harness::Harness;
use nudge_store::{Reader, SessionRow};

use crate::capture::identity;
use crate::capture::reaction::Stored;

/// The agent that passes its hook's id of a call to MCP servers, and the event that announces a
/// call. Nothing else is stored about calls to Nudge's own tools.
const ANNOUNCES: (Harness, &str) = (Harness::Claude, "PreToolUse");

/// Stores a call that an event announces.
pub(super) fn note(stored: &Stored<'_>) -> Result<(), Fault> {
    let event = stored.event;
    if (event.harness.as_str(), event.event.as_str()) == (ANNOUNCES.0.name(), ANNOUNCES.1) {
        stored.writer.note_call(event.identity.hash, stored.at)?;
    }
    Ok(())
}

/// Whether a session's hook announced a tool call: an MCP call with that id belongs to the session.
pub(crate) fn is_announced(reader: &Reader<'_>, session: &SessionRow, tool_use: &str) -> Result<bool, Fault> {
    Ok(reader.is_call_noted(identity::of_call(&session.harness, &session.name, tool_use).hash)?)
}

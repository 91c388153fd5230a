//! What is known about an event besides its payload.

use nudge_core::Timestamp;

use super::captured_event::CapturedVia;
use crate::projects::ProjectRef;

/// What the process that reads an event knows and the payload does not contain.
#[derive(Clone, Debug)]
pub struct ReadContext {
    /// The current time, for events without one.
    pub now: Timestamp,
    /// The project of the event's directory.
    pub project: ProjectRef,
    /// Whether the agent runs without a user watching; `None` if unknown.
    pub headless: Option<bool>,
    /// How the event was captured.
    pub via: CapturedVia,
    /// Nudge's own directory. Actions on files in it are not captured.
    pub own_root: Option<String>,
    /// Whether a tool with this name is one of Nudge's own. Calls to those are not captured.
    pub is_own_tool: fn(&str) -> bool,
}

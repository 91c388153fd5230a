//! What is known of an event beside what it tells itself.

use nudge_core::Timestamp;

use super::moment::Via;
use crate::projects::ProjectRef;

/// What the process that reads an event knows and the event does not.
#[derive(Clone, Debug)]
pub struct Here {
    /// The time, for events that carry none.
    pub now: Timestamp,
    /// The project of the event's directory.
    pub project: ProjectRef,
    /// Whether no person watches the agent; `None` when not known.
    pub headless: Option<bool>,
    /// The way the event came.
    pub via: Via,
    /// Nudge's own directory: what is done to files in it is not captured.
    pub own_root: Option<String>,
    /// Whether a tool of that name is one of Nudge's own: its calls are not captured either.
    pub is_own_tool: fn(&str) -> bool,
}

//! How long a hook may take, its whole process counted.

use std::time::Duration;

use nudge_core::EventKind;

/// Until then a hook has answered, or it says nothing.
///
/// A person waits at the beginning of a session anyway, and nobody waits at its end; between them an agent may call hundreds
/// of tools. Every agent's own patience is longer.
pub const fn of(kind: &EventKind) -> Duration {
    let millis = match kind {
        EventKind::SessionStart { .. } => 800,
        EventKind::Prompt => 200,
        EventKind::Stop | EventKind::SessionEnd { .. } => 500,
        _ => 150,
    };
    Duration::from_millis(millis)
}

/// The shortest of them: what holds until the payload has been read.
pub const SHORTEST: Duration = Duration::from_millis(150);

//! How long a hook process may take in total.

use std::time::Duration;

use nudge_core::EventKind;

/// The deadline for an event. A hook that has no answer by then prints nothing.
///
/// Users wait at the start of a session anyway, and nobody waits at its end; in between, an agent
/// may call hundreds of tools. Every agent's own timeout is longer.
pub const fn of(kind: &EventKind) -> Duration {
    let millis = match kind {
        EventKind::SessionStart { .. } => 800,
        EventKind::Prompt => 200,
        EventKind::Stop | EventKind::SessionEnd { .. } => 500,
        _ => 150,
    };
    Duration::from_millis(millis)
}

/// The shortest deadline; it applies until the payload has been read.
pub const MIN_DEADLINE: Duration = Duration::from_millis(150);

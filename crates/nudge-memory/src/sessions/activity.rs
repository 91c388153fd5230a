//! Whether the agent of a session is working, according to its events.

use std::time::Duration;

use nudge_core::event::StartSource;
use nudge_core::{Fault, Timestamp};
use nudge_store::{ChangeKind, SessionState};

use crate::capture::reaction::Stored;
use crate::capture::{CapturedEvent, CapturedVia, EventBody, Kept, Phase};
use nudge_core::Speaker;

/// How precisely the last activity is stored when it left no row: whether a session is over is
/// decided in hours.
const EXACT: Duration = Duration::from_secs(60);

/// Updates the state from an event. Events from transcripts are already past, and subagents work
/// for the session that started them.
pub(super) fn note(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, at, kept, .. } = *stored;
    let is_end = matches!(event.what, EventBody::End { .. });
    if event.via != CapturedVia::Hook || event.agent.is_some() || is_end {
        return Ok(());
    }
    if let Some(ended) = session.ended_at {
        // An event that is late, by its own time or after the end, does not reopen the session.
        if ended >= at || !resumes_session(event) {
            return Ok(());
        }
        writer.reopen_session(session, at)?;
    }
    let state = session.activity.state;
    let is_new = |since: Option<Timestamp>| since.is_none_or(|since| since < at);
    match &event.what {
        EventBody::Start { source, .. } if StartSource::from_word(source) == StartSource::Resume => {
            change(stored, SessionState::Resumed)
        }
        EventBody::Prompt { by: Speaker::Person, .. } if kept != Kept::Duplicate => {
            if state == SessionState::Resumed {
                writer.note_session_change(session, ChangeKind::Resumed, at)?;
            }
            change(stored, SessionState::Busy)
        }
        EventBody::Action(_)
            if state == SessionState::Idle && kept != Kept::Duplicate && is_new(session.activity.idle_at) =>
        {
            change(stored, SessionState::Busy)
        }
        _ if event.phase == Phase::TurnEnded && state != SessionState::Idle => {
            change(stored, SessionState::Idle)
        }
        EventBody::Seen | EventBody::Subagent | EventBody::Concluded { .. }
            if is_new(session.activity.active_at.map(|known| known.plus(EXACT))) =>
        {
            Ok(writer.note_activity(session.id, at)?)
        }
        _ => Ok(()),
    }
}

/// Stores the agent's state if it changed.
fn change(stored: &Stored<'_>, state: SessionState) -> Result<(), Fault> {
    let Stored { writer, session, at, .. } = *stored;
    if session.activity.state != state {
        writer.set_session_state(session, state, at)?;
    }
    Ok(())
}

/// Whether an event resumes a session.
const fn resumes_session(event: &CapturedEvent) -> bool {
    matches!(event.what, EventBody::Start { .. } | EventBody::Prompt { by: Speaker::Person, .. })
}

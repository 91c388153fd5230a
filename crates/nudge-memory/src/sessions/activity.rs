//! Whether the agent of a session is at work, as its events tell.

use std::time::Duration;

use nudge_core::event::StartSource;
use nudge_core::{Fault, Timestamp};
use nudge_store::{ChangeKind, SessionState};

use crate::capture::reaction::Stored;
use crate::capture::{By, Kept, Moment, Phase, Via, What};

/// How exactly it is noted when something last happened that left no row: whether a session is over
/// is a matter of hours.
const EXACT: Duration = Duration::from_secs(60);

/// Notes what an event tells. What is read from transcripts happened before, and subagents work for
/// the one that started them.
pub(super) fn note(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, at, kept, .. } = *stored;
    let is_end = matches!(event.what, What::End { .. });
    if event.via != Via::Hook || event.agent.is_some() || is_end {
        return Ok(());
    }
    if let Some(ended) = session.ended_at {
        // What comes late, by its own time or by the end, opens nothing again.
        if ended >= at || !takes_up(event) {
            return Ok(());
        }
        writer.reopen_session(session, at)?;
    }
    let state = session.activity.state;
    let is_new = |since: Option<Timestamp>| since.is_none_or(|since| since < at);
    match &event.what {
        What::Start { source, .. } if StartSource::from_word(source) == StartSource::Resume => {
            change(stored, SessionState::Resumed)
        }
        What::Prompt { by: By::User, .. } if kept != Kept::Duplicate => {
            if state == SessionState::Resumed {
                writer.note_session_change(session, ChangeKind::Resumed, at)?;
            }
            change(stored, SessionState::Busy)
        }
        What::Action(_)
            if state == SessionState::Idle && kept != Kept::Duplicate && is_new(session.activity.idle_at) =>
        {
            change(stored, SessionState::Busy)
        }
        _ if event.phase == Phase::TurnEnded && state != SessionState::Idle => {
            change(stored, SessionState::Idle)
        }
        What::Seen | What::Subagent | What::Concluded { .. }
            if is_new(session.activity.active_at.map(|known| known.plus(EXACT))) =>
        {
            Ok(writer.note_activity(session.id, at)?)
        }
        _ => Ok(()),
    }
}

/// Notes what the agent is doing, where that is news.
fn change(stored: &Stored<'_>, state: SessionState) -> Result<(), Fault> {
    let Stored { writer, session, at, .. } = *stored;
    if session.activity.state != state {
        writer.set_session_state(session, state, at)?;
    }
    Ok(())
}

/// Whether somebody takes a session up with it.
const fn takes_up(event: &Moment) -> bool {
    matches!(event.what, What::Start { .. } | What::Prompt { by: By::User, .. })
}

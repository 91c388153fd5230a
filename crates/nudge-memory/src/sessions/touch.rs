//! What an event changes in its session: its place, its end, an announced call, and whether its
//! agent is working.

use std::time::Duration;

use nudge_core::event::StartSource;
use nudge_core::{Fault, Speaker, Timestamp};
use nudge_store::{ChangeKind, SessionState};

use super::call_session;
use crate::capture::reaction::Stored;
use crate::capture::{CapturedEvent, CapturedVia, EventBody, Phase, StoreOutcome};

/// Reacts to a stored event.
pub(crate) fn touch(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, project, at, .. } = *stored;
    match &event.what {
        EventBody::Start { .. } if event.via == CapturedVia::Hook => {
            writer.note_worktree(session.id, event.worktree.as_deref())?;
            if let Some(remote) = &event.remote {
                writer.note_remote(project, remote)?;
            }
        }
        // An end that is reported late does not end what the user asked after it.
        EventBody::End { .. } if event.via == CapturedVia::Hook && has_later_prompt(stored)? => {}
        EventBody::End { reason } => writer.close_session(session, reason.as_deref(), at)?,
        EventBody::Seen => call_session::note_announced(stored)?,
        _ => {}
    }
    update_state(stored)
}

/// Whether the user has said something in the session since.
fn has_later_prompt(stored: &Stored<'_>) -> Result<bool, Fault> {
    let newest = stored.writer.recent_prompts(stored.session.id, 1)?;
    Ok(newest.iter().any(|prompt| prompt.at > stored.at))
}

// Whether the agent of a session is working, according to its events.

/// How precisely the last activity is stored when it left no row: whether a session is over is
/// decided in hours.
const ACTIVITY_PRECISION: Duration = Duration::from_secs(60);

/// Updates the state from an event. Events from transcripts are already past, and subagents work
/// for the session that started them.
fn update_state(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, at, outcome, .. } = *stored;
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
        EventBody::Prompt { by: Speaker::Person, .. } if outcome != StoreOutcome::Duplicate => {
            if state == SessionState::Resumed {
                writer.note_session_change(session, ChangeKind::Resumed, at)?;
            }
            change(stored, SessionState::Busy)
        }
        EventBody::Action(_)
            if state == SessionState::Idle
                && outcome != StoreOutcome::Duplicate
                && is_new(session.activity.idle_at) =>
        {
            change(stored, SessionState::Busy)
        }
        _ if event.phase == Phase::TurnEnded && state != SessionState::Idle => {
            change(stored, SessionState::Idle)
        }
        EventBody::Seen | EventBody::Subagent | EventBody::Concluded { .. }
            if is_new(session.activity.active_at.map(|known| known.plus(ACTIVITY_PRECISION))) =>
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

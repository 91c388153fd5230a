//! What an event changes in its session: its place, its end, an announced call, and whether its
//! agent is working.

use nudge_core::Fault;

use super::{activity, announced};
use crate::capture::reaction::Stored;
use crate::capture::{CapturedVia, EventBody};

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
        EventBody::Seen => announced::note(stored)?,
        _ => {}
    }
    activity::note(stored)
}

/// Whether the user has said something in the session since.
fn has_later_prompt(stored: &Stored<'_>) -> Result<bool, Fault> {
    let newest = stored.writer.recent_prompts(stored.session.id, 1)?;
    Ok(newest.iter().any(|prompt| prompt.at > stored.at))
}

//! What an event changes in its session: where it works, that it ended, which call it announced, and
//! whether its agent is at work.

use nudge_core::Fault;

use super::{activity, announced};
use crate::capture::reaction::Stored;
use crate::capture::{Via, What};

/// Reacts to a stored event.
pub(crate) fn touch(stored: &Stored<'_>) -> Result<(), Fault> {
    let Stored { writer, event, session, project, at, .. } = *stored;
    match &event.what {
        What::Start { .. } if event.via == Via::Hook => {
            writer.note_worktree(session.id, event.worktree.as_deref())?;
            if let Some(remote) = &event.remote {
                writer.note_remote(project, remote)?;
            }
        }
        // An end that is told late is not that of what was asked after it.
        What::End { .. } if event.via == Via::Hook && was_asked_after(stored)? => {}
        What::End { reason } => writer.close_session(session, reason.as_deref(), at)?,
        What::Seen => announced::note(stored)?,
        _ => {}
    }
    activity::note(stored)
}

/// Whether the person has said something in the session since.
fn was_asked_after(stored: &Stored<'_>) -> Result<bool, Fault> {
    let newest = stored.writer.recent_prompts(stored.session.id, 1)?;
    Ok(newest.iter().any(|prompt| prompt.at > stored.at))
}

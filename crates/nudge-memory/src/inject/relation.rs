//! How other sessions relate to the one that gets an injection: the same session, one that runs in
//! parallel, or one in another worktree.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use nudge_context::{RelativePlace, Trigger};
use nudge_core::{Fault, Timestamp};
use nudge_store::{SessionId, SessionRow};

use super::request::InjectionRequest;
use crate::operation::OWN;

/// A session that has not ended and was active within this time counts as running.
const LIVE: Duration = Duration::from_secs(30 * 60);

/// `clear` may start a session with another name. The session that it continues ended at most this
/// long ago.
const TAKEN_OVER: Duration = Duration::from_secs(5 * 60);

impl InjectionRequest<'_> {
    /// The sessions that count as this one: itself, those of its subagents, and the one that was
    /// cleared for it. The one that lost its context comes first.
    pub(super) fn own(&self, sessions: &[SessionRow]) -> Result<Vec<SessionId>, Fault> {
        let Some(own) = &self.session else { return Ok(Vec::new()) };
        let before =
            if self.trigger == Trigger::Clear { self.cleared_predecessor(own, sessions)? } else { None };
        let started = sessions.iter().filter(|session| session.parent.as_ref() == Some(&own.name));
        Ok(before.into_iter().chain([own.id]).chain(started.map(|session| session.id)).collect())
    }

    /// The session that was cleared and continues as this one, which is still empty. That is the
    /// last one that ended with `clear`. Its end may be reported after this start, so failing that
    /// it is the only one that has not ended.
    fn cleared_predecessor(
        &self,
        own: &SessionRow,
        sessions: &[SessionRow],
    ) -> Result<Option<SessionId>, Fault> {
        let begun = Timestamp::from_millis(0);
        let is_empty = self.reader.recent_prompts(own.id, 1)?.is_empty()
            && self.reader.recent_in_session(own.id, begun, 1)?.is_empty();
        if !is_empty {
            return Ok(None);
        }
        let since = self.now.minus(TAKEN_OVER);
        let alike = |session: &&SessionRow| {
            session.id != own.id && session.harness == own.harness && session.worktree == own.worktree
        };
        let cleared = sessions.iter().filter(alike).filter(|session| {
            session.end_reason.as_deref() == Some("clear")
                && session.ended_at.is_some_and(|ended| ended >= since)
        });
        if let Some(last) = cleared.max_by_key(|session| session.ended_at) {
            return Ok(Some(last.id));
        }
        let mut open = Vec::new();
        for session in sessions.iter().filter(alike).filter(|session| session.ended_at.is_none()) {
            let last = self.reader.last_in_session(session.id)?.unwrap_or(session.started_at);
            open.extend((last >= since).then_some(session.id));
        }
        Ok(if let [only] = open[..] { Some(only) } else { None })
    }

    /// Where each session works, relative to this one.
    pub(super) fn places(
        &self,
        sessions: &[SessionRow],
        own: &[SessionId],
    ) -> Result<HashMap<SessionId, RelativePlace>, Fault> {
        let mut places = HashMap::new();
        for session in sessions {
            let place = if own.contains(&session.id) {
                RelativePlace::Here
            } else if session.worktree != self.worktree {
                RelativePlace::Worktree(worktree_name(session.worktree.as_deref()))
            } else if self.is_live(session)? {
                RelativePlace::Parallel
            } else {
                RelativePlace::Here
            };
            places.insert(session.id, place);
        }
        Ok(places)
    }

    fn is_live(&self, session: &SessionRow) -> Result<bool, Fault> {
        // Notes that the user saved outside any agent are a session too, but nothing runs in it.
        if session.ended_at.is_some() || session.harness == OWN {
            return Ok(false);
        }
        let last = self.reader.last_in_session(session.id)?.unwrap_or(session.started_at);
        Ok(last >= self.now.minus(LIVE))
    }
}

fn worktree_name(worktree: Option<&str>) -> String {
    let name = worktree.and_then(|path| Path::new(path).file_name()).and_then(|name| name.to_str());
    name.unwrap_or("main").to_owned()
}

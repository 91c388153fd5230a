//! Checks, without writing, whether the memory already contains a captured event.

use std::collections::HashSet;

use nudge_core::{Fault, ObservationKind, Timestamp};
use nudge_store::{Reader, SessionId};

use crate::capture::{CapturedEvent, EventBody};

/// An imported event was already captured by a hook if session, kind and input match within this
/// time.
const WINDOW_MS: i64 = 5_000;

/// Whether it would be a duplicate. `matched` contains the identities seen in this run.
pub(super) fn is_known(
    reader: &Reader<'_>,
    captured: &CapturedEvent,
    matched: &mut HashSet<i64>,
) -> Result<bool, Fault> {
    let (identity, at) = (captured.identity, Timestamp::from_millis(captured.at));
    if !matched.insert(identity.hash) {
        return Ok(true);
    }
    let session = reader.agent_session_by_name(&captured.session)?.map(|session| session.id);
    let observed = |kind, body| -> Result<bool, Fault> {
        Ok(reader.known_observation(identity.hash, at, identity.within_ms)?.is_some()
            || match session {
                Some(session) => same(reader, session, kind, body, at)?,
                None => false,
            })
    };
    match &captured.what {
        EventBody::Seen | EventBody::Subagent | EventBody::About { .. } => Ok(true),
        EventBody::Said { call: Some(_), .. } => Ok(reader.known_prompt(identity.hash, at, None)?.is_some()),
        EventBody::Prompt { text, .. } | EventBody::Said { text, .. } => {
            let matched = |session: SessionId| reader.same_prompt(session, text, at, WINDOW_MS);
            Ok(reader.known_prompt(identity.hash, at, identity.within_ms)?.is_some()
                || session.map(matched).transpose()?.flatten().is_some())
        }
        EventBody::Action(action) => observed(action.kind, &action.body),
        EventBody::Concluded { text, .. } => observed(ObservationKind::Conclusion, text),
        EventBody::Start { source, .. } => observed(ObservationKind::SessionStart, source),
        EventBody::End { reason } => {
            observed(ObservationKind::SessionEnd, reason.as_deref().unwrap_or("end"))
        }
        EventBody::Compact { trigger, .. } => {
            observed(ObservationKind::SessionCompact, trigger.as_deref().unwrap_or("compact"))
        }
    }
}

fn same(
    reader: &Reader<'_>,
    session: SessionId,
    kind: ObservationKind,
    body: &str,
    at: Timestamp,
) -> Result<bool, Fault> {
    Ok(reader.same_observation(session, kind, body, at, WINDOW_MS)?.is_some())
}

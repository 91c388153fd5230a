//! Whether the memory holds a moment already, asked without writing.

use std::collections::HashSet;

use nudge_core::{Fault, ObservationKind, Timestamp};
use nudge_store::{Reader, SessionId};

use crate::capture::{Moment, What};

/// Within what time an imported event that agrees in session, kind and input is one that hooks told already.
const WINDOW_MS: i64 = 5_000;

/// Whether it would be a duplicate. `told` holds the identities that this run has met.
pub(super) fn is_known(reader: &Reader<'_>, moment: &Moment, told: &mut HashSet<i64>) -> Result<bool, Fault> {
    let (identity, at) = (moment.identity, Timestamp::from_millis(moment.at));
    if !told.insert(identity.hash) {
        return Ok(true);
    }
    let session = reader.agent_session_by_name(&moment.session)?.map(|session| session.id);
    let observed = |kind, body| -> Result<bool, Fault> {
        Ok(reader.known_observation(identity.hash, at, identity.within_ms)?.is_some()
            || match session {
                Some(session) => same(reader, session, kind, body, at)?,
                None => false,
            })
    };
    match &moment.what {
        What::Seen | What::Subagent | What::About { .. } => Ok(true),
        What::Said { call: Some(_), .. } => Ok(reader.known_prompt(identity.hash, at, None)?.is_some()),
        What::Prompt { text, .. } | What::Said { text, .. } => {
            let told = |session: SessionId| reader.same_prompt(session, text, at, WINDOW_MS);
            Ok(reader.known_prompt(identity.hash, at, identity.within_ms)?.is_some()
                || session.map(told).transpose()?.flatten().is_some())
        }
        What::Action(action) => observed(action.kind, &action.body),
        What::Concluded { text, .. } => observed(ObservationKind::Conclusion, text),
        What::Start { source, .. } => observed(ObservationKind::SessionStart, source),
        What::End { reason } => observed(ObservationKind::SessionEnd, reason.as_deref().unwrap_or("end")),
        What::Compact { trigger, .. } => {
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

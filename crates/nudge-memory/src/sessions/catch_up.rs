//! Summaries of sessions that never told their end, written at the next opportunity.

use std::time::{Duration, Instant};

use nudge_core::{Fault, Timestamp};
use nudge_store::{Reader, SessionId};

use super::summarise;
use crate::capture::What;
use crate::capture::reaction::Committed;

/// How many of the newest sessions of a project are looked at when another one begins.
const LOOKED_AT: u32 = 6;

/// How many of them are summed up at a time.
const AT_ONCE: usize = 3;

/// How long this may go on for. An agent waits for the hook that does it.
const SHARE: Duration = Duration::from_millis(20);

/// A session with more rows takes longer to read than a hook has; upkeep sums it up.
const ROWS: u64 = 500;

/// When a session begins: sums up the newest ones of its project that are over and have no summary, as far as that
/// takes no time. The rest is left to `nudge maintain` and to the server.
pub(crate) fn at_start(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event: moment, .. } = *committed;
    let What::Start { .. } = moment.what else { return Ok(()) };
    let until = Instant::now() + SHARE;
    let now = Timestamp::from_millis(moment.at);
    let due = store.read(|reader| due(reader, &moment.project.key, &moment.session, now))?;
    for session in due {
        if Instant::now() >= until {
            break;
        }
        summarise::summarise_promptly(store, session, now)?;
    }
    Ok(())
}

/// The newest sessions of a project that want a summary and are quickly read.
fn due(reader: &Reader<'_>, key: &str, besides: &str, now: Timestamp) -> Result<Vec<SessionId>, Fault> {
    let Some(project) = reader.project_by_key(key)? else { return Ok(Vec::new()) };
    let silent = summarise::over_before(now);
    let mut due = Vec::new();
    for session in reader.agent_sessions_of(project, LOOKED_AT)? {
        if due.len() == AT_ONCE || session.name == besides {
            continue;
        }
        let Some(last) = reader.last_in_session(session.id)? else { continue };
        let is_over = session.ended_at.is_some() || last < silent;
        let is_told = session.summarised_at.is_some_and(|upto| upto >= last);
        if is_over && !is_told && reader.rows_in_session(session.id)? <= ROWS {
            due.push(session.id);
        }
    }
    Ok(due)
}

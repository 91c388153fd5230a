//! Summarises sessions that never reported their end, at the next opportunity.

use std::time::{Duration, Instant};

use nudge_core::{Fault, Timestamp};
use nudge_store::{Reader, SessionId};

use super::summarise;
use crate::capture::EventBody;
use crate::capture::reaction::Committed;

/// How many of a project's newest sessions are checked when another one begins.
const LOOKED_AT: u32 = 6;

/// How many of them are summarised at a time.
const AT_ONCE: usize = 3;

/// The time limit for this. An agent waits for the hook that does it.
const SHARE: Duration = Duration::from_millis(20);

/// A session with more rows takes too long to read in a hook; upkeep summarises it.
const ROWS: u64 = 500;

/// At the start of a session, summarises the newest sessions of its project that are over and have
/// no summary, if that is quick. The rest is left to `nudge maintain` and the server.
pub(crate) fn at_start(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event: captured, .. } = *committed;
    let EventBody::Start { .. } = captured.what else { return Ok(()) };
    let until = Instant::now() + SHARE;
    let now = Timestamp::from_millis(captured.at);
    let due = store.read(|reader| due(reader, &captured.project.key, &captured.session, now))?;
    for session in due {
        if Instant::now() >= until {
            break;
        }
        summarise::summarise_promptly(store, session, now)?;
    }
    Ok(())
}

/// The newest sessions of a project that need a summary and are quick to read.
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
        let is_summarised = session.summarised_at.is_some_and(|upto| upto >= last);
        if is_over && !is_summarised && reader.rows_in_session(session.id)? <= ROWS {
            due.push(session.id);
        }
    }
    Ok(due)
}

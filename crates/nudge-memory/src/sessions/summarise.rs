//! Writes the summaries of sessions that are over or have long been silent.

use std::time::{Duration, Instant};

use nudge_core::{EntryId, Fault, Provenance, Scope, Source, Tier, Timestamp};
use nudge_home::host;
use nudge_store::{
    Durability, EntryDraft, GuardedEntry, Pace, Reader, SecretPolicy, SessionId, Store, Writer,
};

use super::summary::{self, Summary};
use crate::capture::EventBody;
use crate::capture::reaction::Committed;

/// A session that was silent this long counts as over: longer than a meal and a meeting. If it
/// continues after all, its summary is renewed.
const MAX_SILENCE: Duration = Duration::from_secs(4 * 60 * 60);

/// A session without a reported end is over if its last activity was before this time: four hours
/// ago, or the start of the machine, which no session survives.
pub(crate) fn over_before(now: Timestamp) -> Timestamp {
    silent_since(now, host::booted_at(now))
}

fn silent_since(now: Timestamp, booted: Option<Timestamp>) -> Timestamp {
    booted.map_or(now.minus(MAX_SILENCE), |booted| booted.max(now.minus(MAX_SILENCE)))
}

/// How many sessions are fetched at a time.
const SESSION_PAGE: u32 = 100;

/// More than the rows of any session; a summary reads all of them.
const ALL_ROWS: u32 = u32::MAX >> 1;

/// Summarises every session that has ended or is silent, and has no summary or an outdated one.
/// Returns how many.
pub(crate) fn summarise_due(store: &Store, pace: &mut Pace, now: Timestamp) -> Result<u64, Fault> {
    let mut written = 0;
    let mut after = SessionId(0);
    loop {
        let due = store.read(|reader| reader.unsummarised(after, over_before(now), SESSION_PAGE))?;
        let Some(last) = due.last() else {
            return Ok(written);
        };
        after = last.session;
        for session in &due {
            written += u64::from(summarise(store, session.session, pace, now)?);
        }
    }
}

/// Summarises one session. `false` if no summary was written: the session is empty or a subagent's.
pub(crate) fn summarise(
    store: &Store,
    id: SessionId,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(summarised) = summarise_session(store, id, now)? else { return Ok(false) };
    store.write_in_batches(pace, |writer, _| {
        summarised.put(writer, id, now)?;
        Ok::<_, Fault>(false)
    })?;
    Ok(summarised.draft.is_some())
}

/// Like [`summarise`], for callers in a hurry: in one short transaction, without making way for
/// others.
fn summarise_promptly(store: &Store, id: SessionId, now: Timestamp) -> Result<bool, Fault> {
    let Some(summarised) = summarise_session(store, id, now)? else { return Ok(false) };
    store.write(Durability::Passive, |writer| summarised.put(writer, id, now))?;
    Ok(summarised.draft.is_some())
}

/// A summary that is ready to be written, and how far it goes.
struct Summarised {
    /// `None` for a subagent's session: its work belongs to the session that started it.
    draft: Option<GuardedEntry>,
    upto: Timestamp,
    newest: EntryId,
}

impl Summarised {
    /// Writes the summary and how far it goes: only summarised rows can be deleted later.
    fn put(&self, writer: &Writer<'_>, id: SessionId, now: Timestamp) -> Result<(), Fault> {
        match &self.draft {
            Some(draft) => drop(writer.put_guarded(draft)?),
            // A summary may exist from before the session was known to be a subagent's.
            None => drop(writer.remove_summary(id, now)?),
        }
        writer.mark_summarised(id, self.upto, self.newest)?;
        Ok(())
    }
}

/// Reads a session and summarises it; `None` if it is empty.
fn summarise_session(store: &Store, id: SessionId, now: Timestamp) -> Result<Option<Summarised>, Fault> {
    store.read(|reader| {
        let Some(session) = reader.agent_session(id)? else {
            return Ok(None);
        };
        let Some(project) = reader.project(session.project)? else {
            return Ok(None);
        };
        let (mut prompts, mut observations) =
            (reader.prompts_of_session(id, ALL_ROWS)?, reader.observations_of_session(id, ALL_ROWS)?);
        let ids = prompts.iter().map(|row| row.id).chain(observations.iter().map(|row| row.id));
        let (Some(upto), Some(newest)) = (summary::last_of(&prompts, &observations), ids.max()) else {
            return Ok(None);
        };
        if session.parent.is_some() {
            return Ok(Some(Summarised { draft: None, upto, newest }));
        }
        // Events in another project are left out of the summary, but count for how far it goes.
        let outside = reader.prompts_outside(id, session.project)?;
        prompts.retain(|row| !outside.contains(&row.id));
        observations.retain(|row| project.keys.contains(&row.project));
        let path = id.summary_path();
        // An existing summary stays in its scope: a project may have gained keys since.
        let before = match reader.scopes_of(&path)?.into_iter().next() {
            Some((_, entry)) => reader.entry_by_id(entry)?,
            None => None,
        };
        let scope = before.as_ref().map(|entry| entry.scope.clone());
        let summarised = before.and_then(|entry| Summary::from_attributes(entry.attributes));
        let summed = match (summarised, reader.summarised_entry(id)?) {
            (Some(summarised), Some(upto)) => summarised.renewed(upto, &session, &prompts, &observations),
            _ => Summary::of(&session, &prompts, &observations),
        };
        let key = project.keys.first().cloned().unwrap_or_default();
        let draft = EntryDraft {
            scope: scope.unwrap_or_else(|| Scope::Project(key.clone())),
            path,
            body: summary::render(&summed, &session, &project),
            attributes: summed.attributes(),
            provenance: Provenance {
                source: Source::ToolOutput,
                tier: Tier::System,
                client: Some("nudge".to_owned()),
                session: Some(session.name),
                project: Some(key),
                machine: None,
            },
            secrets: SecretPolicy::Redact,
            now,
        };
        Ok(Some(Summarised { draft: Some(draft.guarded()?), upto, newest }))
    })
}

// Summarises sessions that never reported their end, at the next opportunity.

/// How many of a project's newest sessions are checked when another one begins.
const MAX_CHECKED_SESSIONS: u32 = 6;

/// How many of them are summarised at a time.
const MAX_SUMMARISED_AT_START: usize = 3;

/// The time limit for this. An agent waits for the hook that does it.
const HOOK_TIME: Duration = Duration::from_millis(20);

/// A session with more rows takes too long to read in a hook; upkeep summarises it.
const MAX_ROWS_IN_HOOK: u64 = 500;

/// At the start of a session, summarises the newest sessions of its project that are over and have
/// no summary, if that is quick. The rest is left to `nudge maintain` and the server.
pub(crate) fn at_start(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event: captured, .. } = *committed;
    let EventBody::Start { .. } = captured.what else { return Ok(()) };
    let until = Instant::now() + HOOK_TIME;
    let now = Timestamp::from_millis(captured.at);
    let due = store.read(|reader| due(reader, &captured.project.key, &captured.session, now))?;
    for session in due {
        if Instant::now() >= until {
            break;
        }
        summarise_promptly(store, session, now)?;
    }
    Ok(())
}

/// The newest sessions of a project that need a summary and are quick to read.
fn due(reader: &Reader<'_>, key: &str, besides: &str, now: Timestamp) -> Result<Vec<SessionId>, Fault> {
    let Some(project) = reader.project_by_key(key)? else { return Ok(Vec::new()) };
    let silent = over_before(now);
    let mut due = Vec::new();
    for session in reader.agent_sessions_of(project, MAX_CHECKED_SESSIONS)? {
        if due.len() == MAX_SUMMARISED_AT_START || session.name == besides {
            continue;
        }
        let Some(last) = reader.last_in_session(session.id)? else { continue };
        let is_over = session.ended_at.is_some() || last < silent;
        let is_summarised = session.summarised_at.is_some_and(|upto| upto >= last);
        if is_over && !is_summarised && reader.rows_in_session(session.id)? <= MAX_ROWS_IN_HOOK {
            due.push(session.id);
        }
    }
    Ok(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hours_of_silence_or_a_restart_end_a_session() {
        let hour = |n: i64| Timestamp::from_millis(n * 3_600_000);
        assert_eq!(silent_since(hour(100), None), hour(96));
        assert_eq!(silent_since(hour(100), Some(hour(99))), hour(99));
        assert_eq!(silent_since(hour(100), Some(hour(7))), hour(96));
    }
}

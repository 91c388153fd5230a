//! Writing the summaries of sessions that are over, or silent for long.

use std::time::Duration;

use nudge_core::{EntryId, Fault, Provenance, Scope, Source, Tier, Timestamp};
use nudge_store::{Durability, EntryDraft, GuardedEntry, Pace, SecretPolicy, SessionId, Store, Writer};

use super::summary::{self, Summary};
use nudge_home::host;

/// A session that said nothing for so long is taken to be over: longer than a meal and a meeting. Should it go on all the
/// same, its summary is renewed.
const SILENCE: Duration = Duration::from_secs(4 * 60 * 60);

/// A session that told no end is over when it was last heard of before this: four hours ago, or before the machine was
/// started, which no session survives.
pub(crate) fn over_before(now: Timestamp) -> Timestamp {
    silent_since(now, host::booted_at(now))
}

fn silent_since(now: Timestamp, booted: Option<Timestamp>) -> Timestamp {
    booted.map_or(now.minus(SILENCE), |booted| booted.max(now.minus(SILENCE)))
}

/// How many sessions are looked for at a time.
const AT_ONCE: u32 = 100;

/// No session has more rows than this; reading them all is what a summary is for.
const ALL: u32 = u32::MAX >> 1;

/// Sums up every session that has ended or is silent, and has no summary or an older one. Returns how many.
pub(crate) fn summarise_due(store: &Store, pace: &mut Pace, now: Timestamp) -> Result<u64, Fault> {
    let mut written = 0;
    let mut after = SessionId(0);
    loop {
        let due = store.read(|reader| reader.unsummarised(after, over_before(now), AT_ONCE))?;
        let Some(last) = due.last() else {
            return Ok(written);
        };
        after = last.session;
        for session in &due {
            written += u64::from(summarise(store, session.session, pace, now)?);
        }
    }
}

/// Sums one session up. `false` when no summary was written: there is nothing in it, or it is that of a subagent.
pub(crate) fn summarise(
    store: &Store,
    id: SessionId,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(told) = tell(store, id, now)? else { return Ok(false) };
    store.write_in_batches(pace, |writer, _| {
        told.put(writer, id, now)?;
        Ok::<_, Fault>(false)
    })?;
    Ok(told.draft.is_some())
}

/// The same for somebody who has no time to make way for others: in one short transaction.
pub(crate) fn summarise_promptly(store: &Store, id: SessionId, now: Timestamp) -> Result<bool, Fault> {
    let Some(told) = tell(store, id, now)? else { return Ok(false) };
    store.write(Durability::Passive, |writer| told.put(writer, id, now))?;
    Ok(told.draft.is_some())
}

/// A summary that is ready to be written, and how far it goes.
struct Told {
    /// `None` for the session of a subagent: what it did, it did for the one that started it.
    draft: Option<GuardedEntry>,
    upto: Timestamp,
    newest: EntryId,
}

impl Told {
    /// Writes it, and how far it goes: only what is summed up can be let go later.
    fn put(&self, writer: &Writer<'_>, id: SessionId, now: Timestamp) -> Result<(), Fault> {
        match &self.draft {
            Some(draft) => drop(writer.put_guarded(draft)?),
            // There may be one from before it was known whose subagent it is.
            None => drop(writer.remove_summary(id, now)?),
        }
        writer.mark_summarised(id, self.upto, self.newest)?;
        Ok(())
    }
}

/// Reads a session and sums it up; `None` when there is nothing in it.
fn tell(store: &Store, id: SessionId, now: Timestamp) -> Result<Option<Told>, Fault> {
    store.read(|reader| {
        let Some(session) = reader.agent_session(id)? else {
            return Ok(None);
        };
        let Some(project) = reader.project(session.project)? else {
            return Ok(None);
        };
        let (mut prompts, mut observations) =
            (reader.prompts_of_session(id, ALL)?, reader.observations_of_session(id, ALL)?);
        let ids = prompts.iter().map(|row| row.id).chain(observations.iter().map(|row| row.id));
        let (Some(upto), Some(newest)) = (summary::last_of(&prompts, &observations), ids.max()) else {
            return Ok(None);
        };
        if session.parent.is_some() {
            return Ok(Some(Told { draft: None, upto, newest }));
        }
        // What was said and done in another project is not told in this one; how far the summary goes, it counts all the same.
        let outside = reader.said_outside(id, session.project)?;
        prompts.retain(|row| !outside.contains(&row.id));
        observations.retain(|row| project.keys.contains(&row.project));
        let path = id.summary_path();
        // Where it lies already, it stays: a project may have gained keys since.
        let before = match reader.scopes_of(&path)?.into_iter().next() {
            Some((_, entry)) => reader.entry_by_id(entry)?,
            None => None,
        };
        let scope = before.as_ref().map(|entry| entry.scope.clone());
        let told = before.and_then(|entry| Summary::from_attributes(entry.attributes));
        let summed = match (told, reader.summarised_entry(id)?) {
            (Some(told), Some(upto)) => told.renewed(upto, &session, &prompts, &observations),
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
        Ok(Some(Told { draft: Some(draft.guarded()?), upto, newest }))
    })
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

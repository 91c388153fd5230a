//! Writing the summaries of sessions that are over, or silent for long.

use std::time::Duration;

use nudge_core::{EntryId, Fault, Provenance, Scope, Source, Tier, Timestamp};
use nudge_store::{EntryDraft, Pace, ScreenedEntry, SecretPolicy, SessionId, Store};

use super::summary::{self, Summary};

/// A session that said nothing for so long is taken to be over: a night, and then some.
pub(crate) const SILENCE: Duration = Duration::from_secs(12 * 60 * 60);

/// How many sessions are looked for at a time.
const AT_ONCE: u32 = 100;

/// No session has more rows than this; reading them all is what a summary is for.
const ALL: u32 = u32::MAX >> 1;

/// Sums up every session that has ended or is silent, and has no summary or an older one. Returns how many.
pub(crate) fn summarise_due(store: &Store, pace: &mut Pace, now: Timestamp) -> Result<u64, Fault> {
    let mut written = 0;
    let mut after = SessionId(0);
    loop {
        let due = store.read(|reader| reader.unsummarised(after, now.minus(SILENCE), AT_ONCE))?;
        let Some(last) = due.last() else {
            return Ok(written);
        };
        after = last.session;
        for session in &due {
            written += u64::from(summarise(store, session.session, pace, now)?);
        }
    }
}

/// Sums one session up. `false` when there is nothing in it.
pub(crate) fn summarise(
    store: &Store,
    id: SessionId,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some((draft, upto, newest)) = store.read(|reader| {
        let Some(session) = reader.agent_session(id)? else {
            return Ok(None);
        };
        let Some(project) = reader.project(session.project)? else {
            return Ok(None);
        };
        let (prompts, observations) =
            (reader.prompts_of_session(id, ALL)?, reader.observations_of_session(id, ALL)?);
        let ids = prompts.iter().map(|row| row.id).chain(observations.iter().map(|row| row.id));
        let (Some(upto), Some(newest)) = (summary::last_of(&prompts, &observations), ids.max()) else {
            return Ok(None);
        };
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
        Ok::<_, Fault>(Some((draft.screened()?, upto, newest)))
    })?
    else {
        return Ok(false);
    };
    write(store, id, &draft, upto, newest, pace)?;
    Ok(true)
}

fn write(
    store: &Store,
    id: SessionId,
    draft: &ScreenedEntry,
    upto: Timestamp,
    newest: EntryId,
    pace: &mut Pace,
) -> Result<(), Fault> {
    store.write_in_portions(pace, |writer, _| {
        writer.put_screened(draft)?;
        writer.mark_summarised(id, upto, newest)?;
        Ok::<_, Fault>(false)
    })
}

//! Earlier failures like that of the command at hand, and what a tool call means for a hypothesis.

use std::collections::HashSet;

use nudge_context::{Note, Section, Trigger};
use nudge_core::{EntryId, Fault};
use nudge_store::{Attempt, SessionId};

use super::gathered::Gathered;
use super::live_state;
use crate::failures::{self, Asker};
use crate::inject::cooldown::SILENCED;
use crate::inject::ledger;
use crate::inject::request::InjectionRequest;

/// Gathers what is known about the tool call at hand. Most commands never failed and most sessions
/// have no hypothesis; then only enough is read to find that out.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let Some(session) = &request.session else { return Ok(gathered) };
    let tried = live_state::at_tool(request)?;
    let found = failure(request, session.id)?;
    let is_decided = tried.as_ref().is_some_and(|(_, has_changed)| *has_changed);
    if tried.is_none() && found.is_none() {
        return Ok(gathered);
    }
    if !is_decided && ledger::has_enough(request.reader, request.trigger, session.id, request.now)? {
        return Ok(gathered);
    }
    let silenced = request.reader.silenced(request.project)?;
    gathered.is_decided = is_decided;
    let tried = tried.into_iter().map(|(one, _)| one).filter(|one| !silenced.contains(&one.entry));
    gathered.facts.hypotheses = tried.collect();
    match found {
        Some(found) if found.failures.iter().any(|failure| silenced.contains(failure)) => {
            gathered.facts.withheld.push((found.entry, SILENCED));
        }
        Some(found) => gathered.facts.notes.push(Note {
            entry: Some(found.entry),
            at: found.at,
            text: nudge_secrets::redact(&found.text).into_owned(),
        }),
        None => {}
    }
    Ok(gathered)
}

/// The earlier failure that matches the command, before or after it runs.
fn failure(request: &InjectionRequest<'_>, session: SessionId) -> Result<Option<failures::Known>, Fault> {
    let Some(command) = &request.command else { return Ok(None) };
    let (reader, project) = (request.reader, request.project);
    let asker = Asker { reader, project, session: Some(session), now: request.now };
    let has = |failures: &[Attempt]| {
        let injected = injected(request, session)?;
        Ok(failures.iter().any(|failure| injected.contains(&failure.entry)))
    };
    match request.trigger {
        Trigger::BeforeTool => failures::before(&asker, &has, &command.line),
        // A run that passed is checked for what it decides, not for earlier failures.
        _ if command.run.as_ref().is_some_and(|run| run["verdict"] == "passed") => Ok(None),
        _ => failures::after(&asker, &has, &command.line, &command.output),
    }
}

/// The failures that were injected into the session with what followed them, and that it still has.
fn injected(request: &InjectionRequest<'_>, session: SessionId) -> Result<HashSet<EntryId>, Fault> {
    let given = ledger::given(request.reader, session, &[Section::Failed, Section::Notes])?;
    Ok(given.into_iter().map(|(entry, _)| entry).collect())
}

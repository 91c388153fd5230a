//! What failed before as a command does or is about to.

use std::collections::HashSet;

use nudge_context::{Note, Section, Trigger};
use nudge_core::{EntryId, Fault};
use nudge_store::{Attempt, SessionId};

use super::gathered::Gathered;
use crate::failures::{self, Asker};
use crate::inject::cooldown::SILENCED;
use crate::inject::ledger;
use crate::inject::request::InjectionRequest;

/// Among how many injections of a session it is looked for.
const INJECTIONS: u32 = 50;

/// What is known of the command at hand. Most commands never failed: then no more is read than that takes to say.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let (Some(command), Some(session)) = (&request.command, &request.session) else { return Ok(gathered) };
    let (reader, project) = (request.reader, request.project);
    let asker = Asker { reader, project, session: Some(session.id), now: request.now };
    let has = |failures: &[Attempt]| {
        let told = told(request, session.id)?;
        Ok(failures.iter().any(|failure| told.contains(&failure.entry)))
    };
    let found = match request.trigger {
        Trigger::BeforeTool => failures::before(&asker, &has, &command.line)?,
        _ => failures::after(&asker, &has, &command.line, &command.output)?,
    };
    let Some(found) = found else { return Ok(gathered) };
    if ledger::has_enough(request.reader, request.trigger, session.id, request.now)? {
        return Ok(gathered);
    }
    let silenced = request.reader.silenced(request.project)?;
    if found.failures.iter().any(|failure| silenced.contains(failure)) {
        gathered.facts.held.push((found.entry, SILENCED));
    } else {
        gathered.facts.notes.push(Note {
            entry: Some(found.entry),
            at: found.at,
            text: nudge_secrets::redact(&found.text).into_owned(),
        });
    }
    Ok(gathered)
}

/// The failures that the session was given with what followed them, and still has.
fn told(request: &InjectionRequest<'_>, session: SessionId) -> Result<HashSet<EntryId>, Fault> {
    let sections = [Section::Failed.number(), Section::Notes.number()];
    let mut told = HashSet::new();
    for injection in request.reader.injections_of_session(session, INJECTIONS)? {
        let lines = request.reader.injection_lines(injection.id)?;
        let lines = lines.iter().filter(|line| line.is_told() && sections.contains(&line.section));
        told.extend(lines.map(|line| line.entry));
        if injection.is_recovery() {
            break;
        }
    }
    Ok(told)
}

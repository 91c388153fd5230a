//! What memory has learned about the project.

use nudge_core::Fault;

use super::gathered::Gathered;
use super::gathering::Gathering;
use crate::inject::cooldown::SILENCED;
use crate::learn;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let (sessions, viewpoint) = (&gathering.sessions, Some(request.viewpoint()));
    let notes = learn::notes(request.reader, request.project, sessions, viewpoint, request.now)?;
    for note in notes {
        match note.entry.filter(|entry| gathering.cooldown.is_silenced(*entry)) {
            Some(entry) => gathered.facts.withheld.push((entry, SILENCED)),
            None => gathered.facts.notes.push(note),
        }
    }
    Ok(())
}

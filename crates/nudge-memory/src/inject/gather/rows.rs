//! What was done and pinned in the project.

use std::collections::HashSet;

use nudge_context::Where;
use nudge_core::{EntryId, Fault};

use super::best_rows::best_rows;
use super::gathered::Gathered;
use super::gathering::Gathering;

/// How many rows are considered for the table of the project.
const ROWS: usize = 400;

/// How many pins of this project are considered.
const PINS: u32 = 30;

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let mut found = request.reader.pinned_in(request.project, PINS)?;
    let mut seen: HashSet<EntryId> = found.iter().map(|row| row.entry).collect();
    let sessions = gathering.sessions.iter().map(|session| session.id);
    let unknown: Vec<_> = sessions
        .filter(|id| !gathering.is_known(*id))
        .map(|id| (id, gathering.places.get(&id).is_some_and(Where::is_aside)))
        .collect();
    let here = best_rows(request.reader, &unknown, request.project, ROWS, request.now)?;
    found.extend(here.into_iter().filter(|row| seen.insert(row.entry)));
    gathered.facts.rows = found
        .into_iter()
        .filter(|row| !(row.pinned && gathering.is_known(row.session)))
        .map(|row| {
            let place = gathering.place(row.session);
            gathering.row(row, place)
        })
        .collect();
    Ok(())
}

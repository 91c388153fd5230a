//! What was done in the project, as rows.

use std::collections::{HashMap, HashSet};

use nudge_context::{Stopped, Where};
use nudge_core::{EntryId, Fault, ObservationKind};
use nudge_store::RecentRow;

use super::best_rows::best_rows;
use super::gathered::Gathered;
use super::gathering::Gathering;
use super::usual;
use crate::inject::uncommitted::PutBackIn;

/// How many rows are considered for the table of the project, at a start and after the context was emptied.
const ROWS: usize = 100;
const ROWS_RECOVERED: usize = 400;

/// Where so many sessions are told with where they stopped, no other rows are told than the usual commands.
const STOPPED_ENOUGH: usize = 2;

/// The commands that most sessions ran; in a young project also the rows that count most. What sessions asked for and
/// concluded says more for its price than what they did step by step.
pub(super) fn of_start(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let usual = usual::commands(gathering)?;
    let commands: HashSet<String> = usual.iter().map(|row| row.text.clone()).collect();
    gathered.facts.rows = usual;
    let stopped = &gathered.facts.stopped;
    if stopped.len() >= STOPPED_ENOUGH {
        return Ok(());
    }
    let told: HashSet<EntryId> = stopped.iter().flat_map(Stopped::entries).collect();
    let files: HashSet<&String> =
        stopped.iter().filter_map(|one| one.changed.as_ref()).flat_map(|changed| &changed.files).collect();
    let mut found = best(gathering, ROWS)?;
    found.retain(|row| {
        let file = row.file.as_ref().map(|file| gathering.request.shown(file));
        let is_told = told.contains(&row.entry) || file.is_some_and(|file| files.contains(&file));
        !is_told && !commands.contains(&row.text)
    });
    put(gathering, gathered, found);
    Ok(())
}

/// After the context was emptied: the rows that count most.
pub(super) fn of_recovery(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let found = best(gathering, ROWS_RECOVERED)?;
    put(gathering, gathered, found);
    Ok(())
}

/// The rows that count most. What is pinned is told with what was stated.
fn best(gathering: &Gathering<'_>, wanted: usize) -> Result<Vec<RecentRow>, Fault> {
    let request = gathering.request;
    let sessions = gathering.sessions.iter().map(|session| session.id);
    let unknown: Vec<_> = sessions
        .filter(|id| !gathering.is_known(*id))
        .map(|id| (id, gathering.places.get(&id).is_some_and(Where::is_aside)))
        .collect();
    let mut found = best_rows(request.reader, &unknown, request.project, wanted, request.now)?;
    let mut put_back = PutBackIn { reader: request.reader, project: request.project, known: HashMap::new() };
    let mut kept = Vec::with_capacity(found.len());
    for row in found.drain(..).filter(|row| !row.pinned && !is_status(row)) {
        if !put_back.has(&row)? {
            kept.push(row);
        }
    }
    Ok(kept)
}

/// Whether a row says only that somebody looked at something with a command.
fn is_status(row: &RecentRow) -> bool {
    row.kind == ObservationKind::Command && nudge_core::shell::is_look(&row.text)
}

fn put(gathering: &Gathering<'_>, gathered: &mut Gathered, found: Vec<RecentRow>) {
    let row = |row: RecentRow| {
        let place = gathering.place(row.session);
        gathering.row(row, place)
    };
    gathered.facts.rows.extend(found.into_iter().map(row));
}

//! The project's past work, as rows.

use std::collections::{HashMap, HashSet};

use nudge_context::{RelativePlace, Stopped};
use nudge_core::{EntryId, Fault, ObservationKind};
use nudge_store::RecentRow;

use super::best_rows::best_rows;
use super::gathered::Gathered;
use super::gathering::Gathering;
use super::usual;
use crate::inject::uncommitted::RestoredFilesCache;

/// How many rows are considered for the project's table, at a start and after the context was
/// emptied.
const ROWS: usize = 100;
const ROWS_RECOVERED: usize = 400;

/// If this many sessions are shown with where they stopped, the only other rows shown are the usual
/// commands.
const STOPPED_ENOUGH: usize = 2;

/// The commands that most sessions ran; in a young project also the most important rows. What
/// sessions asked for and concluded is worth more for its cost than their single steps.
pub(super) fn of_start(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let usual = usual::commands(gathering)?;
    let commands: HashSet<String> = usual.iter().map(|row| row.text.clone()).collect();
    gathered.facts.rows = usual;
    let stopped = &gathered.facts.stopped;
    if stopped.len() >= STOPPED_ENOUGH {
        return Ok(());
    }
    let injected: HashSet<EntryId> = stopped.iter().flat_map(Stopped::entries).collect();
    let files: HashSet<&String> =
        stopped.iter().filter_map(|one| one.changed.as_ref()).flat_map(|changed| &changed.files).collect();
    let mut found = best(gathering, ROWS)?;
    found.retain(|row| {
        let file = row.file.as_ref().map(|file| gathering.request.shown(file));
        let is_injected = injected.contains(&row.entry) || file.is_some_and(|file| files.contains(&file));
        !is_injected && !commands.contains(&row.text)
    });
    put(gathering, gathered, found);
    Ok(())
}

/// After the context was emptied: the most important rows.
pub(super) fn of_recovery(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let found = best(gathering, ROWS_RECOVERED)?;
    put(gathering, gathered, found);
    Ok(())
}

/// The most important rows. Pinned ones are left out, because they are shown with the statements.
fn best(gathering: &Gathering<'_>, wanted: usize) -> Result<Vec<RecentRow>, Fault> {
    let request = gathering.request;
    let sessions = gathering.sessions.iter().map(|session| session.id);
    let unknown: Vec<_> = sessions
        .filter(|id| !gathering.is_known(*id))
        .map(|id| (id, gathering.places.get(&id).is_some_and(RelativePlace::may_be_invisible)))
        .collect();
    let mut found = best_rows(request.reader, &unknown, request.project, wanted, request.now)?;
    let mut put_back =
        RestoredFilesCache { reader: request.reader, project: request.project, known: HashMap::new() };
    let mut kept = Vec::with_capacity(found.len());
    for row in found.drain(..).filter(|row| !row.pinned && !is_status(row)) {
        if !put_back.has(&row)? {
            kept.push(row);
        }
    }
    Ok(kept)
}

/// Whether a row is a command that only looks at something.
fn is_status(row: &RecentRow) -> bool {
    row.kind == ObservationKind::Command && nudge_outcomes::shell::is_read_only(&row.text)
}

fn put(gathering: &Gathering<'_>, gathered: &mut Gathered, found: Vec<RecentRow>) {
    let row = |row: RecentRow| {
        let place = gathering.place(row.session);
        gathering.row(row, place)
    };
    gathered.facts.rows.extend(found.into_iter().map(row));
}

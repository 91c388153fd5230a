//! The project's past work, as rows; its usual commands, what was learned, and the work elsewhere.

use std::collections::{HashMap, HashSet};

use nudge_context::{INVISIBLE_WORK_FACTOR, RelativePlace, Row, Stopped, worth};
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_outcomes::shell::is_read_only;
use nudge_store::{ProjectId, Reader, RecentRow, RowHead, SessionId};

use super::gathering::{Gathered, Gathering};
use crate::inject::cooldown::SILENCED;
use crate::inject::uncommitted::RestoredFilesCache;
use crate::learn;
use crate::projects::HiddenProjects;

/// How many rows are considered for the project's table, at a start and after the context was
/// emptied.
const MAX_ROWS: usize = 100;

const MAX_ROWS_RECOVERED: usize = 400;

/// If this many sessions are shown with where they stopped, the only other rows shown are the usual
/// commands.
const ENOUGH_STOPPED: usize = 2;

/// The commands that most sessions ran; in a young project also the most important rows. What
/// sessions asked for and concluded is worth more for its cost than their single steps.
pub(super) fn of_start(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    if !gathering.request.tables {
        return Ok(());
    }
    let usual = usual_commands(gathering)?;
    let commands: HashSet<String> = usual.iter().map(|row| row.text.clone()).collect();
    gathered.facts.rows = usual;
    let stopped = &gathered.facts.stopped;
    if stopped.len() >= ENOUGH_STOPPED {
        return Ok(());
    }
    let injected: HashSet<EntryId> = stopped.iter().flat_map(Stopped::entries).collect();
    let files: HashSet<&String> =
        stopped.iter().filter_map(|one| one.changed.as_ref()).flat_map(|changed| &changed.files).collect();
    let mut found = best(gathering, MAX_ROWS)?;
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
    if !gathering.request.tables {
        return Ok(());
    }
    let found = best(gathering, MAX_ROWS_RECOVERED)?;
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
    let mut rest = Vec::with_capacity(found.len());
    for row in found.drain(..).filter(|row| !row.pinned && !is_status(row)) {
        if !put_back.has(&row)? {
            rest.push(row);
        }
    }
    Ok(rest)
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

// The commands that sessions of a project run regularly: how it is built, checked and tested.

/// How many of the newest sessions are read, and how many commands of each.
const MAX_SESSIONS: usize = 12;

const MAX_STEPS: u32 = 40;

/// In how many of them a command must have run, as a number and as a fraction, and how many
/// commands are shown.
const MIN_SESSIONS: usize = 3;

const MIN_SESSIONS_DIVISOR: usize = 5;

const MAX_COMMANDS: usize = 2;

/// The longest command, in characters. A longer one is rarely repeated word for word.
const MAX_COMMAND_CHARS: usize = 120;

/// The commands that ran in most of the newest sessions, each with its newest run. Commands that
/// only look at something are left out.
fn usual_commands(gathering: &Gathering<'_>) -> Result<Vec<Row>, Fault> {
    let request = gathering.request;
    let mut runs: HashMap<String, (usize, RecentRow)> = HashMap::new();
    let mut sessions = 0;
    for session in
        gathering.sessions.iter().filter(|session| !gathering.is_known(session.id)).take(MAX_SESSIONS)
    {
        let mut ran = HashSet::new();
        sessions += 1;
        for row in request.reader.commands_in_session(session.id, request.project, MAX_STEPS)? {
            if row.text.chars().count() > MAX_COMMAND_CHARS || !ran.insert(row.text.clone()) {
                continue;
            }
            let run = runs.entry(row.text.clone()).or_insert_with(|| (0, row));
            run.0 += 1;
        }
    }
    let mut usual: Vec<(usize, RecentRow)> = runs
        .into_values()
        .filter(|(times, _)| *times >= MIN_SESSIONS.max(sessions / MIN_SESSIONS_DIVISOR))
        .collect();
    usual.sort_by(|(times, a), (others, b)| {
        others.cmp(times).then(b.at.cmp(&a.at)).then(b.entry.cmp(&a.entry))
    });
    let usual = usual.into_iter().filter(|(_, row)| !is_read_only(&row.text)).take(MAX_COMMANDS);
    Ok(usual
        .map(|(times, row)| {
            let place = gathering.place(row.session);
            Row { often: Some((times, sessions)), ..gathering.row(row, place) }
        })
        .collect())
}

// The most important rows of a project, from any of its newest sessions.
//
// Rows are weighed by kind and time before anything else of them is read, so that many rows of one
// kind cannot hide those of another. The number of rows read is bounded: a start costs the same in
// a store of any size.

/// How many of the newest rows are weighed, per session and in all.
const MAX_WEIGHED_EACH: u32 = 500;

const MAX_WEIGHED: usize = 2_500;

/// How many rows are read for each row wanted.
const READ_PER_WANTED: usize = 2;

/// How many rows about one file, or with the same text and outcome, are kept. One of them is shown.
/// The others show how much it represents, and replace it if it is withheld.
const MAX_ALIKE: u8 = 3;

/// At most this many rows of a project, the best first. Each session comes with whether its work is
/// invisible here.
fn best_rows(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    project: ProjectId,
    wanted: usize,
    now: Timestamp,
) -> Result<Vec<RecentRow>, Fault> {
    let mut alike: HashMap<Likeness, u8> = HashMap::new();
    let mut files: HashMap<i64, u8> = HashMap::new();
    let mut here = ProjectCheck { reader, project, scopes: HashMap::new() };
    let (mut found, mut read) = (Vec::new(), 0);
    for head in weighed(reader, sessions, now)? {
        if found.len() >= wanted || read >= wanted * READ_PER_WANTED {
            break;
        }
        if !here.contains(&head)? {
            continue;
        }
        let file = reader.first_file(head.id)?;
        if file.is_some_and(|file| count_and_check_limit(files.entry(file).or_default())) {
            continue;
        }
        read += 1;
        let Some(row) = reader.recent_row(head.id)? else { continue };
        if file.is_none() && count_and_check_limit(alike.entry(likeness(&row)).or_default()) {
            continue;
        }
        found.push(row);
    }
    Ok(found)
}

/// The newest rows of the sessions, the most important first.
fn weighed(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    now: Timestamp,
) -> Result<Vec<RowHead>, Fault> {
    let mut found: Vec<(f64, RowHead)> = Vec::new();
    for (session, is_invisible) in sessions {
        let room = MAX_WEIGHED.saturating_sub(found.len()).min(MAX_WEIGHED_EACH as usize);
        let rows = reader.row_heads_of_session(*session, None, room as u32)?;
        found.extend(rows.into_iter().filter_map(|head| {
            let kind = head.kind.filter(|kind| !is_of_session(*kind))?;
            let worth = worth(kind, head.at, now) * if *is_invisible { INVISIBLE_WORK_FACTOR } else { 1.0 };
            Some((worth, head))
        }));
        if found.len() >= MAX_WEIGHED {
            break;
        }
    }
    found.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(b.id.cmp(&a.id)));
    Ok(found.into_iter().map(|(_, head)| head).collect())
}

/// Whether a row is about the session itself, or only something its agent said: not an action.
const fn is_of_session(kind: ObservationKind) -> bool {
    matches!(
        kind,
        ObservationKind::SessionStart
            | ObservationKind::SessionEnd
            | ObservationKind::SessionCompact
            | ObservationKind::Conclusion
    )
}

/// Checks which rows belong to the project: an agent may have moved to another one during a
/// session.
struct ProjectCheck<'r> {
    reader: &'r Reader<'r>,
    project: ProjectId,
    scopes: HashMap<i64, bool>,
}

impl ProjectCheck<'_> {
    fn contains(&mut self, head: &RowHead) -> Result<bool, Fault> {
        let Some(scope) = self.reader.scope_of(head.id)? else { return Ok(false) };
        if let Some(known) = self.scopes.get(&scope) {
            return Ok(*known);
        }
        let is_here = self.reader.project_of(head.id)? == Some(self.project);
        self.scopes.insert(scope, is_here);
        Ok(is_here)
    }
}

/// The key by which two rows without a file count as the same.
type Likeness = (ObservationKind, String, bool);

fn likeness(row: &RecentRow) -> Likeness {
    (row.kind, row.text.clone(), matches!(row.outcome, Outcome::Failed { .. }))
}

/// Counts one more; true if the limit was already reached.
const fn count_and_check_limit(count: &mut u8) -> bool {
    *count = count.saturating_add(1);
    *count > MAX_ALIKE
}

// Rows of other projects: pinned ones, and the work in another copy of this project.

/// How many pins of other projects are considered.
const MAX_PINS: u32 = 15;

/// How many copies of the project, sessions of each and rows of each copy are considered.
const MAX_COPIES: u32 = 3;

const MAX_OTHER_SESSIONS: u32 = 3;

const MAX_OTHER_ROWS: usize = 60;

pub(super) fn gather_elsewhere(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    if request.trigger.is_recovery() && !request.tables {
        return Ok(());
    }
    let mut names: HashMap<ProjectId, String> = HashMap::new();
    let mut found = request.reader.pinned_outside(Some(request.project), MAX_PINS)?;
    let mut seen: HashSet<EntryId> = found.iter().map(|row| row.entry).collect();
    let copies = match &gathering.remote {
        Some(remote) => request.reader.projects_of_remote(remote, request.project, MAX_COPIES)?,
        None => Vec::new(),
    };
    for (copy, _) in copies {
        let sessions = request.reader.working_sessions_of(copy, MAX_OTHER_SESSIONS)?;
        let sessions: Vec<_> = sessions.iter().map(|session| (session.id, false)).collect();
        let rows = best_rows(request.reader, &sessions, copy, MAX_OTHER_ROWS, request.now)?;
        found.extend(rows.into_iter().filter(|row| seen.insert(row.entry)));
    }
    let hidden = if found.is_empty() {
        HiddenProjects::default()
    } else {
        HiddenProjects::for_project(request.reader, request.project)?
    };
    for row in found {
        let Some(project) = row.project.filter(|project| !hidden.hide(*project)) else { continue };
        // Of a note elsewhere only its kind may be shown, which says nothing.
        if row.kind == ObservationKind::Marker && !request.tables {
            continue;
        }
        let name = match names.get(&project) {
            Some(name) => name.clone(),
            None => request.reader.project_label(project)?.unwrap_or_default().0,
        };
        names.insert(project, name.clone());
        gathered.facts.elsewhere.push(gathering.row(row, RelativePlace::Project(name)));
    }
    Ok(())
}

// What memory has learned about the project.

pub(super) fn gather_notes(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
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

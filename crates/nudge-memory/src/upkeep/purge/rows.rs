//! Removes rows, runs and other entries from one store, and what depended on them.

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Found, Pace, PlainEntry, ProjectId, RowKind, RunId, RunRow, Selection, SessionId, Store};

use super::filter::ResolvedFilter;
use crate::sessions;
use crate::statements::proposals;
use crate::upkeep::orphans;

/// How many entries one read covers.
const ENTRY_PAGE: u32 = 2_000;

/// What was removed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RemovedRows {
    pub(super) observations: u64,
    pub(super) prompts: u64,
    pub(super) summaries: u64,
    /// How many of the summaries were rewritten.
    pub(super) rewritten: u64,
    pub(super) memories: u64,
    /// Runs, with all of their entries.
    pub(super) runs: u64,
    /// Entries of other schemes.
    pub(super) entries: u64,
    /// Past versions, and rows of what a project had in view.
    pub(super) versions: u64,
    /// Texts that were removed from what stays.
    pub(super) texts: u64,
    pub(super) sessions: u64,
    pub(super) projects: u64,
    /// Hints that no longer say that they were set there.
    pub(super) hints: u64,
}

impl RemovedRows {
    pub(super) const fn is_nothing(&self) -> bool {
        let rows = self.observations + self.prompts + self.summaries + self.memories;
        let others = self.runs + self.entries + self.versions + self.texts;
        rows + others + self.sessions + self.projects + self.hints == 0
    }
}

/// Visits everything that is selected, page by page.
pub(super) fn walk(
    store: &Store,
    selection: &Selection,
    mut act: impl FnMut(&[Found]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if let Some(ids) = &selection.ids {
        return walk_ids(store, selection, ids, act);
    }
    let mut after = EntryId(0);
    loop {
        let page = store.read(|reader| reader.select(selection, after, ENTRY_PAGE))?;
        if !page.found.is_empty() {
            act(&page.found)?;
        }
        match page.next {
            Some(next) => after = next,
            None => return Ok(()),
        }
    }
}

/// The same for entries given by id: each is visited, and no other.
fn walk_ids(
    store: &Store,
    selection: &Selection,
    ids: &[EntryId],
    mut act: impl FnMut(&[Found]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for some in ids.chunks(ENTRY_PAGE as usize) {
        let found = store.read(|reader| {
            let mut found = Vec::new();
            for id in some {
                found.extend(reader.select(selection, EntryId(id.0 - 1), 1)?.found);
            }
            Ok::<_, Fault>(found)
        })?;
        act(&found)?;
    }
    Ok(())
}

/// Removes the selected rows from a store, and everything that is then unused.
pub(super) fn remove(
    store: &Store,
    meant: &ResolvedFilter,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<RemovedRows, Fault> {
    let Some(selection) = store.read(|reader| meant.selection(reader))? else {
        return Ok(RemovedRows::default());
    };
    let mut gone = RemovedRows::default();
    let mut touched: BTreeSet<SessionId> = BTreeSet::new();
    let mut unsummarised: BTreeSet<SessionId> = BTreeSet::new();
    // A session or project that was named is removed if it is empty, even if it was empty before.
    touched.extend(selection.session.filter(|_| meant.names_only_places()));
    // Before the rows go by which a run is found.
    let others = find_others(store, meant)?;
    let mut selections = vec![selection.clone()];
    if meant.names_only_words() {
        // A session whose name has the text goes as a whole.
        let named = store.read(|reader| reader.sessions_holding(&meant.filter.words))?;
        touched.extend(&named);
        selections
            .extend(named.into_iter().map(|id| Selection { session: Some(id), ..Selection::default() }));
    }
    for selection in &selections {
        walk(store, selection, |found| {
            for row in found {
                touched.extend(row.session);
                match row.kind {
                    RowKind::Observation(_) => gone.observations += 1,
                    RowKind::Prompt => gone.prompts += 1,
                    RowKind::Summary => {
                        gone.summaries += 1;
                        unsummarised.extend(row.session);
                    }
                    RowKind::Known => gone.memories += 1,
                }
            }
            orphans::each(store, pace, found, |writer, row| {
                writer.delete_entry(row.id, now)?;
                Ok(())
            })?;
            Ok(())
        })?;
    }
    remove_others(store, &others, pace, now)?;
    gone.runs = others.runs.len() as u64;
    gone.entries = others.by_scheme().values().sum();
    let mut deserted: BTreeSet<ProjectId> = selection.projects.iter().flatten().copied().collect();
    if meant.names_only_places() {
        touched.extend(sessions_of(store, &deserted)?);
    }
    let leaving = if meant.names_only_places() { deserted.clone() } else { BTreeSet::new() };
    for session in touched {
        move_out_of_project(store, session, pace, &leaving)?;
        if settle(store, session, pace, &mut gone, &mut deserted, now)? {
            gone.rewritten += 1;
            gone.summaries += u64::from(!unsummarised.contains(&session));
        }
    }
    if meant.names_only_words() {
        store.write_in_batches(pace, |writer, _| {
            gone.versions = writer.forget_versions_holding(&meant.filter.words)?;
            gone.texts = writer.forget_words(&meant.filter.words, now)?;
            Ok::<_, Fault>(false)
        })?;
    }
    if meant.names_only_places() && meant.filter.session.is_none() {
        gone.hints = store.read(|reader| meant.hints(reader))?;
        let keys = meant.project_keys.as_deref().unwrap_or_default();
        orphans::each(store, pace, keys, |writer, key| Ok(writer.forget_place(key)?))?;
        store.write_in_batches(pace, |writer, _| {
            proposals::forget_places(writer, keys, now)?;
            gone.versions = writer.forget_versions_and_views_of(keys)?;
            Ok::<_, Fault>(false)
        })?;
    }
    orphans::words(store, pace)?;
    gone.projects = words(store, meant, pace, &deserted, now)?;
    Ok(gone)
}

fn sessions_of(store: &Store, projects: &BTreeSet<ProjectId>) -> Result<Vec<SessionId>, Fault> {
    store.read(|reader| {
        let mut sessions = Vec::new();
        for project in projects {
            sessions.extend(reader.agent_sessions_of(*project, u32::MAX >> 1)?.into_iter().map(|row| row.id));
        }
        Ok(sessions)
    })
}

/// Moves a session out of a project that is removed, into another one that still has some of its
/// rows.
fn move_out_of_project(
    store: &Store,
    id: SessionId,
    pace: &mut Pace,
    from: &BTreeSet<ProjectId>,
) -> Result<(), Fault> {
    let other = store.read(|reader| {
        let session = reader.agent_session(id)?.filter(|session| from.contains(&session.project));
        session.map(|_| reader.project_left_in(id)).transpose()
    })?;
    if let Some(other) = other.flatten() {
        store.write_in_batches(pace, |writer, _| {
            writer.move_session(id, other)?;
            Ok::<_, Fault>(false)
        })?;
    }
    Ok(())
}

/// Finishes a session that lost rows: removes it if it is empty, else rewrites its summary. Returns
/// whether it rewrote one.
fn settle(
    store: &Store,
    id: SessionId,
    pace: &mut Pace,
    gone: &mut RemovedRows,
    projects: &mut BTreeSet<ProjectId>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let (session, is_empty, summed_up) = store.read(|reader| {
        let session = reader.agent_session(id)?;
        let summed_up = !reader.scopes_of(&id.summary_path())?.is_empty();
        let was = session.as_ref().is_some_and(|session| session.summarised_at.is_some());
        let is_empty = session.as_ref().map(|session| reader.is_empty_session(session)).transpose()?;
        Ok::<_, Fault>((session, is_empty.unwrap_or(true), summed_up || was))
    })?;
    let Some(session) = session else {
        return Ok(false);
    };
    if is_empty {
        projects.insert(session.project);
        let mut removed = false;
        store.write_in_batches(pace, |writer, _| {
            removed = writer.remove_empty_session(id, now)?;
            Ok::<_, Fault>(false)
        })?;
        gone.sessions += u64::from(removed);
    } else if summed_up {
        // Remove the old summary first, so that it is not kept as an earlier version.
        store.write_in_batches(pace, |writer, _| {
            writer.remove_summary(id, now)?;
            Ok::<_, Fault>(false)
        })?;
        return sessions::summarise(store, id, pace, now);
    }
    Ok(false)
}

/// Removes words and projects that nothing refers to any more, and stored answers that repeat them.
fn words(
    store: &Store,
    meant: &ResolvedFilter,
    pace: &mut Pace,
    deserted: &BTreeSet<ProjectId>,
    now: Timestamp,
) -> Result<u64, Fault> {
    let unused = store.read(|reader| reader.unused_words())?;
    let mut projects = 0;
    for id in deserted {
        if store.read(|reader| reader.is_deserted(*id, &unused))? {
            store.write_in_batches(pace, |writer, _| {
                projects += u64::from(writer.remove_project(*id, now)?);
                Ok::<_, Fault>(false)
            })?;
        }
    }
    orphans::each(store, pace, &meant.filter.words, |writer, word| Ok(writer.forget_answers(word)?))?;
    orphans::each(store, pace, unused.words(), |writer, word| Ok(writer.blank_word(word)?))?;
    Ok(projects)
}

// What a purge removes beside captured rows: runs, and entries of every other scheme.

/// How many entries one read covers.
const OTHER_ENTRY_PAGE: u32 = 2_000;

/// Schemes whose entries are selected like captured rows.
const SELECTED_SCHEMES: [&str; 7] = ["known", "context", "ghap", "value", "journal", "session", "summary"];

/// Runs and other entries that a filter means.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) runs: Vec<RunRow>,
    entries: Vec<PlainEntry>,
}

impl Others {
    /// How many entries of each scheme there are, without those of the runs.
    pub(super) fn by_scheme(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(entry.scheme.clone()).or_default() += 1;
        }
        counts
    }
}

/// Finds them. A filter by time, kind, id or session means none.
pub(super) fn find_others(store: &Store, meant: &ResolvedFilter) -> Result<Others, Fault> {
    if meant.names_only_words() {
        return holding(store, &meant.filter.words);
    }
    let keys =
        meant.project_keys.as_deref().filter(|_| meant.names_only_places() && meant.filter.session.is_none());
    let Some(keys) = keys else {
        return Ok(Others::default());
    };
    store.read(|reader| {
        let mut projects = BTreeSet::new();
        for key in keys {
            projects.extend(reader.project_by_key(key)?);
        }
        let mut runs = Vec::new();
        for project in projects {
            runs.extend(reader.runs(Some(project), u32::MAX >> 1, 0)?);
        }
        // Captured rows are selected by the project's own scope.
        Ok(others(runs, reader.plain_entries_of(keys)?, |entry| entry.is_in_run))
    })
}

fn holding(store: &Store, words: &[String]) -> Result<Others, Fault> {
    let mut runs = store.read(|reader| reader.runs_holding(words))?;
    let (mut entries, mut after) = (Vec::new(), EntryId(0));
    loop {
        let (found, next) =
            store.read(|reader| reader.plain_entries_holding(words, after, OTHER_ENTRY_PAGE))?;
        entries.extend(found);
        match next {
            Some(next) => after = next,
            None => break,
        }
    }
    let known: BTreeSet<RunId> = runs.iter().map(|run| run.id).collect();
    let more: BTreeSet<RunId> =
        entries.iter().filter_map(|entry| entry.run).filter(|run| !known.contains(run)).collect();
    for run in more {
        runs.extend(store.read(|reader| reader.run(run))?);
    }
    Ok(others(runs, entries, |_| false))
}

/// Leaves out entries that go with one of the runs, and those that are selected like captured rows.
fn others(runs: Vec<RunRow>, mut entries: Vec<PlainEntry>, also: impl Fn(&PlainEntry) -> bool) -> Others {
    entries.retain(|entry| {
        (also(entry) || !SELECTED_SCHEMES.contains(&entry.scheme.as_str()))
            && !entry.run.is_some_and(|id| runs.iter().any(|run| run.id == id))
    });
    Others { runs, entries }
}

/// Removes them.
pub(super) fn remove_others(
    store: &Store,
    others: &Others,
    pace: &mut Pace,
    now: Timestamp,
) -> Result<(), Fault> {
    orphans::each(store, pace, &others.runs, |writer, run| Ok(writer.remove_run(run, now)?))?;
    orphans::each(store, pace, &others.entries, |writer, entry| {
        writer.delete_entry(entry.id, now)?;
        Ok(())
    })?;
    Ok(())
}

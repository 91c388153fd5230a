//! What a purge removes beside captured rows: runs, and entries of every other scheme.

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{Pace, PlainEntry, RunId, RunRow, Store};

use super::filter::ResolvedFilter;
use crate::upkeep::orphans;

/// How many entries one read covers.
const SPAN: u32 = 2_000;

/// Schemes whose entries are selected like captured rows.
const SELECTED: [&str; 7] = ["known", "context", "ghap", "value", "journal", "session", "summary"];

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
pub(super) fn find(store: &Store, meant: &ResolvedFilter) -> Result<Others, Fault> {
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
        let (found, next) = store.read(|reader| reader.plain_entries_holding(words, after, SPAN))?;
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
        (also(entry) || !SELECTED.contains(&entry.scheme.as_str()))
            && !entry.run.is_some_and(|id| runs.iter().any(|run| run.id == id))
    });
    Others { runs, entries }
}

/// Removes them.
pub(super) fn remove(store: &Store, others: &Others, pace: &mut Pace, now: Timestamp) -> Result<(), Fault> {
    orphans::each(store, pace, &others.runs, |writer, run| Ok(writer.remove_run(run, now)?))?;
    orphans::each(store, pace, &others.entries, |writer, entry| {
        writer.delete_entry(entry.id, now)?;
        Ok(())
    })?;
    Ok(())
}

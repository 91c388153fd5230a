//! Purging: what a person wants gone is gone for good, from every file that is ours.
//!
//! Rows go in short transactions, what was summed up from them is summed up anew or goes too, and so do words that nothing
//! refers to any more. Then the file is written anew, because SQLite leaves copies of moved rows between the live
//! ones, and the log is emptied. The backups beside the memory get the same treatment.
//!
//! This is no operation: it takes many transactions, and reaches beyond the store.

mod copies;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nudge_core::observation::USER_PROMPT;
use nudge_core::text::first_chars;
use nudge_core::{EntryId, Fault, ObservationKind, Timestamp};
use nudge_store::{Care, Found, Pace, ProjectId, Reader, Selection, SessionId, Store, WalState};
use serde::Serialize;

use crate::capture::spool;
use crate::memory::Memory;
use crate::projects;
use crate::recall::session_among;
use nudge_home::Home;

pub use copies::CopyReport;
pub use nudge_store::Sort;

/// How long the spool is taken in for.
const SPOOL_FOR: Duration = Duration::from_secs(30);

/// How long readers of the log are waited for: longer than any read of ours takes.
const LOG_PATIENCE: Duration = Duration::from_secs(5);

/// How many examples of what would go are shown: enough to see that it is the right thing.
const EXAMPLES: usize = 5;

/// How much of an example's line is shown: about two lines of a terminal.
const EXAMPLE_CHARS: usize = 200;

/// What is to go. Everything that is given must hold, and something must be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// From before that time.
    pub before: Option<Timestamp>,
    /// Of that project: an id, a name or a directory.
    pub project: Option<String>,
    /// Of that session, by its program's id of it.
    pub session: Option<String>,
    /// One of these.
    pub ids: Option<Vec<EntryId>>,
    /// Of that sort.
    pub sort: Option<Sort>,
    /// Holding each of these texts.
    pub words: Vec<String>,
}

/// The sort that a word stands for: a kind of observation, or prompts.
pub fn sort_named(name: &str) -> Option<Sort> {
    let prompts = (name == USER_PROMPT).then_some(Sort::Prompt);
    prompts.or_else(|| ObservationKind::from_name(name).map(Sort::Observation))
}

/// A project as it is named before anything happens to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// Its topmost directory.
    pub root: String,
}

/// What would go.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// The project that is meant, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Named>,
    /// Hints that were set there. They stay, and no longer say where.
    pub hints: u64,
    /// Observations, by kind.
    pub observations: BTreeMap<&'static str, u64>,
    /// Prompts.
    pub prompts: u64,
    /// Summaries of sessions.
    pub summaries: u64,
    /// Summaries that would be written anew, from what is left of their sessions.
    pub rewritten_summaries: u64,
    /// Imported memories.
    pub memories: u64,
    /// How many of the observations are pinned.
    pub pinned: u64,
    /// How many sessions lose something.
    pub sessions: u64,
    /// How many of them lose everything.
    pub emptied_sessions: u64,
    /// When the first of it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// When the last of it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// How many backups lie beside the memory, and are searched too.
    pub backups: usize,
    /// The first of what was found by its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// Something that would go, so that a person sees what it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// Its id.
    pub id: i64,
    /// Its kind.
    pub kind: &'static str,
    /// The first line that holds what was looked for, or its first line.
    pub line: String,
}

impl Plan {
    /// How many observations.
    pub fn observed(&self) -> u64 {
        self.observations.values().sum()
    }

    /// Whether there is nothing to be done to the memory itself.
    pub fn is_empty(&self) -> bool {
        self.observed() + self.prompts + self.summaries + self.memories + self.hints == 0
    }
}

/// What went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Purged {
    /// The project that was meant, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Named>,
    /// Hints that were set there. They stayed, and no longer say where.
    pub hints: u64,
    /// Observations.
    pub observations: u64,
    /// Prompts.
    pub prompts: u64,
    /// Summaries that went, or were written anew without what went.
    pub summaries: u64,
    /// How many of these were written anew.
    pub rewritten_summaries: u64,
    /// Imported memories.
    pub memories: u64,
    /// Sessions that nothing was left of.
    pub sessions: u64,
    /// Projects that nothing was left of.
    pub projects: u64,
    /// For how long a transaction held the write lock at most while rows went, in milliseconds.
    pub held_ms: f64,
    /// Whether the file was written anew, so that nothing is left between its rows.
    pub rewritten: bool,
    /// Whether the log was emptied. If not, somebody still reads from it.
    pub log_emptied: bool,
    /// Whether nothing of it is left in the search index. If not, somebody was writing that all the time.
    pub index_cleared: bool,
    /// Whether everything spooled was taken in before, and so was looked at.
    pub spool_emptied: bool,
    /// The backups beside the memory.
    pub backups: Vec<CopyReport>,
}

/// What a filter means by names, whatever the numbers are in the store or copy it is used on.
#[derive(Clone, Debug)]
struct Meant {
    filter: Filter,
    project_keys: Option<Vec<String>>,
    named: Option<Named>,
}

/// Says what would go; nothing is changed but that the spool is taken in.
pub fn plan(memory: &Memory, home: &Home, filter: &Filter, now: Timestamp) -> Result<Plan, Fault> {
    take_spool_in(memory, home, now);
    let store = memory.store();
    let meant = resolve(store, filter)?;
    let Some(selection) = store.read(|reader| meant.selection(reader))? else {
        return Ok(Plan { project: meant.named, ..Plan::default() });
    };
    let hints = if meant.names_only_places() { store.read(|reader| meant.hints(reader))? } else { 0 };
    let backups = copies::files(home).len();
    let mut plan = Plan { project: meant.named.clone(), hints, backups, ..Plan::default() };
    let mut by_session: BTreeMap<SessionId, u64> = BTreeMap::new();
    let (mut oldest, mut newest): (Option<Timestamp>, Option<Timestamp>) = (None, None);
    rows::walk(store, &selection, |found| {
        for row in found {
            match row.sort {
                Sort::Observation(kind) => *plan.observations.entry(kind.name()).or_default() += 1,
                Sort::Prompt => plan.prompts += 1,
                Sort::Summary => plan.summaries += 1,
                Sort::Known => plan.memories += 1,
            }
            plan.pinned += u64::from(row.pinned);
            if !filter.words.is_empty() && plan.examples.len() < EXAMPLES {
                plan.examples.extend(example(store, row, &filter.words)?);
            }
            if let Some(session) = row.session {
                *by_session.entry(session).or_default() += u64::from(row.sort != Sort::Summary);
            }
            if row.session.is_some() && row.sort != Sort::Summary {
                oldest = Some(oldest.map_or(row.at, |before| before.min(row.at)));
                newest = newest.max(Some(row.at));
            }
        }
        Ok(())
    })?;
    plan.sessions = by_session.len() as u64;
    (plan.emptied_sessions, plan.rewritten_summaries) = store.read(|reader| settled(reader, &by_session))?;
    plan.oldest = oldest.map(|at| at.to_string());
    plan.newest = newest.map(|at| at.to_string());
    Ok(plan)
}

/// Removes it: from the store, its log and free pages, and the backups beside it.
pub fn purge(memory: &Memory, home: &Home, filter: &Filter, now: Timestamp) -> Result<Purged, Fault> {
    let spool_emptied = take_spool_in(memory, home, now);
    let store = memory.store();
    let meant = resolve(store, filter)?;
    let mut pace = Pace::new(Care::Secure);
    let gone = rows::remove(store, &meant, &mut pace, now)?;
    let index_cleared = memory.purge_index(now).unwrap_or(false);
    let held_ms = (pace.held.longest.as_secs_f64() * 1e5).round() / 100.0;
    // Without room for a second file, what is free is still overwritten and given back.
    let rewritten = store.rewrite().is_ok();
    if !rewritten {
        store.give_pages_back(&mut pace)?;
    }
    let log = store.empty_wal(LOG_PATIENCE)?;
    Ok(Purged {
        project: meant.named.clone(),
        hints: gone.hints,
        observations: gone.observations,
        prompts: gone.prompts,
        summaries: gone.summaries,
        rewritten_summaries: gone.rewritten,
        memories: gone.memories,
        sessions: gone.sessions,
        projects: gone.projects,
        held_ms,
        rewritten,
        log_emptied: log == WalState::Empty,
        index_cleared,
        spool_emptied,
        backups: copies::purge(home, &meant, now),
    })
}

impl Meant {
    /// How many hints say that they were set in the project.
    fn hints(&self, reader: &Reader<'_>) -> Result<u64, Fault> {
        let keys = self.project_keys.as_deref().unwrap_or_default();
        Ok(reader.hints_of_places(keys)?)
    }

    /// The selection in one store; `None` when that has no such project or session.
    fn selection(&self, reader: &Reader<'_>) -> Result<Option<Selection>, Fault> {
        let mut selection = Selection {
            before: self.filter.before,
            projects: None,
            session: None,
            ids: self.filter.ids.clone().map(|mut ids| {
                ids.sort_unstable();
                ids
            }),
            sort: self.filter.sort,
            words: self.filter.words.clone(),
        };
        if let Some(keys) = &self.project_keys {
            let mut ids: BTreeSet<ProjectId> = BTreeSet::new();
            for key in keys {
                ids.extend(reader.project_by_key(key)?);
            }
            if ids.is_empty() {
                return Ok(None);
            }
            selection.projects = Some(ids.into_iter().collect());
        }
        if let Some(name) = &self.filter.session {
            match reader.agent_session_by_name(name)? {
                Some(session) => selection.session = Some(session.id),
                None => return Ok(None),
            }
        }
        Ok(Some(selection))
    }
}

fn resolve(store: &Store, filter: &Filter) -> Result<Meant, Fault> {
    store.read(|reader| {
        let project = filter.project.as_ref();
        let project = project.map(|text| projects::meant(reader, text, |_| true)).transpose()?;
        let project_keys = project.as_ref().map(|row| projects::keys_of(reader, row)).transpose()?;
        let named = project.map(|row| Named { id: row.id.0, name: row.name, root: row.root });
        let mut filter = filter.clone();
        if let Some(name) = &filter.session {
            filter.session = Some(session_among(reader, name, |_| true)?.name);
        }
        Ok(Meant { filter, project_keys, named })
    })
}

/// How many sessions would be empty, and how many of the others have a summary.
fn settled(reader: &Reader<'_>, by_session: &BTreeMap<SessionId, u64>) -> Result<(u64, u64), Fault> {
    let (mut emptied, mut rewritten) = (0, 0);
    for (session, going) in by_session {
        if reader.rows_in_session(*session)? <= *going {
            emptied += 1;
        } else {
            rewritten += u64::from(!reader.scopes_of(&session.summary_path())?.is_empty());
        }
    }
    Ok((emptied, rewritten))
}

fn example(store: &Store, row: &Found, words: &[String]) -> Result<Option<Example>, Fault> {
    let Some(entry) = store.read(|reader| reader.entry_by_id(row.id))? else {
        return Ok(None);
    };
    let holds = |line: &&str| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(&word.to_lowercase()))
    };
    let mut lines = entry.body.lines().filter(|line| !line.trim().is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let line = first_chars(lines.find(holds).unwrap_or(first).trim(), EXAMPLE_CHARS).to_owned();
    let kind = match row.sort {
        Sort::Observation(kind) => kind.name(),
        Sort::Prompt => USER_PROMPT,
        Sort::Summary => "summary",
        Sort::Known => "memory",
    };
    Ok(Some(Example { id: row.id.0, kind, line }))
}

/// What waits outside is brought in first: then one search finds all.
fn take_spool_in(memory: &Memory, home: &Home, now: Timestamp) -> bool {
    let until = Instant::now() + SPOOL_FOR;
    let taken = memory.take_in_spool(home, now, Some(until));
    taken.is_ok_and(|taken| !taken.left) && spool::Spool::of(home).waiting_bytes() == 0
}

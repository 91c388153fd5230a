//! Purging: removes for good what the user wants gone, from every file of Nudge.
//!
//! Rows are removed in short transactions. Summaries made from them are rewritten or removed, and
//! so are words that nothing refers to any more. Then the file is rewritten, because SQLite leaves
//! copies of moved rows between the live ones, and the log is emptied. The backups next to the
//! memory are purged in the same way. A purge by text also searches runs, entries of every scheme,
//! names and views; in the end it searches everything again and reports what is left.
//!
//! This is not an operation: it takes many transactions, and reaches beyond the store.

mod filter;
mod left;
mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nudge_core::observation::USER_PROMPT;
use nudge_core::text::first_chars;
use nudge_core::{Fault, ObservationKind, Timestamp};
use nudge_home::Home;
use nudge_home::home::private_dir;
use nudge_store::{DeleteMode, Found, Pace, Reader, SessionId, Store, WalState};
use serde::Serialize;

use super::purge::filter::ResolvedFilter;
use crate::capture::spool;
use crate::memory::Memory;

pub use filter::{Filter, NamedProject};
pub use left::Left;
pub use nudge_store::RowKind;

/// How long the spool is imported for.
const SPOOL_TIME: Duration = Duration::from_secs(30);

/// How long to wait for readers of the log: longer than any of Nudge's reads takes.
const LOG_TIMEOUT: Duration = Duration::from_secs(5);

/// How many examples are shown: enough to see that the filter is right.
const MAX_EXAMPLES: usize = 5;

/// How much of an example's line is shown, in characters: about two terminal lines.
const MAX_EXAMPLE_CHARS: usize = 200;

/// The kind with this name: a kind of observation, or prompts.
pub fn kind_named(name: &str) -> Option<RowKind> {
    let prompts = (name == USER_PROMPT).then_some(RowKind::Prompt);
    prompts.or_else(|| ObservationKind::from_name(name).map(RowKind::Observation))
}

/// What would be removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// The project, if the filter names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<NamedProject>,
    /// Hints that were set there. They are kept, and lose that place.
    pub hints: u64,
    /// Observations, by kind.
    pub observations: BTreeMap<&'static str, u64>,
    /// Prompts.
    pub prompts: u64,
    /// Summaries of sessions.
    pub summaries: u64,
    /// Summaries that would be rewritten from what is left of their sessions.
    pub rewritten_summaries: u64,
    /// Imported memories.
    pub memories: u64,
    /// Runs, with all of their entries.
    pub runs: u64,
    /// Entries of other schemes, by scheme.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub entries: BTreeMap<String, u64>,
    /// Earlier versions of entries.
    pub versions: u64,
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
    /// How many backups are next to the memory; they are searched too.
    pub backups: usize,
    /// The first entries that were found by their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// An entry that would be removed, so that the user can recognise it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// Its id.
    pub id: i64,
    /// Its kind.
    pub kind: &'static str,
    /// The first line with the searched text, or its first line.
    pub line: String,
}

impl Plan {
    /// The number of observations.
    pub fn observed(&self) -> u64 {
        self.observations.values().sum()
    }

    /// Whether nothing in the memory itself would change.
    pub fn is_empty(&self) -> bool {
        let others = self.runs + self.entries.values().sum::<u64>() + self.versions;
        self.observed() + self.prompts + self.summaries + self.memories + self.hints + others == 0
    }
}

/// What was removed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Purged {
    /// The project, if the filter names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<NamedProject>,
    /// Hints that were set there. They were kept, and lost that place.
    pub hints: u64,
    /// Observations.
    pub observations: u64,
    /// Prompts.
    pub prompts: u64,
    /// Summaries that were removed, or rewritten without what was removed.
    pub summaries: u64,
    /// How many of these were rewritten.
    pub rewritten_summaries: u64,
    /// Imported memories.
    pub memories: u64,
    /// Runs, with all of their entries.
    pub runs: u64,
    /// Entries of other schemes.
    pub entries: u64,
    /// Earlier versions of entries, by their text.
    pub versions: u64,
    /// Names, addresses, models and other texts that were removed from what stays.
    pub texts: u64,
    /// Sessions that had nothing left.
    pub sessions: u64,
    /// Projects that had nothing left.
    pub projects: u64,
    /// The longest time a transaction held the write lock while rows were removed, in milliseconds.
    pub held_ms: f64,
    /// Whether the file was rewritten, so that nothing is left between its rows.
    pub rewritten: bool,
    /// Whether the log was emptied. If not, another process still reads from it.
    pub log_emptied: bool,
    /// Whether nothing of it is left in the search index. If not, another process was writing the
    /// index all the time.
    pub index_cleared: bool,
    /// Whether the whole spool was imported first, and so was searched.
    pub spool_emptied: bool,
    /// The backups next to the memory.
    pub backups: Vec<CopyReport>,
    /// Where the text still is, after a purge by text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
}

impl Purged {
    /// Whether nothing matched.
    pub const fn is_nothing(&self) -> bool {
        self.observations + self.prompts + self.summaries + self.memories + self.runs + self.entries == 0
    }
}

/// Returns what would be removed. Changes nothing, except that the spool is imported.
pub fn plan(memory: &Memory, home: &Home, filter: &Filter, now: Timestamp) -> Result<Plan, Fault> {
    import_spool_first(memory, home, now);
    let store = memory.store();
    let meant = filter::resolve(store, filter)?;
    let Some(selection) = store.read(|reader| meant.selection(reader))? else {
        return Ok(Plan { project: meant.named, ..Plan::default() });
    };
    let hints = if meant.names_only_places() { store.read(|reader| meant.hints(reader))? } else { 0 };
    let backups = backup_files(home).len();
    let others = rows::find_others(store, &meant)?;
    let mut plan = Plan {
        project: meant.named.clone(),
        hints,
        backups,
        runs: others.runs.len() as u64,
        entries: others.by_scheme(),
        versions: match meant.names_only_words() {
            true => store.read(|reader| reader.versions_holding(&filter.words))?.len() as u64,
            false => 0,
        },
        ..Plan::default()
    };
    let mut by_session: BTreeMap<SessionId, u64> = BTreeMap::new();
    let (mut oldest, mut newest): (Option<Timestamp>, Option<Timestamp>) = (None, None);
    rows::walk(store, &selection, |found| {
        for row in found {
            match row.kind {
                RowKind::Observation(kind) => *plan.observations.entry(kind.name()).or_default() += 1,
                RowKind::Prompt => plan.prompts += 1,
                RowKind::Summary => plan.summaries += 1,
                RowKind::Known => plan.memories += 1,
            }
            plan.pinned += u64::from(row.pinned);
            if !filter.words.is_empty() && plan.examples.len() < MAX_EXAMPLES {
                plan.examples.extend(example(store, row, &filter.words)?);
            }
            if let Some(session) = row.session {
                *by_session.entry(session).or_default() += u64::from(row.kind != RowKind::Summary);
            }
            if row.session.is_some() && row.kind != RowKind::Summary {
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

/// Removes it: from the store, its log and free pages, and the backups next to it.
pub fn purge(memory: &Memory, home: &Home, filter: &Filter, now: Timestamp) -> Result<Purged, Fault> {
    let spool_emptied = import_spool_first(memory, home, now);
    let store = memory.store();
    let meant = filter::resolve(store, filter)?;
    let mut pace = Pace::new(DeleteMode::Secure);
    let gone = rows::remove(store, &meant, &mut pace, now)?;
    let index_cleared = memory.purge_index(now).unwrap_or(false);
    let held_ms = (pace.held.longest.as_secs_f64() * 1e5).round() / 100.0;
    // Without room for a second file, free pages are still overwritten and released.
    let rewritten = store.rewrite().is_ok();
    if !rewritten {
        store.release_free_pages(&mut pace)?;
    }
    let log = store.empty_wal(LOG_TIMEOUT)?;
    let backups = purge_backups(home, &meant, now);
    Ok(Purged {
        project: meant.named.clone(),
        hints: gone.hints,
        observations: gone.observations,
        prompts: gone.prompts,
        summaries: gone.summaries,
        rewritten_summaries: gone.rewritten,
        memories: gone.memories,
        runs: gone.runs,
        entries: gone.entries,
        versions: if meant.names_only_words() { gone.versions } else { 0 },
        texts: gone.texts,
        sessions: gone.sessions,
        projects: gone.projects,
        held_ms,
        rewritten,
        log_emptied: log == WalState::Empty,
        index_cleared,
        spool_emptied,
        backups,
        left: left::search(store, home, meant.only_words())?,
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
    let line = first_chars(lines.find(holds).unwrap_or(first).trim(), MAX_EXAMPLE_CHARS).to_owned();
    let kind = match row.kind {
        RowKind::Observation(kind) => kind.name(),
        RowKind::Prompt => USER_PROMPT,
        RowKind::Summary => "summary",
        RowKind::Known => "memory",
    };
    Ok(Some(Example { id: row.id.0, kind, line }))
}

/// Imports the spool first, so that one search finds everything. Returns whether it is empty.
fn import_spool_first(memory: &Memory, home: &Home, now: Timestamp) -> bool {
    let until = Instant::now() + SPOOL_TIME;
    let taken = memory.import_spool(home, now, Some(until));
    taken.is_ok_and(|taken| !taken.left) && spool::Spool::of(home).waiting_bytes() == 0
}

// The same removal in the backups next to the memory.

/// The prefix of half-written copies.
const DRAFT_PREFIX: &str = ".nudge-backup-";

/// The result for one backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopyReport {
    /// The file.
    pub file: PathBuf,
    /// Whether something was removed from it. False if it contained none of it.
    pub changed: bool,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The backups next to the memory, by name.
fn backup_files(home: &Home) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        listed(home).map(|entry| entry.path()).filter(|path| is_backup(path)).collect();
    files.sort();
    files
}

/// Purges each backup. A backup that cannot be changed is reported, and the next one is tried.
fn purge_backups(home: &Home, meant: &ResolvedFilter, now: Timestamp) -> Vec<CopyReport> {
    remove_drafts(home);
    backup_files(home).into_iter().map(|file| purge_backup(file, meant, now)).collect()
}

fn purge_backup(file: PathBuf, meant: &ResolvedFilter, now: Timestamp) -> CopyReport {
    let mut left: Vec<String> = Vec::new();
    let revised = Store::revise_copy(&file, now, |copy| {
        let holding = || match meant.only_words() {
            [] => Ok(Vec::new()),
            words => copy.read(|reader| reader.columns_holding(words)),
        };
        let held = holding()?;
        let gone = rows::remove(copy, meant, &mut Pace::new(DeleteMode::Secure), now)?;
        left = holding()?.into_iter().map(|column| column.name).collect();
        Ok::<_, Fault>(!gone.is_nothing() || !held.is_empty())
    });
    match revised {
        Ok(Some(changed)) => {
            let failed = (!left.is_empty()).then(|| format!("the text is still in {}", left.join(", ")));
            CopyReport { file, changed, failed }
        }
        Ok(None) => {
            let failed = Some("it is of a newer version, and this program cannot read it".to_owned());
            CopyReport { file, changed: false, failed }
        }
        Err(fault) => CopyReport { file, changed: false, failed: Some(fault.message) },
    }
}

/// The entries of the backup directory; none if it is a link.
fn listed(home: &Home) -> impl Iterator<Item = fs::DirEntry> {
    let dir = home.backups_dir();
    let listed = private_dir::refuse_link(&dir).and_then(|()| fs::read_dir(dir));
    listed.into_iter().flatten().flatten()
}

fn is_backup(path: &std::path::Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // A link may lead to a file that is not ours to change.
    path.symlink_metadata().is_ok_and(|found| found.is_file())
        && !name.starts_with('.')
        && !name.ends_with("-wal")
        && !name.ends_with("-shm")
}

/// Removes half-written copies. They hold what is purged, and it does not matter whose they are: a
/// backup that is being written fails, and the next one is made without it.
fn remove_drafts(home: &Home) {
    for entry in listed(home) {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT_PREFIX)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

//! The sources of an assembled context: what each type searches and how much it weighs.

use std::collections::HashMap;

use nudge_context::{Item, Source, clean, path_named};
use nudge_core::text::age;
use nudge_core::{EntryId, Fault, Timestamp};
use serde_json::Value;

use super::wire::{AssembleParams, ContextType, SkippedSource};
use crate::hypotheses::values_in;
use crate::operation::OpContext;
use crate::recall::{Match, Observation, ProjectParam, Searching, observations, stated};

/// The lowest share of the query's words, weighted by rarity, that an item must contain.
const LEAST_COVERED: f32 = 0.2;

/// How many prompts and conclusions are used; they are long, so a few are enough.
const EXPERIENCES: usize = 5;

/// How many characters of an entry are used for each token of the budget, with a minimum and a
/// maximum.
const CHARS_PER_TOKEN: f64 = 0.7;
const CHARS: (usize, usize) = (160, 1_200);

/// How many of the shared words are named, and how long each may be.
const SHARED: usize = 5;
const WORD: usize = 30;

/// The longest name or path in a label, in characters.
const NAME: usize = 60;

/// The items found.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) sources: Vec<Source>,
    /// Items with too few of the query's words, and the reason for each.
    pub(super) weak: Vec<(EntryId, &'static str)>,
    pub(super) skipped: Vec<SkippedSource>,
    reasons: HashMap<EntryId, String>,
}

impl Gathered {
    /// Why an item is shown.
    pub(super) fn why(&self, entry: EntryId) -> String {
        self.reasons.get(&entry).cloned().unwrap_or_default()
    }
}

/// Gathers the items of each type. A type that fails is skipped.
pub(super) fn gather(
    ctx: &OpContext<'_>,
    params: &AssembleParams,
    limit: usize,
    budget: u32,
) -> Result<Gathered, Fault> {
    let room = ((f64::from(budget) * CHARS_PER_TOKEN) as usize).clamp(CHARS.0, CHARS.1);
    let searching = Searching::begin(ctx, &params.project, &params.query)?;
    let asked = params.context_types.as_deref().unwrap_or(&ContextType::ALL);
    let mut gathered = Gathered::default();
    for kind in ContextType::ALL.into_iter().filter(|kind| asked.contains(kind)) {
        let found = match &searching {
            Some(searching) => searched(searching, kind, limit, room),
            None => unsearched(ctx, &params.project, kind, limit),
        };
        match found {
            Ok(found) => gathered.take(kind, found, ctx.now()),
            Err(fault) => {
                gathered.skipped.push(SkippedSource { source: kind.name().to_owned(), why: fault.message });
            }
        }
    }
    Ok(gathered)
}

fn searched(
    searching: &Searching<'_>,
    kind: ContextType,
    limit: usize,
    room: usize,
) -> Result<Vec<Match>, Fault> {
    match kind {
        ContextType::Memories => searching.best(&["statement", "hint", "marker", "memory"], limit, room),
        ContextType::Experiences => {
            let tried = searching.best(&["hypothesis"], limit.min(EXPERIENCES), room)?;
            let tried: Vec<Match> =
                tried.into_iter().filter(|found| outcome(&found.entry).is_some()).collect();
            let sorts = ["user_prompt", "conclusion", "command_error", "command"];
            let rest = limit.min(EXPERIENCES).saturating_sub(tried.len());
            let done = if rest == 0 { Vec::new() } else { searching.best(&sorts, rest, room)? };
            Ok(tried.into_iter().chain(done).collect())
        }
        ContextType::Code => searching.best(&["file_edit", "file_write"], limit, room),
        ContextType::Commits => searching.best(&["git_commit"], limit, room),
        ContextType::Values => searching.best(&["value"], limit, room),
    }
}

/// The items without a query: there is nothing to search for, but statements still apply.
fn unsearched(
    ctx: &OpContext<'_>,
    project: &ProjectParam,
    kind: ContextType,
    limit: usize,
) -> Result<Vec<Match>, Fault> {
    let all = match kind {
        ContextType::Memories => stated(ctx, project)?,
        ContextType::Values => {
            let ids: Vec<EntryId> =
                values_in(ctx, project)?.iter().map(|value| EntryId(value.entry)).collect();
            observations(ctx, &ids)?
        }
        _ => Vec::new(),
    };
    let all = all.into_iter().take(limit);
    let matched =
        |entry: Observation| Match { text: entry.content.clone(), shared: Vec::new(), covered: 1.0, entry };
    Ok(all.map(matched).collect())
}

impl Gathered {
    fn take(&mut self, kind: ContextType, found: Vec<Match>, now: Timestamp) {
        let (strong, weak): (Vec<Match>, Vec<Match>) =
            found.into_iter().partition(|found| found.covered >= LEAST_COVERED);
        self.weak.extend(weak.iter().map(|found| (EntryId(found.entry.id), kind.name())));
        for found in &strong {
            self.reasons.insert(EntryId(found.entry.id), why(found));
        }
        let source = |heading, weight, is_the_persons, found: &[&Match]| Source {
            name: kind.name(),
            heading,
            weight,
            is_the_persons,
            items: found.iter().map(|found| item(found, kind, now)).collect(),
        };
        let all: Vec<&Match> = strong.iter().collect();
        match kind {
            ContextType::Memories => {
                let (persons, others): (Vec<&Match>, Vec<&Match>) =
                    all.into_iter().partition(|found| is_the_persons(&found.entry));
                self.sources.push(source("Stated by the person", 1, true, &persons));
                self.sources.push(source("Noted by agents", 1, false, &others));
            }
            ContextType::Values => self.sources.push(source("Learned Values", 1, false, &all)),
            ContextType::Experiences => self.sources.push(source("Relevant Experiences", 3, false, &all)),
            ContextType::Code => self.sources.push(source("Changes", 2, false, &all)),
            ContextType::Commits => self.sources.push(source("Commits", 2, false, &all)),
        }
    }
}

fn is_the_persons(entry: &Observation) -> bool {
    entry.stated_by.as_deref().is_some_and(|by| by.starts_with("the person"))
}

fn why(found: &Match) -> String {
    if found.shared.is_empty() {
        return "it is stated and holds here".to_owned();
    }
    let shared: Vec<String> = found.shared.iter().take(SHARED).map(|word| clean(word, WORD)).collect();
    format!("shares {}; {:.0} % of the query", shared.join(", "), found.covered * 100.0)
}

/// How a hypothesis ended; `None` if it is not resolved.
fn outcome(entry: &Observation) -> Option<&str> {
    entry.metadata.get("outcome")?["status"].as_str()
}

/// For example: `**debugging**: goal (falsified)`.
fn experience(entry: &Observation) -> Option<Item> {
    let fact = |name: &str| entry.metadata.get(name).and_then(Value::as_str);
    let cause = entry.metadata.get("root_cause").and_then(|cause| cause["description"].as_str());
    let because = cause.map_or_else(String::new, |cause| format!("; root cause: {cause}"));
    Some(Item {
        entry: EntryId(entry.id),
        label: format!("**{}**", clean(fact("domain").unwrap_or("unknown"), NAME)),
        text: format!("{} ({}){because}", fact("goal").unwrap_or("No goal"), outcome(entry)?),
        file: None,
        is_stated: false,
    })
}

fn item(found: &Match, kind: ContextType, now: Timestamp) -> Item {
    let entry = &found.entry;
    if entry.obs_type == "hypothesis"
        && let Some(item) = experience(entry)
    {
        return item;
    }
    let fact = |name: &str| entry.metadata.get(name).and_then(Value::as_str);
    let file = entry.file_path.as_deref().map(|path| path_named(path, NAME));
    let by = entry.stated_by.as_deref().map_or_else(String::new, |by| format!(" ({})", clean(by, NAME)));
    let what = match (entry.obs_type.as_str(), file) {
        ("statement" | "memory", _) => format!("stated{by}"),
        ("hint", _) => format!("hint{by}"),
        ("marker", _) => format!("note{by}"),
        // The speaker is named only if it is not the user.
        ("user_prompt", _) => format!("asked{by}"),
        ("conclusion", _) => "the agent concluded".to_owned(),
        ("command_error", _) => "failed".to_owned(),
        ("command", _) => "ran".to_owned(),
        ("git_commit", _) => "committed".to_owned(),
        ("value", _) => format!("learned{by}"),
        ("file_write", Some(file)) => format!("wrote {file}"),
        (_, Some(file)) => format!("changed {file}"),
        (sort, None) => clean(sort, NAME),
    };
    let is_stated = kind == ContextType::Memories || entry.obs_type == "user_prompt";
    // The path is already in the label.
    let changed = fact("changed").filter(|_| entry.file_path.as_deref() == Some(found.text.as_str()));
    let at = Timestamp::from_millis(entry.timestamp.saturating_mul(1_000));
    Item {
        entry: EntryId(entry.id),
        label: format!("[{}] {what}", age(at, now)),
        text: changed.unwrap_or(&found.text).to_owned(),
        file: entry.file_path.clone().filter(|_| kind == ContextType::Code),
        is_stated,
    }
}

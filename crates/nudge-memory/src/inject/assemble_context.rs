//! `assemble_context`: what memory has about a topic, within a budget that the caller sets.

use std::collections::HashMap;

use nudge_context::{Item, Packed, Source, clean, pack, path_named};
use nudge_core::text::{age, first_chars};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Fault, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hypotheses::values_in;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::{Match, Observation, ProjectParam, Searching, observations, stated_entries};

/// How many items of each type are used by default, and how many at most.
const DEFAULT_LIMIT: i64 = 10;

const MAX_LIMIT: i64 = 50;

/// How much of a request is shown beside what came of it, in characters.
const MAX_REQUEST_CHARS: usize = 120;

/// How many tokens the text may cost by default, and how many at most.
const DEFAULT_TOKENS: i64 = 1_500;

const MAX_TOKENS: i64 = 20_000;

/// The `assemble_context` operation.
pub struct AssembleContext;

impl Op for AssembleContext {
    const NAME: &'static str = "assemble_context";
    const TITLE: &'static str = "Assemble context";
    const DOC: &'static str = "Collect what memory has about a task into one text of at most max_tokens: \
        statements, hints, earlier prompts, conclusions, failures, edits, commits. Explains why each item \
        is included.";
    const REFERENCE: &'static str = "Collect everything memory has about a task into one text within a \
        token budget, and explain why each item is included or left out.";
    const EFFECT: Effect = Effect::Read;
    type Params = AssembleParams;
    type Answer = AssembledContext;

    fn run(ctx: &OpContext<'_>, params: AssembleParams) -> Result<AssembledContext, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let budget = params.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(0, MAX_TOKENS) as u32;
        let gathered = gather_sources(ctx, &params, limit, budget)?;
        let packed = pack(gathered.sources.clone(), Tokens(budget), &super::request::delimiter()?);
        Ok(answer(&gathered, packed))
    }
}

fn answer(gathered: &Gathered, packed: Packed) -> AssembledContext {
    let items: Vec<AssembledItem> = packed
        .shown
        .iter()
        .map(|shown| AssembledItem {
            id: shown.entry.0,
            source: shown.source.to_owned(),
            tokens: shown.tokens.0,
            why: gathered.why(shown.entry),
            cut: shown.is_cut,
        })
        .collect();
    let left_out = packed.left_out.iter().map(|left| LeftOutItem {
        id: left.entry.0,
        source: left.source.to_owned(),
        why: match left.why {
            nudge_context::LeftOut::Same => "another item says the same".to_owned(),
            why => why.words().to_owned(),
        },
    });
    let weak = gathered.weak.iter().map(|(entry, source)| LeftOutItem {
        id: entry.0,
        source: (*source).to_owned(),
        why: "it has too few of the words".to_owned(),
    });
    let is_short = |left: &nudge_context::NotShown| left.why == nudge_context::LeftOut::Budget;
    AssembledContext {
        truncated: items.iter().any(|item| item.cut) || packed.left_out.iter().any(is_short),
        token_count: packed.tokens.0,
        item_count: items.len(),
        items,
        left_out: left_out.chain(weak).collect(),
        sources: shares(&packed),
        skipped: gathered.skipped.clone(),
        markdown: packed.text,
    }
}

/// The share of each type, with its headings added up.
fn shares(packed: &Packed) -> Vec<SourceShare> {
    let mut shares: Vec<SourceShare> = Vec::new();
    for spent in packed.spent.iter().filter(|spent| spent.share.0 > 0) {
        match shares.iter_mut().find(|share| share.source == spent.source) {
            Some(share) => {
                share.tokens += spent.share.0;
                share.used += spent.used.0;
            }
            None => shares.push(SourceShare {
                source: spent.source.to_owned(),
                tokens: spent.share.0,
                used: spent.used.0,
            }),
        }
    }
    shares
}

// The parameters and the answer.

/// Parameters of `assemble_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssembleParams {
    /// The task or prompt. Empty: only statements and hints.
    pub query: String,
    /// Types of context to include. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ContextType>")]
    pub context_types: Option<Vec<ContextType>>,
    /// Maximum items per type, 1-50. Default: 10; experiences 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Maximum tokens of the text, up to 20000. Default: 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub max_tokens: Option<i64>,
    /// Project name, id or directory; "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// A type of context.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    /// Statements, hints and notes.
    Memories,
    /// Prompts, agents' conclusions, and commands with their outcome.
    Experiences,
    /// Changes to files.
    Code,
    /// Commits.
    Commits,
    /// Lessons that summarise several experiences.
    Values,
}

impl ContextType {
    /// All types, in the order in which they appear in the text.
    pub const ALL: [Self; 5] = [Self::Memories, Self::Values, Self::Experiences, Self::Code, Self::Commits];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Experiences => "experiences",
            Self::Code => "code",
            Self::Commits => "commits",
            Self::Values => "values",
        }
    }
}

/// Answer of `assemble_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledContext {
    /// The text in Markdown; empty if nothing was found.
    pub markdown: String,
    /// Cost of the text in tokens, rounded up; never more than max_tokens.
    pub token_count: u32,
    /// Number of items.
    pub item_count: usize,
    /// True if items were shortened or left out to fit the budget.
    pub truncated: bool,
    /// Items, in the order of the text.
    pub items: Vec<AssembledItem>,
    /// Items that were found but left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutItem>,
    /// Tokens that each type was given and used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceShare>,
    /// Types that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedSource>,
}

/// An item in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssembledItem {
    /// Id, for get_observations.
    pub id: i64,
    /// Type of context.
    pub source: String,
    /// Cost of its line in tokens.
    pub tokens: u32,
    /// Why it is included.
    pub why: String,
    /// True if its text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// An item that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutItem {
    /// Entry id.
    pub id: i64,
    /// Type of context.
    pub source: String,
    /// Why it was left out.
    pub why: String,
}

/// Tokens of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceShare {
    /// Type of context.
    pub source: String,
    /// Tokens it was given.
    pub tokens: u32,
    /// Tokens it used.
    pub used: u32,
}

/// A type that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedSource {
    /// Type of context.
    pub source: String,
    /// Why it could not be read.
    pub why: String,
}

// The sources of an assembled context: what each type searches and how much it weighs.

/// The lowest share of the query's words, weighted by rarity, that an item must contain.
const MIN_COVERED: f32 = 0.2;

/// How many prompts and conclusions are used; they are long, so a few are enough.
const MAX_EXPERIENCES: usize = 5;

/// How many characters of an entry are used for each token of the budget, with a minimum and a
/// maximum.
const CHARS_PER_TOKEN: f64 = 0.7;

const MIN_AND_MAX_CHARS: (usize, usize) = (160, 1_200);

/// How many of the shared words are named, and how long each may be.
const MAX_SHARED_WORDS: usize = 5;

const MAX_WORD_CHARS: usize = 30;

/// The longest name or path in a label, in characters.
const MAX_NAME_CHARS: usize = 60;

/// The items found.
#[derive(Debug, Default)]
struct Gathered {
    sources: Vec<Source>,
    /// Items with too few of the query's words, and the reason for each.
    weak: Vec<(EntryId, &'static str)>,
    skipped: Vec<SkippedSource>,
    reasons: HashMap<EntryId, String>,
}

impl Gathered {
    /// Why an item is shown.
    fn why(&self, entry: EntryId) -> String {
        self.reasons.get(&entry).cloned().unwrap_or_default()
    }
}

/// Gathers the items of each type. A type that fails is skipped.
fn gather_sources(
    ctx: &OpContext<'_>,
    params: &AssembleParams,
    limit: usize,
    budget: u32,
) -> Result<Gathered, Fault> {
    let room =
        ((f64::from(budget) * CHARS_PER_TOKEN) as usize).clamp(MIN_AND_MAX_CHARS.0, MIN_AND_MAX_CHARS.1);
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
            let tried = searching.best(&["hypothesis"], limit.min(MAX_EXPERIENCES), room)?;
            let tried: Vec<Match> =
                tried.into_iter().filter(|found| outcome(&found.entry).is_some()).collect();
            let names = ["user_prompt", "conclusion", "command_error", "command"];
            let rest = limit.min(MAX_EXPERIENCES).saturating_sub(tried.len());
            let done = if rest == 0 { Vec::new() } else { searching.best(&names, rest, room)? };
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
        ContextType::Memories => stated_entries(ctx, project)?,
        ContextType::Values => {
            let ids: Vec<EntryId> =
                values_in(ctx, project)?.iter().map(|value| EntryId(value.entry)).collect();
            observations(ctx, &ids)?
        }
        _ => Vec::new(),
    };
    let all = all.into_iter().take(limit);
    let matched = |entry: Observation| Match {
        text: entry.content.clone(),
        shared: Vec::new(),
        covered: 1.0,
        result: None,
        entry,
    };
    Ok(all.map(matched).collect())
}

impl Gathered {
    fn take(&mut self, kind: ContextType, found: Vec<Match>, now: Timestamp) {
        let (strong, weak): (Vec<Match>, Vec<Match>) =
            found.into_iter().partition(|found| found.covered >= MIN_COVERED);
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
    let shared: Vec<String> =
        found.shared.iter().take(MAX_SHARED_WORDS).map(|word| clean(word, MAX_WORD_CHARS)).collect();
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
        label: format!("**{}**", clean(fact("domain").unwrap_or("unknown"), MAX_NAME_CHARS)),
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
    if let Some(result) = &found.result {
        let at = Timestamp::from_millis(entry.timestamp.saturating_mul(1_000));
        let asked = first_chars(&found.text, MAX_REQUEST_CHARS);
        return Item {
            entry: EntryId(entry.id),
            label: format!("[{}] {}", age(at, now), result.what),
            text: format!("{} (asked: {asked})", result.text),
            file: None,
            is_stated: false,
        };
    }
    let fact = |name: &str| entry.metadata.get(name).and_then(Value::as_str);
    let file = entry.file_path.as_deref().map(|path| path_named(path, MAX_NAME_CHARS));
    let by =
        entry.stated_by.as_deref().map_or_else(String::new, |by| format!(" ({})", clean(by, MAX_NAME_CHARS)));
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
        (name, None) => clean(name, MAX_NAME_CHARS),
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

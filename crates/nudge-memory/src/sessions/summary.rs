//! The summary of a session, made without a model: the same rows always give the same summary.

mod episode;

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, ObservationKind as Kind, Outcome, Speaker, Timestamp};
use nudge_store::{ObservationRow, ProjectRow, PromptRow, SessionRow};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::summary::episode::MAX_EPISODES;

pub use episode::{Episode, Step};
use episode::{MAX_INTENT_CHARS, has_failed};
pub(crate) use episode::{keywords, likeness};

/// How many files, failures, commits and pushes are listed.
const MAX_NAMED: usize = 20;

/// How much of a command or a message is quoted.
const MAX_LINE_CHARS: usize = 200;

/// A session with fewer actions and notes than this is not summarised.
const MIN_ACTIONS: usize = 3;

/// The summary of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Whether there was too little to summarise; everything else is then empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub short: bool,
    /// What the user wanted: the first prompt that led to something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// When the session began.
    pub started_at: String,
    /// When something last happened.
    pub ended_at: String,
    /// The time between the two, in seconds.
    pub duration_s: u64,
    /// How many prompts the user sent.
    pub prompts: usize,
    /// The number of observations.
    pub observations: usize,
    /// Files that were written or changed, most frequent first.
    pub files_edited: Vec<Counted>,
    /// Files that were read, most frequent first.
    pub files_read: Vec<Counted>,
    /// How many commands ran.
    pub commands: usize,
    /// How many actions failed.
    pub failed: usize,
    /// What failed, in order.
    pub failures: Vec<Failure>,
    /// Commits that were made.
    pub commits: Vec<Commit>,
    /// Pushes that were made.
    pub pushes: Vec<String>,
    /// How often each tool was used.
    pub tools: BTreeMap<String, usize>,
    /// The kinds of subagents that worked, or their ids.
    pub subagents: Vec<String>,
    /// The session's episodes.
    pub episodes: Vec<Episode>,
}

/// A file and how often it was touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The file.
    pub path: String,
    /// How often.
    pub count: usize,
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The command, or another description.
    pub what: String,
    /// The exit status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its hash, as git printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Its first line.
    pub message: String,
}

impl Summary {
    /// Summarises a session from its rows, oldest first.
    pub fn of(session: &SessionRow, prompts: &[PromptRow], observations: &[ObservationRow]) -> Self {
        if observations.iter().filter(|row| tells(row.kind)).count() < MIN_ACTIONS {
            return Self { short: true, ..Self::default() };
        }
        Self::whole(session, prompts, observations)
    }

    /// Like [`Self::of`], however little there is.
    fn whole(session: &SessionRow, prompts: &[PromptRow], observations: &[ObservationRow]) -> Self {
        let asked: Vec<&PromptRow> = prompts.iter().filter(|row| row.speaker == Speaker::Person).collect();
        let ended = last_of(prompts, observations).unwrap_or(session.started_at);
        let commits = observations.iter().filter(|row| row.kind == Kind::GitCommit);
        let pushes = observations.iter().filter(|row| row.kind == Kind::GitPush);
        let failed: Vec<&ObservationRow> = observations.iter().filter(|row| has_failed(row)).collect();
        let subagents: BTreeSet<&str> = observations
            .iter()
            .filter_map(|row| row.subagent.as_ref())
            .map(|(name, kind)| kind.as_deref().unwrap_or(name))
            .collect();
        Self {
            short: false,
            intent: intent(&asked, observations),
            started_at: session.started_at.to_string(),
            ended_at: ended.to_string(),
            duration_s: ended.since(session.started_at).as_secs(),
            prompts: asked.len(),
            observations: observations.len(),
            files_edited: files(observations, &[Kind::FileEdit, Kind::FileWrite]),
            files_read: files(observations, &[Kind::FileRead]),
            commands: observations.iter().filter(|row| row.kind.is_command()).count(),
            failed: failed.len(),
            failures: failed.into_iter().take(MAX_NAMED).map(failure).collect(),
            commits: commits.take(MAX_NAMED).map(commit).collect(),
            pushes: pushes.take(MAX_NAMED).map(|row| line(&row.body)).collect(),
            tools: tools(observations),
            subagents: subagents.into_iter().take(MAX_NAMED).map(Into::into).collect(),
            episodes: episode::episodes(&asked, observations),
        }
    }

    /// Restores a summary from its entry's attributes.
    pub fn from_attributes(attributes: Map<String, Value>) -> Option<Self> {
        serde_json::from_value(Value::Object(attributes)).ok()
    }

    /// The summary as the attributes of its entry.
    pub fn attributes(&self) -> Map<String, Value> {
        if self.short {
            return Map::from_iter([("short".to_owned(), Value::Bool(true))]);
        }
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => unreachable!("a summary of texts and numbers is a JSON object"),
        }
    }
}

/// The newest time among rows that are in order.
pub(crate) fn last_of(prompts: &[PromptRow], observations: &[ObservationRow]) -> Option<Timestamp> {
    prompts.last().map(|row| row.at).max(observations.last().map(|row| row.at))
}

/// The first prompt that led to something, otherwise the first one.
fn intent(asked: &[&PromptRow], observations: &[ObservationRow]) -> Option<String> {
    let led: BTreeSet<_> =
        observations.iter().filter(|row| row.kind.is_action()).filter_map(|row| row.prompt).collect();
    let prompt = asked.iter().find(|row| led.contains(&row.id)).or(asked.first())?;
    Some(one_line_of_chars(&prompt.body, MAX_INTENT_CHARS))
}

const fn tells(kind: Kind) -> bool {
    kind.is_action() || matches!(kind, Kind::Marker)
}

fn files(observations: &[ObservationRow], kinds: &[Kind]) -> Vec<Counted> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in observations.iter().filter(|row| kinds.contains(&row.kind)) {
        for file in &row.files {
            *counts.entry(file).or_default() += 1;
        }
    }
    let mut counted: Vec<Counted> =
        counts.into_iter().map(|(path, count)| Counted { path: path.to_owned(), count }).collect();
    counted.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.path.cmp(&other.path)));
    counted.truncate(MAX_NAMED);
    counted
}

fn tools(observations: &[ObservationRow]) -> BTreeMap<String, usize> {
    let mut tools = BTreeMap::new();
    for tool in observations.iter().filter_map(|row| row.tool.as_ref()) {
        *tools.entry(tool.clone()).or_default() += 1;
    }
    tools
}

fn failure(row: &ObservationRow) -> Failure {
    let exit = match row.outcome {
        Outcome::Failed { exit } => exit,
        Outcome::Success | Outcome::Unknown => None,
    };
    Failure { what: line(&row.body), exit }
}

fn commit(row: &ObservationRow) -> Commit {
    let fact = |name: &str| row.attributes.get(name).and_then(Value::as_str);
    Commit {
        hash: fact("commit_hash").map(Into::into),
        message: line(
            fact("commit_message").filter(|subject| !subject.trim().is_empty()).unwrap_or(&row.body),
        ),
    }
}

/// The first line of a text, cut.
fn line(text: &str) -> String {
    one_line_of_chars(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), MAX_LINE_CHARS)
}

// Renews a summary after some of the session's rows were deleted: the summary keeps what only it
// still knows.

impl Summary {
    /// Summarises a session again that was summarised up to the entry `upto`. If all rows still
    /// exist, it starts from the beginning; otherwise newer rows are added to the old summary.
    pub fn renewed(
        self,
        upto: EntryId,
        session: &SessionRow,
        prompts: &[PromptRow],
        observations: &[ObservationRow],
    ) -> Self {
        if self.short || !self.has_lost(upto, prompts, observations) {
            return Self::of(session, prompts, observations);
        }
        let asked: Vec<PromptRow> = prompts.iter().filter(|row| row.id > upto).cloned().collect();
        let done: Vec<ObservationRow> = observations.iter().filter(|row| row.id > upto).cloned().collect();
        let mut summary = self.with(Self::whole(session, &asked, &done));
        let ended = Timestamp::parse(&summary.ended_at).unwrap_or(session.started_at);
        summary.duration_s = ended.since(session.started_at).as_secs();
        summary
    }

    /// Whether some of the rows it was made from are deleted.
    fn has_lost(&self, upto: EntryId, prompts: &[PromptRow], observations: &[ObservationRow]) -> bool {
        let summarised = observations.iter().filter(|row| row.id <= upto).count();
        let asked = prompts.iter().filter(|row| row.id <= upto && row.speaker == Speaker::Person).count();
        summarised < self.observations || asked < self.prompts
    }

    fn with(mut self, more: Self) -> Self {
        self.intent = self.intent.or(more.intent);
        self.ended_at = self.ended_at.max(more.ended_at);
        self.prompts += more.prompts;
        self.observations += more.observations;
        self.files_edited = added(self.files_edited, more.files_edited);
        self.files_read = added(self.files_read, more.files_read);
        self.commands += more.commands;
        self.failed += more.failed;
        chain(&mut self.failures, more.failures);
        chain(&mut self.commits, more.commits);
        chain(&mut self.pushes, more.pushes);
        for (tool, count) in more.tools {
            *self.tools.entry(tool).or_default() += count;
        }
        self.subagents.extend(more.subagents);
        self.subagents.sort_unstable();
        self.subagents.dedup();
        self.subagents.truncate(MAX_NAMED);
        self.episodes.extend(more.episodes);
        // The newest episodes describe the session's state best.
        let old = self.episodes.len().saturating_sub(MAX_EPISODES);
        self.episodes.drain(..old);
        self
    }
}

fn added(one: Vec<Counted>, other: Vec<Counted>) -> Vec<Counted> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in one.into_iter().chain(other) {
        *counts.entry(file.path).or_default() += file.count;
    }
    let mut files: Vec<Counted> = counts.into_iter().map(|(path, count)| Counted { path, count }).collect();
    files.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.path.cmp(&other.path)));
    files.truncate(MAX_NAMED);
    files
}

fn chain<T>(list: &mut Vec<T>, more: Vec<T>) {
    list.extend(more);
    list.truncate(MAX_NAMED);
}

// A summary as readable and searchable text.

/// Renders a summary.
pub(crate) fn render(summary: &Summary, session: &SessionRow, project: &ProjectRow) -> String {
    if summary.short {
        return "a short session".to_owned();
    }
    let mut lines = Vec::new();
    lines.extend(summary.intent.clone());
    lines.push(format!(
        "{} in {}, {} to {}; prompts: {}, observations: {}, commands: {}, failed: {}",
        session.harness,
        project.name,
        summary.started_at,
        summary.ended_at,
        summary.prompts,
        summary.observations,
        summary.commands,
        summary.failed
    ));
    let mut list = |name: &str, items: Vec<String>| {
        if !items.is_empty() {
            lines.push(format!("{name}: {}", items.join(", ")));
        }
    };
    list("edited", files_text(&summary.files_edited, &project.root));
    list("read", files_text(&summary.files_read, &project.root));
    let failures = summary.failures.iter().map(|failure| match failure.exit {
        Some(exit) => format!("`{}` (exit {exit})", failure.what),
        None => format!("`{}`", failure.what),
    });
    list("failed", failures.collect());
    let commits = summary.commits.iter().map(|commit| match &commit.hash {
        Some(hash) => format!("{hash} {}", commit.message),
        None => commit.message.clone(),
    });
    list("committed", commits.collect());
    list("pushed", summary.pushes.clone());
    list("subagents", summary.subagents.clone());
    if summary.episodes.len() > 1 {
        for episode in &summary.episodes {
            let intent = episode.intent.as_deref().unwrap_or("(no prompt)");
            lines
                .push(format!("- {intent} ({} observed, {} failed)", episode.observations, episode.failures));
        }
    }
    lines.join("\n")
}

/// Files by their path within the project.
fn files_text(counted: &[Counted], root: &str) -> Vec<String> {
    let short = |path: &str| match path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) {
        Some(inside) if !root.is_empty() => inside.to_owned(),
        _ => path.to_owned(),
    };
    let shown = |file: &Counted| match file.count {
        1 => short(&file.path),
        count => format!("{} ({count})", short(&file.path)),
    };
    counted.iter().map(shown).collect()
}

#[cfg(test)]
mod tests;

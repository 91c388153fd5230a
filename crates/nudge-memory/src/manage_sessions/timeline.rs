//! `session_timeline`: a session as the page shows it: prompts, commands with their verdicts,
//! changes with their lines, hypotheses, and what was injected, in order and page by page.

use std::collections::HashMap;

use nudge_context::clean_text;
use nudge_core::hypothesis::Status;
use nudge_core::text::{cut_to_chars, one_line_of_chars};
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Outcome, Speaker, Tier, Timestamp};
use nudge_store::{InjectionRow, ObservationHead, ObservationRow, PromptRow, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::view::view;
use crate::hypotheses::{Stored, hypotheses_in};
use crate::inject::{WhyInjection, explained, uncommitted};
use crate::operation::{Effect, Op, OpContext};
use crate::recall::session_called;
use crate::statements::stated_by;

/// How many rows are returned by default, and how many at most.
const DEFAULT_ROWS: u32 = 150;
const MAX_ROWS: u32 = 400;

/// How many prompts, steps and injections of a session are looked at: the newest.
const MAX_PROMPTS: u32 = 2_000;
const MAX_STEPS: u32 = 20_000;
const MAX_INJECTIONS: u32 = 2_000;

/// How many prompts are listed: the newest.
const MAX_LISTED: usize = 300;

/// How much of each text is shown, in characters.
const MAX_LISTED_CHARS: usize = 120;
const MAX_TEXT_CHARS: usize = 4_000;
const MAX_OUTPUT_CHARS: usize = 4_000;

/// How many files of a row, and of the work in progress, are listed.
const MAX_FILES: usize = 5;
const MAX_IN_FLIGHT: usize = 15;

/// How many actions are searched for files that were changed and not committed.
const MAX_ACTIONS: u32 = 300;

/// Parameters of `session_timeline`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimelineOfParams {
    /// Session id or a unique prefix.
    pub session_id: String,
    /// Only rows of this kind. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// The rows before this one: its key or its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<RowRef>,
    /// The rows from this one on: its key or its id, such as a prompt's. Default: the last rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<RowRef>,
    /// Maximum rows to return, 1-400. Default: 150.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A row: its key, or the id of its entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RowRef {
    /// The id of its entry.
    Id(i64),
    /// Its key.
    Key(String),
}

/// A kind of rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// What failed.
    Failures,
    /// Changes of files, and commits.
    Changes,
    /// What was injected.
    Injected,
    /// Hypotheses.
    Hypotheses,
}

/// Answer of `session_timeline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTimeline {
    /// Session id.
    pub session_id: String,
    /// The agent's program.
    pub agent: String,
    /// Name of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Directory of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Name of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// State: busy, idle or ended.
    pub state: String,
    /// Time it started.
    pub started_at: String,
    /// Time of the last activity.
    pub last_at: String,
    /// Totals of the whole session.
    pub counts: TimelineCounts,
    /// The newest prompts of the user, oldest first.
    pub prompts: Vec<TimelinePrompt>,
    /// Number of older prompts, not listed.
    pub more_prompts: usize,
    /// Files that were changed and not committed.
    pub files_in_flight: Vec<String>,
    /// The rows, oldest first.
    pub rows: Vec<TimelineRow>,
    /// True if there are earlier rows.
    pub has_earlier: bool,
    /// True if there are later rows.
    pub has_later: bool,
}

/// Totals of a session.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineCounts {
    /// Number of actions and prompts.
    pub events: usize,
    /// Number of failed commands and calls.
    pub failures: usize,
    /// Number of changes of files, and of commits.
    pub changes: usize,
    /// Number of commits.
    pub commits: usize,
    /// Number of injections.
    pub injections: usize,
    /// Tokens of all injections.
    pub tokens: u64,
    /// Number of hypotheses.
    pub hypotheses: usize,
}

/// A prompt, for a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimelinePrompt {
    /// Id of the prompt.
    pub id: i64,
    /// Time of the prompt.
    pub at: String,
    /// The beginning of its text.
    pub text: String,
    /// Number of actions that followed.
    pub events: usize,
    /// Number of those that failed.
    pub failures: usize,
}

/// One row of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineRow {
    /// Identifies the row in its session.
    pub key: String,
    /// Entry id. An injection and a hypothesis have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Time.
    pub at: String,
    /// `prompt`, `injection`, `hypothesis`, or a kind of observation.
    pub kind: String,
    /// The text: what was asked, run, read, said or expected.
    pub text: String,
    /// Of a prompt: who spoke: user, agent or program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Of a note: who wrote it and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// Of a change, a read or a search: the files; at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Number of files not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_files: usize,
    /// True if it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Of a test or build run: `passed`, `failed` or `unknown`. Of a hypothesis: `active`,
    /// `confirmed`, `falsified` or `abandoned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Of a test run: number of tests that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<u64>,
    /// Of a test run: number of tests that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_failed: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Of a failure: its output. Of a hypothesis: what was expected or observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Of a change: number of lines added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Of a change: number of lines removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// Of a change: the changed lines, each behind `+` or `-`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// True if there are more changed lines than were stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diff_cut: bool,
    /// Of an action of a subagent: its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// True if it is pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pinned: bool,
    /// Of an injection: its lines, and why they were injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<WhyInjection>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The `session_timeline` operation.
pub struct TimelineOfSession;

impl Op for TimelineOfSession {
    const NAME: &'static str = "session_timeline";
    const TITLE: &'static str = "Session timeline";
    const DOC: &'static str = "Return a session page by page, the last rows first: prompts, commands with \
        verdicts, changes with lines, hypotheses, injections.";
    const REFERENCE: &'static str = "Return a session page by page: its prompts, commands with verdicts \
        and output, changes with their lines, hypotheses, and what was injected. Without `from` or \
        `before`, the last rows.";
    // Agents have `session_trace`, which costs them less.
    const TIER: Tier = Tier::Client;
    const CLIENTS_ONLY: bool = true;
    const EFFECT: Effect = Effect::Read;
    type Params = TimelineOfParams;
    type Answer = SessionTimeline;

    fn run(ctx: &OpContext<'_>, params: TimelineOfParams) -> Result<SessionTimeline, Fault> {
        let session =
            session_called(ctx, &params.session_id).map_err(|fault| fault.with("field", "session_id"))?;
        let whole = Whole::of(ctx, &session)?;
        let limit = params.limit.unwrap_or(DEFAULT_ROWS).clamp(1, MAX_ROWS) as usize;
        let rows: Vec<&Row> = whole.rows.iter().filter(|row| row.is_shown(params.show)).collect();
        let place = |wanted: &RowRef| {
            let found = whole.rows.iter().find(|row| match wanted {
                RowRef::Id(id) => row.entry() == Some(EntryId(*id)),
                RowRef::Key(key) => row.name() == *key,
            });
            found.map(Row::key).ok_or_else(no_row)
        };
        let (start, end) = match (&params.from, &params.before) {
            (Some(id), _) => {
                let from = place(id)?;
                let start = rows.partition_point(|row| row.key() < from);
                (start, rows.len().min(start + limit))
            }
            (None, Some(id)) => {
                let before = place(id)?;
                let end = rows.partition_point(|row| row.key() < before);
                (end.saturating_sub(limit), end)
            }
            (None, None) => (rows.len().saturating_sub(limit), rows.len()),
        };
        let shown = rows[start..end].iter().map(|row| whole.shown(ctx, row));
        let about = view(ctx, &session)?;
        let actions = ctx.store().actions_in_session(session.id, session.project, MAX_ACTIONS)?;
        let in_flight = uncommitted(ctx.store(), &actions)?.map(|(_, files)| files).unwrap_or_default();
        Ok(SessionTimeline {
            session_id: about.id,
            agent: about.agent,
            project: about.project,
            root: ctx.store().project_root(session.project)?.map(|root| clean_text(&root)),
            name: Some(about.meta.name).filter(|name| !name.is_empty()),
            state: about.state,
            started_at: about.started_at,
            last_at: about.last_active_at,
            counts: whole.counts(),
            prompts: whole.listed(),
            more_prompts: whole.typed().len().saturating_sub(MAX_LISTED),
            files_in_flight: in_flight.iter().take(MAX_IN_FLIGHT).map(|file| clean_text(file)).collect(),
            rows: shown.collect::<Result<_, _>>()?,
            has_earlier: start > 0,
            has_later: end < rows.len(),
        })
    }
}

fn no_row() -> Fault {
    Fault::new(FaultKind::NotFound, "no_row", "this session has no such row")
        .next("leave out `from` and `before` for the last rows")
}

/// A row before its texts are read.
enum Row {
    Prompt(Timestamp, EntryId),
    Step(ObservationHead),
    Injection(InjectionRow),
    /// A hypothesis when it began, or when it was decided.
    Hypothesis(Timestamp, usize, bool),
}

impl Row {
    /// The position in the session. What was injected with a prompt follows the prompt.
    fn key(&self) -> (Timestamp, u8, i64) {
        match self {
            Self::Prompt(at, id) => (*at, 0, id.0),
            Self::Step(step) => (step.at, 2, step.id.0),
            Self::Injection(row) => (row.at, 1, row.id.0),
            Self::Hypothesis(at, place, is_decided) => {
                (*at, 3 + u8::from(*is_decided), i64::try_from(*place).unwrap_or(i64::MAX))
            }
        }
    }

    /// The key in words.
    fn name(&self) -> String {
        let (at, rank, number) = self.key();
        format!("{}-{rank}-{number}", at.as_millis())
    }

    const fn entry(&self) -> Option<EntryId> {
        match self {
            Self::Prompt(_, id) => Some(*id),
            Self::Step(step) => Some(step.id),
            Self::Injection(_) | Self::Hypothesis(..) => None,
        }
    }

    fn is_shown(&self, show: Option<Show>) -> bool {
        match (show, self) {
            (None, _)
            | (Some(Show::Injected), Self::Injection(_))
            | (Some(Show::Hypotheses), Self::Hypothesis(..)) => true,
            (Some(Show::Failures), Self::Step(step)) => has_failed(step.kind, step.outcome),
            (Some(Show::Changes), Self::Step(step)) => is_change(step.kind),
            _ => false,
        }
    }
}

const fn has_failed(kind: ObservationKind, outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Failed { .. }) || matches!(kind, ObservationKind::CommandError)
}

const fn is_change(kind: ObservationKind) -> bool {
    matches!(kind, ObservationKind::FileEdit | ObservationKind::FileWrite | ObservationKind::GitCommit)
}

/// A session without most of its texts.
struct Whole {
    prompts: Vec<PromptRow>,
    hypotheses: Vec<Stored>,
    /// All rows, oldest first.
    rows: Vec<Row>,
}

impl Whole {
    fn of(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Self, Fault> {
        let (reader, hidden) = (ctx.store(), ctx.hidden()?);
        let mut prompts = reader.last_prompts_of_session(session.id, MAX_PROMPTS)?;
        let mut steps = reader.steps_of_session(session.id, MAX_STEPS)?;
        if !hidden.is_empty() {
            // A session may have entered a private project for a while.
            let mut open = Vec::with_capacity(steps.len());
            for step in steps {
                if !hidden.hide_entry(reader, step.id)? {
                    open.push(step);
                }
            }
            steps = open;
            let mut open = Vec::with_capacity(prompts.len());
            for prompt in prompts {
                if !hidden.hide_entry(reader, prompt.id)? {
                    open.push(prompt);
                }
            }
            prompts = open;
        }
        prompts.reverse();
        let hypotheses = hypotheses_in(reader, session.id)?;
        let injections = reader.injections_of_session(session.id, MAX_INJECTIONS)?;
        let mut rows: Vec<Row> = prompts.iter().map(|prompt| Row::Prompt(prompt.at, prompt.id)).collect();
        rows.extend(steps.into_iter().map(Row::Step));
        rows.extend(injections.into_iter().filter(|row| !hidden.hide(row.project)).map(Row::Injection));
        for (place, stored) in hypotheses.iter().enumerate() {
            rows.push(Row::Hypothesis(stored.row.created_at, place, false));
            rows.extend(stored.row.resolved_at.map(|at| Row::Hypothesis(at, place, true)));
        }
        rows.sort_by_key(Row::key);
        Ok(Self { prompts, hypotheses, rows })
    }

    fn counts(&self) -> TimelineCounts {
        let mut counts = TimelineCounts { hypotheses: self.hypotheses.len(), ..TimelineCounts::default() };
        for row in &self.rows {
            match row {
                Row::Prompt(..) => counts.events += 1,
                Row::Step(step) => {
                    counts.events += 1;
                    counts.failures += usize::from(has_failed(step.kind, step.outcome));
                    counts.changes += usize::from(is_change(step.kind));
                    counts.commits += usize::from(step.kind == ObservationKind::GitCommit);
                }
                Row::Injection(row) => {
                    counts.injections += 1;
                    counts.tokens += u64::from(row.tokens);
                }
                Row::Hypothesis(..) => {}
            }
        }
        counts
    }

    /// The user's prompts.
    fn typed(&self) -> Vec<&PromptRow> {
        self.prompts.iter().filter(|prompt| prompt.speaker == Speaker::Person).collect()
    }

    fn listed(&self) -> Vec<TimelinePrompt> {
        let mut of_prompt: HashMap<EntryId, (usize, usize)> = HashMap::new();
        for row in &self.rows {
            if let Row::Step(step) = row
                && let Some(prompt) = step.prompt
                && step.kind.is_action()
            {
                let (events, failures) = of_prompt.entry(prompt).or_default();
                *events += 1;
                *failures += usize::from(has_failed(step.kind, step.outcome));
            }
        }
        let typed = self.typed();
        let newest = typed.len().saturating_sub(MAX_LISTED);
        let listed = typed[newest..].iter().map(|prompt| {
            let (events, failures) = of_prompt.get(&prompt.id).copied().unwrap_or_default();
            let text = one_line_of_chars(&clean_text(&prompt.body), MAX_LISTED_CHARS);
            TimelinePrompt { id: prompt.id.0, at: prompt.at.to_string(), text, events, failures }
        });
        listed.collect()
    }

    fn shown(&self, ctx: &OpContext<'_>, row: &Row) -> Result<TimelineRow, Fault> {
        Ok(TimelineRow { key: row.name(), ..self.described(ctx, row)? })
    }

    fn described(&self, ctx: &OpContext<'_>, row: &Row) -> Result<TimelineRow, Fault> {
        match row {
            Row::Prompt(_, id) => {
                let prompt = self.prompts.iter().find(|prompt| prompt.id == *id).expect("it has a row");
                Ok(asked(prompt))
            }
            Row::Step(step) => match ctx.store().observation(step.id)? {
                Some(found) => done(ctx, found),
                None => Ok(TimelineRow {
                    id: Some(step.id.0),
                    at: step.at.to_string(),
                    kind: step.kind.name().to_owned(),
                    ..TimelineRow::default()
                }),
            },
            Row::Injection(row) => Ok(TimelineRow {
                at: row.at.to_string(),
                kind: "injection".to_owned(),
                text: row.cause.clone(),
                injection: Some(explained(ctx, row)?),
                ..TimelineRow::default()
            }),
            Row::Hypothesis(at, place, is_decided) => {
                Ok(expected(&self.hypotheses[*place], *at, *is_decided))
            }
        }
    }
}

fn cut(text: &str, chars: usize) -> String {
    match cut_to_chars(text, chars) {
        Some(beginning) => clean_text(beginning) + "…",
        None => clean_text(text),
    }
}

fn asked(prompt: &PromptRow) -> TimelineRow {
    let source = match prompt.speaker {
        Speaker::Person => "user",
        Speaker::Agent => "agent",
        Speaker::Program => "program",
    };
    TimelineRow {
        id: Some(prompt.id.0),
        at: prompt.at.to_string(),
        kind: "prompt".to_owned(),
        text: cut(&prompt.body, MAX_TEXT_CHARS),
        source: Some(source.to_owned()),
        ..TimelineRow::default()
    }
}

fn done(ctx: &OpContext<'_>, row: ObservationRow) -> Result<TimelineRow, Fault> {
    let text = |name: &str| row.attributes.get(name).and_then(Value::as_str);
    let number = |name: &str| row.attributes.get(name).and_then(Value::as_u64);
    let run = row.attributes.get("run").and_then(Value::as_object);
    let of_run = |name: &str| run.and_then(|run| run.get(name)).and_then(Value::as_u64);
    let stated_by = match row.kind {
        ObservationKind::Marker => match ctx.store().entry_by_id(row.id)? {
            Some(entry) => Some(stated_by(ctx.store(), &entry.writer)?),
            None => None,
        },
        _ => None,
    };
    Ok(TimelineRow {
        id: Some(row.id.0),
        at: row.at.to_string(),
        kind: row.kind.name().to_owned(),
        text: cut(&row.body, MAX_TEXT_CHARS),
        stated_by,
        files: row.files.iter().take(MAX_FILES).map(|file| clean_text(file)).collect(),
        more_files: row.files.len().saturating_sub(MAX_FILES),
        failed: has_failed(row.kind, row.outcome),
        exit: match row.outcome {
            Outcome::Failed { exit } => exit,
            Outcome::Success | Outcome::Unknown => None,
        },
        verdict: run.and_then(|run| run.get("verdict")).and_then(Value::as_str).map(str::to_owned),
        tests_passed: of_run("passed"),
        tests_failed: of_run("failed"),
        took_ms: number("duration_ms"),
        output: text("response").map(|output| cut(output, MAX_OUTPUT_CHARS)),
        added: number("lines_added"),
        removed: number("lines_removed"),
        diff: text("changed").map(clean_text),
        diff_cut: row.attributes.get("changed_truncated").is_some(),
        subagent: row.subagent.as_ref().map(|(name, kind)| clean_text(kind.as_deref().unwrap_or(name))),
        is_pinned: row.pinned,
        ..TimelineRow::default()
    })
}

fn expected(stored: &Stored, at: Timestamp, is_decided: bool) -> TimelineRow {
    let record = &stored.record;
    let status = if is_decided { record.status() } else { Status::Active };
    let result = record.outcome.as_ref().map(|outcome| outcome.result.as_str());
    TimelineRow {
        at: at.to_string(),
        kind: "hypothesis".to_owned(),
        text: cut(&record.hypothesis, MAX_TEXT_CHARS),
        verdict: Some(status.name().to_owned()),
        output: if is_decided { result } else { Some(record.prediction.as_str()) }
            .map(|text| cut(text, MAX_OUTPUT_CHARS)),
        ..TimelineRow::default()
    }
}

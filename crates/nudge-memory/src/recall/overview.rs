//! `overview`: what needs the user, what runs, and what happened before. It fills the first page of
//! the browser UI.

use std::cmp::Reverse;
use std::time::Duration;

use nudge_context::clean_text;
use nudge_core::text::one_line_of_chars;
use nudge_core::{Fault, ObservationKind as Kind, Outcome, Timestamp};
use nudge_store::{ObservationRow, SessionRow, SessionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_sessions::{last_heard, name};
use super::observation::{EntryLookup, one_line};
use super::place::{ProjectParam, projects_meant};
use crate::operation::{Effect, Op, OpContext};
use crate::sessions::over_before;

/// How many of a project's newest sessions are looked at.
const LOOKED_AT: u32 = 30;

/// How many of them are read, over all projects.
const MAX_READ: usize = 60;

/// How many sessions of each kind are returned.
const MAX_SESSIONS: usize = 12;

/// How much of a prompt, a command or an answer is shown, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// How many files are listed.
const MAX_FILES: usize = 3;

/// How many prompts and observations of a session are read.
const MAX_PROMPTS: u32 = 3;
const MAX_ROWS: u32 = 400;

/// The shortest span of one bar of a session's activity, and how many bars there are at most.
const BAR: Duration = Duration::from_secs(5 * 60);
const MAX_BARS: u64 = 20;

/// Parameters of `overview`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverviewParams {
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `overview`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewAnswer {
    /// Sessions whose agents have stopped, and that the user has not looked at since. The newest
    /// first.
    pub stopped: Vec<SessionCard>,
    /// Sessions whose agents work now. The newest first.
    pub working: Vec<SessionCard>,
    /// Other sessions, newest first.
    pub earlier: Vec<SessionCard>,
}

/// A session in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCard {
    /// Session id.
    pub session_id: String,
    /// The agent's program.
    pub agent: String,
    /// Name of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Name of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The user's newest request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// State: `busy`, `idle`, `ended` or `broke off`.
    pub state: String,
    /// Time it started.
    pub started_at: String,
    /// Time of the last activity.
    pub last_at: String,
    /// What the agent did last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastStep>,
    /// The newest verdict of a test or build run: `passed` or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Files that it changed, the last one first; at most three.
    pub files: Vec<String>,
    /// Number of changed files not listed.
    pub more_files: usize,
    /// Number of commits.
    pub commits: usize,
    /// Number of actions in equal spans of time, oldest first; at most 20, and each spans five
    /// minutes or more. Of a long session the newest 400 actions are counted.
    pub activity: Vec<u32>,
    /// Number of failed actions in the same spans.
    pub failures: Vec<u32>,
}

/// What an agent did last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastStep {
    /// Kind of observation.
    pub kind: String,
    /// The command, the file, or what the agent said.
    pub text: String,
    /// True if it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// The `overview` operation.
pub struct Overview;

impl Op for Overview {
    const NAME: &'static str = "overview";
    const TITLE: &'static str = "Overview";
    const DOC: &'static str = "List the sessions that work now, those that stopped unseen, and the newest \
        others.";
    const REFERENCE: &'static str = "List the sessions whose agents work now, those whose agents stopped \
        and that the user has not looked at since, and the newest others.";
    const EFFECT: Effect = Effect::Read;
    type Params = OverviewParams;
    type Answer = OverviewAnswer;

    fn run(ctx: &OpContext<'_>, params: OverviewParams) -> Result<OverviewAnswer, Fault> {
        let over = over_before(ctx.now());
        let mut newest = Vec::new();
        for project in projects_meant(ctx, &params.project)? {
            // A subagent's session belongs to its parent.
            let sessions = ctx.store().busy_sessions_of(project, LOOKED_AT)?;
            newest.extend(sessions.into_iter().filter(|session| session.parent.is_none()));
        }
        newest.sort_by_key(|session| Reverse((roughly_last(session), session.id)));
        newest.truncate(MAX_READ);
        let mut found = Vec::with_capacity(newest.len());
        for session in newest {
            let last = last_heard(ctx, &session)?;
            found.push(Found { state: state_of(&session, last, over), last, session });
        }
        found.sort_by_key(|found| Reverse((found.last, found.session.id)));
        let lookup = EntryLookup::of(ctx)?;
        let mut answer = OverviewAnswer::default();
        for found in found {
            let list = match found.state {
                "busy" => &mut answer.working,
                _ if found.session.activity.is_unobserved() => &mut answer.stopped,
                _ => &mut answer.earlier,
            };
            if list.len() < MAX_SESSIONS {
                list.push(card(ctx, &lookup, &found)?);
            }
        }
        Ok(answer)
    }
}

/// When something last happened in a session, as far as its own row says.
fn roughly_last(session: &SessionRow) -> Timestamp {
    let seen = session.activity.active_at.max(session.activity.idle_at);
    seen.map_or(session.started_at, |at| at.max(session.started_at))
}

/// A session, and what is known without reading it.
struct Found {
    session: SessionRow,
    state: &'static str,
    last: Timestamp,
}

fn state_of(session: &SessionRow, last: Timestamp, over: Timestamp) -> &'static str {
    match (session.ended_at, session.activity.state) {
        (Some(_), _) => "ended",
        (None, _) if last < over => "broke off",
        (None, SessionState::Busy) => "busy",
        (None, SessionState::Idle | SessionState::Resumed) => "idle",
    }
}

fn card(ctx: &OpContext<'_>, lookup: &EntryLookup<'_>, found: &Found) -> Result<SessionCard, Fault> {
    let (reader, hidden, session) = (ctx.store(), ctx.hidden()?, &found.session);
    let mut rows = Vec::new();
    let newest = reader.last_observations_of_session(session.id, MAX_ROWS)?;
    for row in newest.into_iter().rev() {
        if !hidden.hide_entry(reader, row.id)? {
            rows.push(row);
        }
    }
    let mut request = None;
    for prompt in reader.recent_prompts(session.id, MAX_PROMPTS)? {
        if request.is_none() && !hidden.hide_entry(reader, prompt.entry)? {
            request = Some(shown(&prompt.text));
        }
    }
    let mut files: Vec<String> = Vec::new();
    for file in rows.iter().rev().filter(|row| is_change(row)).flat_map(|row| &row.files) {
        let file = one_line(file);
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let verdicts = rows.iter().rev().filter_map(|row| row.attributes.get("run")?["verdict"].as_str());
    let verdict = verdicts.into_iter().find(|verdict| *verdict != "unknown").map(str::to_owned);
    let whole = rows.len() < MAX_ROWS as usize;
    let start = rows.first().map_or(session.started_at, |row| row.at);
    let start = if whole { start.min(session.started_at) } else { start };
    let (activity, failures) = bars(start, found.last, &rows);
    Ok(SessionCard {
        session_id: one_line(&session.name),
        agent: one_line(&session.harness),
        project: lookup.project_name(session.project)?,
        name: name(ctx, session)?,
        request,
        state: found.state.to_owned(),
        started_at: session.started_at.to_string(),
        last_at: found.last.to_string(),
        last: rows.iter().rev().find(|row| is_step(row)).map(step),
        verdict,
        more_files: files.len().saturating_sub(MAX_FILES),
        files: files.into_iter().take(MAX_FILES).collect(),
        commits: rows.iter().filter(|row| row.kind == Kind::GitCommit).count(),
        activity,
        failures,
    })
}

fn shown(text: &str) -> String {
    one_line_of_chars(&clean_text(text), MAX_TEXT_CHARS)
}

fn step(row: &ObservationRow) -> LastStep {
    let is_file = matches!(row.kind, Kind::FileRead | Kind::FileWrite | Kind::FileEdit);
    let text = row.files.first().filter(|_| is_file).unwrap_or(&row.body);
    LastStep { kind: row.kind.name().to_owned(), text: shown(text), failed: has_failed(row) }
}

const fn is_step(row: &ObservationRow) -> bool {
    !matches!(row.kind, Kind::SessionStart | Kind::SessionEnd | Kind::SessionCompact)
}

const fn is_change(row: &ObservationRow) -> bool {
    matches!(row.kind, Kind::FileEdit | Kind::FileWrite)
}

const fn has_failed(row: &ObservationRow) -> bool {
    matches!(row.outcome, Outcome::Failed { .. }) || matches!(row.kind, Kind::CommandError)
}

/// How many actions there were in equal spans of time, and how many of them failed.
fn bars(start: Timestamp, end: Timestamp, rows: &[ObservationRow]) -> (Vec<u32>, Vec<u32>) {
    let whole = end.since(start).as_secs();
    let span = BAR.as_secs().max(whole.div_ceil(MAX_BARS)).max(1);
    let count = usize::try_from(whole / span + 1).unwrap_or(1).min(MAX_BARS as usize);
    let (mut all, mut failed) = (vec![0; count], vec![0; count]);
    for row in rows.iter().filter(|row| is_step(row)) {
        let at = usize::try_from(row.at.since(start).as_secs() / span).unwrap_or(0).min(count - 1);
        all[at] += 1;
        failed[at] += u32::from(has_failed(row));
    }
    (all, failed)
}

//! `list_sessions` lists the sessions of a project, newest first; `recent_context` what is going
//! on.

use std::collections::HashSet;

use nudge_context::{clean_text, program_of};
use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, Fault, ObservationKind, Speaker, Timestamp};
use nudge_store::SessionRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::candidates::{Candidate, Wanted, candidates};
use super::observation::{EntryLookup, Observation, one_line, readable_time, unix_seconds};
use super::place::{Asked, ProjectParam, projects_meant};
use super::session_trace::session_called;
use crate::operation::{Effect, Op, OpContext};
use crate::sessions::over_before;
use crate::sessions::summary::Summary;

/// How many are listed by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;

const MAX_LIMIT: i64 = 100;

/// How much of a goal is shown, in characters.
const MAX_GOAL_CHARS: usize = 200;

/// How many files are listed.
const MAX_FILES: usize = 5;

/// How many prompts and observations are read for a session without a summary.
const MAX_PROMPTS: u32 = 5;

const MAX_OBSERVATIONS: u32 = 500;

/// Parameters of `list_sessions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSessionsParams {
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Only sessions that began before this one: the id of the last session of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = false))]
    pub before: Option<String>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedSession {
    /// Session id, for session_trace.
    pub session_id: String,
    /// The agent's program.
    pub agent: String,
    /// Name of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Name of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the user wanted, in their own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Time it started.
    pub started_at: String,
    /// Time of the last activity, in Unix seconds.
    pub timestamp: i64,
    /// Time of the last activity, as text.
    pub at: String,
    /// How it ended: ended or broke off; open if it has not ended.
    pub ended: String,
    /// Files that it changed, most changed first.
    pub files: Vec<String>,
    /// Number of changed files not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_files: usize,
    /// Number of commits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub commits: usize,
}

/// The `list_sessions` operation.
pub struct ListSessions;

impl Op for ListSessions {
    const NAME: &'static str = "list_sessions";
    const TITLE: &'static str = "List sessions";
    const DOC: &'static str = "List the newest sessions: the user's goal, time, agent, changed files, how \
        it ended.";
    const REFERENCE: &'static str = "List the newest sessions of a project: the user's goal, time, agent, \
        changed files, and how each ended.";
    const EFFECT: Effect = Effect::Read;
    type Params = ListSessionsParams;
    type Answer = Vec<ListedSession>;

    fn run(ctx: &OpContext<'_>, params: ListSessionsParams) -> Result<Vec<ListedSession>, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let limit = u32::try_from(limit).unwrap_or(1);
        let before = params.before.as_deref().map(|name| session_called(ctx, name)).transpose()?;
        let mut sessions = Vec::new();
        for project in projects_meant(ctx, &params.project)? {
            // A subagent's session belongs to its parent.
            let found = match &before {
                Some(session) => {
                    ctx.store().busy_sessions_before(project, limit.saturating_mul(2), session)?
                }
                None => ctx.store().busy_sessions_of(project, limit.saturating_mul(2))?,
            };
            sessions.extend(found.into_iter().filter(|session| session.parent.is_none()));
        }
        sessions.sort_by(|one, other| other.started_at.cmp(&one.started_at).then(other.id.0.cmp(&one.id.0)));
        sessions.truncate(limit as usize);
        let (lookup, names_project) = (EntryLookup::of(ctx)?, params.project == ProjectParam::All);
        sessions.iter().map(|session| listed(ctx, &lookup, session, names_project)).collect()
    }
}

fn listed(
    ctx: &OpContext<'_>,
    lookup: &EntryLookup<'_>,
    session: &SessionRow,
    names_project: bool,
) -> Result<ListedSession, Fault> {
    let at = last_heard(ctx, session)?;
    let came = outcome_of(ctx, session)?;
    let ended = match session.ended_at {
        Some(_) => "ended",
        None if at < over_before(ctx.now()) => "broke off",
        None => "open",
    };
    let project = if names_project { lookup.project_name(session.project)? } else { None };
    Ok(ListedSession {
        session_id: one_line(&session.name),
        agent: one_line(&session.harness),
        project,
        name: name(ctx, session)?,
        goal: came.goal.map(|goal| one_line_of_chars(&clean_text(&goal), MAX_GOAL_CHARS)),
        started_at: readable_time(session.started_at),
        timestamp: unix_seconds(at),
        at: readable_time(at),
        ended: ended.to_owned(),
        more_files: came.files.len().saturating_sub(MAX_FILES),
        files: came.files.iter().take(MAX_FILES).map(|file| one_line(file)).collect(),
        commits: came.commits,
    })
}

/// The name that a user or agent gave it.
pub(super) fn name(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Option<String>, Fault> {
    let entry = session.activity.entry.map(|id| ctx.store().entry_by_id(id)).transpose()?.flatten();
    Ok(entry.and_then(|entry| Some(one_line(entry.attributes.get("name")?.as_str()?))))
}

/// When something last happened in it.
pub(super) fn last_heard(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Timestamp, Fault> {
    let end = Timestamp::from_millis(i64::MAX);
    let last = ctx.store().before_in_session(session.id, end, EntryId(i64::MAX), 1)?;
    let row = ctx.store().documents(&last)?.pop();
    let seen = session.activity.active_at.max(session.activity.idle_at);
    Ok(row.map(|row| row.at).max(seen).unwrap_or(session.started_at).max(session.started_at))
}

/// The outcome of a session.
#[derive(Default)]
struct SessionOutcome {
    goal: Option<String>,
    files: Vec<String>,
    commits: usize,
}

/// Reads it from the summary, else from the first rows. Leaves out anything of a private project.
fn outcome_of(ctx: &OpContext<'_>, session: &SessionRow) -> Result<SessionOutcome, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    if let Some(id) = reader.summary_entry(session.id)?
        && let Some(entry) = reader.entry_by_id(id)?
        && let Some(summary) = Summary::from_attributes(entry.attributes).filter(|summary| !summary.short)
    {
        if hidden.hide_entry(reader, id)? {
            return Ok(SessionOutcome::default());
        }
        let files = summary.files_edited.into_iter().map(|file| file.path).collect();
        return Ok(SessionOutcome { goal: summary.intent, files, commits: summary.commits.len() });
    }
    let mut came = SessionOutcome::default();
    for prompt in reader.prompts_of_session(session.id, MAX_PROMPTS)? {
        let is_said = prompt.speaker == Speaker::Person && came.goal.is_none();
        if is_said && !hidden.hide_entry(reader, prompt.id)? {
            came.goal = Some(prompt.body);
        }
    }
    for row in reader.observations_of_session(session.id, MAX_OBSERVATIONS)? {
        let is_change = matches!(row.kind, ObservationKind::FileEdit | ObservationKind::FileWrite);
        let is_commit = row.kind == ObservationKind::GitCommit;
        if !(is_change || is_commit) || hidden.hide_entry(reader, row.id)? {
            continue;
        }
        came.commits += usize::from(is_commit);
        let new = row.files.into_iter().filter(|_| is_change);
        for file in new {
            if !came.files.contains(&file) {
                came.files.push(file);
            }
        }
    }
    Ok(came)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

// `recent_context`: what is going on, judged by recent events.

/// How many are returned by default, and how many at most.
const DEFAULT_RECENT: i64 = 30;

const MAX_RECENT: i64 = 100;

/// Parameters of `recent_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentContextParams {
    /// Project name, id or directory; null or "*" ranks all projects alike. Default: the current
    /// project first.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Maximum rows to return, up to 100. Default: 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Leave out other projects. Otherwise they rank lower, without their texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
}

/// An observation with its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredObservation {
    /// The observation.
    #[serde(flatten)]
    pub observation: Observation,
    /// Score, 0 to 1.
    pub score: f64,
}

/// The `recent_context` operation.
pub struct RecentContext;

impl Op for RecentContext {
    const NAME: &'static str = "recent_context";
    const TITLE: &'static str = "Recent context";
    const DOC: &'static str = "List recent work, most important first: edits and commits before commands \
        before reads, new before old.";
    const REFERENCE: &'static str = "List recent work in order of importance and age: edits and commits \
        before commands, commands before reads. Rows of other projects rank lower and have no text.";
    const EFFECT: Effect = Effect::Read;
    type Params = RecentContextParams;
    type Answer = Vec<ScoredObservation>;

    fn run(ctx: &OpContext<'_>, params: RecentContextParams) -> Result<Vec<ScoredObservation>, Fault> {
        let asked = Asked::for_list(ctx, &params.project)?;
        if matches!((&params.project, &asked), (ProjectParam::Named(_), Asked::Nowhere)) {
            return Ok(Vec::new());
        }
        let limit = params.limit.unwrap_or(DEFAULT_RECENT).clamp(1, MAX_RECENT) as usize;
        let hidden = ctx.hidden()?;
        let wanted =
            Wanted { asked: &asked, only: params.only, rows: limit, now: ctx.now(), hidden: &hidden };
        let lookup = EntryLookup::of(ctx)?;
        let mut rows = Vec::with_capacity(limit);
        for best in ranked(candidates(ctx.store(), &wanted)?).into_iter().take(limit) {
            let Some(observation) = lookup.observation(best.head.id)? else { continue };
            let is_open = asked == Asked::All || best.is_here;
            let observation = if is_open { observation } else { outline(observation, best.head.kind) };
            // Four digits distinguish any two scores that differ.
            rows.push(ScoredObservation { observation, score: (best.score * 1e4).round() / 1e4 });
        }
        Ok(rows)
    }
}

/// Best first, and only the best of each file.
fn ranked(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|a, b| {
        let (x, y) = (&a.head, &b.head);
        b.score.total_cmp(&a.score).then_with(|| (y.at, y.id).cmp(&(x.at, x.id)))
    });
    let mut files = HashSet::new();
    found.retain(|candidate| candidate.file.is_none_or(|file| files.insert(file)));
    found
}

/// What may be shown of another project unasked: the kind, a file's name, the program that ran.
fn outline(full: Observation, kind: Option<ObservationKind>) -> Observation {
    let file = full.file_path.as_deref().map(|path| last_part(path).to_owned());
    let ran = kind.is_some_and(|kind| {
        use ObservationKind::{Command, CommandError, GitCommit, GitPush};
        matches!(kind, Command | CommandError | GitCommit | GitPush)
    });
    let content = if ran { program_of(&full.content) } else { file.clone().unwrap_or_default() };
    Observation {
        source_event: None,
        tool_name: None,
        content,
        file_path: file,
        metadata: Map::new(),
        ..full
    }
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_elsewhere_only_its_name_is_reported() {
        assert_eq!(last_part("/a/b/c.rs"), "c.rs");
        assert_eq!(last_part("C:\\a\\b"), "b");
    }
}

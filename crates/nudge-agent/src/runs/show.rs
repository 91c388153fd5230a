//! `get_run` shows one run with what happened in it, `get_runs` the runs of a project. The
//! notification `run/state` has the form of `get_run`.

use std::path::Path;

use nudge_core::entry_state::{EntryState, Visibility, status_of};
use nudge_core::run::{RunState, TurnState, run_status};
use nudge_core::scheme::{Category, rules_of};
use nudge_core::text::one_line_of_chars;
use nudge_core::{Entry, EntryPath, Fault};
use nudge_home::workspace::Workspace;
use nudge_memory::entries::{MANIFEST_PATH, read_file};
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::recall::{ProjectParam, projects_meant};
use nudge_store::{Reader, RunId, RunRow, TurnRow, ViewRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::log;
use super::named::run_to_read;
use super::records::STALE;
use super::wire::{HistoryRow, OutputView, RunAnswer, RunParams, RunSource, RunView, Telemetry, UnknownView};

/// The longest body in the history, in characters.
const MAX_BODY_CHARS: usize = 2_000;

/// The longest preview of a source, in characters.
const MAX_PREVIEW_CHARS: usize = 100;

/// How much of a command's output is shown while it runs, in bytes.
const MAX_TAIL_BYTES: usize = 4_096;

/// The end of a text, at most this long.
fn last_bytes(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

/// The `get_run` operation.
pub struct GetRun;

impl Op for GetRun {
    const NAME: &'static str = "get_run";
    const ALIASES: &'static [&'static str] = &["getRun"];
    const TITLE: &'static str = "Show a run";
    const DOC: &'static str = "Show one run: its answer, sources, history and usage.";
    const REFERENCE: &'static str = "Show one run: its prompts and answers, what the answer is based on, what \
        happened, and what it used.";
    const EFFECT: Effect = Effect::Read;
    const CLIENTS_ONLY: bool = true;
    type Params = RunParams;
    type Answer = RunView;

    fn run(ctx: &OpContext<'_>, params: RunParams) -> Result<RunView, Fault> {
        let run = run_to_read(ctx, &params.run, params.project.as_deref())?;
        view_of(ctx.store(), &run)
    }
}

/// A run as `get_run` shows it; `None` if it is gone.
pub fn run_view(memory: &Memory, id: RunId) -> Result<Option<RunView>, Fault> {
    memory.store().read(|reader| match reader.run(id)? {
        Some(run) => view_of(reader, &run).map(Some),
        None => Ok(None),
    })
}

/// A run without its history.
fn head_of(reader: &Reader<'_>, run: &RunRow) -> Result<RunView, Fault> {
    let parent = run.parent.map(|parent| reader.run(parent)).transpose()?.flatten();
    let mut loops = Vec::new();
    for row in reader.loops(run.id)? {
        let prompt = match EntryPath::parse(&row.prompt) {
            Ok(path) => reader.entry(&run.scope, &path)?.map(|entry| entry.body),
            Err(_) => None,
        };
        loops.push(RunAnswer::of(&row, prompt.unwrap_or_default()));
    }
    let summary = loops.iter().rev().map(|one| one.answer.clone()).find(|answer| !answer.is_empty());
    Ok(RunView {
        run: run.alias.clone(),
        project: reader.project_label(run.project)?.map(|(name, _)| name).unwrap_or_default(),
        turn: run.next_turn.saturating_sub(1),
        status: run_status(run.state, run.outcome.as_deref()),
        state: run.state.name().to_owned(),
        outcome: run.outcome.clone(),
        summary: summary.unwrap_or_default(),
        model: run.model.clone(),
        parent: parent.map(|parent| parent.alias),
        created_at: run.created_at.to_string(),
        updated_at: run.updated_at.to_string(),
        loops,
        ..RunView::default()
    })
}

/// A run with its history.
fn view_of(reader: &Reader<'_>, run: &RunRow) -> Result<RunView, Fault> {
    let mut view = head_of(reader, run)?;
    let turns = reader.turns(run.id)?;
    let is_mid_turn = turns.last().is_some_and(|turn| {
        matches!(turn.state, TurnState::Sent | TurnState::Answered) && !run.state.is_over()
    });
    view.telemetry = (!is_mid_turn).then(|| telemetry(&turns));
    if let Some(last) = turns.last().filter(|turn| turn.state == TurnState::Sent) {
        view.partial = log::text(reader, run, last.seq)?;
    }
    let workspace = run.root.as_deref().and_then(|root| Workspace::open(Path::new(root)).ok());
    for row in reader.views(&run.scope)? {
        let Some(entry) = reader.whole_entry(row.entry)? else { continue };
        if row.state == EntryState::Streaming && matches!(entry.path.scheme(), "sh" | "env") {
            view.output.push(OutputView {
                path: entry.path.as_str().to_owned(),
                bytes: u64::try_from(entry.body.len()).unwrap_or(u64::MAX),
                tail: last_bytes(&entry.body, MAX_TAIL_BYTES).to_owned(),
            });
            continue;
        }
        match rules_of(entry.path.scheme()).category {
            Category::Unknown if row.visibility != Visibility::Archived => view.unknowns.push(UnknownView {
                path: entry.path.as_str().to_owned(),
                body: one_line_of_chars(&entry.body, MAX_BODY_CHARS),
            }),
            Category::Logging | Category::Prompt if is_step(&entry) => {
                let happened = history(&entry, &row);
                // What is out of date is about to be proposed again, and what was accepted ahead
                // waits for nobody.
                let is_asked = row.state == EntryState::Proposed && run.state == RunState::Proposed;
                if is_asked && !entry.attributes.contains_key(STALE) {
                    view.waits_for = Some(happened.clone());
                }
                view.history.push(happened);
            }
            Category::Data | Category::Logging | Category::Prompt
                if row.visibility == Visibility::Visible
                    && !is_own(&entry, run)
                    && entry.path.scheme() != "run"
                    && entry.path.as_str() != MANIFEST_PATH =>
            {
                view.sources.push(source(&entry, &view.summary, workspace.as_ref()));
            }
            _ => {}
        }
    }
    view.history.sort_by_key(|row| row.turn);
    view.sources.sort_by_key(|source| !source.cited);
    Ok(view)
}

fn history(entry: &Entry, row: &ViewRow) -> HistoryRow {
    let text = |name: &str| entry.attributes.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let tool = match (entry.path.scheme(), text("tool")) {
        ("prompt", _) => "prompt".to_owned(),
        (_, tool) if !tool.is_empty() => tool,
        (scheme, _) => scheme.to_owned(),
    };
    let stated = entry.attributes.get("status").and_then(Value::as_u64).and_then(|n| u16::try_from(n).ok());
    let status = match row.state {
        EntryState::Resolved => stated.unwrap_or(200),
        state => status_of(state, row.outcome.as_deref()),
    };
    let mut attributes = entry.attributes.clone();
    for shown in ["tool", "target", "status"] {
        attributes.remove(shown);
    }
    let (record, target) = (entry.path.as_str().to_owned(), text("target"));
    let is_about_entry = matches!(tool.as_str(), "get" | "set" | "rm" | "cp" | "mv") && !target.is_empty();
    HistoryRow {
        tool,
        path: if is_about_entry { target.clone() } else { record.clone() },
        record,
        target,
        status,
        outcome: row.outcome.clone(),
        body: nudge_core::text::first_chars(&entry.body, MAX_BODY_CHARS).to_owned(),
        turn: u32::try_from(row.turn).unwrap_or(0),
        attributes: Value::Object(attributes).to_string(),
    }
}

fn source(entry: &Entry, answer: &str, workspace: Option<&Workspace>) -> RunSource {
    let path = entry.path.as_str();
    let is_file = entry.path.scheme() == "file";
    let id = (!is_file).then_some(entry.id.0);
    let named = |text: &str| answer.contains(text);
    let cited = named(path) || id.is_some_and(|id| names_id(answer, id));
    // The text of a file is on disk only. One with secrets stays there.
    let is_secret = entry.attributes.get("secret").is_some_and(|secret| *secret == Value::Bool(true));
    let file =
        workspace.filter(|_| is_file && !is_secret).and_then(|workspace| read_file(workspace, path).ok());
    let text = file.as_ref().map_or(entry.body.as_str(), |file| &file.text);
    let preview = one_line_of_chars(&nudge_secrets::redact(text), MAX_PREVIEW_CHARS);
    RunSource { path: path.to_owned(), id, cited, preview }
}

/// Whether an entry says what a run did. What agents did and were asked is a source.
fn is_step(entry: &Entry) -> bool {
    match entry.path.scheme() {
        "run" | "obs" | "journal" => false,
        "prompt" => entry.attributes.contains_key("mode"),
        // The list of files is there before anything happens.
        "log" => entry.attributes.contains_key("tool"),
        _ => true,
    }
}

/// Whether the run wrote the entry itself: that is no source.
fn is_own(entry: &Entry, run: &RunRow) -> bool {
    entry.path.scheme() != "file" && run.session.is_some() && entry.origin.session == run.session
}

/// Whether a text names an id as `#12`.
fn names_id(text: &str, id: i64) -> bool {
    let named = format!("#{id}");
    text.match_indices(&named)
        .any(|(at, found)| !text[at + found.len()..].starts_with(|next: char| next.is_ascii_digit()))
}

/// What turns have used together.
pub(super) fn telemetry(turns: &[TurnRow]) -> Telemetry {
    let sum = |of: fn(&TurnRow) -> Option<u64>| turns.iter().filter_map(of).sum::<u64>();
    let prompt_tokens = turns.iter().map(|turn| turn.usage.context.unwrap_or(u64::from(turn.estimate))).sum();
    let completion_tokens = sum(|turn| turn.usage.completion);
    let last = turns.last();
    let is_unreported = |turn: &TurnRow| turn.usage.context.is_none();
    let costs: Vec<u64> = turns.iter().filter_map(|turn| turn.usage.cost).collect();
    Telemetry {
        turns: turns.len() as u64,
        context_tokens: last.map_or(0, |turn| turn.usage.context.unwrap_or(u64::from(turn.estimate))),
        estimated: turns.iter().any(is_unreported),
        prompt_tokens,
        cached_tokens: sum(|turn| turn.usage.cached),
        completion_tokens,
        reasoning_tokens: sum(|turn| turn.usage.reasoning),
        total_tokens: prompt_tokens + completion_tokens,
        cost_usd: (!costs.is_empty()).then(|| costs.iter().sum::<u64>() as f64 / 1e6),
        errors: turns.iter().filter(|turn| turn.errors > 0 || turn.strikes > 0).count() as u64,
        healed: turns.iter().map(|turn| u64::from(turn.healed)).sum(),
    }
}

/// How many runs are returned by default, and how many at most.
const DEFAULT_LIMIT: u32 = 20;

const MAX_LIMIT: u32 = 200;

/// Parameters of `get_runs`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRunsParams {
    /// Maximum runs to return, 1-200. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Runs to skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// Name, id or directory of a project; "*" for all. Default: the caller's.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `get_runs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunList {
    /// The runs, newest first, without their history.
    pub runs: Vec<RunView>,
    /// True if there are more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The `get_runs` operation.
pub struct GetRuns;

impl Op for GetRuns {
    const NAME: &'static str = "get_runs";
    const ALIASES: &'static [&'static str] = &["getRuns"];
    const TITLE: &'static str = "List runs";
    const DOC: &'static str = "List the runs of a project, newest first.";
    const REFERENCE: &'static str = "List the runs of a project, newest first, with prompt, state and usage.";
    const EFFECT: Effect = Effect::Read;
    const CLIENTS_ONLY: bool = true;
    type Params = GetRunsParams;
    type Answer = RunList;

    fn run(ctx: &OpContext<'_>, params: GetRunsParams) -> Result<RunList, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let (skip, keep) = (params.offset.unwrap_or(0) as usize, limit as usize + 1);
        let projects = projects_meant(ctx, &params.project)?;
        let mut found = Vec::new();
        for project in &projects {
            found.extend(ctx.store().runs(Some(*project), (skip + keep) as u32, 0)?);
        }
        found.sort_by_key(|run| std::cmp::Reverse((run.updated_at, run.id)));
        let mut runs: Vec<_> = found.into_iter().skip(skip).take(keep).collect();
        let more = runs.len() >= keep;
        runs.truncate(limit as usize);
        let mut views = Vec::new();
        for run in &runs {
            let mut view = head_of(ctx.store(), run)?;
            view.status = run_status(run.state, run.outcome.as_deref());
            view.telemetry = Some(telemetry(&ctx.store().turns(run.id)?));
            views.push(view);
        }
        Ok(RunList { runs: views, more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_named_whole() {
        assert!(names_id("see #12.", 12) && names_id("#12", 12) && names_id("#123 and #12", 12));
        assert!(!names_id("see #123", 12) && !names_id("12", 12));
    }
}

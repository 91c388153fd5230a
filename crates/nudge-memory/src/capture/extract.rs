//! Extracts at most one action from a tool call.
//!
//! Kept are the text of a command, the path of a file tool, the query of a search. File contents
//! and the output of successful commands are not kept.

mod change;
pub(super) mod command;
mod git;
mod key;
mod mcp;
mod paths;
mod private;
mod sketch;
pub(super) mod text;
mod todos;

pub(crate) use private::strip as without_private;

use nudge_core::ObservationKind;
use nudge_core::event::{HookEvent, ToolKind};
use nudge_harness::tool::ToolUse;
use sketch::ActionParts;
use text::NAME_MOST;

use crate::capture::captured_event::Action;
use crate::capture::here::ReadContext;
use crate::capture::identity;

/// For errors, more is kept of the end than of the beginning, because the end says more.
const RESPONSE_HEAD: usize = 500;
const RESPONSE_TAIL: usize = 1_500;

/// A subagent's task is kept as one line.
const TASK_MOST: usize = 200;

/// The limit for a description, a question, an address or a search query.
const PHRASE_MOST: usize = 1_000;

/// The limit for a plan: its first pages.
const PLAN_MOST: usize = 4_000;

/// The action to store for an event's tool call. Calls to Nudge's own tools are not recorded.
pub(super) fn extract(event: &HookEvent, used: &ToolUse<'_>, here: &ReadContext) -> Option<Action> {
    if used.mcp.as_ref().is_some_and(|name| mcp::is_ours(name, here.is_own_tool)) {
        return None;
    }
    let files = paths::of(&used.files, event.cwd.as_deref(), here.own_root.as_deref())?;
    let ended = command::CommandEnd::of(used);
    let mut kept = sketch(used, &files, &ended)?;
    let outcome = ended.outcome;
    kept.put("response", used.failure.as_deref().and_then(failure));
    kept.metadata.extend(ended.metadata());
    kept.put("duration_ms", used.duration_ms);
    if kept.kind == ObservationKind::ToolOther {
        kept.put("todos", todos::open(used.input));
    }
    Some(Action {
        kind: kept.kind,
        tool: Some(text::head(used.name, NAME_MOST).text),
        call: identity::call_id(event).map(text::id),
        body: kept.body,
        files,
        outcome,
        metadata: kept.metadata,
    })
}

fn sketch(used: &ToolUse<'_>, files: &[String], ended: &command::CommandEnd) -> Option<ActionParts> {
    let target = used.target.as_deref();
    let phrase = |kind, said| ActionParts::new(kind, said, PHRASE_MOST);
    match used.kind {
        ToolKind::Command if used.command.is_some() => command::sketch(used, ended.outcome),
        ToolKind::Read if !files.is_empty() => {
            ActionParts::new(ObservationKind::FileRead, &files[0], usize::MAX)
        }
        ToolKind::Write if !files.is_empty() => changed(ObservationKind::FileWrite, used, files),
        ToolKind::Edit if !files.is_empty() => changed(ObservationKind::FileEdit, used, files),
        ToolKind::Search if target.is_some() || !files.is_empty() => searched(target, files.first()),
        ToolKind::WebFetch => phrase(ObservationKind::WebFetch, target.unwrap_or(used.name)),
        ToolKind::WebSearch => phrase(ObservationKind::WebSearch, target.unwrap_or(used.name)),
        ToolKind::TaskSpawn => {
            let mut kept =
                ActionParts::new(ObservationKind::TaskSpawn, target.unwrap_or(used.name), TASK_MOST)?;
            kept.put_text("agent_type", used.agent_type, NAME_MOST);
            Some(kept)
        }
        ToolKind::McpCall => mcp::sketch(used),
        _ => match used.plan {
            Some(plan) => ActionParts::new(ObservationKind::ToolOther, plan, PLAN_MOST),
            None => phrase(ObservationKind::ToolOther, used.question.unwrap_or(used.name)),
        },
    }
}

fn changed(kind: ObservationKind, used: &ToolUse<'_>, files: &[String]) -> Option<ActionParts> {
    let mut kept = ActionParts::new(kind, &files[0], usize::MAX)?;
    if let Some(made) = &used.change {
        change::describe(used, made, &mut kept);
    }
    Some(kept)
}

fn searched(target: Option<&str>, path: Option<&String>) -> Option<ActionParts> {
    let target =
        target.map(|target| text::head(target, PHRASE_MOST).text).filter(|target| !target.is_empty());
    let body = match (target, path) {
        (Some(target), Some(path)) => format!("{target} in {path}"),
        (Some(target), None) => target,
        (None, path) => path?.clone(),
    };
    ActionParts::new(ObservationKind::Search, &body, usize::MAX)
}

/// A failure message, shortened.
fn failure(said: &str) -> Option<String> {
    Some(text::head_and_tail(said, RESPONSE_HEAD, RESPONSE_TAIL).text).filter(|said| !said.is_empty())
}

//! Extracts at most one action from a tool call.
//!
//! Kept are the text of a command, the path of a file tool, the query of a search. File contents
//! and the output of successful commands are not kept.

mod change;
pub(super) mod command;
mod git;
mod mcp;
pub(super) mod text;

use std::path::Path;

use nudge_core::ObservationKind;
use nudge_core::event::{HookEvent, ToolKind};
use nudge_harness::tool::ToolUse;
use serde_json::Value;
use text::{ActionParts, MAX_NAME_CHARS};

use crate::capture::captured_event::{Action, ReadContext};
use crate::capture::identity;
use crate::capture::project::normal;

pub(crate) use text::without_private;

/// A subagent's task is kept as one line.
const MAX_TASK_CHARS: usize = 200;

/// The limit for a description, a question, an address or a search query.
const MAX_PHRASE_CHARS: usize = 1_000;

/// The limit for a plan: its first pages.
const MAX_PLAN_CHARS: usize = 4_000;

/// The action to store for an event's tool call. Calls to Nudge's own tools are not recorded.
pub(super) fn extract(event: &HookEvent, used: &ToolUse<'_>, here: &ReadContext) -> Option<Action> {
    if used.mcp.as_ref().is_some_and(|name| mcp::is_ours(name, here.is_own_tool)) {
        return None;
    }
    let files = files_of(&used.files, event.cwd.as_deref(), here.own_root.as_deref())?;
    let ended = command::CommandEnd::of(used);
    let mut parts = sketch(used, &files, &ended)?;
    let outcome = ended.outcome;
    parts.put("response", used.failure.as_deref().and_then(text::failure));
    parts.metadata.extend(ended.metadata());
    parts.put("duration_ms", used.duration_ms);
    if parts.kind == ObservationKind::ToolOther {
        parts.put("todos", open_todos(used.input));
    }
    Some(Action {
        kind: parts.kind,
        tool: Some(text::head(used.name, MAX_NAME_CHARS).text),
        call: identity::call_id(event).map(text::id),
        body: parts.body,
        files,
        outcome,
        metadata: parts.metadata,
    })
}

fn sketch(used: &ToolUse<'_>, files: &[String], ended: &command::CommandEnd) -> Option<ActionParts> {
    let target = used.target.as_deref();
    let phrase = |kind, text| ActionParts::new(kind, text, MAX_PHRASE_CHARS);
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
            let mut parts =
                ActionParts::new(ObservationKind::TaskSpawn, target.unwrap_or(used.name), MAX_TASK_CHARS)?;
            parts.put_text("agent_type", used.agent_type, MAX_NAME_CHARS);
            Some(parts)
        }
        ToolKind::McpCall => mcp::sketch(used),
        _ => match used.plan {
            Some(plan) => ActionParts::new(ObservationKind::ToolOther, plan, MAX_PLAN_CHARS),
            None => phrase(ObservationKind::ToolOther, used.question.unwrap_or(used.name)),
        },
    }
}

fn changed(kind: ObservationKind, used: &ToolUse<'_>, files: &[String]) -> Option<ActionParts> {
    let mut parts = ActionParts::new(kind, &files[0], usize::MAX)?;
    if let Some(made) = &used.change {
        change::describe(used, made, &mut parts);
    }
    Some(parts)
}

fn searched(target: Option<&str>, path: Option<&String>) -> Option<ActionParts> {
    let target =
        target.map(|target| text::head(target, MAX_PHRASE_CHARS).text).filter(|target| !target.is_empty());
    let body = match (target, path) {
        (Some(target), Some(path)) => format!("{target} in {path}"),
        (Some(target), None) => target,
        (None, path) => path?.clone(),
    };
    ActionParts::new(ObservationKind::Search, &body, usize::MAX)
}

// The files of a call: absolute where possible, normalised, without Nudge's own files.

/// A patch may touch more files; these are enough to show what it was about.
const MAX_FILES: usize = 50;

/// Linux opens no longer path.
const MAX_PATH_BYTES: usize = 4096;

/// The files; `None` if there were some and all are Nudge's own.
fn files_of(given: &[&str], cwd: Option<&str>, own_root: Option<&str>) -> Option<Vec<String>> {
    let mut files: Vec<String> = Vec::new();
    let mut own = false;
    for file in given {
        let file = absolute(file, cwd);
        if own_root.is_some_and(|root| !root.is_empty() && Path::new(&file).starts_with(root)) {
            own = true;
        } else if file.len() <= MAX_PATH_BYTES
            && files.len() < MAX_FILES
            && !file.is_empty()
            && !files.contains(&file)
        {
            files.push(file);
        }
    }
    (!own || !files.is_empty()).then_some(files)
}

/// Makes a path absolute. URLs and paths of other systems are unchanged.
fn absolute(file: &str, cwd: Option<&str>) -> String {
    let file = text::clean(file).into_owned();
    let elsewhere = file.contains("://") || file.starts_with('~') || file.contains('\\');
    match cwd {
        _ if elsewhere || file.is_empty() => file,
        Some(cwd) => shown(&Path::new(cwd).join(&file)),
        None => shown(Path::new(&file)),
    }
}

fn shown(path: &Path) -> String {
    normal(path).to_string_lossy().replace('\0', "")
}

// What an agent noted as still to do.

/// How many to-dos are kept, and how much of each.
const MAX_TODOS: usize = 20;

const MAX_TODO_CHARS: usize = 200;

/// The fields in which tools keep the list and the text of an item.
const TODO_LIST_FIELDS: [&str; 3] = ["todos", "plan", "items"];

const TODO_TEXT_FIELDS: [&str; 5] = ["content", "step", "description", "title", "text"];

/// States of items that are finished or dropped.
const CLOSED_STATES: [&str; 6] = ["completed", "complete", "done", "cancelled", "canceled", "deleted"];

/// The open items of the list given to a tool; `None` if no list was given. If all items are
/// closed, the result is empty: nothing is left to do.
fn open_todos(input: &Value) -> Option<Vec<String>> {
    let list = TODO_LIST_FIELDS.iter().find_map(|name| input.get(name)?.as_array())?;
    if list.is_empty() || !list.iter().all(|item| item.get("status").is_some_and(Value::is_string)) {
        return None;
    }
    let is_open = |item: &&Value| !CLOSED_STATES.contains(&item["status"].as_str().unwrap_or_default());
    let words =
        |item: &Value| TODO_TEXT_FIELDS.iter().find_map(|name| item.get(name)?.as_str().map(str::to_owned));
    let open = list.iter().filter(is_open).filter_map(words);
    Some(open.map(|words| text::head(&words, MAX_TODO_CHARS).text).take(MAX_TODOS).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(file: &str, cwd: Option<&str>) -> String {
        absolute(file, cwd)
    }

    #[test]
    fn files_are_absolute_where_the_directory_is_known() {
        assert_eq!(check("a/../b.rs", Some("/p")), "/p/b.rs");
        assert_eq!(check("/x/./y", Some("/p")), "/x/y");
        assert_eq!(check("./a", None), "a");
        assert_eq!(check(".", Some("/p")), "/p");
        for other in ["~/x", "file:///x/../y", "C:\\x\\..\\y", ""] {
            assert_eq!(check(other, Some("/p")), other);
        }
    }

    #[test]
    fn our_own_files_are_left_out() {
        let of = |files: &[&str]| super::files_of(files, Some("/p"), Some("/home/own"));
        assert_eq!(of(&["/home/own/memory.db"]), None);
        assert_eq!(of(&["../home/own/x", "a"]), Some(vec!["/p/a".to_owned()]));
        assert_eq!(of(&["/home/owner"]), Some(vec!["/home/owner".to_owned()]));
        assert_eq!(of(&[]), Some(Vec::new()));
    }

    #[test]
    fn open_items_are_read_from_every_agents_list() {
        let claude = json!({"todos": [
        {"content": "write the parser", "status": "completed", "activeForm": "writing"},
        {"content": "test it", "status": "in_progress"},
        {"content": "document it", "status": "pending"}]});
        assert_eq!(open_todos(&claude), Some(vec!["test it".to_owned(), "document it".to_owned()]));
        let codex = json!({"plan": [{"step": "ship it", "status": "pending"}]});
        assert_eq!(open_todos(&codex), Some(vec!["ship it".to_owned()]));
        let done = json!({"todos": [{"content": "a", "status": "done"}]});
        assert_eq!(open_todos(&done), Some(Vec::new()));
        assert_eq!(open_todos(&json!({"todos": []})), None);
        assert_eq!(open_todos(&json!({"plan": "do this, then that"})), None);
    }
}

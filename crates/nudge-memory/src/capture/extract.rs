//! What a tool call leaves: at most one action.
//!
//! A command leaves its text, a file tool the path, a search what was looked for. Contents of files and outputs of commands
//! that went well are not kept.

mod change;
mod command;
mod git;
mod key;
mod mcp;
mod paths;
mod private;
mod shell;
pub(super) mod text;

pub(crate) use private::strip as without_private;

use nudge_core::event::{HookEvent, ToolCall, ToolKind};
use nudge_core::{ObservationKind, Outcome};
use nudge_harness::tool::{self, ToolUse};
use serde_json::{Map, Value};

use crate::capture::identity;
use crate::capture::moment::Action;

/// The tail of an error says more than its head.
const RESPONSE_HEAD: usize = 500;
const RESPONSE_TAIL: usize = 1_500;

/// What a subagent is told is described in a line.
const TASK_MOST: usize = 200;

/// A description, a question, an address or what was searched for.
const PHRASE_MOST: usize = 1_000;

/// Tools with which an agent shows its plan.
const PLANNING: [&str; 2] = ["ExitPlanMode", "exit_plan_mode"];

/// A plan's first pages.
const PLAN_MOST: usize = 4_000;

/// Says of an action that a credential was taken out, as the store does.
const REDACTED: &str = "redacted";

/// A word such as the name of a tool or of an agent's kind.
pub(super) const WORD_MOST: usize = 128;

/// What is to be kept of the tool call of an event. `own_root` is our own directory: memory does not observe itself.
pub(super) fn extract(event: &HookEvent, own_root: Option<&str>) -> Option<Action> {
    let call = event.tool.as_ref()?;
    let used = tool::classify(event)?;
    if used.mcp.as_ref().is_some_and(mcp::is_ours) {
        return None;
    }
    let files = paths::of(&used.files, event.cwd.as_deref(), own_root)?;
    let mut kept = sketch(call, &used, &files)?;
    if matches!(used.outcome, Outcome::Failed { .. }) {
        kept.put("response", failure(call));
    }
    kept.put("duration_ms", call.duration_ms);
    Some(Action {
        kind: kept.kind,
        tool: Some(text::head(&call.name, WORD_MOST).text),
        call: identity::call_id(event).map(super::read::id),
        body: kept.body,
        files,
        outcome: used.outcome,
        metadata: kept.metadata,
    })
}

/// The parts of an action that depend on the kind of tool.
struct Sketch {
    kind: ObservationKind,
    body: String,
    metadata: Map<String, Value>,
}

impl Sketch {
    /// `None` when nothing is left of the text.
    fn new(kind: ObservationKind, said: &str, most: usize) -> Option<Self> {
        let body = text::head(said, most);
        let mut sketch = Self { kind, body: body.text, metadata: Map::new() };
        sketch.put("truncated", body.cut.then_some(true));
        (!sketch.body.is_empty()).then_some(sketch)
    }

    fn put<T: Into<Value>>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.metadata.insert(key.to_owned(), value.into());
        }
    }

    /// Words of the input, under the first of these names that holds some.
    fn put_words(&mut self, key: &str, input: &Value, names: &[&str], most: usize) {
        let words = names.iter().find_map(|name| input.get(*name)?.as_str());
        let words = words.map(|words| text::head(words, most).text).filter(|words| !words.is_empty());
        self.put(key, words);
    }
}

fn sketch(call: &ToolCall, used: &ToolUse, files: &[String]) -> Option<Sketch> {
    let target = used.target.as_deref();
    match used.kind {
        ToolKind::Command if used.command.is_some() => command::sketch(call, used),
        ToolKind::Read if !files.is_empty() => Sketch::new(ObservationKind::FileRead, &files[0], usize::MAX),
        ToolKind::Write if !files.is_empty() => changed(ObservationKind::FileWrite, call, used, files),
        ToolKind::Edit if !files.is_empty() => changed(ObservationKind::FileEdit, call, used, files),
        ToolKind::Search if target.is_some() || !files.is_empty() => searched(target, files.first()),
        ToolKind::WebFetch => {
            Sketch::new(ObservationKind::WebFetch, target.unwrap_or(&call.name), PHRASE_MOST)
        }
        ToolKind::WebSearch => {
            Sketch::new(ObservationKind::WebSearch, target.unwrap_or(&call.name), PHRASE_MOST)
        }
        ToolKind::TaskSpawn => {
            let mut kept = Sketch::new(ObservationKind::TaskSpawn, target.unwrap_or(&call.name), TASK_MOST)?;
            kept.put_words("agent_type", &call.input, &["subagent_type", "agent_type", "agent"], WORD_MOST);
            Some(kept)
        }
        ToolKind::McpCall => mcp::sketch(call, used),
        _ if plan(call).is_some() => Sketch::new(ObservationKind::ToolOther, plan(call)?, PLAN_MOST),
        _ => {
            Sketch::new(ObservationKind::ToolOther, question(&call.input).unwrap_or(&call.name), PHRASE_MOST)
        }
    }
}

fn changed(kind: ObservationKind, call: &ToolCall, used: &ToolUse, files: &[String]) -> Option<Sketch> {
    let mut kept = Sketch::new(kind, &files[0], usize::MAX)?;
    // What failed changed nothing.
    if !matches!(used.outcome, Outcome::Failed { .. })
        && let Some(made) = tool::change(call)
    {
        change::describe(call, &made, &mut kept);
    }
    Some(kept)
}

fn searched(target: Option<&str>, path: Option<&String>) -> Option<Sketch> {
    let target =
        target.map(|target| text::head(target, PHRASE_MOST).text).filter(|target| !target.is_empty());
    let body = match (target, path) {
        (Some(target), Some(path)) => format!("{target} in {path}"),
        (Some(target), None) => target,
        (None, path) => path?.clone(),
    };
    Sketch::new(ObservationKind::Search, &body, usize::MAX)
}

/// The first question of a tool that asks the person.
fn question(input: &Value) -> Option<&str> {
    let first = input.get("questions").and_then(|questions| questions.get(0));
    let asked = first.map_or_else(|| input.get("question"), |first| first.get("question").or(Some(first)));
    asked?.as_str().filter(|question| !question.trim().is_empty())
}

/// The plan that the agent showed the person: in the call, else in its answer, else the file it stands in.
fn plan(call: &ToolCall) -> Option<&str> {
    if !PLANNING.contains(&call.name.as_str()) {
        return None;
    }
    let text = |value: &Value, key: &str| value.get(key).is_some_and(Value::is_string);
    let response = call.response.as_ref().unwrap_or(&Value::Null);
    let places = [(&call.input, "plan"), (response, "plan"), (response, "filePath")];
    let (value, key) = places.into_iter().find(|(value, key)| text(value, key))?;
    value.get(key)?.as_str().filter(|plan| !plan.trim().is_empty())
}

/// What was said of a failure: the error, else the response.
fn failure(call: &ToolCall) -> Option<String> {
    let error = call.error.as_deref().filter(|error| !error.trim().is_empty());
    let said = match (error, tool::output(call)) {
        (Some(error), _) => text::head_and_tail(error, RESPONSE_HEAD, RESPONSE_TAIL),
        (None, output) => text::head_and_tail(&output?, RESPONSE_HEAD, RESPONSE_TAIL),
    };
    Some(said.text).filter(|said| !said.is_empty())
}

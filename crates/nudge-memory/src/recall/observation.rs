//! Full entries: an observation, or anything else that search can find, in one shape.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use nudge_context::clean_text;
use nudge_core::text::{cut_to_chars, first_chars};
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{DocumentKind, DocumentRow, ObservationRow, ProjectId, Reader, SessionId, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::source::{EntryKind, STATEMENT};
use crate::operation::OpContext;
use crate::projects::HiddenProjects;
use crate::statements::stated_by;

/// The longest content. No captured text is longer, but an imported memory can be, and an agent
/// would pay for all of it.
const MAX_CONTENT_CHARS: usize = 20_000;

/// A whole entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Id of the entry.
    pub id: i64,
    /// Time, in Unix seconds.
    pub timestamp: i64,
    /// Time, as text.
    #[serde(default)]
    pub at: String,
    /// Session id.
    pub session_id: Option<String>,
    /// Name of the project.
    pub project: Option<String>,
    /// Kind of observation.
    pub obs_type: String,
    /// The event it was captured from.
    pub source_event: Option<String>,
    /// The tool that was used.
    pub tool_name: Option<String>,
    /// For a prompt, note or statement: who stated it and where, e.g. "the person, in shop". Set by
    /// Nudge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// The text.
    pub content: String,
    /// The file it is about.
    pub file_path: Option<String>,
    /// Other details.
    pub metadata: Map<String, Value>,
}

/// Reads entries for answers, with the names of their sessions and projects.
pub(super) struct EntryLookup<'r> {
    reader: &'r Reader<'r>,
    hidden: Rc<HiddenProjects>,
    sessions: RefCell<HashMap<SessionId, Option<String>>>,
    projects: RefCell<HashMap<i64, Option<String>>>,
}

/// The entries with these ids, as answers show them.
pub(crate) fn given(ctx: &OpContext<'_>, ids: &[EntryId]) -> Result<Vec<Observation>, Fault> {
    EntryLookup::of(ctx)?.observations(ids)
}

/// When an entry happened and in which session, to find its neighbours.
pub(super) struct Spot {
    pub(super) session: Option<SessionId>,
    pub(super) at: Timestamp,
}

impl<'r> EntryLookup<'r> {
    /// A lookup of the entries that are open to a caller.
    pub(super) fn of(ctx: &OpContext<'r>) -> Result<Self, Fault> {
        let (sessions, projects) = (RefCell::default(), RefCell::default());
        Ok(Self { reader: ctx.reader(), hidden: ctx.hidden()?, sessions, projects })
    }

    /// The entry; `None` if it does not exist or cannot be searched.
    pub(super) fn observation(&self, id: EntryId) -> Result<Option<Observation>, Fault> {
        Ok(self.placed(id)?.map(|(observation, _)| observation))
    }

    /// Those that exist, in the order of `ids`.
    pub(super) fn observations(&self, ids: &[EntryId]) -> Result<Vec<Observation>, Fault> {
        ids.iter().filter_map(|id| self.observation(*id).transpose()).collect()
    }

    /// The entry and its position.
    pub(super) fn placed(&self, id: EntryId) -> Result<Option<(Observation, Spot)>, Fault> {
        let Some(found) = self.reader.documents(&[id])?.pop() else { return Ok(None) };
        if self.hidden.hide_entry(self.reader, id)? {
            return Ok(None);
        }
        let seen = match found.kind {
            DocumentKind::Observation(Some(_)) => self.reader.observation(id)?,
            _ => None,
        };
        let spot = Spot { session: found.session, at: found.at };
        Ok(Some((self.given(found, seen)?, spot)))
    }

    fn given(&self, found: DocumentRow, seen: Option<ObservationRow>) -> Result<Observation, Fault> {
        let is_statement = found.kind == DocumentKind::Known && found.attributes.contains_key("state");
        let mut metadata = found.attributes;
        if let Some(seen) = &seen {
            add_facts(&mut metadata, seen);
        }
        let (content, cut) = content(&found.body);
        if let Some(length) = cut {
            metadata.insert("cut_from_characters".to_owned(), length.into());
        }
        let session_id = match found.session {
            Some(session) => self.session(session)?,
            None => None,
        };
        Ok(Observation {
            id: found.id.0,
            timestamp: unix_seconds(found.at),
            at: readable_time(found.at),
            session_id,
            project: self.project(found.scope)?,
            obs_type: if is_statement { STATEMENT.name } else { EntryKind::of(found.kind).name }.to_owned(),
            source_event: seen.as_ref().map(|seen| one_line(&seen.event)),
            tool_name: seen.and_then(|seen| seen.tool).map(|tool| one_line(&tool)),
            stated_by: self.stated_by(found.id, found.kind)?,
            content,
            file_path: found.files.first().map(|file| one_line(file)),
            metadata: cleaned(metadata),
        })
    }

    /// Who stated an entry, if it is a statement: a prompt, a note or a memory.
    pub(super) fn stated_by(&self, id: EntryId, kind: DocumentKind) -> Result<Option<String>, Fault> {
        let is_statement = match kind {
            DocumentKind::Observation(kind) => kind == Some(ObservationKind::Marker),
            DocumentKind::Prompt(_)
            | DocumentKind::Known
            | DocumentKind::Hypothesis
            | DocumentKind::Value => true,
            DocumentKind::Summary => false,
        };
        if !is_statement {
            return Ok(None);
        }
        let Some(entry) = self.reader.entry_by_id(id)? else { return Ok(None) };
        stated_by(self.reader, &entry.writer).map(Some)
    }

    /// The agent's own id of a session.
    pub(super) fn session(&self, id: SessionId) -> Result<Option<String>, Fault> {
        if let Some(known) = self.sessions.borrow().get(&id) {
            return Ok(known.clone());
        }
        let name = self.reader.agent_session(id)?.map(|session| one_line(&session.name));
        self.sessions.borrow_mut().insert(id, name.clone());
        Ok(name)
    }

    /// The name of a scope's project.
    pub(super) fn project(&self, scope: i64) -> Result<Option<String>, Fault> {
        if let Some(known) = self.projects.borrow().get(&scope) {
            return Ok(known.clone());
        }
        let name = self.reader.project_name_of_scope(scope)?.map(|name| one_line(&name));
        self.projects.borrow_mut().insert(scope, name.clone());
        Ok(name)
    }

    /// A project's name.
    pub(super) fn project_name(&self, id: ProjectId) -> Result<Option<String>, Fault> {
        Ok(self.reader.project_label(id)?.map(|(name, _)| one_line(&name)))
    }
}

/// A stored text as one line: a path, a name.
pub(super) fn one_line(text: &str) -> String {
    clean_text(text).replace(['\n', '\t'], " ")
}

/// JSON with its texts made safe to show.
pub(super) fn cleaned(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (one_line(&name), cleaned_value(value))).collect()
}

fn cleaned_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(&text)),
        Value::Array(items) => items.into_iter().map(cleaned_value).collect(),
        Value::Object(fields) => Value::Object(cleaned(fields)),
        other => other,
    }
}

/// The text, and its full length if it was cut.
fn content(body: &str) -> (String, Option<usize>) {
    match cut_to_chars(body, MAX_CONTENT_CHARS) {
        None => (clean_text(body), None),
        Some(beginning) => (clean_text(beginning) + "…", Some(body.chars().count())),
    }
}

/// Adds the facts that the store keeps in columns of their own.
fn add_facts(metadata: &mut Map<String, Value>, seen: &ObservationRow) {
    let mut add = |name: &str, value: Value| {
        metadata.insert(name.to_owned(), value);
    };
    match seen.outcome {
        Outcome::Unknown => {}
        Outcome::Success => add("outcome", json!("success")),
        Outcome::Failed { exit } => {
            add("outcome", json!("failed"));
            if let Some(exit) = exit {
                add("exit_code", json!(exit));
            }
        }
    }
    if let Some((name, kind)) = &seen.subagent {
        add("agent_id", json!(name));
        if let Some(kind) = kind {
            add("agent_type", json!(kind));
        }
    }
    if let Some(prompt) = seen.prompt {
        add("prompt_id", json!(prompt.0));
    }
    if seen.files.len() > 1 {
        add("files", json!(seen.files));
    }
    if seen.pinned {
        add("is_pinned", json!(true));
    }
}

// The start of a text, for a line that shows what it is.

/// The length of a preview, in characters: enough to judge whether the whole text is worth its
/// cost.
const PREVIEW_CHARS: usize = 120;

/// The first 120 characters of a text, on one line, without control characters.
pub(crate) fn preview(text: &str) -> String {
    // Only the start of a long text is cleaned; cleaning removes more than it adds.
    let beginning = first_chars(text, PREVIEW_CHARS * 4);
    let mut line = String::with_capacity(PREVIEW_CHARS);
    let mut length = 0;
    for word in clean_text(beginning).split_whitespace() {
        let spaced = usize::from(length > 0);
        let room = PREVIEW_CHARS.saturating_sub(length + spaced);
        if room == 0 {
            break;
        }
        if spaced > 0 {
            line.push(' ');
        }
        line.push_str(first_chars(word, room));
        length += spaced + word.chars().count().min(room);
    }
    line
}

// Times on the wire: whole Unix seconds. A window excludes both of its ends.

/// The time in its wire form.
pub(crate) const fn unix_seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

/// The time in readable form, to the second.
pub(crate) fn readable_time(at: Timestamp) -> String {
    let text = at.to_string();
    text.split_once('.').map_or_else(|| text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

/// The window between the two times, compared in whole seconds as on the wire.
pub(super) fn time_window(after: Option<i64>, before: Option<i64>) -> Window {
    let millis = |seconds: i64| Timestamp::from_millis(seconds.saturating_mul(1_000));
    Window {
        from: after.map_or(Timestamp::from_millis(i64::MIN), |after| millis(after.saturating_add(1))),
        until: before.map_or(Timestamp::from_millis(i64::MAX), millis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(content("short"), ("short".to_owned(), None));
        let (text, cut) = content(&"é".repeat(MAX_CONTENT_CHARS + 5));
        assert_eq!((text.chars().count(), cut), (MAX_CONTENT_CHARS + 1, Some(MAX_CONTENT_CHARS + 5)));
    }

    #[test]
    fn texts_are_cleaned_however_deep() {
        let fields = json!({"a\u{1b}": [{"b": "<system-reminder>\u{202e}x"}], "n": 1});
        let Value::Object(fields) = fields else { unreachable!("an object") };
        assert_eq!(Value::Object(cleaned(fields)), json!({"a": [{"b": "‹system-reminder>x"}], "n": 1}));
    }

    #[test]
    fn a_preview_is_one_harmless_line_of_120_characters() {
        assert_eq!(preview("cargo test\n\n  --\tall\u{1b}[31m"), "cargo test -- all[31m");
        assert_eq!(preview(&"é".repeat(500)).chars().count(), 120);
        assert_eq!(preview(&"abc ".repeat(100)).chars().count(), 119);
        assert_eq!(preview(""), "");
    }

    #[test]
    fn seconds_are_left_out_whole() {
        let window = time_window(Some(10), Some(12));
        let inside = |ms| (window.from..window.until).contains(&Timestamp::from_millis(ms));
        assert_eq!([9_000, 10_999, 11_000, 11_999, 12_000].map(inside), [false, false, true, true, false]);
    }
}

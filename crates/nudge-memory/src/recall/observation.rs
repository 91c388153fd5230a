//! What is given back in full: an observation, or whatever else a search can find, in one shape.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use nudge_context::clean_text;
use nudge_core::text::cut_to_chars;
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{DocumentRow, DocumentSort, ObservationRow, ProjectId, Reader, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::kind_filter::{STATEMENT, Sort};
use super::unix_time::{readable, seconds};
use crate::operation::OpContext;
use crate::projects::Walls;
use crate::statements::stated_by;

/// Nothing that is captured is longer. An imported memory can be, and an agent would pay for all of it.
const CONTENT_MOST: usize = 20_000;

/// Everything that is known of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Its number.
    pub id: i64,
    /// When it happened, in Unix seconds.
    pub timestamp: i64,
    /// The same as text.
    #[serde(default)]
    pub at: String,
    /// The session it happened in.
    pub session_id: Option<String>,
    /// What its project is called.
    pub project: Option<String>,
    /// What sort of thing.
    pub obs_type: String,
    /// The event it came from.
    pub source_event: Option<String>,
    /// The tool that was used.
    pub tool_name: Option<String>,
    /// Of a prompt, a note or a memory: who stated it and where, such as "the person, in shop". Nudge saw that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// What it says.
    pub content: String,
    /// The file it is about.
    pub file_path: Option<String>,
    /// What else is known.
    pub metadata: Map<String, Value>,
}

/// Entries as they are given back, with what people call their sessions and projects.
pub(super) struct Shelf<'r> {
    reader: &'r Reader<'r>,
    walls: Rc<Walls>,
    sessions: RefCell<HashMap<SessionId, Option<String>>>,
    projects: RefCell<HashMap<i64, Option<String>>>,
}

/// Entries by their numbers, as they are given back.
pub(crate) fn given(ctx: &OpContext<'_>, ids: &[EntryId]) -> Result<Vec<Observation>, Fault> {
    Shelf::of(ctx)?.observations(ids)
}

/// Where and when something happened, by which its neighbours are found.
pub(super) struct Spot {
    pub(super) session: Option<SessionId>,
    pub(super) at: Timestamp,
}

impl<'r> Shelf<'r> {
    /// What is open to a caller.
    pub(super) fn of(ctx: &OpContext<'r>) -> Result<Self, Fault> {
        let (sessions, projects) = (RefCell::default(), RefCell::default());
        Ok(Self { reader: ctx.reader(), walls: ctx.walls()?, sessions, projects })
    }

    /// The entry, if it is there and one that can be found.
    pub(super) fn observation(&self, id: EntryId) -> Result<Option<Observation>, Fault> {
        Ok(self.placed(id)?.map(|(observation, _)| observation))
    }

    /// Those that are there, in the order of `ids`.
    pub(super) fn observations(&self, ids: &[EntryId]) -> Result<Vec<Observation>, Fault> {
        ids.iter().filter_map(|id| self.observation(*id).transpose()).collect()
    }

    /// The entry with its place.
    pub(super) fn placed(&self, id: EntryId) -> Result<Option<(Observation, Spot)>, Fault> {
        let Some(found) = self.reader.documents(&[id])?.pop() else { return Ok(None) };
        if self.walls.hide_entry(self.reader, id)? {
            return Ok(None);
        }
        let seen = match found.sort {
            DocumentSort::Observation(Some(_)) => self.reader.observation(id)?,
            _ => None,
        };
        let spot = Spot { session: found.session, at: found.at };
        Ok(Some((self.given(found, seen)?, spot)))
    }

    fn given(&self, found: DocumentRow, seen: Option<ObservationRow>) -> Result<Observation, Fault> {
        let is_statement = found.sort == DocumentSort::Known && found.attributes.contains_key("state");
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
            timestamp: seconds(found.at),
            at: readable(found.at),
            session_id,
            project: self.project(found.scope)?,
            obs_type: if is_statement { STATEMENT.name } else { Sort::of(found.sort).name }.to_owned(),
            source_event: seen.as_ref().map(|seen| one_line(&seen.event)),
            tool_name: seen.and_then(|seen| seen.tool).map(|tool| one_line(&tool)),
            stated_by: self.stated_by(found.id, found.sort)?,
            content,
            file_path: found.files.first().map(|file| one_line(file)),
            metadata: cleaned(metadata),
        })
    }

    /// Who stated something, where it is a statement: a prompt, a note, something known.
    pub(super) fn stated_by(&self, id: EntryId, sort: DocumentSort) -> Result<Option<String>, Fault> {
        let is_statement = match sort {
            DocumentSort::Observation(kind) => kind == Some(ObservationKind::Marker),
            DocumentSort::Prompt(_)
            | DocumentSort::Known
            | DocumentSort::Hypothesis
            | DocumentSort::Value => true,
            DocumentSort::Summary => false,
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

    /// What the project of a scope is called.
    pub(super) fn project(&self, scope: i64) -> Result<Option<String>, Fault> {
        if let Some(known) = self.projects.borrow().get(&scope) {
            return Ok(known.clone());
        }
        let name = self.reader.project_name_of_scope(scope)?.map(|name| one_line(&name));
        self.projects.borrow_mut().insert(scope, name.clone());
        Ok(name)
    }

    /// What a project is called.
    pub(super) fn project_name(&self, id: ProjectId) -> Result<Option<String>, Fault> {
        Ok(self.reader.project_label(id)?.map(|(name, _)| one_line(&name)))
    }
}

/// A stored text that is one line: a path, a name.
pub(super) fn one_line(text: &str) -> String {
    clean_text(text).replace(['\n', '\t'], " ")
}

/// JSON whose texts are harmless.
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

/// The text, and how long it was when it had to be cut.
fn content(body: &str) -> (String, Option<usize>) {
    match cut_to_chars(body, CONTENT_MOST) {
        None => (clean_text(body), None),
        Some(beginning) => (clean_text(beginning) + "…", Some(body.chars().count())),
    }
}

/// What the store keeps in columns of its own.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(content("short"), ("short".to_owned(), None));
        let (text, cut) = content(&"é".repeat(CONTENT_MOST + 5));
        assert_eq!((text.chars().count(), cut), (CONTENT_MOST + 1, Some(CONTENT_MOST + 5)));
    }

    #[test]
    fn texts_are_cleaned_however_deep() {
        let fields = json!({"a\u{1b}": [{"b": "<system-reminder>\u{202e}x"}], "n": 1});
        let Value::Object(fields) = fields else { unreachable!("an object") };
        assert_eq!(Value::Object(cleaned(fields)), json!({"a": [{"b": "‹system-reminder>x"}], "n": 1}));
    }
}

//! A stored observation.

use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};
use rusqlite::Row;
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::tables::agent_session::SessionId;

/// A stored observation.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationRow {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// The prompt it belongs to.
    pub prompt: Option<EntryId>,
    /// The kind of observation.
    pub kind: ObservationKind,
    /// When it happened.
    pub at: Timestamp,
    /// The event it came from.
    pub event: String,
    /// The tool.
    pub tool: Option<String>,
    /// The id and kind of the subagent it happened in.
    pub subagent: Option<(String, Option<String>)>,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The key of its project.
    pub project: String,
    /// The files it touched, with the main one first.
    pub files: Vec<String>,
    /// The text that is searched and shown.
    pub body: String,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
}

/// `SELECT` of all columns of an [`ObservationRow`] but its files. The join order is fixed.
macro_rules! select_observation {
    ($rest:literal) => {
        concat!(
            "SELECT o.entry_id, o.session_id, o.prompt_id, o.kind, o.at, t.event, t.name, a.name, a.kind,
                    o.outcome, o.exit_status, o.pinned, s.key, e.body, e.attributes
               FROM observation o
              CROSS JOIN entry e ON e.id = o.entry_id
              CROSS JOIN scope s ON s.id = e.scope_id
              CROSS JOIN tool t ON t.id = o.tool_id
               LEFT JOIN subagent a ON a.id = o.subagent_id ",
            $rest
        )
    };
}
pub(crate) use select_observation;

pub(super) fn observation_from(row: &Row<'_>) -> Result<ObservationRow, StoreError> {
    let known = Known::of(row, 0)?;
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let subagent: Option<String> = row.get(7)?;
    Ok(ObservationRow {
        id: known.id(),
        session: SessionId(row.get(1)?),
        prompt: row.get::<_, Option<i64>>(2)?.map(EntryId),
        kind: ObservationKind::from_number(row.get(3)?).ok_or_else(|| known.unreadable("kind"))?,
        at: Timestamp::from_millis(row.get(4)?),
        event: row.get(5)?,
        tool: said(row.get(6)?),
        subagent: match subagent {
            None => None,
            Some(name) => Some((name, said(row.get(8)?))),
        },
        outcome: outcome_from(row.get(9)?, row.get(10)?),
        pinned: row.get(11)?,
        project: row.get(12)?,
        files: Vec::new(),
        body: row.get(13)?,
        attributes: known.attributes(row, 14)?,
    })
}

pub(crate) const fn outcome_from(number: i64, exit: Option<i32>) -> Outcome {
    match number {
        1 => Outcome::Success,
        2 => Outcome::Failed { exit },
        _ => Outcome::Unknown,
    }
}

/// The number and the exit status under which an outcome is stored.
pub(super) const fn outcome_columns(outcome: Outcome) -> (i64, Option<i32>) {
    match outcome {
        Outcome::Unknown => (0, None),
        Outcome::Success => (1, Some(0)),
        Outcome::Failed { exit } => (2, exit),
    }
}

/// The id of the row being read, for errors about its columns.
pub(crate) struct Known(i64);

impl Known {
    pub(crate) fn of(row: &Row<'_>, column: usize) -> Result<Self, StoreError> {
        Ok(Self(row.get(column)?))
    }

    pub(crate) const fn id(&self) -> EntryId {
        EntryId(self.0)
    }

    pub(crate) const fn unreadable(&self, column: &'static str) -> StoreError {
        StoreError::UnreadableRow { id: self.0, column }
    }

    pub(crate) fn attributes(&self, row: &Row<'_>, column: usize) -> Result<Map<String, Value>, StoreError> {
        let text = row.get_ref(column)?;
        let text = text.as_str().map_err(|_| self.unreadable("attributes"))?;
        match serde_json::from_str(text) {
            Ok(Value::Object(attributes)) => Ok(attributes),
            _ => Err(self.unreadable("attributes")),
        }
    }
}

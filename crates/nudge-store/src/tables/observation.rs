//! Observations: what agents did, by session, prompt, file, kind and age.

mod write;

use nudge_core::{EntryId, ObservationKind, Outcome, Provenance, Timestamp};
use rusqlite::{OptionalExtension, Params, Row};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;

/// An observation to be written.
#[derive(Clone, Debug)]
pub struct ObservationDraft<'d> {
    /// The key of its project.
    pub project: &'d str,
    /// Its session.
    pub session: SessionId,
    /// The prompt it belongs to.
    pub prompt: Option<EntryId>,
    /// The kind of observation.
    pub kind: ObservationKind,
    /// When it happened.
    pub at: Timestamp,
    /// Identifies the event; equal for the same event.
    pub identity: i64,
    /// The name of its event in the agent program.
    pub event: &'d str,
    /// The tool's name in the agent program.
    pub tool: Option<&'d str>,
    /// The subagent it happened in; `None` for the main agent.
    pub subagent: Option<Subagent<'d>>,
    /// How it ended.
    pub outcome: Outcome,
    /// A hash of the target of a read or search.
    pub target: Option<i64>,
    /// The files it touched, with the main one first.
    pub files: &'d [String],
    /// The text that is searched and shown.
    pub body: &'d str,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
    /// Where it comes from.
    pub provenance: &'d Provenance,
}

/// The label of a subagent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Subagent<'d> {
    /// Its id.
    pub name: &'d str,
    /// The kind of agent.
    pub kind: Option<&'d str>,
    /// The agent or session that started it.
    pub parent: Option<&'d str>,
}

/// An observation that is already stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct KnownObservation {
    /// Its entry.
    pub id: EntryId,
    /// How it ended, if known.
    pub outcome: Outcome,
}

pub(crate) const BY_IDENTITY: &str = "SELECT entry_id, outcome, exit_status FROM observation
      WHERE identity = ?1 AND at BETWEEN ?2 - ?3 AND ?2 + ?3 ORDER BY entry_id LIMIT 1";

pub(crate) const OF_SESSION: &str =
    select_observation!("WHERE o.session_id = ?1 ORDER BY o.at, o.entry_id LIMIT ?2");

pub(crate) const LAST_OF_SESSION: &str =
    select_observation!("WHERE o.session_id = ?1 ORDER BY o.at DESC, o.entry_id DESC LIMIT ?2");

pub(crate) const STEPS_OF_SESSION: &str =
    "SELECT entry_id, prompt_id, kind, at, outcome, exit_status FROM observation
      WHERE session_id = ?1 ORDER BY at DESC, entry_id DESC LIMIT ?2";

pub(crate) const OF_FILE: &str = "SELECT entry_id FROM observation_file
      WHERE file_id = (SELECT id FROM file WHERE path = ?1) ORDER BY entry_id DESC LIMIT ?2";

/// An observation that is near in time, with its attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Its entry.
    pub id: EntryId,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

pub(crate) const OBSERVATION_FILES: &str =
    "SELECT f.path FROM observation_file t CROSS JOIN file f ON f.id = t.file_id
      WHERE t.entry_id = ?1 ORDER BY t.position";

impl Reader<'_> {
    /// One observation.
    pub fn observation(&self, id: EntryId) -> Result<Option<ObservationRow>, StoreError> {
        let found = self.observations_where(select_observation!("WHERE o.entry_id = ?1"), [id.0])?;
        Ok(found.into_iter().next())
    }

    /// The observations of a session, oldest first.
    pub fn observations_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<ObservationRow>, StoreError> {
        self.observations_where(OF_SESSION, (session.0, limit))
    }

    /// The last observations of a session, newest first.
    pub fn last_observations_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<ObservationRow>, StoreError> {
        self.observations_where(LAST_OF_SESSION, (session.0, limit))
    }

    /// The last observations of a session, newest first, without their texts.
    pub fn steps_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<ObservationHead>, StoreError> {
        self.all(STEPS_OF_SESSION, (session.0, limit))
    }

    /// The newest observations that touched a file.
    pub fn observations_of_file(&self, path: &str, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        let mut found = self.sql(OF_FILE)?;
        Ok(found.query_map((path, limit), |row| Ok(EntryId(row.get(0)?)))?.collect::<Result<_, _>>()?)
    }

    /// The observation with this identity, at most `within_ms` away if the identity is limited in
    /// time.
    pub fn known_observation(
        &self,
        identity: i64,
        at: Timestamp,
        within_ms: Option<i64>,
    ) -> Result<Option<KnownObservation>, StoreError> {
        let window = within_ms.unwrap_or(i64::MAX / 4);
        let mut found = self.sql(BY_IDENTITY)?;
        let known = found
            .query_row((identity, at.as_millis(), window), |row| {
                Ok(KnownObservation {
                    id: EntryId(row.get(0)?),
                    outcome: outcome_from(row.get(1)?, row.get(2)?),
                })
            })
            .optional()?;
        Ok(known)
    }

    /// An observation of that session and kind with the same text, at most `within_ms` away, that
    /// was captured live. Imported ones are distinguished by their ids.
    pub fn same_observation(
        &self,
        session: SessionId,
        kind: ObservationKind,
        body: &str,
        at: Timestamp,
        within_ms: i64,
    ) -> Result<Option<EntryId>, StoreError> {
        let found: Option<i64> = self
            .sql(
                "SELECT o.entry_id FROM observation o CROSS JOIN entry e ON e.id = o.entry_id
                  WHERE o.session_id = ?1 AND o.at BETWEEN ?2 - ?3 AND ?2 + ?3 AND o.kind = ?4 AND e.body = ?5
                    AND (SELECT source FROM provenance WHERE id = e.origin_id) <> 'file-import'
                  LIMIT 1",
            )?
            .query_row((session.0, at.as_millis(), within_ms, kind.number(), body), |row| row.get(0))
            .optional()?;
        Ok(found.map(EntryId))
    }

    /// The newest observation of that session and kind that is at most `within_ms` away.
    pub fn near_in_session(
        &self,
        session: SessionId,
        kind: ObservationKind,
        at: Timestamp,
        within_ms: i64,
    ) -> Result<Option<Near>, StoreError> {
        let found: Option<(i64, String)> = self
            .sql(
                "SELECT o.entry_id, e.attributes FROM observation o CROSS JOIN entry e ON e.id = o.entry_id
                  WHERE o.session_id = ?1 AND o.at BETWEEN ?2 - ?3 AND ?2 + ?3 AND o.kind = ?4
                  ORDER BY o.at DESC, o.entry_id DESC LIMIT 1",
            )?
            .query_row((session.0, at.as_millis(), within_ms, kind.number()), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        Ok(found.and_then(|(id, text)| {
            Some(Near { id: EntryId(id), attributes: serde_json::from_str(&text).ok()? })
        }))
    }

    /// Whether the target was read or searched in that session at most `within_ms` before.
    pub fn seen_lately(
        &self,
        session: SessionId,
        target: i64,
        at: Timestamp,
        within_ms: i64,
    ) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .sql(
                "SELECT 1 FROM observation
                  WHERE session_id = ?1 AND target = ?2 AND at BETWEEN ?3 - ?4 AND ?3 + ?4 LIMIT 1",
            )?
            .query_row((session.0, target, at.as_millis(), within_ms), |row| row.get(0))
            .optional()?;
        Ok(found.is_some())
    }

    /// Whether the session has commands or calls without a known outcome.
    pub fn has_open_outcomes(&self, session: SessionId) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .sql(
                "SELECT 1 FROM observation WHERE session_id = ?1 AND outcome = 0 AND kind IN (4, 10) LIMIT 1",
            )?
            .query_row([session.0], |row| row.get(0))
            .optional()?;
        Ok(found.is_some())
    }

    /// The number of observations of each kind.
    pub fn observation_counts(&self) -> Result<Vec<(ObservationKind, i64)>, StoreError> {
        let mut found = self.sql("SELECT kind, count(*) FROM observation GROUP BY kind ORDER BY kind")?;
        let counted: Vec<(u8, i64)> =
            found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        // Kinds that only a newer program knows are counted under the last known one.
        let named = |number| ObservationKind::from_number(number).unwrap_or(ObservationKind::ToolOther);
        Ok(counted.into_iter().map(|(number, count)| (named(number), count)).collect())
    }

    fn observations_where(&self, sql: &str, what: impl Params) -> Result<Vec<ObservationRow>, StoreError> {
        let mut found = self.sql(sql)?;
        let mut rows = found.query(what)?;
        let mut observations = Vec::new();
        while let Some(row) = rows.next()? {
            observations.push(ObservationRow::from_row(row)?);
        }
        drop(rows);
        for observation in &mut observations {
            observation.files = self.touched_by(observation.id)?;
        }
        Ok(observations)
    }

    /// All files of an observation, with the main one first.
    pub fn touched_by(&self, entry: EntryId) -> Result<Vec<String>, StoreError> {
        let mut found = self.sql(OBSERVATION_FILES)?;
        Ok(found.query_map([entry.0], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }
}

/// An observation with only what its narrow row contains, to count and order many.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ObservationHead {
    /// Its entry.
    pub id: EntryId,
    /// The prompt it belongs to.
    pub prompt: Option<EntryId>,
    /// The kind of observation.
    pub kind: ObservationKind,
    /// When it happened.
    pub at: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
}

impl FromRow for ObservationHead {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        Ok(Self {
            id: known.id(),
            prompt: row.get::<_, Option<i64>>(1)?.map(EntryId),
            kind: ObservationKind::from_number(row.get(2)?).ok_or_else(|| known.unreadable("kind"))?,
            at: Timestamp::from_millis(row.get(3)?),
            outcome: outcome_from(row.get(4)?, row.get(5)?),
        })
    }
}

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

impl FromRow for ObservationRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        let subagent: Option<String> = row.get(7)?;
        Ok(Self {
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
}

pub(crate) const fn outcome_from(number: i64, exit: Option<i32>) -> Outcome {
    match number {
        1 => Outcome::Success,
        2 => Outcome::Failed { exit },
        _ => Outcome::Unknown,
    }
}

/// The number and the exit status under which an outcome is stored.
const fn outcome_columns(outcome: Outcome) -> (i64, Option<i32>) {
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

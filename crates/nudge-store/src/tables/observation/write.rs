//! Stores observations, and updates how they ended.

use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};
use rusqlite::OptionalExtension;
use serde_json::{Map, Value};

use super::{ObservationDraft, Subagent, outcome_columns};
use crate::db::error::StoreError;
use crate::tables::agent_session::SessionId;
use crate::tables::captured::{self, CapturedDraft};
use crate::tables::feed::ChangeKind;
use crate::tables::intern::OBSERVATION_SCHEME;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

impl Writer<'_> {
    /// Stores an observation: entry, side row, files and feed row together. Credentials in it are
    /// replaced.
    pub fn put_observation(&self, draft: &ObservationDraft<'_>) -> Result<EntryId, StoreError> {
        let id = self.put_captured(&CapturedDraft {
            scheme: OBSERVATION_SCHEME,
            project: draft.project,
            body: draft.body,
            attributes: &draft.attributes,
            provenance: draft.provenance,
            at: draft.at,
        })?;
        let subagent = draft.subagent.map(|agent| self.subagent_id(draft.session, agent)).transpose()?;
        let (outcome, exit) = outcome_columns(draft.outcome);
        self.sql(
            "INSERT INTO observation (entry_id, session_id, prompt_id, kind, at, identity, tool_id, subagent_id,
                                      outcome, exit_status, target)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            id.0,
            draft.session.0,
            draft.prompt.map(|prompt| prompt.0),
            draft.kind.number(),
            draft.at.as_millis(),
            draft.identity,
            self.tool_id(draft.event, draft.tool.unwrap_or_default())?,
            subagent,
            outcome,
            exit,
            draft.target,
        ))?;
        for (position, file) in draft.files.iter().enumerate() {
            self.sql("INSERT INTO observation_file (entry_id, position, file_id) VALUES (?1, ?2, ?3)")?
                .execute((id.0, position as i64, self.file_id(file)?))?;
        }
        Ok(id)
    }

    /// Updates how an observation ended, with its new attributes; earlier ones stay unless
    /// replaced.
    pub fn settle_observation(
        &self,
        id: EntryId,
        kind: ObservationKind,
        outcome: Outcome,
        more: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (number, exit) = outcome_columns(outcome);
        // A failure does not make a later repetition redundant.
        let is_failure = matches!(outcome, Outcome::Failed { .. });
        self.sql(
            "UPDATE observation SET outcome = ?2, exit_status = ?3, kind = ?4,
                    target = CASE WHEN ?5 THEN NULL ELSE target END
              WHERE entry_id = ?1",
        )?
        .execute((id.0, number, exit, kind.number(), is_failure))?;
        let Some(mut entry) = self.entry_by_id(id)? else {
            return Err(StoreError::NoEntry(id));
        };
        entry.attributes.extend(captured::without_secrets("", more).attributes.into_owned());
        let attributes = serde_json::to_string(&entry.attributes).expect("a map of JSON values has a text");
        let version: i64 = self
            .sql(
                "UPDATE entry SET attributes = ?2, updated_at = ?3, version = version + 1 WHERE id = ?1
                 RETURNING version",
            )?
            .query_row((id.0, attributes, now.as_millis()), |row| row.get(0))?;
        self.append(id, OBSERVATION_SCHEME, ChangeKind::Updated, version, now)
    }

    /// Pins or unpins an observation; returns whether it exists.
    pub fn pin_observation(&self, id: EntryId, pinned: bool, now: Timestamp) -> Result<bool, StoreError> {
        let version: Option<i64> = self
            .sql(
                "UPDATE observation SET pinned = ?2 WHERE entry_id = ?1
                 RETURNING (SELECT e.version FROM entry e WHERE e.id = observation.entry_id)",
            )?
            .query_row((id.0, pinned), |row| row.get(0))
            .optional()?;
        let Some(version) = version else {
            return Ok(false);
        };
        self.append(id, OBSERVATION_SCHEME, ChangeKind::Updated, version, now)?;
        Ok(true)
    }

    fn tool_id(&self, event: &str, name: &str) -> Result<i64, StoreError> {
        self.intern_words(
            "SELECT id FROM tool WHERE event = ?1 AND name = ?2",
            "INSERT INTO tool (event, name) VALUES (?1, ?2)",
            &[event, name],
        )
    }

    fn file_id(&self, path: &str) -> Result<i64, StoreError> {
        self.intern_words(
            "SELECT id FROM file WHERE path = ?1",
            "INSERT INTO file (path) VALUES (?1)",
            &[path],
        )
    }

    fn subagent_id(&self, session: SessionId, agent: Subagent<'_>) -> Result<i64, StoreError> {
        let words = (
            session.0,
            secret_guard::redacted(agent.name),
            secret_guard::redacted(agent.kind.unwrap_or_default()),
            secret_guard::redacted(agent.parent.unwrap_or_default()),
        );
        let found = self
            .sql("SELECT id FROM subagent WHERE session_id = ?1 AND name = ?2 AND kind = ?3 AND parent = ?4")?
            .query_row((words.0, &words.1, &words.2, &words.3), |row| row.get(0))
            .optional()?;
        match found {
            Some(id) => Ok(id),
            None => Ok(self
                .sql("INSERT INTO subagent (session_id, name, kind, parent) VALUES (?1, ?2, ?3, ?4)")?
                .insert(words)?),
        }
    }
}

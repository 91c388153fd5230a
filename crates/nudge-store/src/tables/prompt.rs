//! Prompts: what the user, the agent and its program said.

use nudge_core::{EntryId, Provenance, Speaker, Timestamp};
use rusqlite::{OptionalExtension, Row};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::captured::CapturedDraft;
use crate::tables::intern::PROMPT_SCHEME;
use crate::tables::observation::Known;
use crate::tables::writer::Writer;

/// A prompt to be written.
#[derive(Clone, Debug)]
pub struct PromptDraft<'d> {
    /// The key of its project.
    pub project: &'d str,
    /// Its session.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub speaker: Speaker,
    /// Identifies the event; equal for the same event.
    pub identity: i64,
    /// A hash of the agent program's id of its turn.
    pub turn: Option<i64>,
    /// Its text.
    pub body: &'d str,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
    /// Where it comes from.
    pub provenance: &'d Provenance,
}

/// A stored prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRow {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub speaker: Speaker,
    /// Its text.
    pub body: String,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
}

impl Reader<'_> {
    /// The prompts of a session, oldest first.
    pub fn prompts_of_session(&self, session: SessionId, limit: u32) -> Result<Vec<PromptRow>, StoreError> {
        self.all(
            "SELECT p.entry_id, p.session_id, p.at, p.speaker, e.body, e.attributes
               FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
              WHERE p.session_id = ?1 ORDER BY p.at, p.entry_id LIMIT ?2",
            (session.0, limit),
        )
    }

    /// The user prompt that an event at this time belongs to: the one with the given turn,
    /// otherwise the newest one before.
    pub fn prompt_of_event(
        &self,
        session: SessionId,
        turn: Option<i64>,
        at: Timestamp,
    ) -> Result<Option<EntryId>, StoreError> {
        if let Some(turn) = turn {
            let named: Option<i64> = self
                .sql("SELECT max(entry_id) FROM prompt WHERE session_id = ?1 AND turn = ?2 AND speaker = 1")?
                .query_row((session.0, turn), |row| row.get(0))?;
            if named.is_some() {
                return Ok(named.map(EntryId));
            }
        }
        let newest: Option<i64> = self
            .sql(
                "SELECT entry_id FROM prompt WHERE session_id = ?1 AND at <= ?2 AND speaker = 1
                  ORDER BY at DESC, entry_id DESC LIMIT 1",
            )?
            .query_row((session.0, at.as_millis()), |row| row.get(0))
            .optional()?;
        Ok(newest.map(EntryId))
    }

    /// The prompt with this identity, at most `within_ms` away if the identity is limited in time.
    pub fn known_prompt(
        &self,
        identity: i64,
        at: Timestamp,
        within_ms: Option<i64>,
    ) -> Result<Option<EntryId>, StoreError> {
        let window = within_ms.unwrap_or(i64::MAX / 4);
        let found: Option<i64> = self
            .sql(
                "SELECT entry_id FROM prompt
                  WHERE identity = ?1 AND at BETWEEN ?2 - ?3 AND ?2 + ?3 ORDER BY entry_id LIMIT 1",
            )?
            .query_row((identity, at.as_millis(), window), |row| row.get(0))
            .optional()?;
        Ok(found.map(EntryId))
    }

    /// A prompt of that session with the same text, at most `within_ms` away, that was captured
    /// live.
    pub fn same_prompt(
        &self,
        session: SessionId,
        body: &str,
        at: Timestamp,
        within_ms: i64,
    ) -> Result<Option<EntryId>, StoreError> {
        let found: Option<i64> = self
            .sql(
                "SELECT p.entry_id FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
                  WHERE p.session_id = ?1 AND p.at BETWEEN ?2 - ?3 AND ?2 + ?3 AND e.body = ?4
                    AND (SELECT source FROM provenance WHERE id = e.origin_id) <> 'file-import'
                  LIMIT 1",
            )?
            .query_row((session.0, at.as_millis(), within_ms, body), |row| row.get(0))
            .optional()?;
        Ok(found.map(EntryId))
    }

    /// The number of prompts.
    pub fn prompt_count(&self) -> Result<i64, StoreError> {
        Ok(self.sql("SELECT count(*) FROM prompt")?.query_row([], |row| row.get(0))?)
    }
}

impl Writer<'_> {
    /// Stores a prompt. Credentials in it are replaced.
    pub fn put_prompt(&self, draft: &PromptDraft<'_>) -> Result<EntryId, StoreError> {
        let id = self.put_captured(&CapturedDraft {
            scheme: PROMPT_SCHEME,
            project: draft.project,
            body: draft.body,
            attributes: &draft.attributes,
            provenance: draft.provenance,
            at: draft.at,
        })?;
        self.sql(
            "INSERT INTO prompt (entry_id, session_id, at, speaker, identity, turn) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            id.0,
            draft.session.0,
            draft.at.as_millis(),
            draft.speaker.code(),
            draft.identity,
            draft.turn,
        ))?;
        Ok(id)
    }
}

impl FromRow for PromptRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        Ok(Self {
            id: known.id(),
            session: SessionId(row.get(1)?),
            at: Timestamp::from_millis(row.get(2)?),
            speaker: Speaker::from_code(row.get(3)?).ok_or_else(|| known.unreadable("speaker"))?,
            body: row.get(4)?,
            attributes: known.attributes(row, 5)?,
        })
    }
}

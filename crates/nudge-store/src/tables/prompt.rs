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
use crate::tables::secret_guard;
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

/// What the user typed in a session, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedPrompt {
    /// Its entry.
    pub id: EntryId,
    /// When it was said.
    pub at: Timestamp,
    /// Whether it is certain that the user typed it.
    pub heard: bool,
    /// Its text.
    pub body: String,
}

pub(crate) const TYPED: &str = "SELECT p.entry_id, p.at, p.heard, e.body
       FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
      WHERE p.session_id = ?1 AND p.speaker = 1 ORDER BY p.at DESC, p.entry_id DESC LIMIT ?2";

pub(crate) const LAST_OF_SESSION: &str =
    "SELECT p.entry_id, p.session_id, p.at, p.speaker, e.body, e.attributes
       FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
      WHERE p.session_id = ?1 ORDER BY p.at DESC, p.entry_id DESC LIMIT ?2";

pub(crate) const NTH_SINCE: &str = "SELECT 1 FROM prompt
      WHERE session_id = ?1 AND speaker = 1 AND at > ?2 ORDER BY at LIMIT 1 OFFSET ?3";

impl Reader<'_> {
    /// The user's prompts in a session, newest first.
    pub fn typed_prompts(&self, session: SessionId, limit: u32) -> Result<Vec<TypedPrompt>, StoreError> {
        self.all(TYPED, (session.0, limit))
    }

    /// Whether the user sent at least `many` prompts in a session after a time.
    pub fn has_prompts_since(
        &self,
        session: SessionId,
        at: Timestamp,
        many: u32,
    ) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .sql(NTH_SINCE)?
            .query_row((session.0, at.as_millis(), many.saturating_sub(1)), |row| row.get(0))
            .optional()?;
        Ok(found.is_some())
    }

    /// The prompts of a session, oldest first.
    pub fn prompts_of_session(&self, session: SessionId, limit: u32) -> Result<Vec<PromptRow>, StoreError> {
        self.all(
            "SELECT p.entry_id, p.session_id, p.at, p.speaker, e.body, e.attributes
               FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
              WHERE p.session_id = ?1 ORDER BY p.at, p.entry_id LIMIT ?2",
            (session.0, limit),
        )
    }

    /// The last prompts of a session, newest first.
    pub fn last_prompts_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<PromptRow>, StoreError> {
        self.all(LAST_OF_SESSION, (session.0, limit))
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

impl Writer<'_> {
    /// Stores what an agent quoted from a prompt before it was certain that the user typed it. The
    /// same quote is stored once, and no more than `most` of them.
    pub fn note_quote(&self, prompt: EntryId, quote: &str, most: usize) -> Result<(), StoreError> {
        let quote = secret_guard::redacted(quote);
        let mut quotes = self.quotes(prompt)?;
        if quotes.len() < most && !quotes.iter().any(|known| *known == quote) {
            quotes.push(quote.into_owned());
            let quotes = Value::from(quotes).to_string();
            self.sql("UPDATE prompt SET quoted = ?2 WHERE entry_id = ?1")?.execute((prompt.0, quotes))?;
        }
        Ok(())
    }

    /// Stores that it is certain that the user typed a prompt. Returns what was quoted from it
    /// until now, which is then no longer stored.
    pub fn mark_heard(&self, prompt: EntryId) -> Result<Vec<String>, StoreError> {
        let quotes = self.quotes(prompt)?;
        self.sql("UPDATE prompt SET heard = 1, quoted = NULL WHERE entry_id = ?1")?.execute([prompt.0])?;
        Ok(quotes)
    }

    fn quotes(&self, prompt: EntryId) -> Result<Vec<String>, StoreError> {
        let mut found = self.sql("SELECT quoted FROM prompt WHERE entry_id = ?1")?;
        let stored: Option<Option<String>> = found.query_row([prompt.0], |row| row.get(0)).optional()?;
        Ok(stored.flatten().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }
}

impl FromRow for TypedPrompt {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: EntryId(row.get(0)?),
            at: Timestamp::from_millis(row.get(1)?),
            heard: row.get(2)?,
            body: row.get(3)?,
        })
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

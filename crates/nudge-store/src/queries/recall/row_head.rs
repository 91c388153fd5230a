//! Heads of rows, newest first, and what was around a point of a session: observations and prompts
//! without texts, so that many can be compared.

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::{SessionId, SessionRow};

/// How many of the newest prompts are searched for the user's.
const PROMPTS_LOOKED_AT: u32 = 2_000;

/// An observation or a user prompt, with only what its narrow row contains.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RowHead {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// The kind of observation; `None` for a prompt.
    pub kind: Option<ObservationKind>,
    /// When it happened.
    pub at: Timestamp,
}

pub(crate) const OF_SESSION: &str = "SELECT entry_id, session_id, kind, at FROM observation
      WHERE session_id = ?1 AND at <= ?2 AND (at, entry_id) < (?2, ?3)
      ORDER BY at DESC, entry_id DESC LIMIT ?4";

pub(crate) const OF_KIND: &str = "SELECT entry_id, session_id, kind, at FROM observation
      WHERE kind = ?1 AND at <= ?2 AND (at, entry_id) < (?2, ?3)
      ORDER BY at DESC, entry_id DESC LIMIT ?4";

pub(crate) const PROMPTS_OF_SESSION: &str = "SELECT entry_id, session_id, 0, at FROM prompt
      WHERE session_id = ?1 AND speaker = 1 AND at <= ?2 AND (at, entry_id) < (?2, ?3)
      ORDER BY at DESC, entry_id DESC LIMIT ?4";

/// Prompts of all speakers: the limit is on rows read, not on rows found.
pub(crate) const NEWEST_PROMPTS: &str = "SELECT p.entry_id, p.session_id, 0, p.at, p.speaker
       FROM entry e CROSS JOIN prompt p ON p.entry_id = e.id
      WHERE e.scheme_id = (SELECT id FROM scheme WHERE name = 'prompt')
      ORDER BY e.updated_at DESC, e.id DESC LIMIT ?1";

pub(crate) const FIRST_FILE: &str =
    "SELECT file_id FROM observation_file WHERE entry_id = ?1 AND position = 0";

pub(crate) const SCOPE_OF: &str = "SELECT scope_id FROM entry WHERE id = ?1";

impl Reader<'_> {
    /// The observations of a session just before the given one, newest first; the newest if none is
    /// given.
    pub fn row_heads_of_session(
        &self,
        session: SessionId,
        before: Option<&RowHead>,
        limit: u32,
    ) -> Result<Vec<RowHead>, StoreError> {
        let (at, id) = end(before);
        self.all(OF_SESSION, (session.0, at, id, limit))
    }

    /// The observations of a kind just before the given one, newest first; the newest if none is
    /// given.
    pub fn row_heads_of_kind(
        &self,
        kind: ObservationKind,
        before: Option<&RowHead>,
        limit: u32,
    ) -> Result<Vec<RowHead>, StoreError> {
        let (at, id) = end(before);
        self.all(OF_KIND, (kind.number(), at, id, limit))
    }

    /// The user's prompts in a session just before the given row, newest first; the last if none is
    /// given.
    pub fn prompt_heads(
        &self,
        session: SessionId,
        before: Option<&RowHead>,
        limit: u32,
    ) -> Result<Vec<RowHead>, StoreError> {
        let (at, id) = end(before);
        self.all(PROMPTS_OF_SESSION, (session.0, at, id, limit))
    }

    /// The user's last prompts in any session, newest first. Searches only the newest few thousand
    /// prompts of all speakers.
    pub fn newest_prompts(&self, limit: usize) -> Result<Vec<RowHead>, StoreError> {
        let mut found = self.sql(NEWEST_PROMPTS)?;
        let mut rows = found.query([PROMPTS_LOOKED_AT])?;
        let mut said = Vec::new();
        while said.len() < limit
            && let Some(row) = rows.next()?
        {
            if row.get::<_, i64>(4)? == 1 {
                said.push(RowHead::from_row(row)?);
            }
        }
        Ok(said)
    }

    /// The id of the file that an observation is about.
    pub fn first_file(&self, id: EntryId) -> Result<Option<i64>, StoreError> {
        Ok(self.sql(FIRST_FILE)?.query_row([id.0], |row| row.get(0)).optional()?)
    }

    /// The scope of an entry.
    pub fn scope_of(&self, id: EntryId) -> Result<Option<i64>, StoreError> {
        Ok(self.sql(SCOPE_OF)?.query_row([id.0], |row| row.get(0)).optional()?)
    }
}

/// Where to continue.
fn end(before: Option<&RowHead>) -> (i64, i64) {
    before.map_or((i64::MAX, i64::MAX), |head| (head.at.as_millis(), head.id.0))
}

impl FromRow for RowHead {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let kind: u8 = row.get(2)?;
        Ok(Self {
            id: EntryId(row.get(0)?),
            session: SessionId(row.get(1)?),
            // A kind that only a newer program knows gets the lowest weight.
            kind: (kind > 0)
                .then(|| ObservationKind::from_number(kind).unwrap_or(ObservationKind::ToolOther)),
            at: Timestamp::from_millis(row.get(3)?),
        })
    }
}

// What happened and was said just before and after a point in a session.

pub(crate) const OBSERVATIONS_BEFORE: &str = "SELECT entry_id, at FROM observation
      WHERE session_id = ?1 AND at <= ?2 AND (at, entry_id) < (?2, ?3)
      ORDER BY at DESC, entry_id DESC LIMIT ?4";

pub(crate) const OBSERVATIONS_AFTER: &str = "SELECT entry_id, at FROM observation
      WHERE session_id = ?1 AND at >= ?2 AND (at, entry_id) > (?2, ?3)
      ORDER BY at, entry_id LIMIT ?4";

pub(crate) const PROMPTS_BEFORE: &str = "SELECT entry_id, at FROM prompt
      WHERE session_id = ?1 AND speaker = 1 AND at <= ?2 AND (at, entry_id) < (?2, ?3)
      ORDER BY at DESC, entry_id DESC LIMIT ?4";

pub(crate) const PROMPTS_AFTER: &str = "SELECT entry_id, at FROM prompt
      WHERE session_id = ?1 AND speaker = 1 AND at >= ?2 AND (at, entry_id) > (?2, ?3)
      ORDER BY at, entry_id LIMIT ?4";

impl Reader<'_> {
    /// The observations and user prompts of a session just before a point, oldest first.
    pub fn before_in_session(
        &self,
        session: SessionId,
        at: Timestamp,
        id: EntryId,
        limit: u32,
    ) -> Result<Vec<EntryId>, StoreError> {
        let mut found = self.beside(OBSERVATIONS_BEFORE, session, at, id, limit)?;
        found.extend(self.beside(PROMPTS_BEFORE, session, at, id, limit)?);
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(limit as usize);
        Ok(found.into_iter().rev().map(|(_, id)| EntryId(id)).collect())
    }

    /// The observations and user prompts of a session just after a point, oldest first.
    pub fn after_in_session(
        &self,
        session: SessionId,
        at: Timestamp,
        id: EntryId,
        limit: u32,
    ) -> Result<Vec<EntryId>, StoreError> {
        let mut found = self.beside(OBSERVATIONS_AFTER, session, at, id, limit)?;
        found.extend(self.beside(PROMPTS_AFTER, session, at, id, limit)?);
        found.sort_unstable();
        found.truncate(limit as usize);
        Ok(found.into_iter().map(|(_, id)| EntryId(id)).collect())
    }

    /// Times and ids, in the order of the statement.
    fn beside(
        &self,
        sql: &str,
        session: SessionId,
        at: Timestamp,
        id: EntryId,
        limit: u32,
    ) -> Result<Vec<(i64, i64)>, StoreError> {
        let mut found = self.sql(sql)?;
        let rows = found
            .query_map((session.0, at.as_millis(), id.0, limit), |row| Ok((row.get(1)?, row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

// The names of places and sessions that rows refer to by number.

const SESSIONS_CALLED: &str =
    "SELECT id FROM agent_session WHERE name >= ?1 AND name < ?1 || char(1114111) ORDER BY name LIMIT ?2";

impl Reader<'_> {
    /// Sessions with an id that begins with `begin`, sorted by that id.
    pub fn agent_sessions_called(&self, begin: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let ids: Vec<i64> = self
            .sql(SESSIONS_CALLED)?
            .query_map((begin, limit), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let rows = ids.into_iter().filter_map(|id| self.agent_session(SessionId(id)).transpose());
        rows.collect()
    }
}

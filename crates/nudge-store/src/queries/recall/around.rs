//! What happened and was said just before and after a point in a session.

use nudge_core::{EntryId, Timestamp};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;

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

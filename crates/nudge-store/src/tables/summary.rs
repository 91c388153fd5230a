//! Which sessions need a summary, and where a session's summary is stored.

use nudge_core::{EntryId, EntryPath, Timestamp};
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::intern::SUMMARY_SCHEME;
use crate::tables::writer::Writer;

/// A session that needs a summary.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Unsummarised {
    /// The session.
    pub session: SessionId,
    /// When something last happened in it.
    pub last: Timestamp,
}

impl SessionId {
    /// The path of the session's summary.
    pub fn summary_path(self) -> EntryPath {
        EntryPath::from_parts(SUMMARY_SCHEME, &[&self.0.to_string()], None)
            .expect("a number makes a path of any scheme")
    }
}

pub(crate) const DUE_SESSIONS: &str = "SELECT id, last FROM (
         SELECT a.id, a.ended_at, a.summarised_at, ifnull(a.active_at, 0) AS active,
                max(ifnull((SELECT max(o.at) FROM observation o WHERE o.session_id = a.id), 0),
                    ifnull((SELECT max(p.at) FROM prompt p WHERE p.session_id = a.id), 0)) AS last
           FROM agent_session a WHERE a.id > ?1)
      WHERE last > 0 AND (ended_at IS NOT NULL OR max(last, active) < ?2)
        AND (summarised_at IS NULL OR last > summarised_at)
      ORDER BY id LIMIT ?3";

impl Reader<'_> {
    /// Sessions after the given one, by id, that have ended or were last active before `silent`,
    /// and have no summary or one older than their last event.
    pub fn unsummarised(
        &self,
        after: SessionId,
        silent: Timestamp,
        limit: u32,
    ) -> Result<Vec<Unsummarised>, StoreError> {
        let mut found = self.sql(DUE_SESSIONS)?;
        let rows = found.query_map((after.0, silent.as_millis(), limit), |row| {
            Ok(Unsummarised { session: SessionId(row.get(0)?), last: Timestamp::from_millis(row.get(1)?) })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// When something last happened in a session; `None` if it is empty.
    pub fn last_in_session(&self, session: SessionId) -> Result<Option<Timestamp>, StoreError> {
        let last: i64 = self
            .sql(
                "SELECT max(ifnull((SELECT max(at) FROM observation WHERE session_id = ?1), 0),
                            ifnull((SELECT max(at) FROM prompt WHERE session_id = ?1), 0))",
            )?
            .query_row([session.0], |row| row.get(0))?;
        Ok((last > 0).then(|| Timestamp::from_millis(last)))
    }

    /// The newest entry that the summary of a session covers.
    pub fn summarised_entry(&self, session: SessionId) -> Result<Option<EntryId>, StoreError> {
        let newest: Option<Option<i64>> = self
            .sql("SELECT summarised_entry FROM agent_session WHERE id = ?1")?
            .query_row([session.0], |row| row.get(0))
            .optional()?;
        Ok(newest.flatten().map(EntryId))
    }

    /// How many observations and prompts a session has.
    pub fn rows_in_session(&self, session: SessionId) -> Result<u64, StoreError> {
        let count: i64 = self
            .sql(
                "SELECT (SELECT count(*) FROM observation WHERE session_id = ?1)
                      + (SELECT count(*) FROM prompt WHERE session_id = ?1)",
            )?
            .query_row([session.0], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The newest entry in the store.
    pub fn newest_entry(&self) -> Result<EntryId, StoreError> {
        let newest: Option<i64> = self.sql("SELECT max(id) FROM entry")?.query_row([], |row| row.get(0))?;
        Ok(EntryId(newest.unwrap_or(0)))
    }
}

impl Writer<'_> {
    /// Marks a session to be summarised again at the next opportunity.
    pub fn want_summary(&self, session: SessionId) -> Result<(), StoreError> {
        self.sql(
            "UPDATE agent_session SET summarised_at = NULL WHERE id = ?1 AND summarised_at IS NOT NULL",
        )?
        .execute([session.0])?;
        Ok(())
    }

    /// Removes the summary of a session, and returns whether there was one.
    pub fn remove_summary(&self, session: SessionId, now: Timestamp) -> Result<bool, StoreError> {
        let path = session.summary_path();
        let found: Option<i64> = self
            .sql("SELECT id FROM entry WHERE path = ?1 LIMIT 1")?
            .query_row([path.as_str()], |row| row.get(0))
            .optional()?;
        self.sql("UPDATE agent_session SET summarised_at = NULL, summarised_entry = NULL WHERE id = ?1")?
            .execute([session.0])?;
        match found {
            Some(id) => self.delete_entry(EntryId(id), now),
            None => Ok(false),
        }
    }
}

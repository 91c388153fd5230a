//! Finds rows past their retention. Only rows covered by a summary can be deleted, and no pinned
//! ones.

use nudge_core::{EntryId, ObservationKind, Timestamp};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::writer::Writer;

/// An old observation or prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// When it happened.
    pub at: Timestamp,
    /// Whether the summary of its session covers it.
    pub summed_up: bool,
    /// Whether it is pinned.
    pub pinned: bool,
}

pub(crate) const AGED: &str = "SELECT o.entry_id, o.session_id, o.at,
            s.summarised_at IS NOT NULL AND s.summarised_entry >= o.entry_id, o.pinned
       FROM observation o CROSS JOIN agent_session s ON s.id = o.session_id
      WHERE o.kind = ?1 AND o.at < ?2 AND (o.at, o.entry_id) > (?3, ?4)
      ORDER BY o.at, o.entry_id LIMIT ?5";

impl Reader<'_> {
    /// Observations of a kind from before a time, oldest first, starting after the given one.
    pub fn aged_observations(
        &self,
        kind: ObservationKind,
        before: Timestamp,
        after: Option<&Aged>,
        limit: u32,
    ) -> Result<Vec<Aged>, StoreError> {
        let (at, id) = after.map_or((i64::MIN, 0), |aged| (aged.at.as_millis(), aged.id.0));
        let mut found = self.sql(AGED)?;
        let rows = found.query_map((kind.number(), before.as_millis(), at, id, limit), aged_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Prompts of a session from before a time. One with a pinned observation counts as pinned.
    pub fn aged_prompts(&self, session: SessionId, before: Timestamp) -> Result<Vec<Aged>, StoreError> {
        let mut found = self.sql(
            "SELECT p.entry_id, p.session_id, p.at,
                    s.summarised_at IS NOT NULL AND s.summarised_entry >= p.entry_id,
                    EXISTS (SELECT 1 FROM observation o WHERE o.prompt_id = p.entry_id AND o.pinned = 1)
               FROM prompt p CROSS JOIN agent_session s ON s.id = p.session_id
              WHERE p.session_id = ?1 AND p.at < ?2 ORDER BY p.at, p.entry_id",
        )?;
        let rows = found.query_map((session.0, before.as_millis()), aged_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Removes an observation unless it is now pinned; returns whether it did.
    pub fn forget_unpinned(&self, id: EntryId, now: Timestamp) -> Result<bool, StoreError> {
        let pinned: i64 = self
            .sql("SELECT count(*) FROM observation WHERE entry_id = ?1 AND pinned = 1")?
            .query_row([id.0], |row| row.get(0))?;
        if pinned > 0 { Ok(false) } else { self.delete_entry(id, now) }
    }
}

fn aged_from(row: &rusqlite::Row<'_>) -> rusqlite::Result<Aged> {
    Ok(Aged {
        id: EntryId(row.get(0)?),
        session: SessionId(row.get(1)?),
        at: Timestamp::from_millis(row.get(2)?),
        summed_up: row.get(3)?,
        pinned: row.get(4)?,
    })
}

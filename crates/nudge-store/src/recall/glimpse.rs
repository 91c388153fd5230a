//! The newest of a session, of a kind, of what was said: without their texts, so that many can be weighed.

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{Params, Row};

use crate::agent_session::SessionId;
use crate::error::StoreError;
use crate::reader::Reader;

/// An observation or a prompt, without what it says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Glimpse {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// What sort of thing; `None` for a prompt.
    pub kind: Option<ObservationKind>,
    /// When it happened.
    pub at: Timestamp,
    /// The scope it lies in.
    pub scope: i64,
    /// The number of the file it is about.
    pub file: Option<i64>,
}

/// The order of the joins is fixed: the index of the `WHERE` gives the order.
macro_rules! select_glimpse {
    ($rest:literal) => {
        concat!(
            "SELECT o.entry_id, o.session_id, o.kind, o.at, e.scope_id, f.file_id
               FROM observation o
              CROSS JOIN entry e ON e.id = o.entry_id
               LEFT JOIN observation_file f ON f.entry_id = o.entry_id AND f.position = 0 ",
            $rest
        )
    };
}

pub(crate) const NEWEST_OF_SESSION: &str =
    select_glimpse!("WHERE o.session_id = ?1 ORDER BY o.at DESC, o.entry_id DESC LIMIT ?2");

pub(crate) const NEWEST_OF_KIND: &str =
    select_glimpse!("WHERE o.kind = ?1 ORDER BY o.at DESC, o.entry_id DESC LIMIT ?2");

pub(crate) const PROMPTS_OF_SESSION: &str = "SELECT p.entry_id, p.session_id, 0, p.at, e.scope_id, NULL
       FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
      WHERE p.session_id = ?1 AND p.speaker = 1 ORDER BY p.at DESC, p.entry_id DESC LIMIT ?2";

pub(crate) const NEWEST_PROMPTS: &str = "SELECT p.entry_id, p.session_id, 0, p.at, e.scope_id, NULL
       FROM entry e CROSS JOIN prompt p ON p.entry_id = e.id
      WHERE e.scheme_id = (SELECT id FROM scheme WHERE name = 'prompt') AND p.speaker = 1
      ORDER BY e.updated_at DESC, e.id DESC LIMIT ?1";

impl Reader<'_> {
    /// The newest observations of a session, newest first.
    pub fn newest_of_session(&self, session: SessionId, limit: u32) -> Result<Vec<Glimpse>, StoreError> {
        self.glimpses(NEWEST_OF_SESSION, (session.0, limit))
    }

    /// The newest observations of a kind, newest first.
    pub fn newest_of_kind(&self, kind: ObservationKind, limit: u32) -> Result<Vec<Glimpse>, StoreError> {
        self.glimpses(NEWEST_OF_KIND, (kind.number(), limit))
    }

    /// What the person said last in a session, newest first.
    pub fn newest_prompts_of_session(
        &self,
        session: SessionId,
        limit: u32,
    ) -> Result<Vec<Glimpse>, StoreError> {
        self.glimpses(PROMPTS_OF_SESSION, (session.0, limit))
    }

    /// What the person said last, wherever, newest first.
    pub fn newest_prompts(&self, limit: u32) -> Result<Vec<Glimpse>, StoreError> {
        self.glimpses(NEWEST_PROMPTS, [limit])
    }

    fn glimpses(&self, sql: &str, what: impl Params) -> Result<Vec<Glimpse>, StoreError> {
        let mut found = self.sql(sql)?;
        Ok(found.query_map(what, glimpse_from)?.collect::<Result<_, _>>()?)
    }
}

fn glimpse_from(row: &Row<'_>) -> rusqlite::Result<Glimpse> {
    let kind: u8 = row.get(2)?;
    Ok(Glimpse {
        id: EntryId(row.get(0)?),
        session: SessionId(row.get(1)?),
        // A kind that only a newer program knows weighs as little as any other.
        kind: (kind > 0).then(|| ObservationKind::from_number(kind).unwrap_or(ObservationKind::ToolOther)),
        at: Timestamp::from_millis(row.get(3)?),
        scope: row.get(4)?,
        file: row.get(5)?,
    })
}

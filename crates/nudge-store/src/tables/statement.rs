//! Statements, found by place and stage, fast enough for a session start.

use nudge_core::{Entry, EntryId, Timestamp};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::entry::{ENTRY_COLUMNS, select_entry};
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// The stage of a statement, or of the proposal of one. The numbers are stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Corrected, forgotten, replaced, decided or expired.
    Over = 0,
    /// Injected.
    InForce = 1,
    /// Said in one session and not decided.
    SaidOnce = 2,
    /// Not decided; not in force until it is.
    Waiting = 3,
}

impl Stage {
    fn from_number(number: i64) -> Option<Self> {
        [Self::Over, Self::InForce, Self::SaidOnce, Self::Waiting]
            .into_iter()
            .find(|stage| *stage as i64 == number)
    }
}

/// A statement, abridged: enough to find out whether something was said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedWords {
    /// Its entry.
    pub id: EntryId,
    /// Its stage.
    pub stage: Stage,
    /// Its text.
    pub body: String,
}

/// The statements in force in a project: its own first, then those that apply everywhere. Entries
/// the user silenced are left out.
pub(crate) const IN_STAGE: &str = concat!(
    select_entry!(
        ", t.said_at",
        "project_key k
          CROSS JOIN scope p ON p.kind = 'project' AND p.key = k.key
          CROSS JOIN statement t ON t.scope_id = p.id AND t.stage = ?2
          CROSS JOIN entry e ON e.id = t.entry_id",
        "WHERE k.project_id = ?1 AND NOT EXISTS (
            SELECT 1 FROM silenced z WHERE z.entry_id = e.id AND z.project_id IN (0, ?1))"
    ),
    " UNION ALL ",
    select_entry!(
        ", t.said_at",
        "scope p
          CROSS JOIN statement t ON t.scope_id = p.id AND t.stage = ?2
          CROSS JOIN entry e ON e.id = t.entry_id",
        "WHERE p.kind = 'global' AND p.key = '' AND NOT EXISTS (
            SELECT 1 FROM silenced z WHERE z.entry_id = e.id AND z.project_id IN (0, ?1))"
    )
);

/// Everything ever stated in a project, or everywhere.
pub(crate) const OF_PROJECT: &str = "SELECT e.id, t.stage, e.body FROM project_key k
      CROSS JOIN scope p ON p.kind = 'project' AND p.key = k.key
      CROSS JOIN statement t ON t.scope_id = p.id
      CROSS JOIN entry e ON e.id = t.entry_id
      WHERE k.project_id = ?1
     UNION ALL
     SELECT e.id, t.stage, e.body FROM scope p
      CROSS JOIN statement t ON t.scope_id = p.id
      CROSS JOIN entry e ON e.id = t.entry_id
      WHERE p.kind = 'global' AND p.key = ''";

impl Reader<'_> {
    /// The statements in this stage that apply in a project or everywhere, last said first. Entries
    /// the user silenced there are left out.
    pub fn statements_in(&self, project: ProjectId, stage: Stage) -> Result<Vec<Entry>, StoreError> {
        let mut found = self.sql(IN_STAGE)?;
        let mut rows = found.query((project.0, stage as i64))?;
        let mut entries: Vec<(i64, Entry)> = Vec::new();
        while let Some(row) = rows.next()? {
            entries.push((row.get(ENTRY_COLUMNS)?, Entry::from_row(row)?));
        }
        entries.sort_by_key(|(said_at, entry)| std::cmp::Reverse((*said_at, entry.id)));
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Everything ever stated in a project, or everywhere, abridged, newest first.
    pub fn statements_of(&self, project: ProjectId) -> Result<Vec<StatedWords>, StoreError> {
        let mut found = self.sql(OF_PROJECT)?;
        let mut rows = found.query([project.0])?;
        let mut words = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let stage =
                Stage::from_number(row.get(1)?).ok_or(StoreError::UnreadableRow { id, column: "stage" })?;
            words.push(StatedWords { id: EntryId(id), stage, body: row.get(2)? });
        }
        words.sort_by_key(|words| std::cmp::Reverse(words.id));
        Ok(words)
    }
}

impl Writer<'_> {
    /// Stores the stage of a statement, and when it was last said.
    pub fn set_stage(&self, id: EntryId, stage: Stage, said_at: Timestamp) -> Result<(), StoreError> {
        let noted = self
            .sql(
                "INSERT INTO statement (entry_id, scope_id, stage, said_at)
                 SELECT id, scope_id, ?2, ?3 FROM entry WHERE id = ?1
                 ON CONFLICT (entry_id) DO UPDATE SET stage = excluded.stage, said_at = excluded.said_at",
            )?
            .execute((id.0, stage as i64, said_at.as_millis()))?;
        if noted == 0 { Err(StoreError::NoEntry(id)) } else { Ok(()) }
    }
}

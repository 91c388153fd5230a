//! What a model got on a turn, row by row.

use nudge_core::view::Visibility;

use super::turn::TurnId;
use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// An entry in the packet of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRow {
    /// Its path.
    pub path: String,
    /// What it is for the model, such as `data`.
    pub category: String,
    /// How much of it the model saw.
    pub visibility: Visibility,
    /// Its status.
    pub status: u16,
    /// The turn of its last change.
    pub source_turn: u32,
    /// What it cost.
    pub tokens: u32,
}

impl Reader<'_> {
    /// What the model got on a turn, in the order of the packet.
    pub fn turn_context(&self, turn: TurnId) -> Result<Vec<ContextRow>, StoreError> {
        let mut found = self.sql(
            "SELECT path, category, visibility, status, source_turn, tokens
               FROM turn_context WHERE turn_id = ?1 ORDER BY ordinal",
        )?;
        let mut rows = found.query([turn.0])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let visibility = Visibility::from_code(row.get(2)?)
                .ok_or(StoreError::UnreadableRow { id: turn.0, column: "visibility" })?;
            all.push(ContextRow {
                path: row.get(0)?,
                category: row.get(1)?,
                visibility,
                status: row.get(3)?,
                source_turn: row.get(4)?,
                tokens: row.get(5)?,
            });
        }
        Ok(all)
    }
}

impl Writer<'_> {
    /// Stores what the model gets on a turn.
    pub fn put_turn_context(&self, turn: TurnId, rows: &[ContextRow]) -> Result<(), StoreError> {
        let mut insert = self.sql(
            "INSERT INTO turn_context (turn_id, ordinal, path, category, visibility, status, source_turn, tokens)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for (ordinal, row) in rows.iter().enumerate() {
            insert.execute((
                turn.0,
                i64::try_from(ordinal).unwrap_or(i64::MAX),
                &row.path,
                &row.category,
                row.visibility.code(),
                row.status,
                row.source_turn,
                row.tokens,
            ))?;
        }
        Ok(())
    }
}

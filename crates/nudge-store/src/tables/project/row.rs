//! A stored project.

use nudge_core::Timestamp;
use rusqlite::Row;

/// The id of a project in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(pub i64);

/// A stored project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRow {
    /// Its id.
    pub id: ProjectId,
    /// Its display name.
    pub name: String,
    /// Its root directory, as last seen.
    pub root: String,
    /// Its keys, in order.
    pub keys: Vec<String>,
    /// When it was first seen.
    pub created_at: Timestamp,
    /// How many sessions it has had.
    pub sessions: i64,
}

pub(super) fn bare(row: &Row<'_>) -> rusqlite::Result<ProjectRow> {
    Ok(ProjectRow {
        id: ProjectId(row.get(0)?),
        name: row.get(1)?,
        root: row.get(2)?,
        keys: Vec::new(),
        created_at: Timestamp::from_millis(row.get(3)?),
        sessions: 0,
    })
}

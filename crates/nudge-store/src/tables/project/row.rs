//! A stored project, as its readers get it.

use nudge_core::Timestamp;
use rusqlite::Row;

/// A project in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(pub i64);

/// A stored project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRow {
    /// Its identity.
    pub id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Its topmost directory, as last seen.
    pub root: String,
    /// The keys that lead to it, in order.
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

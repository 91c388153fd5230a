//! A stored session of an agent, as its readers get it.

use nudge_core::Timestamp;
use rusqlite::Row;

use crate::tables::project::row::ProjectId;

/// A session in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub i64);

/// A stored session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its identity here.
    pub id: SessionId,
    /// The program's own id of it.
    pub name: String,
    /// The program.
    pub harness: String,
    /// The program's version.
    pub harness_version: Option<String>,
    /// The project it began in.
    pub project: ProjectId,
    /// The session that started it.
    pub parent: Option<String>,
    /// Whether no person watches.
    pub headless: Option<bool>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why, in the program's words.
    pub end_reason: Option<String>,
    /// The time of the newest observation that its summary takes in.
    pub summarised_at: Option<Timestamp>,
    /// The worktree it works in, when that is not the project's main one.
    pub worktree: Option<String>,
}

pub(super) fn session_from(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let time = |column| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
    };
    Ok(SessionRow {
        id: SessionId(row.get(0)?),
        name: row.get(1)?,
        harness: row.get(2)?,
        harness_version: row.get(3)?,
        project: ProjectId(row.get(4)?),
        parent: row.get(5)?,
        headless: row.get(6)?,
        started_at: Timestamp::from_millis(row.get(7)?),
        ended_at: time(8)?,
        end_reason: row.get(9)?,
        summarised_at: time(10)?,
        worktree: row.get(11)?,
    })
}

//! How commands ended, by their marks.

use nudge_core::{EntryId, Timestamp};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// One run of a command with a mark.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The command that was run.
    pub entry: EntryId,
    /// The session it ran in.
    pub session: SessionId,
    /// When it ran.
    pub at: Timestamp,
    /// Whether it failed.
    pub failed: bool,
}

/// The numbers of the outcomes.
const PASSED_CODE: i64 = 1;
const FAILED_CODE: i64 = 2;

pub(crate) const OF_MARK: &str = "SELECT entry_id, session_id, at, outcome FROM attempt
      WHERE project_id = ?1 AND mark = ?2 ORDER BY at DESC, entry_id DESC LIMIT ?3";

pub(crate) const IS_KNOWN: &str = "SELECT 1 FROM attempt WHERE project_id = ?1 AND mark = ?2 LIMIT 1";

impl Reader<'_> {
    /// The newest runs with a mark in a project, newest first.
    pub fn attempts(&self, project: ProjectId, mark: i64, newest: u32) -> Result<Vec<Attempt>, StoreError> {
        let mut found = self.sql(OF_MARK)?;
        let rows = found.query_map((project.0, mark, newest), |row| {
            Ok(Attempt {
                entry: EntryId(row.get(0)?),
                session: SessionId(row.get(1)?),
                at: Timestamp::from_millis(row.get(2)?),
                failed: row.get::<_, i64>(3)? == FAILED_CODE,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether anything with a mark ran in a project.
    pub fn is_known_mark(&self, project: ProjectId, mark: i64) -> Result<bool, StoreError> {
        Ok(self.sql(IS_KNOWN)?.exists((project.0, mark))?)
    }
}

impl Writer<'_> {
    /// Stores a run under a mark; once, however often it is reported.
    pub fn put_attempt(&self, project: ProjectId, mark: i64, attempt: &Attempt) -> Result<(), StoreError> {
        let outcome = if attempt.failed { FAILED_CODE } else { PASSED_CODE };
        self.sql(
            "INSERT OR IGNORE INTO attempt (project_id, mark, at, entry_id, session_id, outcome)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            project.0,
            mark,
            attempt.at.as_millis(),
            attempt.entry.0,
            attempt.session.0,
            outcome,
        ))?;
        Ok(())
    }
}

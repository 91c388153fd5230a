//! Recurring commands and prompts, in bounded pieces, for counting.
//!
//! Rows are visited one at a time, with only the beginnings of their texts: a report over a million
//! observations must not keep them all in memory. The caller limits how many of the newest are
//! read, even if a project has few of them.

use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::observation::outcome_from;
use crate::tables::project::ProjectId;

/// How much of a command or a prompt is read, in characters: the beginning identifies it.
const MAX_TEXT: i64 = 600;

/// How much of a response is read: all that capture stores.
const MAX_RESPONSE: i64 = 2_100;

/// A command or prompt, with what counting needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// The project it happened in; a session may leave the one it began in.
    pub project: ProjectId,
    /// When it happened.
    pub at: Timestamp,
    /// The exit status of a command, if reported.
    pub exit: Option<i32>,
    /// The beginning of its text.
    pub text: String,
    /// The output of a failed command.
    pub response: Option<String>,
}

/// Which occurrences to visit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only after this time.
    pub since: Option<Timestamp>,
    /// Only among this many of the newest.
    pub newest: u32,
}

/// A step of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionStep {
    /// Its entry.
    pub id: EntryId,
    /// The project it happened in; a session may leave the one it began in.
    pub project: Option<ProjectId>,
    /// When it happened.
    pub at: Timestamp,
    /// The kind of observation; `None` for one that only a newer program knows.
    pub kind: Option<ObservationKind>,
    /// How it ended.
    pub outcome: Outcome,
    /// The beginning of the command, if it was read.
    pub command: Option<String>,
}

pub(crate) const REPEATED_COMMANDS: &str =
    "SELECT o.entry_id, o.session_id, k.project_id, o.at, o.exit_status, substr(e.body, 1, ?5),
            CASE WHEN ?1 = 5 THEN substr(json_extract(e.attributes, '$.response'), 1, ?6) END
       FROM (SELECT entry_id, session_id, at, exit_status, outcome FROM observation
              WHERE kind = ?1 AND at > ?3 ORDER BY at DESC, entry_id DESC LIMIT ?4) o
      CROSS JOIN entry e ON e.id = o.entry_id
      CROSS JOIN scope s ON s.id = e.scope_id
      CROSS JOIN project_key k ON k.key = s.key
      WHERE (?2 IS NULL OR k.project_id = ?2) AND (?1 = 5 OR o.outcome = 1)";

pub(crate) const REPEATED_PROMPTS: &str =
    "SELECT p.entry_id, p.session_id, k.project_id, p.at, NULL, substr(e.body, 1, ?4), NULL
       FROM (SELECT entry_id, session_id, at, speaker FROM prompt ORDER BY entry_id DESC LIMIT ?3) p
      CROSS JOIN entry e ON e.id = p.entry_id
      CROSS JOIN scope s ON s.id = e.scope_id
      CROSS JOIN project_key k ON k.key = s.key
      WHERE p.speaker = 1 AND p.at > ?2 AND (?1 IS NULL OR k.project_id = ?1)";

pub(crate) const EDITED_FILES: &str = "SELECT o.session_id, k.project_id, o.at, x.file_id
       FROM (SELECT entry_id, session_id, at FROM observation
              WHERE kind = ?1 AND at > ?3 ORDER BY at DESC, entry_id DESC LIMIT ?4) o
      CROSS JOIN observation_file x ON x.entry_id = o.entry_id
      CROSS JOIN entry e ON e.id = o.entry_id
      CROSS JOIN scope s ON s.id = e.scope_id
      CROSS JOIN project_key k ON k.key = s.key
      WHERE ?2 IS NULL OR k.project_id = ?2";

/// The id of a path in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub i64);

/// A file that was written or changed in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    /// The session.
    pub session: SessionId,
    /// The project it happened in.
    pub project: ProjectId,
    /// When it was changed.
    pub at: Timestamp,
    /// The file.
    pub file: PathId,
}

/// Texts are only read where they are shown: most steps of a session are not.
macro_rules! select_steps {
    ($order:literal) => {
        concat!(
            "SELECT o.entry_id, o.at, o.kind, o.outcome, o.exit_status,
                    CASE WHEN o.kind = 5 OR (?5 AND o.kind IN (4, 12, 13))
                         THEN (SELECT substr(e.body, 1, ?4) FROM entry e WHERE e.id = o.entry_id) END,
                    (SELECT k.project_id FROM entry e CROSS JOIN scope s ON s.id = e.scope_id
                      CROSS JOIN project_key k ON k.key = s.key WHERE e.id = o.entry_id)
               FROM observation o WHERE o.session_id = ?1 AND o.at > ?2 ",
            $order
        )
    };
}

pub(crate) const NEWEST_STEPS: &str = select_steps!("ORDER BY o.at DESC, o.entry_id DESC LIMIT ?3");

pub(crate) const STEPS_AFTER: &str = select_steps!("ORDER BY o.at, o.entry_id LIMIT ?3");

impl Reader<'_> {
    /// Visits files that were written or changed, in no particular order.
    pub fn visit_edited_files(
        &self,
        reach: Reach,
        mut visit: impl FnMut(EditedFile),
    ) -> Result<(), StoreError> {
        let since = reach.since.map_or(i64::MIN, Timestamp::as_millis);
        let mut found = self.sql(EDITED_FILES)?;
        for kind in [ObservationKind::FileEdit, ObservationKind::FileWrite] {
            let project = reach.project.map(|project| project.0);
            let mut rows = found.query((kind.number(), project, since, reach.newest))?;
            while let Some(row) = rows.next()? {
                visit(EditedFile {
                    session: SessionId(row.get(0)?),
                    project: ProjectId(row.get(1)?),
                    at: Timestamp::from_millis(row.get(2)?),
                    file: PathId(row.get(3)?),
                });
            }
        }
        Ok(())
    }

    /// Visits commands that failed, in no particular order.
    pub fn visit_failed_commands(
        &self,
        reach: Reach,
        visit: impl FnMut(Occurrence),
    ) -> Result<(), StoreError> {
        self.visit_commands(ObservationKind::CommandError, reach, visit)
    }

    /// Visits commands of a kind that are known to have succeeded, in no particular order.
    pub fn visit_commands(
        &self,
        kind: ObservationKind,
        reach: Reach,
        mut visit: impl FnMut(Occurrence),
    ) -> Result<(), StoreError> {
        let mut found = self.sql(REPEATED_COMMANDS)?;
        let since = reach.since.map_or(i64::MIN, Timestamp::as_millis);
        let project = reach.project.map(|project| project.0);
        let mut rows = found.query((kind.number(), project, since, reach.newest, MAX_TEXT, MAX_RESPONSE))?;
        while let Some(row) = rows.next()? {
            visit(Occurrence::from_row(row)?);
        }
        Ok(())
    }

    /// Visits user prompts, in no particular order. The limit of `reach` counts prompts of all
    /// speakers.
    pub fn visit_prompts(&self, reach: Reach, mut visit: impl FnMut(Occurrence)) -> Result<(), StoreError> {
        let mut found = self.sql(REPEATED_PROMPTS)?;
        let since = reach.since.map_or(i64::MIN, Timestamp::as_millis);
        let mut rows =
            found.query((reach.project.map(|project| project.0), since, reach.newest, MAX_TEXT))?;
        while let Some(row) = rows.next()? {
            visit(Occurrence::from_row(row)?);
        }
        Ok(())
    }

    /// The number of observations of a kind, counted up to one more than `most`.
    pub fn counted_of_kind(&self, kind: ObservationKind, most: u32) -> Result<u64, StoreError> {
        self.counted("SELECT count(*) FROM (SELECT 1 FROM observation WHERE kind = ?1 LIMIT ?2)", kind, most)
    }

    /// The number of prompts by any speaker, counted up to one more than `most`.
    pub fn counted_prompts(&self, most: u32) -> Result<u64, StoreError> {
        let count: i64 = self
            .sql("SELECT count(*) FROM (SELECT 1 FROM prompt LIMIT ?1)")?
            .query_row([i64::from(most) + 1], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    fn counted(&self, sql: &str, kind: ObservationKind, most: u32) -> Result<u64, StoreError> {
        let count: i64 = self.sql(sql)?.query_row((kind.number(), i64::from(most) + 1), |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The newest steps of a session after a time, newest first. Command texts are read only for
    /// failures.
    pub fn newest_steps(
        &self,
        session: SessionId,
        after: Timestamp,
        limit: u32,
    ) -> Result<Vec<SessionStep>, StoreError> {
        self.all(NEWEST_STEPS, (session.0, after.as_millis(), limit, MAX_TEXT, false))
    }

    /// Like [`Self::newest_steps`], with all command texts.
    pub fn newest_commands(
        &self,
        session: SessionId,
        after: Timestamp,
        limit: u32,
    ) -> Result<Vec<SessionStep>, StoreError> {
        self.all(NEWEST_STEPS, (session.0, after.as_millis(), limit, MAX_TEXT, true))
    }

    /// The next steps of a session after a time, oldest first, with all command texts.
    pub fn next_commands(
        &self,
        session: SessionId,
        after: Timestamp,
        limit: u32,
    ) -> Result<Vec<SessionStep>, StoreError> {
        self.all(STEPS_AFTER, (session.0, after.as_millis(), limit, MAX_TEXT, true))
    }

    /// The path of a file.
    pub fn file_path(&self, id: PathId) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT path FROM file WHERE id = ?1")?;
        Ok(found.query_row([id.0], |row| row.get(0)).optional()?)
    }

    /// The directory of a project.
    pub fn project_root(&self, id: ProjectId) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT root FROM project WHERE id = ?1")?;
        Ok(found.query_row([id.0], |row| row.get(0)).optional()?)
    }
}

impl FromRow for Occurrence {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: EntryId(row.get(0)?),
            session: SessionId(row.get(1)?),
            project: ProjectId(row.get(2)?),
            at: Timestamp::from_millis(row.get(3)?),
            exit: row.get(4)?,
            text: row.get(5)?,
            response: row.get(6)?,
        })
    }
}

impl FromRow for SessionStep {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: EntryId(row.get(0)?),
            at: Timestamp::from_millis(row.get(1)?),
            kind: ObservationKind::from_number(row.get(2)?),
            outcome: outcome_from(row.get(3)?, row.get(4)?),
            command: row.get(5)?,
            project: row.get::<_, Option<i64>>(6)?.map(ProjectId),
        })
    }
}

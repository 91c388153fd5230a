//! Counts what was captured.

use nudge_core::{ObservationKind, Timestamp};
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::project::ProjectId;
use crate::tables::scheme::SUMMARY_SCHEME;

/// Counts of what was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Projects.
    pub projects: i64,
    /// Sessions of agents.
    pub sessions: i64,
    /// Prompts.
    pub prompts: i64,
    /// Observations by kind, without kinds that have none.
    pub observations: Vec<(ObservationKind, i64)>,
    /// Pinned observations.
    pub pinned: i64,
    /// Summaries of sessions.
    pub summaries: i64,
    /// Events that were reported more than once.
    pub duplicates: i64,
    /// When the first session began.
    pub oldest: Option<Timestamp>,
    /// The session that began last, in a project that is not private.
    pub last: Option<LastSession>,
}

/// The newest session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastSession {
    /// The agent program's session id.
    pub name: String,
    /// The agent program.
    pub harness: String,
    /// The name of its project.
    pub project: String,
    /// When it began.
    pub started_at: Timestamp,
}

impl Reader<'_> {
    /// Counts what was captured. The time grows with the number of rows: some 30 ms per million
    /// observations.
    pub fn census(&self) -> Result<Census, StoreError> {
        let count =
            |sql: &str| -> Result<i64, StoreError> { Ok(self.sql(sql)?.query_row([], |row| row.get(0))?) };
        let oldest: Option<i64> =
            self.sql("SELECT min(started_at) FROM agent_session")?.query_row([], |row| row.get(0))?;
        Ok(Census {
            projects: count("SELECT count(*) FROM project")?,
            sessions: count("SELECT count(*) FROM agent_session")?,
            prompts: self.prompt_count()?,
            observations: self.observation_counts()?,
            pinned: count("SELECT count(*) FROM observation WHERE pinned = 1")?,
            summaries: self
                .sql("SELECT count(*) FROM entry WHERE scheme_id = (SELECT id FROM scheme WHERE name = ?1)")?
                .query_row([SUMMARY_SCHEME], |row| row.get(0))?,
            duplicates: self.tally("duplicate")?,
            oldest: oldest.map(Timestamp::from_millis),
            last: self.last_session()?,
        })
    }

    /// When something last happened in a project.
    pub fn last_in_project(&self, project: ProjectId) -> Result<Option<Timestamp>, StoreError> {
        let last: Option<i64> = self
            .sql(
                "SELECT max(max(s.started_at,
                                ifnull((SELECT max(o.at) FROM observation o WHERE o.session_id = s.id), 0),
                                ifnull((SELECT max(p.at) FROM prompt p WHERE p.session_id = s.id), 0)))
                   FROM agent_session s WHERE s.project_id = ?1",
            )?
            .query_row([project.0], |row| row.get(0))?;
        Ok(last.map(Timestamp::from_millis))
    }

    fn last_session(&self) -> Result<Option<LastSession>, StoreError> {
        Ok(self
            .sql(
                "SELECT s.name, s.harness, p.name, s.started_at
                   FROM agent_session s CROSS JOIN project p ON p.id = s.project_id
                  WHERE p.private = 0 ORDER BY s.started_at DESC, s.id DESC LIMIT 1",
            )?
            .query_row([], |row| {
                Ok(LastSession {
                    name: row.get(0)?,
                    harness: row.get(1)?,
                    project: row.get(2)?,
                    started_at: Timestamp::from_millis(row.get(3)?),
                })
            })
            .optional()?)
    }
}

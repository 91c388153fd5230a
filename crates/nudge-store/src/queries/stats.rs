//! Sizes, counts and integrity of a store, and what was captured in it.

use std::fs;

use nudge_core::{ObservationKind, Timestamp};
use rusqlite::{Connection, OptionalExtension};

use crate::db::error::StoreError;
use crate::db::files::beside;
use crate::db::integrity;
use crate::db::options::Location;
use crate::db::reader::Reader;
use crate::db::store::Store;
use crate::tables::intern::SUMMARY_SCHEME;
use crate::tables::project::ProjectId;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The size of a store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// Entries of all kinds.
    pub entries: i64,
    /// Hints among them, including expired ones that are not swept yet.
    pub hints: i64,
    /// The position of the newest change.
    pub feed_head: i64,
    /// The position up to which the feed was trimmed.
    pub feed_floor: i64,
    /// Bytes of the database.
    pub database_bytes: u64,
    /// Bytes of the WAL next to it.
    pub wal_bytes: u64,
    /// The schema version.
    pub schema_version: i64,
}

impl Store {
    /// Counts the rows. The time grows with the store: some 30 ms per million entries.
    pub fn stats(&self) -> Result<StoreStats, StoreError> {
        let (database_bytes, wal_bytes) = self.bytes()?;
        self.read(|reader| {
            let count = |sql: &str| -> Result<i64, StoreError> {
                Ok(reader.sql(sql)?.query_row([], |row| row.get(0))?)
            };
            Ok(StoreStats {
                entries: count("SELECT count(*) FROM entry")?,
                hints: count("SELECT count(*) FROM hint")?,
                feed_head: reader.feed_head()?,
                feed_floor: reader.feed_floor()?,
                database_bytes,
                wal_bytes,
                schema_version: count("PRAGMA user_version")?,
            })
        })
    }

    /// The problems of the database; none if it is intact. Reads all of it, and compares every
    /// index with its table, row by row.
    ///
    /// Besides damaged pages, these are things that this program would not have written: another
    /// schema, numbers out of range, an unreadable session.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        self.problems("PRAGMA integrity_check(20)")
    }

    /// Like [`Self::check`], in a fraction of the time: of an index, only the number of its rows is
    /// compared with its table.
    pub fn check_quickly(&self) -> Result<Vec<String>, StoreError> {
        self.problems("PRAGMA quick_check(20)")
    }

    fn problems(&self, pages: &str) -> Result<Vec<String>, StoreError> {
        let connection = self.connection()?;
        connection.begin_read()?;
        let mut findings: Vec<String> =
            connection.raw().prepare(pages)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        findings.retain(|finding| finding != "ok");
        for look in [dangling, integrity::findings] {
            match look(connection.raw()) {
                Ok(more) => findings.extend(more),
                // Damaged pages cannot be examined, and are already listed.
                Err(error) if error.is_damage() && !findings.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(findings)
    }

    fn bytes(&self) -> Result<(u64, u64), StoreError> {
        match &self.options.location {
            Location::File(path) => {
                let size = |path| fs::metadata(path).map_or(0, |found| found.len());
                Ok((size(path.clone()), size(beside(path, "-wal"))))
            }
            Location::Memory => {
                let connection = self.connection()?;
                let pragma = |name| connection.raw().query_row(name, [], |row| row.get::<_, i64>(0));
                Ok(((pragma("PRAGMA page_count")? * pragma("PRAGMA page_size")?).unsigned_abs(), 0))
            }
        }
    }
}

/// References to missing rows.
fn dangling(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut dangling = conn.prepare("PRAGMA foreign_key_check")?;
    let findings = dangling.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!("a row of {table} refers to a missing row of {parent}"))
    })?;
    Ok(findings.collect::<Result<_, _>>()?)
}

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

pub(crate) const OF_KIND_BETWEEN: &str =
    "SELECT count(*) FROM observation WHERE kind = ?1 AND at >= ?2 AND at < ?3";

impl Reader<'_> {
    /// How many prompts and observations are stored from each of some days, that of `last` being
    /// the last one. Days are those of UTC. The time grows with the rows of these days and with all
    /// prompts: some 50 ms per million.
    pub fn stored_by_day(&self, last: Timestamp, days: u32) -> Result<Vec<i64>, StoreError> {
        let end = (last.as_millis().div_euclid(DAY_MS) + 1) * DAY_MS;
        let begin = end - i64::from(days) * DAY_MS;
        let mut counts = Vec::new();
        let mut observations = self.sql(OF_KIND_BETWEEN)?;
        for day in (begin..end).step_by(DAY_MS as usize) {
            let mut count = 0;
            for kind in ObservationKind::ALL {
                count +=
                    observations.query_row((kind.number(), day, day + DAY_MS), |row| row.get::<_, i64>(0))?;
            }
            counts.push(count);
        }
        let mut prompts = self.sql("SELECT at FROM prompt WHERE at >= ?1 AND at < ?2")?;
        let mut prompts = prompts.query((begin, end))?;
        while let Some(row) = prompts.next()? {
            let day = (row.get::<_, i64>(0)? - begin) / DAY_MS;
            if let Some(count) = usize::try_from(day).ok().and_then(|day| counts.get_mut(day)) {
                *count += 1;
            }
        }
        Ok(counts)
    }

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

//! The sessions of agents, by the ids of their agent programs.

pub(super) mod activity;
pub(super) mod row;

pub use row::{Activity, SessionId, SessionRow, SessionState};

use nudge_core::{EntryId, Timestamp};
use rusqlite::named_params;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::project::ProjectId;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// A session in which something happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SessionSeen<'d> {
    /// The agent program's session id.
    pub name: &'d str,
    /// The agent program.
    pub harness: &'d str,
    /// The agent program's version.
    pub harness_version: Option<&'d str>,
    /// The project, used if the session is new.
    pub project: ProjectId,
    /// The session that started it.
    pub parent: Option<&'d str>,
    /// Whether it runs without a user watching.
    pub headless: Option<bool>,
    /// When it happened.
    pub at: Timestamp,
}

macro_rules! select_session {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, harness, harness_version, project_id, parent, headless, started_at, ended_at,
                    end_reason, summarised_at, worktree, entry_id, state, active_at, idle_at, observed_at, tool_count,
                    outside_at, asked_at
               FROM agent_session ",
            $rest
        )
    };
}

pub(crate) const BY_NAME: &str = select_session!("WHERE name = ?1");

/// How many of a project's newest sessions are examined, and among how many of them a prompt alone
/// is enough.
const LOOKED_AT: u32 = 500;
const MAX_WITH_PROMPTS_ONLY: u32 = 20;

impl Reader<'_> {
    /// When each agent program was last active.
    pub fn last_seen_harnesses(&self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let sql = "SELECT harness, max(coalesce(active_at, started_at)) FROM agent_session GROUP BY harness";
        let mut found = self.sql(sql)?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, Timestamp::from_millis(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The session with the agent program's own id.
    pub fn agent_session_by_name(&self, name: &str) -> Result<Option<SessionRow>, StoreError> {
        self.first(BY_NAME, [name])
    }

    /// One session.
    pub fn agent_session(&self, id: SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.first(select_session!("WHERE id = ?1"), [id.0])
    }

    /// The sessions of a project, newest first.
    pub fn agent_sessions_of(&self, project: ProjectId, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let sql = select_session!("WHERE project_id = ?1 ORDER BY started_at DESC, id DESC LIMIT ?2");
        self.all(sql, (project.0, limit))
    }

    /// The sessions of an agent program that began last, in any project. Only the newest few
    /// hundred of all are examined.
    pub fn newest_sessions_by(&self, harness: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.all(select_session!(
            "WHERE id > (SELECT max(id) FROM agent_session) - 500 AND harness = ?1 ORDER BY id DESC LIMIT ?2"
        ), (harness, limit))
    }

    /// The sessions of a project with prompts or actions, newest first. Only the newest few hundred
    /// of all are examined.
    pub fn busy_sessions_of(&self, project: ProjectId, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.newest_of(project, limit, LOOKED_AT, None)
    }

    /// Those that began before another session, newest first. Only the newest few hundred of all
    /// that did are examined.
    pub fn busy_sessions_before(
        &self,
        project: ProjectId,
        limit: u32,
        session: &SessionRow,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.newest_of(project, limit, LOOKED_AT, Some(session))
    }

    /// The sessions of a project with actions, newest first; among the newest few, also those with
    /// prompts only. Only the newest few hundred of all are examined.
    pub fn working_sessions_of(&self, project: ProjectId, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.newest_of(project, limit, MAX_WITH_PROMPTS_ONLY, None)
    }

    /// The newest sessions with actions or, among the newest `only_prompts`, with prompts only; all
    /// of them before `than`.
    fn newest_of(
        &self,
        project: ProjectId,
        limit: u32,
        only_prompts: u32,
        than: Option<&SessionRow>,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let (at, id) =
            than.map_or((i64::MAX, i64::MAX), |session| (session.started_at.as_millis(), session.id.0));
        self.all(
            select_session!(
                "WHERE id IN (SELECT id FROM agent_session
                           WHERE project_id = ?1 AND (started_at, id) < (?5, ?6)
                           ORDER BY started_at DESC, id DESC LIMIT ?4)
               AND (EXISTS (SELECT 1 FROM observation o
                             WHERE o.session_id = agent_session.id AND o.kind NOT IN (8, 9, 11))
                    OR (id IN (SELECT id FROM agent_session
                                WHERE project_id = ?1 AND (started_at, id) < (?5, ?6)
                                ORDER BY started_at DESC, id DESC LIMIT ?3)
                        AND EXISTS (SELECT 1 FROM prompt p WHERE p.session_id = agent_session.id)))
             ORDER BY started_at DESC, id DESC LIMIT ?2"
            ),
            (project.0, limit, only_prompts, LOOKED_AT, at, id),
        )
    }

    /// Sessions after the given one, by id, for iterating over all of them.
    pub fn agent_sessions_after(&self, id: SessionId, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.all(select_session!("WHERE id > ?1 ORDER BY id LIMIT ?2"), (id.0, limit))
    }
}

impl Writer<'_> {
    /// The session in which something happened; created with its entry if it is new. Missing
    /// details are filled in, and an older event moves its beginning back. A session that has ended
    /// stays ended: see [`Writer::reopen_session`].
    pub fn enter_session(&self, seen: &SessionSeen<'_>) -> Result<SessionRow, StoreError> {
        let known = self.interned.borrow().sessions.get(seen.name).cloned();
        let known = known.map_or_else(|| self.agent_session_by_name(seen.name), |row| Ok(Some(row)))?;
        let row = match known {
            Some(row) => self.return_to_session(row, seen)?,
            None => self.begin_agent_session(seen)?,
        };
        self.interned.borrow_mut().sessions.insert(seen.name.to_owned(), row.clone());
        Ok(row)
    }

    fn return_to_session(
        &self,
        mut row: SessionRow,
        seen: &SessionSeen<'_>,
    ) -> Result<SessionRow, StoreError> {
        let learned = (row.harness_version.is_none() && seen.harness_version.is_some())
            || (row.parent.is_none() && seen.parent.is_some())
            || (row.headless.is_none() && seen.headless.is_some());
        if learned || seen.at < row.started_at {
            row.harness_version = row.harness_version.or_else(|| seen.harness_version.map(Into::into));
            row.parent = row.parent.or_else(|| seen.parent.map(Into::into));
            row.headless = row.headless.or(seen.headless);
            row.started_at = row.started_at.min(seen.at);
            self.sql(
                "UPDATE agent_session
                    SET harness_version = :version, parent = :parent, headless = :headless,
                        started_at = :started_at
                  WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": row.id.0, ":version": row.harness_version, ":parent": row.parent,
                ":headless": row.headless, ":started_at": row.started_at.as_millis(),
            })?;
        }
        Ok(row)
    }

    /// Stores the worktree of a session.
    pub fn note_worktree(&self, id: SessionId, worktree: Option<&str>) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET worktree = ?2 WHERE id = ?1 AND worktree IS NOT ?2")?
            .execute((id.0, worktree.map(secret_guard::redacted)))?;
        Ok(())
    }

    /// Stores when the agent of a session first read text from outside. An earlier time stays.
    pub fn note_outside(&self, id: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET outside_at = ?2 WHERE id = ?1 AND outside_at IS NULL")?
            .execute((id.0, at.as_millis()))?;
        Ok(())
    }

    /// Stores the time of the prompt at which the agent of a session was asked for a rule.
    pub fn note_asked(&self, id: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET asked_at = ?2 WHERE id = ?1")?.execute((id.0, at.as_millis()))?;
        Ok(())
    }

    /// Stores how far the summary of a session goes: up to which time and which entry.
    pub fn mark_summarised(&self, id: SessionId, upto: Timestamp, newest: EntryId) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET summarised_at = ?2, summarised_entry = ?3 WHERE id = ?1")?
            .execute((id.0, upto.as_millis(), newest.0))?;
        Ok(())
    }

    fn begin_agent_session(&self, seen: &SessionSeen<'_>) -> Result<SessionRow, StoreError> {
        let id = self
            .sql(
                "INSERT INTO agent_session (name, harness, harness_version, project_id, parent, headless, started_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .insert((
                seen.name,
                seen.harness,
                seen.harness_version,
                seen.project.0,
                seen.parent,
                seen.headless,
                seen.at.as_millis(),
            ))?;
        let mut row = SessionRow {
            id: SessionId(id),
            name: seen.name.to_owned(),
            harness: seen.harness.to_owned(),
            harness_version: seen.harness_version.map(Into::into),
            project: seen.project,
            parent: seen.parent.map(Into::into),
            headless: seen.headless,
            started_at: seen.at,
            ended_at: None,
            end_reason: None,
            summarised_at: None,
            worktree: None,
            outside_at: None,
            asked_at: None,
            activity: Activity::default(),
        };
        row.activity.entry = Some(self.make_session_entry(&row, seen.at)?);
        Ok(row)
    }
}

//! The state of a session: busy or idle, ended or resumed. Every change is a change of the
//! session's entry, so that it reaches the feed.

use nudge_core::{EntryId, Provenance, Source, Tier, Timestamp};
use rusqlite::OptionalExtension;
use serde_json::Map;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::row::{SessionId, SessionRow, SessionState};
use crate::tables::entry::Record;
use crate::tables::feed::ChangeKind;
use crate::tables::intern::SESSION_SCHEME;
use crate::tables::project::row::ProjectId;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

impl Reader<'_> {
    /// For each project, how many sessions the user has not looked at since their agents stopped.
    pub fn unobserved_sessions(&self) -> Result<Vec<(ProjectId, u64)>, StoreError> {
        let mut found = self.sql(
            "SELECT project_id, count(*) FROM agent_session
              WHERE idle_at IS NOT NULL AND (observed_at IS NULL OR observed_at < idle_at) AND parent IS NULL
              GROUP BY project_id",
        )?;
        let rows = found.query_map([], |row| Ok((ProjectId(row.get(0)?), row.get::<_, u32>(1)?.into())))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// When something last happened in a session, whether or not it left a row.
    pub fn last_activity(&self, session: &SessionRow) -> Result<Timestamp, StoreError> {
        let kept = self.last_in_session(session.id)?;
        let seen = session.activity.active_at.max(session.activity.idle_at);
        Ok(kept.max(seen).unwrap_or(session.started_at).max(session.started_at))
    }
}

impl Writer<'_> {
    /// Stores the state of a session's agent.
    pub fn set_session_state(
        &self,
        session: &SessionRow,
        state: SessionState,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql(
            "UPDATE agent_session SET state = ?2, idle_at = CASE WHEN ?3 THEN ?4 ELSE idle_at END WHERE id = ?1",
        )?
        .execute((session.id.0, state as i64, state == SessionState::Idle, at.as_millis()))?;
        let kind = match state {
            SessionState::Idle => ChangeKind::Idle,
            SessionState::Busy => ChangeKind::Busy,
            SessionState::Resumed => ChangeKind::Updated,
        };
        self.note_session_change(session, kind, at)
    }

    /// Appends a change to the feed that changes no column of the session.
    pub fn note_session_change(
        &self,
        session: &SessionRow,
        kind: ChangeKind,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let entry = self.entry_of_session(session, at)?;
        self.touch_entry(entry, kind, at)
    }

    /// Stores that something happened in a session without leaving a row.
    pub fn note_activity(&self, id: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET active_at = ?2 WHERE id = ?1 AND ifnull(active_at, 0) < ?2")?
            .execute((id.0, at.as_millis()))?;
        Ok(())
    }

    /// Stores that the user has looked at a session.
    pub fn observe_session(&self, session: &SessionRow, at: Timestamp) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET observed_at = ?2 WHERE id = ?1")?
            .execute((session.id.0, at.as_millis()))?;
        self.note_session_change(session, ChangeKind::Observed, at)
    }

    /// Sets how many tools the agent of a session has used since the last check-in.
    pub fn set_tool_count(&self, id: SessionId, count: i64) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET tool_count = ?2 WHERE id = ?1")?.execute((id.0, count.max(0)))?;
        Ok(())
    }

    /// Stores that a session ended.
    pub fn close_session(
        &self,
        session: &SessionRow,
        reason: Option<&str>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql(
            "UPDATE agent_session SET ended_at = ?2, end_reason = ?3, state = 0,
                    idle_at = CASE WHEN state = 1 THEN ?2 ELSE idle_at END WHERE id = ?1",
        )?
        .execute((session.id.0, at.as_millis(), reason.map(secret_guard::redacted)))?;
        self.note_session_change(session, ChangeKind::Ended, at)
    }

    /// Stores that an ended session continues.
    pub fn reopen_session(&self, session: &SessionRow, at: Timestamp) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET ended_at = NULL, end_reason = NULL WHERE id = ?1")?
            .execute([session.id.0])?;
        self.note_session_change(session, ChangeKind::Updated, at)
    }

    /// The entry of a session; created if it has none yet.
    pub fn entry_of_session(&self, session: &SessionRow, at: Timestamp) -> Result<EntryId, StoreError> {
        let known: Option<Option<i64>> = self
            .sql(
                "SELECT (SELECT e.id FROM entry e WHERE e.id = a.entry_id) FROM agent_session a WHERE a.id = ?1",
            )?
            .query_row([session.id.0], |row| row.get(0))
            .optional()?;
        match known.flatten() {
            Some(id) => Ok(EntryId(id)),
            None => self.make_session_entry(session, at),
        }
    }

    pub(super) fn make_session_entry(
        &self,
        session: &SessionRow,
        at: Timestamp,
    ) -> Result<EntryId, StoreError> {
        let path = session.path();
        let provenance = Provenance {
            source: Source::ToolOutput,
            tier: Tier::System,
            client: Some(session.harness.clone()),
            session: Some(session.name.clone()),
            project: None,
            machine: None,
        };
        let (id, version) = self.store(&Record {
            scope: &session.scope(),
            path: &path,
            body: "",
            attributes: &Map::new(),
            provenance: &provenance,
            history: None,
            now: at,
        })?;
        self.sql("UPDATE agent_session SET entry_id = ?2 WHERE id = ?1")?.execute((session.id.0, id.0))?;
        self.append(id, SESSION_SCHEME, ChangeKind::Created, version, at)?;
        Ok(id)
    }

    /// Removes the entry of a session and everything in its scope.
    pub(crate) fn remove_scope_of_session(
        &self,
        session: &SessionRow,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        for entry in self.entries_in(&session.scope(), None)? {
            self.delete_entry(entry.id, now)?;
        }
        Ok(())
    }
}

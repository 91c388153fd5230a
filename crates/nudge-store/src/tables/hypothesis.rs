//! Hypotheses, found by session, by project and by outcome. Their texts are in their entries.

use nudge_core::hypothesis::{Domain, RootCause, Status, Strategy};
use nudge_core::{Entry, EntryId, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::entry::select_entry;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// The searchable facts of a hypothesis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HypothesisRow {
    /// Its entry.
    pub entry: EntryId,
    /// The project it is about.
    pub project: ProjectId,
    /// The session that works or worked on it.
    pub session: SessionId,
    /// Its status.
    pub status: Status,
    /// The kind of work it belongs to.
    pub domain: Domain,
    /// The approach.
    pub strategy: Strategy,
    /// Why it was wrong; `None` if it was not.
    pub root_cause: Option<RootCause>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was resolved.
    pub resolved_at: Option<Timestamp>,
}

/// Which hypotheses to list. All given conditions must be true.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct HypothesisFilter {
    /// Of this project.
    pub project: Option<ProjectId>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// With this status.
    pub status: Option<Status>,
    /// Of this kind of work.
    pub domain: Option<Domain>,
    /// With this approach.
    pub strategy: Option<Strategy>,
    /// Created at or after this time.
    pub since: Option<Timestamp>,
}

pub(crate) const ACTIVE_HYPOTHESES: &str =
    "SELECT entry_id FROM hypothesis WHERE session_id = ?1 AND status = 0 LIMIT 1";

pub(crate) const ACTIVE_IN: &str = select_entry!(
    "",
    "hypothesis h CROSS JOIN entry e ON e.id = h.entry_id",
    "WHERE h.project_id = ?1 AND h.status = 0 ORDER BY h.created_at DESC LIMIT ?2"
);

const HYPOTHESIS_COLUMNS: &str =
    "SELECT h.entry_id, h.project_id, h.session_id, h.status, h.domain, h.strategy, h.root_cause,
            h.created_at, h.resolved_at FROM hypothesis h";

impl Reader<'_> {
    /// The hypothesis that a session works on.
    pub fn active_hypothesis(&self, session: SessionId) -> Result<Option<EntryId>, StoreError> {
        let found: Option<i64> =
            self.sql(ACTIVE_HYPOTHESES)?.query_row([session.0], |row| row.get(0)).optional()?;
        Ok(found.map(EntryId))
    }

    /// The hypotheses of a project that are not resolved, newest first.
    pub fn active_hypotheses_in(&self, project: ProjectId, limit: u32) -> Result<Vec<Entry>, StoreError> {
        self.all(ACTIVE_IN, (project.0, limit))
    }

    /// One hypothesis.
    pub fn hypothesis(&self, id: EntryId) -> Result<Option<HypothesisRow>, StoreError> {
        self.first(&format!("{HYPOTHESIS_COLUMNS} WHERE h.entry_id = ?1"), [id.0])
    }

    /// Hypotheses, newest first.
    pub fn hypotheses(&self, filter: HypothesisFilter, limit: u32) -> Result<Vec<HypothesisRow>, StoreError> {
        self.all(
            &format!(
                "{HYPOTHESIS_COLUMNS} WHERE (?1 IS NULL OR h.project_id = ?1) AND (?2 IS NULL OR h.session_id = ?2)
               AND (?3 IS NULL OR h.status = ?3) AND (?4 IS NULL OR h.domain = ?4)
               AND (?5 IS NULL OR h.strategy = ?5) AND (?6 IS NULL OR h.created_at >= ?6)
             ORDER BY h.created_at DESC, h.entry_id DESC LIMIT ?7"
            ),
            (
                filter.project.map(|project| project.0),
                filter.session.map(|session| session.0),
                filter.status.map(Status::number),
                filter.domain.map(Domain::number),
                filter.strategy.map(Strategy::number),
                filter.since.map(Timestamp::as_millis),
                limit,
            ),
        )
    }
}

impl Writer<'_> {
    /// Stores the searchable facts of a hypothesis.
    pub fn put_hypothesis(&self, row: &HypothesisRow) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO hypothesis
                 (entry_id, project_id, session_id, status, domain, strategy, root_cause, created_at, resolved_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (entry_id) DO UPDATE SET
                 project_id = excluded.project_id, session_id = excluded.session_id, status = excluded.status,
                 strategy = excluded.strategy, root_cause = excluded.root_cause, resolved_at = excluded.resolved_at",
        )?
        .execute((
            row.entry.0,
            row.project.0,
            row.session.0,
            row.status.number(),
            row.domain.number(),
            row.strategy.number(),
            row.root_cause.map(RootCause::number),
            row.created_at.as_millis(),
            row.resolved_at.map(Timestamp::as_millis),
        ))?;
        Ok(())
    }
}

impl FromRow for HypothesisRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        let number = |column| row.get::<_, u8>(column);
        let root_cause: Option<u8> = row.get(6)?;
        Ok(Self {
            entry: EntryId(id),
            project: ProjectId(row.get(1)?),
            session: SessionId(row.get(2)?),
            status: Status::from_number(number(3)?).ok_or_else(|| unreadable("status"))?,
            domain: Domain::from_number(number(4)?).ok_or_else(|| unreadable("domain"))?,
            strategy: Strategy::from_number(number(5)?).ok_or_else(|| unreadable("strategy"))?,
            root_cause: root_cause.and_then(RootCause::from_number),
            created_at: Timestamp::from_millis(row.get(7)?),
            resolved_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        })
    }
}

//! How viewers see entries: one row for each entry that a project, session or run has in view.

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::{EntryId, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::writer::Writer;

/// How one viewer sees one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// The entry.
    pub entry: EntryId,
    /// How much of it the viewer sees.
    pub visibility: Visibility,
    /// Its state for this viewer.
    pub state: EntryState,
    /// Why it failed or was cancelled.
    pub outcome: Option<String>,
    /// A short description that stays when the visibility changes.
    pub summary: Option<String>,
    /// The turn of the last write; 0 outside of runs.
    pub turn: i64,
    /// The loop of the last write; 0 outside of runs.
    pub in_loop: i64,
    /// How often this viewer wrote the entry.
    pub write_count: i64,
}

/// A change of how a viewer sees an entry. A field that is `None` keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewChange {
    /// The new visibility; [`Visibility::Visible`] for a new row.
    pub visibility: Option<Visibility>,
    /// The new state, with its outcome; [`EntryState::Resolved`] for a new row.
    pub state: Option<(EntryState, Option<String>)>,
    /// The new description.
    pub summary: Option<String>,
    /// The turn and loop of the change; kept if unknown.
    pub turn: Option<(i64, i64)>,
    /// Whether the viewer wrote the entry.
    pub is_write: bool,
}

macro_rules! select_view {
    ($rest:literal) => {
        concat!(
            "SELECT v.entry_id, v.visibility, v.state, v.outcome, v.summary, v.turn, v.loop, v.write_count
               FROM entry_view v ",
            $rest
        )
    };
}

pub(crate) const OF_ENTRY: &str = select_view!(
    "WHERE v.entry_id = ?3 AND v.viewer_id = (SELECT id FROM scope WHERE kind = ?1 AND key = ?2)"
);

pub(crate) const OF_VIEWER: &str = select_view!(
    "WHERE v.viewer_id = (SELECT id FROM scope WHERE kind = ?1 AND key = ?2) ORDER BY v.entry_id"
);

pub(crate) const OTHER_VIEWERS: &str = "SELECT 1 FROM entry_view v CROSS JOIN scope s ON s.id = v.viewer_id
      WHERE v.entry_id = ?3 AND (s.kind <> ?1 OR s.key <> ?2)";

pub(crate) const OTHER_RUNS: &str = "SELECT s.key FROM entry_view v CROSS JOIN scope s ON s.id = v.viewer_id
      WHERE v.entry_id = ?2 AND s.kind = 'run' AND s.key <> ?1";

impl Reader<'_> {
    /// How a viewer sees an entry; `None` if it does not have it in view.
    pub fn view(&self, viewer: &Scope, id: EntryId) -> Result<Option<ViewRow>, StoreError> {
        self.first(OF_ENTRY, (viewer.kind(), viewer.key(), id.0))
    }

    /// Everything that a viewer has in view, oldest entry first.
    pub fn views(&self, viewer: &Scope) -> Result<Vec<ViewRow>, StoreError> {
        self.all(OF_VIEWER, (viewer.kind(), viewer.key()))
    }

    /// Whether anybody but this viewer has an entry in view.
    pub fn has_other_viewers(&self, viewer: &Scope, id: EntryId) -> Result<bool, StoreError> {
        let mut found = self.sql(OTHER_VIEWERS)?;
        Ok(found.exists((viewer.kind(), viewer.key(), id.0))?)
    }

    /// The runs besides this viewer that have an entry in view.
    pub fn other_runs_viewing(&self, viewer: &Scope, id: EntryId) -> Result<Vec<Scope>, StoreError> {
        let mut found = self.sql(OTHER_RUNS)?;
        let rows = found.query_map((viewer.key(), id.0), |row| Ok(Scope::Run(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Gives a viewer another entry in place of one that it has in view; how it sees it stays.
    pub fn move_view(&self, viewer: &Scope, from: EntryId, to: EntryId) -> Result<(), StoreError> {
        let viewer = self.scope_id(viewer)?;
        self.sql("UPDATE OR REPLACE entry_view SET entry_id = ?3 WHERE viewer_id = ?1 AND entry_id = ?2")?
            .execute((viewer, from.0, to.0))?;
        Ok(())
    }

    /// Changes how a viewer sees an entry, and puts the entry into its view if it was not there.
    pub fn change_view(
        &self,
        viewer: &Scope,
        id: EntryId,
        change: &ViewChange,
        now: Timestamp,
    ) -> Result<ViewRow, StoreError> {
        let viewer_id = self.scope_id(viewer)?;
        let (state, outcome) = match &change.state {
            Some((state, outcome)) => (Some(state.code()), outcome.as_deref()),
            None => (None, None),
        };
        let mut changed = self.sql(
            "INSERT INTO entry_view AS v (viewer_id, entry_id, visibility, state, outcome, summary, turn, loop,
                                          write_count, created_at, updated_at)
             VALUES (?1, ?2, coalesce(?3, 2), coalesce(?4, 2), ?5, ?6, coalesce(?7, 0), coalesce(?8, 0), ?9,
                     ?10, ?10)
             ON CONFLICT (viewer_id, entry_id) DO UPDATE SET
                 visibility  = coalesce(?3, visibility),
                 outcome     = CASE WHEN ?4 IS NULL THEN outcome ELSE ?5 END,
                 state       = coalesce(?4, state),
                 summary     = coalesce(?6, summary),
                 turn        = coalesce(?7, turn),
                 loop        = coalesce(?8, loop),
                 write_count = write_count + ?9,
                 updated_at  = ?10
             RETURNING entry_id, visibility, state, outcome, summary, turn, loop, write_count",
        )?;
        let mut rows = changed.query((
            viewer_id,
            id.0,
            change.visibility.map(Visibility::code),
            state,
            outcome,
            change.summary.as_deref(),
            change.turn.map(|(turn, _)| turn),
            change.turn.map(|(_, in_loop)| in_loop),
            i64::from(change.is_write),
            now.as_millis(),
        ))?;
        let row = rows.next()?.ok_or(StoreError::NoEntry(id))?;
        ViewRow::from_row(row)
    }

    /// Takes an entry out of a viewer's view, and returns whether it was there. The entry stays.
    pub fn remove_view(&self, viewer: &Scope, id: EntryId) -> Result<bool, StoreError> {
        let viewer_id = self.scope_id(viewer)?;
        let removed = self
            .sql("DELETE FROM entry_view WHERE viewer_id = ?1 AND entry_id = ?2")?
            .execute((viewer_id, id.0))?;
        Ok(removed > 0)
    }

    /// Gives a new viewer the rows of another. Bodies are not copied, and states stay as they are.
    pub fn fork_views(&self, from: &Scope, to: &Scope, now: Timestamp) -> Result<usize, StoreError> {
        let (from, to) = (self.scope_id(from)?, self.scope_id(to)?);
        Ok(self
            .sql(
                "INSERT OR IGNORE INTO entry_view (viewer_id, entry_id, visibility, state, outcome, summary, turn,
                                                   loop, write_count, created_at, updated_at)
                 SELECT ?2, entry_id, visibility, CASE WHEN state < 2 THEN 4 ELSE state END,
                        CASE WHEN state < 2 THEN 'aborted' ELSE outcome END, summary, turn, loop, write_count,
                        ?3, ?3
                   FROM entry_view WHERE viewer_id = ?1",
            )?
            .execute((from, to, now.as_millis()))?)
    }

    /// Shows less of everything that a viewer wrote or promoted in a turn: visible becomes
    /// summarized. States stay. Returns how many rows changed.
    pub fn demote_turn(&self, viewer: &Scope, turn: i64, now: Timestamp) -> Result<usize, StoreError> {
        let viewer_id = self.scope_id(viewer)?;
        Ok(self
            .sql(
                "UPDATE entry_view SET visibility = 1, updated_at = ?3
                  WHERE viewer_id = ?1 AND turn = ?2 AND visibility = 2",
            )?
            .execute((viewer_id, turn, now.as_millis()))?)
    }
}

impl Reader<'_> {
    /// The scope with this id.
    pub fn scope_by_id(&self, id: i64) -> Result<Option<Scope>, StoreError> {
        let mut found = self.sql("SELECT kind, key FROM scope WHERE id = ?1")?;
        let parts: Option<(String, String)> =
            found.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        Ok(parts.and_then(|(kind, key)| Scope::from_parts(&kind, &key)))
    }
}

impl FromRow for ViewRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        Ok(Self {
            entry: EntryId(id),
            visibility: Visibility::from_code(row.get(1)?).ok_or_else(|| unreadable("visibility"))?,
            state: EntryState::from_code(row.get(2)?).ok_or_else(|| unreadable("state"))?,
            outcome: row.get(3)?,
            summary: row.get(4)?,
            turn: row.get(5)?,
            in_loop: row.get(6)?,
            write_count: row.get(7)?,
        })
    }
}

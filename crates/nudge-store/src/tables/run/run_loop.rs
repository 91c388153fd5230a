//! Loops: the prompts of a run, answered one after another.

use nudge_core::Timestamp;
use nudge_core::run::{Mode, RunState};
use rusqlite::Row;
use serde_json::{Map, Value};

use super::RunId;
use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// The identity of a loop in one store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub i64);

/// One prompt of a run, and how far its answer is.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRow {
    /// Its id.
    pub id: LoopId,
    /// Its run.
    pub run: RunId,
    /// Its number in the run, from 1.
    pub seq: u32,
    /// What it may do.
    pub mode: Mode,
    /// The alias of its model.
    pub model: String,
    /// The path of its prompt, such as `prompt://1`.
    pub prompt: String,
    /// Its state.
    pub state: RunState,
    /// Why it ended.
    pub outcome: Option<String>,
    /// Its flags.
    pub config: Map<String, Value>,
    /// Its answer, and why it ended.
    pub result: Map<String, Value>,
    /// Its first turn; `None` until it begins.
    pub first_turn: Option<u32>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// A loop to be queued.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopDraft {
    /// Its run.
    pub run: RunId,
    /// What it may do.
    pub mode: Mode,
    /// The alias of its model.
    pub model: String,
    /// The path of its prompt.
    pub prompt: String,
    /// Its flags.
    pub config: Map<String, Value>,
}

macro_rules! select_loop {
    ($rest:literal) => {
        concat!(
            "SELECT id, run_id, seq, mode, model, prompt, state, outcome, config, result, first_turn,
                    created_at, ended_at FROM run_loop ",
            $rest
        )
    };
}

pub(crate) const FIRST_OPEN: &str = select_loop!("WHERE run_id = ?1 AND state < 3 ORDER BY seq LIMIT 1");

pub(crate) const OF_RUN: &str = select_loop!("WHERE run_id = ?1 ORDER BY seq");

impl Reader<'_> {
    /// The loop of a run that is next or under way.
    pub fn open_loop(&self, run: RunId) -> Result<Option<LoopRow>, StoreError> {
        Ok(self.some_loops(FIRST_OPEN, run)?.into_iter().next())
    }

    /// All loops of a run, in their order.
    pub fn loops(&self, run: RunId) -> Result<Vec<LoopRow>, StoreError> {
        self.some_loops(OF_RUN, run)
    }

    fn some_loops(&self, sql: &'static str, run: RunId) -> Result<Vec<LoopRow>, StoreError> {
        self.all(sql, [run.0])
    }
}

impl Writer<'_> {
    /// Queues a prompt, after those that wait already. Returns the number of its loop.
    pub fn queue_loop(&self, draft: &LoopDraft, now: Timestamp) -> Result<u32, StoreError> {
        let seq: u32 = self
            .sql("UPDATE run SET next_loop = next_loop + 1, updated_at = ?2 WHERE id = ?1 RETURNING next_loop - 1")?
            .query_row((draft.run.0, now.as_millis()), |row| row.get(0))?;
        self.sql(
            "INSERT INTO run_loop (run_id, seq, mode, model, prompt, state, config, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7)",
        )?
        .execute((
            draft.run.0,
            seq,
            draft.mode.name(),
            &draft.model,
            &draft.prompt,
            Value::Object(draft.config.clone()).to_string(),
            now.as_millis(),
        ))?;
        Ok(seq)
    }

    /// Begins a loop with its first turn.
    pub fn begin_loop(&self, id: LoopId, first_turn: u32) -> Result<(), StoreError> {
        self.sql("UPDATE run_loop SET state = 1, first_turn = coalesce(first_turn, ?2) WHERE id = ?1")?
            .execute((id.0, first_turn))?;
        Ok(())
    }

    /// Opens a loop again that ended without an answer. Turns before `from_turn` no longer count
    /// against it.
    pub fn reopen_loop(&self, id: LoopId, from_turn: u32) -> Result<(), StoreError> {
        self.sql(
            "UPDATE run_loop SET state = 1, outcome = NULL, result = NULL, ended_at = NULL,
                                 config = json_set(config, '$.resumed_at', ?2) WHERE id = ?1",
        )?
        .execute((id.0, from_turn))?;
        Ok(())
    }

    /// Changes the state of a loop that goes on.
    pub fn set_loop_state(&self, id: LoopId, state: RunState) -> Result<(), StoreError> {
        self.sql("UPDATE run_loop SET state = ?2 WHERE id = ?1")?.execute((id.0, state.code()))?;
        Ok(())
    }

    /// Ends a loop. Credentials in its result are replaced.
    pub fn end_loop(
        &self,
        id: LoopId,
        state: RunState,
        outcome: Option<&str>,
        result: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let result: Map<String, Value> = result
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => (name.clone(), secret_guard::redacted(text).into_owned().into()),
                other => (name.clone(), other.clone()),
            })
            .collect();
        self.sql("UPDATE run_loop SET state = ?2, outcome = ?3, result = ?4, ended_at = ?5 WHERE id = ?1")?
            .execute((id.0, state.code(), outcome, Value::Object(result).to_string(), now.as_millis()))?;
        Ok(())
    }
}

impl FromRow for LoopRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        let object =
            |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self {
            id: LoopId(id),
            run: RunId(row.get(1)?),
            seq: row.get(2)?,
            mode: Mode::from_name(&row.get::<_, String>(3)?).ok_or_else(|| unreadable("mode"))?,
            model: row.get(4)?,
            prompt: row.get(5)?,
            state: RunState::from_code(row.get(6)?).ok_or_else(|| unreadable("state"))?,
            outcome: row.get(7)?,
            config: object(row.get(8)?),
            result: object(row.get(9)?),
            first_turn: row.get(10)?,
            created_at: Timestamp::from_millis(row.get(11)?),
            ended_at: row.get::<_, Option<i64>>(12)?.map(Timestamp::from_millis),
        })
    }
}

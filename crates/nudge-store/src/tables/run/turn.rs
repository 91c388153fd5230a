//! Turns: one request to a model and its answer. The row is stored before the request is sent.

use nudge_core::Timestamp;
use nudge_core::run::TurnState;
use rusqlite::{OptionalExtension, Row};

use super::RunId;
use super::run_loop::LoopId;
use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::writer::Writer;

/// The identity of a turn in one store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub i64);

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// Its id.
    pub id: TurnId,
    /// Its loop.
    pub in_loop: LoopId,
    /// Its number in the run.
    pub seq: u32,
    /// Its state.
    pub state: TurnState,
    /// How many tokens its packet was estimated at.
    pub estimate: u32,
    /// How many errors it had.
    pub errors: u32,
    /// How many turns with errors in a row there were after it.
    pub strikes: u32,
    /// How many faults in the answer were healed.
    pub healed: u32,
    /// The fingerprint of its calls; `None` until it has ended.
    pub fingerprint: Option<String>,
    /// What the model reported.
    pub usage: TurnUsage,
    /// When the request was sent.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// What a turn cost, as the model reported it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnUsage {
    /// Tokens of the request.
    pub context: Option<u64>,
    /// Those of them that the provider had cached.
    pub cached: Option<u64>,
    /// Tokens of the answer.
    pub completion: Option<u64>,
    /// Those of them that were reasoning.
    pub reasoning: Option<u64>,
    /// In millionths of a dollar.
    pub cost: Option<u64>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// Its state.
    pub state: TurnState,
    /// How many errors it had.
    pub errors: u32,
    /// How many turns with errors in a row there are now.
    pub strikes: u32,
    /// The fingerprint of its calls.
    pub fingerprint: String,
}

macro_rules! select_turn {
    ($rest:literal) => {
        concat!(
            "SELECT id, loop_id, seq, state, estimate, errors, strikes, healed, fingerprint, context_tokens,
                    cached_tokens, completion_tokens, reasoning_tokens, cost, created_at, ended_at
               FROM run_turn ",
            $rest
        )
    };
}

pub(crate) const OF_LOOP: &str = select_turn!("WHERE loop_id = ?1 ORDER BY seq");
pub(crate) const OF_RUN: &str = select_turn!("WHERE run_id = ?1 ORDER BY seq");

impl Reader<'_> {
    /// The state of a turn.
    pub fn turn_state(&self, id: TurnId) -> Result<Option<TurnState>, StoreError> {
        let mut found = self.sql("SELECT state FROM run_turn WHERE id = ?1")?;
        let code: Option<i64> = found.query_row([id.0], |row| row.get(0)).optional()?;
        Ok(code.and_then(TurnState::from_code))
    }

    /// The turns of a loop, in their order.
    pub fn turns_of_loop(&self, id: LoopId) -> Result<Vec<TurnRow>, StoreError> {
        self.some_turns(OF_LOOP, id.0)
    }

    /// The turns of a run, in their order.
    pub fn turns(&self, run: RunId) -> Result<Vec<TurnRow>, StoreError> {
        self.some_turns(OF_RUN, run.0)
    }

    fn some_turns(&self, sql: &'static str, id: i64) -> Result<Vec<TurnRow>, StoreError> {
        self.all(sql, [id])
    }
}

impl Writer<'_> {
    /// Takes the next number of a run for a turn whose request is about to be sent.
    pub fn begin_turn(
        &self,
        run: RunId,
        in_loop: LoopId,
        estimate: u32,
        now: Timestamp,
    ) -> Result<(TurnId, u32), StoreError> {
        let seq: u32 = self
            .sql("UPDATE run SET next_turn = next_turn + 1, updated_at = ?2 WHERE id = ?1 RETURNING next_turn - 1")?
            .query_row((run.0, now.as_millis()), |row| row.get(0))?;
        let id: i64 = self
            .sql(
                "INSERT INTO run_turn (run_id, loop_id, seq, state, estimate, errors, strikes, healed, created_at)
                 VALUES (?1, ?2, ?3, 0, ?4, 0, 0, 0, ?5) RETURNING id",
            )?
            .query_row((run.0, in_loop.0, seq, estimate, now.as_millis()), |row| row.get(0))?;
        Ok((TurnId(id), seq))
    }

    /// Notes that the answer has come.
    pub fn answer_turn(&self, id: TurnId, usage: TurnUsage, healed: u32) -> Result<(), StoreError> {
        let number = |value: Option<u64>| value.map(|value| i64::try_from(value).unwrap_or(i64::MAX));
        self.sql(
            "UPDATE run_turn SET state = 1, context_tokens = ?2, cached_tokens = ?3, completion_tokens = ?4,
                                 reasoning_tokens = ?5, cost = ?6, healed = ?7 WHERE id = ?1",
        )?
        .execute((
            id.0,
            number(usage.context),
            number(usage.cached),
            number(usage.completion),
            number(usage.reasoning),
            number(usage.cost),
            healed,
        ))?;
        Ok(())
    }

    /// Stores an estimate of what a turn wrote, if nobody counted it.
    pub fn estimate_output(&self, id: TurnId, tokens: u32) -> Result<(), StoreError> {
        self.sql("UPDATE run_turn SET completion_tokens = coalesce(completion_tokens, ?2) WHERE id = ?1")?
            .execute((id.0, tokens))?;
        Ok(())
    }

    /// Ends a turn.
    pub fn end_turn(&self, id: TurnId, end: &TurnEnd, now: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "UPDATE run_turn SET state = ?2, errors = ?3, strikes = ?4, fingerprint = ?5, ended_at = ?6
              WHERE id = ?1",
        )?
        .execute((
            id.0,
            end.state.code(),
            end.errors,
            end.strikes,
            &end.fingerprint,
            now.as_millis(),
        ))?;
        Ok(())
    }
}

impl FromRow for TurnRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let number = |at: usize| {
            row.get::<_, Option<i64>>(at).map(|value| value.and_then(|value| u64::try_from(value).ok()))
        };
        Ok(Self {
            id: TurnId(id),
            in_loop: LoopId(row.get(1)?),
            seq: row.get(2)?,
            state: TurnState::from_code(row.get(3)?)
                .ok_or(StoreError::UnreadableRow { id, column: "state" })?,
            estimate: row.get(4)?,
            errors: row.get(5)?,
            strikes: row.get(6)?,
            healed: row.get(7)?,
            fingerprint: row.get(8)?,
            usage: TurnUsage {
                context: number(9)?,
                cached: number(10)?,
                completion: number(11)?,
                reasoning: number(12)?,
                cost: number(13)?,
            },
            created_at: Timestamp::from_millis(row.get(14)?),
            ended_at: row.get::<_, Option<i64>>(15)?.map(Timestamp::from_millis),
        })
    }
}

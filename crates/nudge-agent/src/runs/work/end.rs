//! The end of a loop.

use nudge_core::run::{RunState, TurnState};
use nudge_core::view::Visibility;
use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, TurnEnd, TurnRow, ViewChange};
use serde_json::{Map, json};

use super::loop_work::{LoopWork, parse};
use nudge_memory::memory::Memory;

impl LoopWork {
    /// Shows only the beginning of the prompt.
    pub fn demote_prompt(&self, memory: &Memory, now: Timestamp) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let writer = ctx.writer()?;
                if let Some(prompt) = writer.entry(&self.run.scope, &parse(&self.row.prompt)?)? {
                    let change =
                        ViewChange { visibility: Some(Visibility::Summarized), ..ViewChange::default() };
                    writer.change_view(&self.run.scope, prompt.id, &change, now)?;
                }
                Ok(())
            },
            now,
        )
    }

    /// Ends the loop, and the run if no other prompt waits. Returns whether another one waits.
    pub fn end_loop(
        &self,
        memory: &Memory,
        state: RunState,
        outcome: Option<&str>,
        answer: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, Fault> {
        let more = self.write(
            memory,
            Durability::Stated,
            |ctx| {
                let writer = ctx.writer()?;
                let mut result = Map::new();
                result.insert("answer".to_owned(), json!(answer));
                result.insert("reason".to_owned(), json!(reason));
                writer.end_loop(self.row.id, state, outcome, &result, now)?;
                let more = writer.open_loop(self.run.id)?.is_some();
                let current = writer.run(self.run.id)?.map(|run| run.state);
                if more && current == Some(RunState::Proposed) {
                    writer.set_run_state(self.run.id, RunState::Running, None, now)?;
                }
                if !more {
                    if current == Some(RunState::Queued) {
                        writer.set_run_state(self.run.id, RunState::Running, None, now)?;
                    }
                    // A run waits for the user in a state that cannot fail.
                    if current == Some(RunState::Proposed) && state == RunState::Failed {
                        writer.set_run_state(self.run.id, RunState::Running, None, now)?;
                    }
                    writer.set_run_state(self.run.id, state, outcome, now)?;
                }
                writer.touch(self.run.entry, now)?;
                Ok(more)
            },
            now,
        )?;
        Ok(more)
    }

    /// Ends a loop whose answer was lost with the process that waited for it. The request is not
    /// repeated: the model may have been paid for it.
    pub fn lose(&self, memory: &Memory, turn: &TurnRow, now: Timestamp) -> Result<(), Fault> {
        let reason =
            format!("the answer of turn {} was lost: the server ended, or could not store it", turn.seq);
        self.error(memory, turn.seq, "lost", (499, &reason), Visibility::Visible, now)?;
        self.lose_turn(memory, turn, now)?;
        self.end_loop(memory, RunState::Aborted, Some("lost"), "", &reason, now)?;
        Ok(())
    }

    /// Marks a turn whose answer was lost.
    fn lose_turn(&self, memory: &Memory, turn: &TurnRow, now: Timestamp) -> Result<(), Fault> {
        let end = TurnEnd {
            state: TurnState::Lost,
            errors: turn.errors,
            strikes: turn.strikes,
            fingerprint: String::new(),
        };
        self.end_turn(memory, turn.id, &end, now)
    }
}

//! The begin of a loop: its prompt comes into view, with what memory and files have on it.

use std::path::Path;

use nudge_core::run::RunState;
use nudge_core::view::{EntryState, Visibility};
use nudge_core::{Fault, Timestamp};
use nudge_store::{Durability, ViewChange, Writer};
use serde_json::{Map, json};

use super::loop_work::{LoopWork, parse};
use crate::runs::gather::{Show, gather};
use crate::runs::log::{self, Record};
use crate::runs::materialize;
use crate::runs::search_files::{self, FileSearch};
use nudge_memory::entries::constraints_of;
use nudge_memory::memory::Memory;

/// How many files a question is answered with.
const FILES_MOST: usize = 5;

impl LoopWork {
    /// Begins a new loop: the prompt comes into view, with what memory and files have on it.
    /// `tokens` is how much of that may be shown whole.
    pub fn begin(&self, memory: &Memory, tools: &[&str], tokens: u32, now: Timestamp) -> Result<(), Fault> {
        if self.row.state == RunState::Running {
            return self.write(memory, Durability::Passive, |ctx| self.running(ctx.writer()?, now), now);
        }
        let files = self.search_files(memory, &self.prompt, now)?;
        self.write(
            memory,
            Durability::Stated,
            |ctx| {
                let writer = ctx.writer()?;
                self.running(writer, now)?;
                writer.begin_loop(self.row.id, self.run.next_turn)?;
                self.write_instructions(writer, tools, now)?;
                self.show_prompt(writer, now)?;
                if !self.flags().no_search {
                    let gathered =
                        gather(ctx, &self.alias(ctx)?, &self.prompt, &files, Show::within(tokens))?;
                    self.log_gathered(writer, &gathered.text, gathered.count, now)?;
                }
                Ok(())
            },
            now,
        )?;
        Ok(())
    }

    fn running(&self, writer: &Writer<'_>, now: Timestamp) -> Result<(), Fault> {
        let state = writer.run(self.run.id)?.map(|run| run.state);
        // One that waits for the user still waits, whoever drives it now.
        let may_go_on = |state: RunState| state != RunState::Proposed && state.may_become(RunState::Running);
        if state.is_some_and(may_go_on) {
            writer.set_run_state(self.run.id, RunState::Running, None, now)?;
        }
        writer.touch(self.run.entry, now)?;
        Ok(())
    }

    fn write_instructions(&self, writer: &Writer<'_>, tools: &[&str], now: Timestamp) -> Result<(), Fault> {
        let mut attributes = Map::new();
        attributes.insert("persona".to_owned(), json!(self.run.persona));
        attributes.insert("toolSet".to_owned(), json!(tools));
        self.audit(writer, "instructions://system", "", attributes, now)?;
        Ok(())
    }

    fn show_prompt(&self, writer: &Writer<'_>, now: Timestamp) -> Result<(), Fault> {
        let path = parse(&self.row.prompt)?;
        let Some(prompt) = writer.entry(&self.run.scope, &path)? else { return Err(materialize::gone()) };
        let change = ViewChange {
            visibility: Some(Visibility::Visible),
            turn: Some((i64::from(self.run.next_turn), i64::from(self.row.seq))),
            is_write: true,
            ..ViewChange::default()
        };
        writer.change_view(&self.run.scope, prompt.id, &change, now)?;
        Ok(())
    }

    fn log_gathered(
        &self,
        writer: &Writer<'_>,
        text: &str,
        count: usize,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let turn = (self.run.next_turn, self.row.seq);
        let path = parse(&format!("log://turn_{}/search/prompt", turn.0))?;
        let mut attributes = Map::new();
        attributes.insert("tool".to_owned(), json!("search"));
        attributes.insert("target".to_owned(), json!("the prompt"));
        attributes.insert("found".to_owned(), json!(count));
        let state = (EntryState::Resolved, None);
        let visibility = Visibility::Visible;
        let record = Record { path: &path, body: text, attributes, state, visibility, turn };
        log::write(writer, &self.run, record, log::by_nudge(&self.run), now)?;
        Ok(())
    }

    /// The files with the words of a question. Nothing if the loop leaves files out.
    pub(in crate::runs) fn search_files(
        &self,
        memory: &Memory,
        question: &str,
        now: Timestamp,
    ) -> Result<FileSearch, Fault> {
        let Some(root) = self.run.root.as_deref().filter(|_| !self.flags().no_repo) else {
            return Ok(FileSearch::default());
        };
        let constraints = constraints_of(memory, &self.caller(0, now))?;
        Ok(search_files::search(Path::new(root), constraints, question, FILES_MOST))
    }
}

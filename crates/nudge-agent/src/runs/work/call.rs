//! The record of a call: written before the call is carried out, ended after it.

use nudge_core::view::{EntryState, Visibility, status_of};
use nudge_core::{EntryPath, Fault, Timestamp};
use nudge_grammar::Call;
use nudge_store::{Durability, Writer};
use serde_json::{Map, Value, json};

use super::loop_work::LoopWork;
use crate::runs::log::{self, Record};
use nudge_memory::memory::Memory;

/// A call of the model, as it is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCall {
    /// The call.
    pub call: Call,
    /// The path of its record.
    pub path: EntryPath,
    /// Why it is not carried out: the outcome, and a sentence.
    pub rejection: Option<(String, String)>,
}

/// A question that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCall {
    /// The path of its record.
    pub path: String,
    /// How it was settled: 200 answered, 403 rejected, another one failed; `None` while it waits.
    pub status: Option<u16>,
}

impl RunCall {
    fn attributes(&self) -> Map<String, Value> {
        let mut attributes = Map::new();
        for (name, value) in &self.call.attributes {
            attributes.insert(name.clone(), value.clone());
        }
        attributes.insert("tool".to_owned(), json!(self.call.tool.name()));
        attributes.insert("target".to_owned(), json!(self.call.target));
        if let Some(status) = self.call.status {
            attributes.insert("status".to_owned(), json!(status));
        }
        attributes
    }

    /// Thoughts stay in one line: they were for the turn in which they were written.
    const fn visibility(&self) -> Visibility {
        match self.call.tool {
            nudge_grammar::Tool::Think => Visibility::Summarized,
            _ => Visibility::Visible,
        }
    }
}

impl LoopWork {
    pub(super) fn record_call(
        &self,
        writer: &Writer<'_>,
        turn: u32,
        call: &RunCall,
        now: Timestamp,
    ) -> Result<Option<u16>, Fault> {
        if let Some(entry) = writer.entry(&self.run.scope, &call.path)?
            && let Some(row) = writer.view(&self.run.scope, entry.id)?
            && row.state != EntryState::Streaming
        {
            let status = status_of(row.state, row.outcome.as_deref());
            return Ok(Some(status));
        }
        let (state, body) = match &call.rejection {
            Some((outcome, why)) => ((EntryState::Failed, Some(outcome.clone())), why.as_str()),
            None => ((EntryState::Streaming, None), ""),
        };
        let record = Record {
            path: &call.path,
            body,
            attributes: call.attributes(),
            state,
            visibility: Visibility::Visible,
            turn: (turn, self.row.seq),
        };
        log::write(writer, &self.run, record, log::by_nudge(&self.run), now)?;
        Ok(None)
    }

    /// Ends a call that is not carried out: a state, its outcome, and a sentence.
    pub fn finish(
        &self,
        memory: &Memory,
        turn: u32,
        call: &RunCall,
        state: (EntryState, Option<&str>),
        body: &str,
        now: Timestamp,
    ) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let state = (state.0, state.1.map(str::to_owned));
                self.write_call(ctx.writer()?, turn, call, state, body, now)
            },
            now,
        )
    }

    pub(in crate::runs) fn write_call(
        &self,
        writer: &Writer<'_>,
        turn: u32,
        call: &RunCall,
        state: (EntryState, Option<String>),
        body: &str,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let record = Record {
            path: &call.path,
            body,
            attributes: call.attributes(),
            state,
            visibility: call.visibility(),
            turn: (turn, self.row.seq),
        };
        log::write(writer, &self.run, record, log::by_nudge(&self.run), now)?;
        writer.touch(self.run.entry, now)?;
        Ok(())
    }

    /// Writes an error that belongs to no call: its status and its text.
    pub fn error(
        &self,
        memory: &Memory,
        turn: u32,
        slug: &str,
        error: (u16, &str),
        visibility: Visibility,
        now: Timestamp,
    ) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| log::error(ctx.writer()?, &self.run, (turn, self.row.seq), slug, error, visibility, now),
            now,
        )
    }

    /// Whether the user has answered a question.
    pub fn decision(&self, memory: &Memory, path: &EntryPath) -> Result<WaitingCall, Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let row = match reader.entry(&self.run.scope, path)? {
                Some(entry) => reader.view(&self.run.scope, entry.id)?,
                None => None,
            };
            let status = match row {
                Some(row) if row.state == EntryState::Proposed => None,
                Some(row) => Some(status_of(row.state, row.outcome.as_deref())),
                None => Some(403),
            };
            Ok(WaitingCall { path: path.as_str().to_owned(), status })
        })
    }
}

//! A turn: its request, its answer, and its end.

use nudge_context::{Packet, PacketEntry};
use nudge_core::entry_state::{EntryState, Visibility, status_of};
use nudge_core::run::TurnState;
use nudge_core::scheme::rules_of;
use nudge_core::{Entry, EntryId, EntryPath, Fault, Timestamp};
use nudge_grammar::{Call, Tool};
use nudge_memory::memory::Memory;
use nudge_memory::operation::OpContext;
use nudge_store::{ContextRow, Durability, TurnEnd, TurnId, TurnRow, TurnUsage, ViewRow, Writer};
use serde_json::{Map, Value, json};

use super::{LoopWork, parse};
use crate::runs::command;
use crate::runs::log::{self, Record};
use crate::runs::settle::ready;

/// A turn whose request is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentTurn {
    /// Its id.
    pub id: TurnId,
    /// Its number in the run.
    pub seq: u32,
    /// The entry that takes the answer.
    pub(super) answer: EntryId,
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// Its reasoning, if it was sent apart.
    pub reasoning: String,
    /// What it cost.
    pub usage: TurnUsage,
    /// The faults in it that were healed.
    pub healed: Vec<String>,
}

impl LoopWork {
    /// Notes that a request is about to be sent. From then on it counts as sent.
    pub fn send(
        &self,
        memory: &Memory,
        packet: &Packet,
        entries: &[PacketEntry],
        now: Timestamp,
    ) -> Result<SentTurn, Fault> {
        self.write(
            memory,
            Durability::Stated,
            |ctx| {
                let writer = ctx.writer()?;
                let (id, seq) = writer.begin_turn(self.run.id, self.row.id, packet.tokens.usage, now)?;
                self.audit(writer, &format!("system://{seq}"), &packet.system, Map::new(), now)?;
                self.audit(writer, &format!("user://{seq}"), &packet.user, Map::new(), now)?;
                let answer = self.audit(writer, &format!("assistant://{seq}"), "", Map::new(), now)?;
                writer.put_turn_context(id, &context_rows(packet, entries))?;
                writer.touch(self.run.entry, now)?;
                Ok(SentTurn { id, seq, answer })
            },
            now,
        )
    }

    /// Stores a part of the answer that has come, unless the whole answer is stored already.
    pub fn stream(&self, memory: &Memory, turn: &SentTurn, part: &str, now: Timestamp) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let writer = ctx.writer()?;
                // A part can be late: after the whole answer it would stand there twice.
                if writer.turn_state(turn.id)? == Some(TurnState::Sent) {
                    writer.append_body(turn.answer, part, false, &log::by_model(&self.run), now)?;
                }
                Ok(())
            },
            now,
        )
    }

    /// The turn that was answered and not carried out to its end, with its answer.
    pub fn unfinished(&self, memory: &Memory) -> Result<Option<(SentTurn, String)>, Fault> {
        let Some(turn) = self.turns.last().filter(|turn| turn.state == TurnState::Answered) else {
            return Ok(None);
        };
        memory.store().read(|reader| {
            let path = parse(&format!("assistant://{}", turn.seq))?;
            let Some(entry) = reader.entry(&self.run.scope, &path)? else { return Ok(None) };
            Ok(Some((SentTurn { id: turn.id, seq: turn.seq, answer: entry.id }, entry.body)))
        })
    }

    /// The turn whose answer was lost with the process that waited for it.
    pub fn lost_turn(&self) -> Option<&TurnRow> {
        self.turns.last().filter(|turn| turn.state == TurnState::Sent)
    }

    /// Stores the answer and records its calls, before any of them is carried out. Returns the
    /// status of those that were carried out already.
    pub fn record(
        &self,
        memory: &Memory,
        turn: &SentTurn,
        answer: Option<&Answer>,
        calls: &[RunCall],
        now: Timestamp,
    ) -> Result<Vec<Option<u16>>, Fault> {
        // An answer that only reads is synced with the next request or the end of the loop.
        let reads =
            |call: &RunCall| matches!(call.call.tool, Tool::Get | Tool::Search | Tool::Think | Tool::Update);
        let durability = if calls.iter().all(reads) { Durability::Passive } else { Durability::Stated };
        self.write(
            memory,
            durability,
            |ctx| {
                let writer = ctx.writer()?;
                if let Some(answer) = answer {
                    writer.join_appended(turn.answer, now)?;
                    let mut attributes = Map::new();
                    if !answer.healed.is_empty() {
                        attributes.insert("healed".to_owned(), json!(answer.healed));
                    }
                    let path = format!("assistant://{}", turn.seq);
                    self.audit(writer, &path, &answer.text, attributes, now)?;
                    if !answer.reasoning.is_empty() {
                        let path = format!("reasoning://{}", turn.seq);
                        self.audit(writer, &path, &answer.reasoning, Map::new(), now)?;
                    }
                    let healed = u32::try_from(answer.healed.len()).unwrap_or(u32::MAX);
                    writer.answer_turn(turn.id, answer.usage, healed)?;
                }
                let mut done = Vec::with_capacity(calls.len());
                for call in calls {
                    done.push(self.record_call(ctx, turn.seq, call, now)?);
                }
                writer.touch(self.run.entry, now)?;
                Ok(done)
            },
            now,
        )
    }

    /// Ends a turn.
    pub fn end_turn(
        &self,
        memory: &Memory,
        turn: TurnId,
        end: &TurnEnd,
        now: Timestamp,
    ) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let writer = ctx.writer()?;
                let sent = writer.turns_of_loop(self.row.id)?.into_iter().find(|row| row.id == turn);
                if let Some(row) = sent.filter(|row| row.state == TurnState::Sent) {
                    log::estimate_tokens(writer, &self.run, (row.id, row.seq))?;
                }
                writer.end_turn(turn, end, now)?;
                writer.touch(self.run.entry, now)?;
                Ok(())
            },
            now,
        )
    }

    /// Shows less of everything that a turn wrote or promoted. Returns how much that was.
    pub fn demote_turn(&self, memory: &Memory, turn: u32, now: Timestamp) -> Result<usize, Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| Ok(ctx.writer()?.demote_turn(&self.run.scope, i64::from(turn), now)?),
            now,
        )
    }
}

/// What the model gets, row by row.
fn context_rows(packet: &Packet, entries: &[PacketEntry]) -> Vec<ContextRow> {
    let of = |path: &str| entries.iter().find(|entry| entry.path == path);
    packet
        .rows
        .iter()
        .filter_map(|cost| {
            let entry = of(&cost.path)?;
            let scheme = if entry.scheme.is_empty() { "file" } else { &entry.scheme };
            Some(ContextRow {
                path: entry.path.clone(),
                category: rules_of(scheme).category.name().to_owned(),
                visibility: entry.visibility,
                status: entry.status,
                source_turn: entry.turn,
                tokens: if entry.is_visible() { cost.visible } else { cost.summarized },
            })
        })
        .collect()
}

// The record of a call: written before the call is carried out, ended after it.

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

/// What came of a call.
pub(in crate::runs) struct CallEnd<'e> {
    pub(in crate::runs) state: (EntryState, Option<String>),
    pub(in crate::runs) body: &'e str,
    /// More facts for its record.
    pub(in crate::runs) more: Map<String, Value>,
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
    fn record_call(
        &self,
        ctx: &OpContext<'_>,
        turn: u32,
        call: &RunCall,
        now: Timestamp,
    ) -> Result<Option<u16>, Fault> {
        let writer = ctx.writer()?;
        if let Some(entry) = writer.entry(&self.run.scope, &call.path)?
            && let Some(row) = writer.view(&self.run.scope, entry.id)?
            && row.state != EntryState::Streaming
        {
            return self.status_before(ctx, &entry, &row).map(Some);
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

    /// The status of a call that an earlier process had. A command that had begun is interrupted,
    /// and one that had not still waits.
    fn status_before(&self, ctx: &OpContext<'_>, entry: &Entry, row: &ViewRow) -> Result<u16, Fault> {
        if ready(ctx.store(), &self.run, entry)?.is_some() || command::waits_for_client(entry) {
            return Ok(status_of(EntryState::Proposed, None));
        }
        match self.end_interrupted(ctx, entry)? {
            Some(status) => Ok(status),
            None => Ok(status_of(row.state, row.outcome.as_deref())),
        }
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
                let end = CallEnd { state, body, more: Map::new() };
                self.write_call(ctx.writer()?, turn, call, end, now)
            },
            now,
        )
    }

    pub(in crate::runs) fn write_call(
        &self,
        writer: &Writer<'_>,
        turn: u32,
        call: &RunCall,
        end: CallEnd<'_>,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let mut attributes = call.attributes();
        attributes.extend(end.more);
        let record = Record {
            path: &call.path,
            body: end.body,
            attributes,
            state: end.state,
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
}

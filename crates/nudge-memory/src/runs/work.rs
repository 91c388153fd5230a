//! The work on one loop: each method is one short transaction that a successor can go on after.
//!
//! A loop that somebody ended meanwhile refuses every further step with [`ABORTED`].

use std::path::Path;

use nudge_context::{Packet, PacketEntry};
use nudge_core::run::{Mode, RunState, TurnState};
use nudge_core::view::{EntryState, Visibility};
use nudge_core::{Context, scheme::rules_of};
use nudge_core::{EntryId, EntryPath, EnvView, Fault, FaultKind, Timestamp};
use nudge_grammar::Call;
use nudge_home::surroundings;
use nudge_store::{
    ContextRow, Durability, EntryDraft, LoopRow, Reader, RunId, RunRow, SecretPolicy, TurnEnd, TurnId,
    TurnRow, TurnUsage, ViewChange, Writer,
};
use serde_json::{Map, Value, json};

use super::gather::{Show, gather};
use super::log::{self, Record};
use super::models::KnownModel;
use super::search_files::{self, FileSearch};
use super::wire::RunFlags;
use super::{ask, materialize};
use crate::caller::{Ambient, Caller, Surface};
use crate::entries::constraints_of;
use crate::memory::Memory;
use crate::operation::OpContext;

/// The reason of the fault for a loop that was ended meanwhile.
pub(super) const ABORTED: &str = "loop_ended";

/// How many files a question is answered with.
const FILES_MOST: usize = 5;

/// A loop that is next or under way.
#[derive(Clone, Debug)]
pub struct LoopWork {
    /// Its run, as it was when the work began.
    pub run: RunRow,
    /// The loop, as it was when the work began.
    pub row: LoopRow,
    /// Its turns that count: after a resume, those since then.
    pub turns: Vec<TurnRow>,
    /// The prompt.
    pub prompt: String,
}

/// A turn whose request is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentTurn {
    /// Its id.
    pub id: TurnId,
    /// Its number in the run.
    pub seq: u32,
    /// The entry that takes the answer.
    answer: EntryId,
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
    /// Whether the user answered; `None` while the question waits.
    pub accepted: Option<bool>,
}

impl Memory {
    /// The runs that have a prompt to work on, oldest first.
    pub fn runs_to_drive(&self) -> Result<Vec<RunId>, Fault> {
        self.store().read(|reader| {
            let mut found = Vec::new();
            for run in reader.open_runs()? {
                if reader.open_loop(run.id)?.is_some() {
                    found.push(run.id);
                }
            }
            Ok(found)
        })
    }
}

impl LoopWork {
    /// The loop of a run that is next or under way; `None` if there is nothing to do.
    pub fn next(memory: &Memory, run: RunId) -> Result<Option<Self>, Fault> {
        memory.store().read(|reader| {
            let Some(run) = reader.run(run)? else { return Ok(None) };
            let Some(row) = reader.open_loop(run.id)? else { return Ok(None) };
            let since = row.config.get("resumed_at").and_then(Value::as_u64).unwrap_or(0);
            let mut turns = reader.turns_of_loop(row.id)?;
            turns.retain(|turn| u64::from(turn.seq) >= since);
            let prompt = match EntryPath::parse(&row.prompt) {
                Ok(path) => reader.entry(&run.scope, &path)?.map(|entry| entry.body).unwrap_or_default(),
                Err(_) => String::new(),
            };
            Ok(Some(Self { run, row, turns, prompt }))
        })
    }

    /// What the loop may do.
    pub fn mode(&self) -> Mode {
        self.row.mode
    }

    /// What the loop leaves out.
    pub fn flags(&self) -> RunFlags {
        RunFlags::of(&self.row.config)
    }

    /// The model of the loop, as it was when its prompt was queued.
    pub fn model(&self) -> Option<KnownModel> {
        serde_json::from_value(self.row.config.get(ask::MODEL)?.clone()).ok()
    }

    /// Whether nobody ended the loop meanwhile.
    pub fn is_open(&self, memory: &Memory) -> Result<bool, Fault> {
        memory
            .store()
            .read(|reader| self.check_open(reader).map(|()| true))
            .or_else(|fault| if fault.reason == ABORTED { Ok(false) } else { Err(fault) })
    }

    /// Whether a fault says that the loop was ended meanwhile.
    pub fn is_aborted(fault: &Fault) -> bool {
        fault.reason == ABORTED
    }

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
                if !self.flags().no_web {
                    let gathered = gather(ctx, &self.run.alias, &self.prompt, &files, Show::within(tokens))?;
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
    pub(super) fn search_files(
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

    /// What the model may see, and the prompt among it.
    pub fn entries(&self, memory: &Memory) -> Result<(Vec<PacketEntry>, Option<PacketEntry>), Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let entries = materialize::entries(reader, &self.run)?;
            let prompt = materialize::prompt(&entries, &self.row.prompt);
            Ok((entries, prompt))
        })
    }

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

    /// Stores a part of the answer that has come.
    pub fn stream(&self, memory: &Memory, turn: &SentTurn, part: &str, now: Timestamp) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let by = log::by_model(&self.run);
                ctx.writer()?.append_body(turn.answer, part, false, &by, now)?;
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
        self.write(
            memory,
            Durability::Stated,
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
                    done.push(self.record_call(writer, turn, call, now)?);
                }
                writer.touch(self.run.entry, now)?;
                Ok(done)
            },
            now,
        )
    }

    fn record_call(
        &self,
        writer: &Writer<'_>,
        turn: &SentTurn,
        call: &RunCall,
        now: Timestamp,
    ) -> Result<Option<u16>, Fault> {
        if let Some(entry) = writer.entry(&self.run.scope, &call.path)?
            && let Some(row) = writer.view(&self.run.scope, entry.id)?
            && row.state != EntryState::Streaming
        {
            let status = nudge_core::view::status_of(row.state, row.outcome.as_deref());
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
            turn: (turn.seq, self.row.seq),
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

    pub(super) fn write_call(
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

    /// Writes an error that belongs to no call.
    pub fn error(
        &self,
        memory: &Memory,
        turn: u32,
        slug: &str,
        status: u16,
        body: &str,
        now: Timestamp,
    ) -> Result<(), Fault> {
        self.write(
            memory,
            Durability::Passive,
            |ctx| log::error(ctx.writer()?, &self.run, (turn, self.row.seq), slug, status, body, now),
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
                ctx.writer()?.end_turn(turn, end, now)?;
                ctx.writer()?.touch(self.run.entry, now)?;
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
        let reason = format!("the server ended while the model was answering turn {}", turn.seq);
        self.error(memory, turn.seq, "lost", 499, &reason, now)?;
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

    /// Whether the user has answered a question.
    pub fn decision(&self, memory: &Memory, path: &EntryPath) -> Result<WaitingCall, Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let row = match reader.entry(&self.run.scope, path)? {
                Some(entry) => reader.view(&self.run.scope, entry.id)?,
                None => None,
            };
            let accepted = match row.map(|row| row.state) {
                Some(EntryState::Proposed) => None,
                Some(EntryState::Resolved) => Some(true),
                _ => Some(false),
            };
            Ok(WaitingCall { path: path.as_str().to_owned(), accepted })
        })
    }

    /// Runs a step with the rights of the run's model.
    pub(super) fn write<T>(
        &self,
        memory: &Memory,
        durability: Durability,
        step: impl FnOnce(&OpContext<'_>) -> Result<T, Fault>,
        now: Timestamp,
    ) -> Result<T, Fault> {
        self.write_in(memory, durability, 0, step, now)
    }

    /// The same, for a step that belongs to a turn.
    pub(super) fn write_in<T>(
        &self,
        memory: &Memory,
        durability: Durability,
        turn: u32,
        step: impl FnOnce(&OpContext<'_>) -> Result<T, Fault>,
        now: Timestamp,
    ) -> Result<T, Fault> {
        let caller = self.caller(if turn == 0 { self.run.next_turn } else { turn }, now);
        memory.store().write(durability, |writer| {
            self.check_open(writer)?;
            step(&OpContext::writing(writer, memory.search(), &caller, memory.settings()))
        })
    }

    fn check_open(&self, reader: &Reader<'_>) -> Result<(), Fault> {
        let open = reader.open_loop(self.run.id)?;
        if open.is_some_and(|row| row.id == self.row.id) {
            return Ok(());
        }
        Err(Fault::new(FaultKind::Conflict, ABORTED, "the loop was ended meanwhile"))
    }

    /// The run's model as a caller.
    pub(super) fn caller(&self, turn: u32, now: Timestamp) -> Caller {
        let mut caller = Caller::new(Surface::Run, now);
        caller.client = Some(format!("run:{}", self.row.model));
        caller.session.clone_from(&self.run.session);
        caller.turn = Some((i64::from(turn), i64::from(self.row.seq)));
        if let Some(root) = &self.run.root {
            // The daemon's own variables say nothing about the user's.
            let here = Context { env: EnvView::Absent, ..surroundings::here(Path::new(root)) };
            caller.ambient = Ambient::Here(here);
        }
        caller
    }

    /// Writes a record that no model sees.
    fn audit(
        &self,
        writer: &Writer<'_>,
        path: &str,
        body: &str,
        attributes: Map<String, Value>,
        now: Timestamp,
    ) -> Result<EntryId, Fault> {
        let by = if path.starts_with("assistant") || path.starts_with("reasoning") {
            log::by_model(&self.run)
        } else {
            log::by_nudge(&self.run)
        };
        let written = writer.put_entry(&EntryDraft {
            scope: self.run.scope.clone(),
            path: parse(path)?,
            body: body.to_owned(),
            attributes,
            provenance: by,
            secrets: SecretPolicy::Redact,
            now,
        })?;
        Ok(written.id)
    }
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

pub(super) fn parse(path: &str) -> Result<EntryPath, Fault> {
    EntryPath::parse(path).map_err(|error| Fault::invalid("path", error.to_string()))
}

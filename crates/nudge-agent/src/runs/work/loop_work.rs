//! A loop of a run, and how each of its steps is written.

use std::path::Path;

use nudge_context::PacketEntry;
use nudge_core::run::Mode;
use nudge_core::{Context, EntryId, EntryPath, EnvView, Fault, FaultKind, Timestamp};
use nudge_home::surroundings;
use nudge_store::{Durability, EntryDraft, LoopRow, Reader, RunId, RunRow, SecretPolicy, TurnRow, Writer};
use serde_json::{Map, Value};

use crate::runs::models::KnownModel;
use crate::runs::wire::RunFlags;
use crate::runs::{ask, log, materialize};
use nudge_memory::caller::{Ambient, Caller, Surface};
use nudge_memory::memory::Memory;
use nudge_memory::operation::OpContext;

/// The reason of the fault for a loop that was ended meanwhile.
pub(super) const ABORTED: &str = "loop_ended";

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

    /// The name of the run as it is now: the user may have renamed it since the work began.
    pub(in crate::runs) fn alias(&self, ctx: &OpContext<'_>) -> Result<String, Fault> {
        Ok(ctx.store().run(self.run.id)?.map_or_else(|| self.run.alias.clone(), |run| run.alias))
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

    /// What the model may see, and the prompt among it.
    pub fn entries(&self, memory: &Memory) -> Result<(Vec<PacketEntry>, Option<PacketEntry>), Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let entries = materialize::entries(reader, &self.run)?;
            let prompt = materialize::prompt(&entries, &self.row.prompt);
            Ok((entries, prompt))
        })
    }

    /// Runs a step with the rights of the run's model.
    pub(in crate::runs) fn write<T>(
        &self,
        memory: &Memory,
        durability: Durability,
        step: impl FnOnce(&OpContext<'_>) -> Result<T, Fault>,
        now: Timestamp,
    ) -> Result<T, Fault> {
        self.write_in(memory, durability, 0, step, now)
    }

    /// The same, for a step that belongs to a turn.
    pub(in crate::runs) fn write_in<T>(
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
            step(&OpContext::of_step(writer, memory, &caller))
        })
    }

    pub(super) fn check_open(&self, reader: &Reader<'_>) -> Result<(), Fault> {
        let open = reader.open_loop(self.run.id)?;
        // One that was ended and resumed is open again, and its new turns are somebody else's.
        let since = |row: &LoopRow| row.config.get("resumed_at").cloned();
        if open.is_some_and(|row| row.id == self.row.id && since(&row) == since(&self.row)) {
            return Ok(());
        }
        Err(Fault::new(FaultKind::Conflict, ABORTED, "the loop was ended meanwhile"))
    }

    /// The run's model as a caller.
    pub(in crate::runs) fn caller(&self, turn: u32, now: Timestamp) -> Caller {
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
    pub(super) fn audit(
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

pub(in crate::runs) fn parse(path: &str) -> Result<EntryPath, Fault> {
    EntryPath::parse(path).map_err(|error| Fault::invalid("path", error.to_string()))
}

//! The work on one loop: each method is one short transaction that a successor can go on after.
//!
//! A loop that somebody ended meanwhile refuses every further step.

mod turn;

use std::path::Path;

use nudge_context::PacketEntry;
use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::event::{HookEvent, McpName, Outcome, PromptText, Speaker, StartSource, ToolCall, ToolKind};
use nudge_core::run::{Mode, RunState, TurnState};
use nudge_core::{Context, EntryId, EntryPath, EnvView, EventKind, Fault, FaultKind, Timestamp};
use nudge_home::{Home, settings, surroundings};
use nudge_memory::caller::{Ambient, Caller, Surface};
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, CapturedVia, ReadContext, pause, project};
use nudge_memory::entries::{ScanFiles, ScanParams, constraints_of};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Op, OpContext, RUNS};
use nudge_store::{
    Durability, EntryDraft, LoopRow, Reader, RunId, RunRow, SecretPolicy, TurnEnd, TurnRow, ViewChange,
    Writer,
};
use serde_json::{Map, Value, json};

use crate::runs::command::CommandTurn;
use crate::runs::gather::{self, FileSearch};
use crate::runs::gather::{Show, gather};
use crate::runs::log::{self, Record};
use crate::runs::models::KnownModel;
use crate::runs::plugin_call::PluginTurn;
use crate::runs::wire::{MODEL_SETTING, RunFlags};

pub(in crate::runs) use turn::CallEnd;
pub use turn::{Answer, RunCall, SentTurn};

/// The runs that have a prompt to work on, oldest first.
pub fn runs_to_drive(memory: &Memory) -> Result<Vec<RunId>, Fault> {
    memory.store().read(|reader| {
        let mut found = Vec::new();
        for run in reader.open_runs()? {
            if reader.open_loop(run.id)?.is_some() {
                found.push(run.id);
            }
        }
        Ok(found)
    })
}

/// The reason of the fault for a loop that was ended meanwhile.
const ABORTED_REASON: &str = "loop_ended";

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
        serde_json::from_value(self.row.config.get(MODEL_SETTING)?.clone()).ok()
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
            .or_else(|fault| if fault.reason == ABORTED_REASON { Ok(false) } else { Err(fault) })
    }

    /// Whether a fault says that the loop was ended meanwhile.
    pub fn is_aborted(fault: &Fault) -> bool {
        fault.reason == ABORTED_REASON
    }

    /// What the model may see, and the prompt among it.
    pub fn entries(&self, memory: &Memory) -> Result<(Vec<PacketEntry>, Option<PacketEntry>), Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let entries = gather::entries(reader, &self.run)?;
            let prompt = gather::prompt(&entries, &self.row.prompt);
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

    pub(in crate::runs) fn check_open(&self, reader: &Reader<'_>) -> Result<(), Fault> {
        let open = reader.open_loop(self.run.id)?;
        // One that was ended and resumed is open again, and its new turns are somebody else's.
        let since = |row: &LoopRow| row.config.get("resumed_at").cloned();
        if open.is_some_and(|row| row.id == self.row.id && since(&row) == since(&self.row)) {
            return Ok(());
        }
        Err(Fault::new(FaultKind::Conflict, ABORTED_REASON, "the loop was ended meanwhile"))
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

pub(in crate::runs) fn parse(path: &str) -> Result<EntryPath, Fault> {
    EntryPath::parse(path).map_err(|error| Fault::invalid("path", error.to_string()))
}

// The begin of a loop: its prompt comes into view, with what memory and files have on it.

/// How many files a question is answered with.
const MAX_ANSWER_FILES: usize = 5;

impl LoopWork {
    /// Begins a new loop: the prompt comes into view, with what memory and files have on it.
    /// `tokens` is how much of that may be shown whole.
    pub fn begin(&self, memory: &Memory, tools: &[&str], tokens: u32, now: Timestamp) -> Result<(), Fault> {
        if self.row.state == RunState::Running {
            return self.write(memory, Durability::Passive, |ctx| self.running(ctx.writer()?, now), now);
        }
        let files = self.search_files(memory, &self.prompt, now)?;
        let manifest = self.manifest(memory, now)?;
        self.write(
            memory,
            // The request syncs it.
            Durability::Passive,
            |ctx| {
                let writer = ctx.writer()?;
                self.running(writer, now)?;
                writer.begin_loop(self.row.id, self.run.next_turn)?;
                self.write_instructions(writer, tools, now)?;
                self.write_manifest(ctx, manifest, tokens)?;
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

    /// The files of the project, for the first loop of a run. A copy has that of its parent.
    fn manifest(&self, memory: &Memory, now: Timestamp) -> Result<Option<Value>, Fault> {
        let is_first = self.row.seq == 1 && self.run.parent.is_none();
        if !is_first || self.flags().no_repo || self.run.root.is_none() {
            return Ok(None);
        }
        let asked = json!({"run": self.run.alias});
        ScanFiles::prepare(memory, &self.caller(0, now), asked).map(Some)
    }

    /// Writes the list of files, visible if it costs at most this much.
    fn write_manifest(&self, ctx: &OpContext<'_>, found: Option<Value>, tokens: u32) -> Result<(), Fault> {
        let Some(params) = found.and_then(|found| serde_json::from_value::<ScanParams>(found).ok()) else {
            return Ok(());
        };
        let answer = ScanFiles::run(ctx, ScanParams { run: Some(self.alias(ctx)?), ..params })?;
        if answer.files == 0 || answer.list_tokens > tokens {
            let visibility = if answer.files == 0 { Visibility::Archived } else { Visibility::Summarized };
            let writer = ctx.writer()?;
            if let Some(entry) = writer.entry(&self.run.scope, &parse(&answer.path)?)? {
                let change = ViewChange { visibility: Some(visibility), ..ViewChange::default() };
                writer.change_view(&self.run.scope, entry.id, &change, ctx.now())?;
            }
        }
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
        let Some(prompt) = writer.entry(&self.run.scope, &path)? else { return Err(gather::gone()) };
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
        Ok(gather::search(Path::new(root), constraints, question, MAX_ANSWER_FILES))
    }
}

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

// A run is captured like any agent's session: its prompts and its answers.
//
// The same rules decide what is left out: settings, exclusions and pauses. A failure here is not
// the run's: it is dropped, as a hook's is.

impl LoopWork {
    /// Captures that a loop has begun.
    pub fn capture_begin(&self, memory: &Memory, home: &Home, now: Timestamp) {
        if self.row.seq == 1 {
            let kind = EventKind::SessionStart { source: StartSource::Startup };
            self.capture(memory, home, HookEvent::new(RUNS, "SessionStart", kind), now);
        }
        let mut prompt = HookEvent::new(RUNS, "Prompt", EventKind::Prompt);
        prompt.prompt = Some(PromptText { text: self.prompt.clone(), by: Speaker::Person });
        self.capture(memory, home, prompt, now);
    }

    /// Captures the answer of a loop, as the store has it.
    pub fn capture_end(&self, memory: &Memory, home: &Home, now: Timestamp) {
        let found = memory.store().read(|reader| reader.loops(self.run.id));
        let Some(row) = found.ok().and_then(|rows| rows.into_iter().find(|row| row.id == self.row.id)) else {
            return;
        };
        let answer = row.result.get("answer").and_then(serde_json::Value::as_str).unwrap_or_default();
        let mut stop = HookEvent::new(RUNS, "Stop", EventKind::Stop);
        stop.message = Some(answer.to_owned());
        self.capture(memory, home, stop, now);
    }

    /// Captures that a command is about to run, and notes what is known of it: that it failed
    /// before, and what helped.
    pub fn capture_proposal(&self, memory: &Memory, home: &Home, path: &EntryPath, now: Timestamp) {
        let record = memory.store().read(|reader| reader.entry(&self.run.scope, path));
        let Ok(Some(record)) = record else { return };
        let Some(command) = record.attributes.get("command").and_then(Value::as_str) else { return };
        let mut event = HookEvent::new(RUNS, "BeforeCommand", EventKind::PreTool);
        event.tool = Some(self.command_call(path, command));
        let known = self.capture(memory, home, event, now);
        self.note_known(memory, (path, "before"), command, known, now);
    }

    fn command_call(&self, path: &EntryPath, command: &str) -> ToolCall {
        ToolCall {
            id: Some(format!("{}-{path}", self.row.seq)),
            input: json!({"command": command}),
            ..ToolCall::new(ToolKind::Command.name())
        }
    }

    /// Writes what is known of a command beside its record, as found in memory.
    fn note_known(
        &self,
        memory: &Memory,
        (path, when): (&EntryPath, &str),
        command: &str,
        known: Option<Injected>,
        now: Timestamp,
    ) {
        let Some(known) = known.filter(|known| !known.said().is_empty()) else { return };
        let _ = self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let writer = ctx.writer()?;
                let row =
                    writer.entry(&self.run.scope, path)?.map(|entry| writer.view(&self.run.scope, entry.id));
                let Some(row) = row.transpose()?.flatten() else { return Ok(()) };
                let (Ok(turn), slug) = (u32::try_from(row.turn), path.as_str().rsplit('/').next()) else {
                    return Ok(());
                };
                let path = parse(&format!("log://turn_{turn}/search/{when}_{}", slug.unwrap_or_default()))?;
                let attributes = Map::from_iter([
                    ("tool".to_owned(), json!("search")),
                    ("target".to_owned(), json!(command)),
                ]);
                let (state, visibility) = ((EntryState::Resolved, None), Visibility::Visible);
                let (body, turn) = (known.said().join("\n"), (turn, self.row.seq));
                let record = Record { path: &path, body: &body, attributes, state, visibility, turn };
                log::write(writer, &self.run, record, log::by_nudge(&self.run), now)?;
                Ok(())
            },
            now,
        );
    }

    /// Captures a command that has ended, with its output, and notes what is known of its error.
    pub fn capture_command(&self, memory: &Memory, home: &Home, turn: &CommandTurn, now: Timestamp) {
        let read = memory.store().read(|reader| {
            let record = reader.entry(&self.run.scope, &turn.path)?;
            let mut output = String::new();
            for channel in turn.channels {
                output.push_str(&reader.entry_by_id(channel)?.map(|entry| entry.body).unwrap_or_default());
            }
            Ok::<_, Fault>((record, output))
        });
        let Ok((Some(record), output)) = read else { return };
        let number = |name: &str| record.attributes.get(name).and_then(Value::as_i64);
        let code = number("exit").and_then(|code| i32::try_from(code).ok());
        let kind = if code == Some(0) { EventKind::PostTool } else { EventKind::ToolFailure };
        let mut event = HookEvent::new(RUNS, "Command", kind);
        event.tool = Some(ToolCall {
            response: Some(json!({"stdout": output})),
            stated: Some(code.map_or(Outcome::Failed { exit: None }, Outcome::of_exit)),
            duration_ms: number("took_ms").and_then(|took| u64::try_from(took).ok()),
            ..self.command_call(&turn.path, &turn.command)
        });
        let known = self.capture(memory, home, event, now);
        self.note_known(memory, (&turn.path, "after"), &turn.command, known, now);
    }

    /// Captures a call of a plugin that has ended. From now on the session has read outside text.
    pub fn capture_plugin_call(
        &self,
        memory: &Memory,
        home: &Home,
        turn: &PluginTurn,
        status: u16,
        now: Timestamp,
    ) {
        let kind = if status == 200 { EventKind::PostTool } else { EventKind::ToolFailure };
        let (server, tool) = turn.tool.split_once('.').unwrap_or((turn.tool.as_str(), ""));
        let mut event = HookEvent::new(RUNS, "PluginCall", kind);
        event.tool = Some(ToolCall {
            id: Some(format!("{}-{}", self.row.seq, turn.path)),
            mcp: Some(McpName { server: server.to_owned(), tool: tool.to_owned() }),
            input: Value::Object(turn.arguments.clone()),
            stated: Some(if status == 200 { Outcome::Success } else { Outcome::Failed { exit: None } }),
            ..ToolCall::new(ToolKind::McpCall.name())
        });
        self.capture(memory, home, event, now);
    }

    /// Captures an event. Returns what an agent would get on it.
    fn capture(
        &self,
        memory: &Memory,
        home: &Home,
        mut event: HookEvent,
        now: Timestamp,
    ) -> Option<Injected> {
        let root = self.run.root.as_deref()?;
        let cwd = Path::new(root);
        let resolved = settings::load(home, cwd, Vec::new()).ok().filter(|all| all.unsure.is_empty())?;
        let settings = resolved.settings;
        let mut project = project::resolve(Some(cwd), settings.project.as_deref());
        project.claims.private |= settings.private;
        project.claims.strict = settings.strict_secrets;
        let session = self.run.session.clone().unwrap_or_default();
        let is_paused = Pauses::read(home, now).is_paused(&session, &project.key);
        if is_paused || pause::is_off(&settings, &project, Some(root)) {
            return None;
        }
        let call = event.tool.as_ref().and_then(|tool| tool.id.clone()).unwrap_or_default();
        let payload = format!("{} {} {} {call}", session, event.name, self.row.seq);
        event.session = Some(session);
        event.prompt_id = Some(self.row.seq.to_string());
        event.cwd = Some(root.to_owned());
        event.model = Some(self.row.model.clone());
        event.at = Some(now);
        let here = ReadContext {
            now,
            project,
            headless: Some(self.flags().no_interaction),
            via: CapturedVia::Hook,
            own_root: Some(home.root().to_string_lossy().into_owned()),
            is_own_tool: |_| false,
        };
        let captured = capture::read(&event, &payload, &here)?;
        if pause::touches_excluded(&settings, &captured) {
            return None;
        }
        let received = memory.receive(&captured).ok()?;
        // A model gets what is known of its prompt in its packet.
        let is_command = event.tool.as_ref().is_some_and(|tool| tool.mcp.is_none());
        let limits = is_command.then(|| InjectionLimits::of(&settings, here.headless)).flatten();
        let known = received.reply(limits, now).ok().flatten();
        let _ = received.react();
        known
    }
}

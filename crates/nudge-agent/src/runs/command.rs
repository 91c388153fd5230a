//! A command of a run, from its acceptance to its end.
//!
//! Its record says how far it is: `accepted`, then `started`, then `ended`. It is marked as started
//! before it is started, so no command runs twice: one that was started when the server died is
//! reported as interrupted. Its output goes to channels of its own, `sh://turn_N/<slug>_1` for
//! standard output and `_2` for errors, and grows while it runs.

use std::time::Duration;

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::named_enum;
use nudge_core::path::channel_path;
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Tier, Timestamp};
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_store::{Durability, EntryDraft, Reader, RunRow, SecretPolicy, ViewChange, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::log;
use super::named::{fresh, run_to_change};
use super::plugin_call::{self, PluginEnd, is_plugin_call};
use super::records::rewrite;
use super::wire::RunAccepted;
use super::work::LoopWork;

/// The attribute of a record that says how far its command is.
pub(super) const PHASE: &str = "phase";

named_enum! {
    /// How far an accepted command or call of a plugin is.
    pub(super) enum Phase {
        /// It waits to be started.
        Accepted => "accepted",
        /// The server runs it.
        Started => "started",
        /// A program of the user runs it, and passes on its output.
        Streamed => "streamed",
        /// It has ended.
        Ended => "ended",
    }
}

/// How far the command of a record is; `None` if it has none that was accepted.
pub(super) fn phase(entry: &Entry) -> Option<Phase> {
    Phase::from_name(entry.attributes.get(PHASE)?.as_str()?)
}

/// The channels of a command, in the numbers of file descriptors.
const CHANNELS: [u32; 2] = [1, 2];

/// How many bytes of a channel are stored. The end of a long output says more than its middle, and
/// a command can write it to a file.
pub const MAX_CHANNEL_BYTES: u64 = 1 << 20;

/// An accepted command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTurn {
    /// The path of its record.
    pub path: EntryPath,
    /// What the shell is given.
    pub command: String,
    /// The rights it was given beside those of every command.
    pub rights: Vec<String>,
    /// The root of its project.
    pub root: Option<String>,
    /// The entries of its channels: output, errors.
    pub channels: [EntryId; 2],
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandEnd {
    /// Its exit status; `None` if it was stopped.
    pub code: Option<i32>,
    /// Why it was stopped, or could not be started.
    pub reason: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// How many bytes each channel had.
    pub bytes: [u64; 2],
    /// What it was denied, if that is known.
    pub denied: Vec<String>,
}

impl CommandEnd {
    /// The status of its channels and its record.
    fn status(&self) -> u16 {
        match (self.code, &self.reason) {
            (Some(0), None) => 200,
            (None, Some(reason)) if reason == CANCELLED => 499,
            _ => 500,
        }
    }

    fn state(&self) -> (EntryState, Option<String>) {
        match self.status() {
            200 => (EntryState::Resolved, None),
            499 => (EntryState::Cancelled, Some("aborted".to_owned())),
            status => (EntryState::Failed, Some(format!("exit:{status}"))),
        }
    }

    /// How it ended, in a few words.
    fn words(&self) -> String {
        let how = match (self.code, &self.reason) {
            (Some(code), None) => format!("exit {code}"),
            (_, Some(reason)) => reason.clone(),
            (None, None) => "stopped".to_owned(),
        };
        let seconds = self.took.as_secs_f64();
        let size = |bytes: u64| match bytes {
            0 => "empty".to_owned(),
            _ if bytes > MAX_CHANNEL_BYTES => {
                format!("{bytes} bytes, of which the first {MAX_CHANNEL_BYTES} are stored")
            }
            _ => format!("{bytes} bytes"),
        };
        let [out, err] = self.bytes;
        let mut words = format!("{how} after {seconds:.1} s; output {}, errors {}", size(out), size(err));
        if !self.denied.is_empty() {
            words.push_str(&format!("\nDenied: {}", self.denied.join(", ")));
        }
        words
    }
}

/// The reason of a command that the user stopped.
pub const CANCELLED: &str = "stopped by the user";

/// The reason of a command whose server died.
const INTERRUPTED: &str = "interrupted: the server ended while it ran; it is not run again";

/// The accepted command of a record that has not begun; `None` for every other record.
pub(super) fn accepted(
    reader: &Reader<'_>,
    run: &RunRow,
    entry: &Entry,
) -> Result<Option<CommandTurn>, Fault> {
    match phase(entry) {
        Some(Phase::Accepted) if !is_plugin_call(entry) => turn_of(reader, run, entry).map(Some),
        _ => Ok(None),
    }
}

fn turn_of(reader: &Reader<'_>, run: &RunRow, entry: &Entry) -> Result<CommandTurn, Fault> {
    let mut channels = [EntryId(0); 2];
    for (id, number) in channels.iter_mut().zip(CHANNELS) {
        let path = channel(&entry.path, number)?;
        *id = reader.entry(&run.scope, &path)?.ok_or_else(|| gone(&path))?.id;
    }
    let text = |name: &str| entry.attributes.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let rights = entry.attributes.get("rights").and_then(Value::as_array);
    Ok(CommandTurn {
        path: entry.path.clone(),
        command: text("command"),
        rights: rights.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        root: run.root.clone(),
        channels,
    })
}

fn channel(record: &EntryPath, number: u32) -> Result<EntryPath, Fault> {
    channel_path(record, number).ok_or_else(|| Fault::invalid("path", format!("{record} is no command")))
}

fn gone(path: &EntryPath) -> Fault {
    Fault::new(FaultKind::Internal, "channel", format!("{path} is gone"))
}

/// Opens the channels of an accepted command. From now on it waits to be started.
pub(super) fn open_channels(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    command: &str,
) -> Result<CommandTurn, Fault> {
    let writer = ctx.writer()?;
    // They belong to the turn of their record.
    let turn = writer.view(&run.scope, entry.id)?.map(|row| (row.turn, row.in_loop));
    for number in CHANNELS {
        let path = channel(&entry.path, number)?;
        let attributes = Map::from_iter([("tags".to_owned(), json!(command))]);
        let written = writer.put_entry(&EntryDraft {
            scope: run.scope.clone(),
            path,
            body: String::new(),
            attributes,
            provenance: log::by_nudge(run),
            secrets: SecretPolicy::Redact,
            now: ctx.now(),
        })?;
        let change = ViewChange {
            state: Some((EntryState::Streaming, None)),
            visibility: Some(Visibility::Summarized),
            summary: None,
            turn,
            is_write: true,
        };
        writer.change_view(&run.scope, written.id, &change, ctx.now())?;
    }
    set_phase(ctx, run, &entry.path, Phase::Accepted)?;
    let entry = writer.entry(&run.scope, &entry.path)?.ok_or_else(|| gone(&entry.path))?;
    turn_of(writer, run, &entry)
}

pub(super) fn set_phase(
    ctx: &OpContext<'_>,
    run: &RunRow,
    path: &EntryPath,
    phase: Phase,
) -> Result<(), Fault> {
    let Some(entry) = ctx.store().entry(&run.scope, path)? else { return Ok(()) };
    let Some(row) = ctx.store().view(&run.scope, entry.id)? else { return Ok(()) };
    let more = Map::from_iter([(PHASE.to_owned(), json!(phase.name()))]);
    rewrite(ctx, run, &entry, &entry.body, (row.state, row.outcome), Some(more))
}

impl LoopWork {
    /// Marks a command as started, before it is started. False if somebody else did.
    pub fn start_command(&self, memory: &Memory, turn: &CommandTurn, now: Timestamp) -> Result<bool, Fault> {
        self.write(
            memory,
            Durability::Stated,
            |ctx| {
                let Some(entry) = ctx.store().entry(&self.run.scope, &turn.path)? else { return Ok(false) };
                if accepted(ctx.store(), &self.run, &entry)?.is_none() {
                    return Ok(false);
                }
                set_phase(ctx, &self.run, &turn.path, Phase::Started)?;
                Ok(true)
            },
            now,
        )
    }

    /// Stores output that has come, for each channel. False if somebody ended the command
    /// meanwhile.
    pub fn store_output(
        &self,
        memory: &Memory,
        turn: &CommandTurn,
        parts: [&str; 2],
        now: Timestamp,
    ) -> Result<bool, Fault> {
        if parts.iter().all(|part| part.is_empty()) {
            return memory.store().read(|reader| {
                self.check_open(reader)?;
                self.runs(reader, turn)
            });
        }
        self.write(
            memory,
            Durability::Passive,
            |ctx| {
                let is_open = self.runs(ctx.store(), turn)?;
                for (channel, part) in turn.channels.into_iter().zip(parts).filter(|_| is_open) {
                    append(ctx.writer()?, &self.run, channel, part, now)?;
                }
                Ok(is_open)
            },
            now,
        )
    }

    /// Whether the server still runs a command.
    fn runs(&self, reader: &Reader<'_>, turn: &CommandTurn) -> Result<bool, Fault> {
        let entry = reader.entry(&self.run.scope, &turn.path)?;
        Ok(entry.is_some_and(|entry| phase(&entry) == Some(Phase::Started)))
    }

    /// Ends a command: its channels are complete, and its record says how it went. Returns the
    /// status.
    pub fn end_command(
        &self,
        memory: &Memory,
        turn: &CommandTurn,
        end: &CommandEnd,
        now: Timestamp,
    ) -> Result<u16, Fault> {
        self.write(memory, Durability::Stated, |ctx| finish(ctx, &self.run, &turn.path, end), now)
    }

    /// Ends a command or a call that was under way when the server died. Returns its status; `None`
    /// if the record is of no such command.
    pub(super) fn end_interrupted(&self, ctx: &OpContext<'_>, entry: &Entry) -> Result<Option<u16>, Fault> {
        if phase(entry) != Some(Phase::Started) {
            return Ok(None);
        }
        if is_plugin_call(entry) {
            return plugin_call::interrupt(ctx, &self.run, entry).map(Some);
        }
        let end = CommandEnd { reason: Some(INTERRUPTED.to_owned()), ..CommandEnd::default() };
        finish(ctx, &self.run, &entry.path, &end).map(Some)
    }
}

/// Appends to a channel, without credentials.
fn append(
    writer: &Writer<'_>,
    run: &RunRow,
    channel: EntryId,
    part: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    if !part.is_empty() {
        writer.append_body(channel, part, false, &log::by_nudge(run), now)?;
    }
    Ok(())
}

fn finish(ctx: &OpContext<'_>, run: &RunRow, path: &EntryPath, end: &CommandEnd) -> Result<u16, Fault> {
    let writer = ctx.writer()?;
    let Some(entry) = writer.entry(&run.scope, path)? else { return Ok(500) };
    let mut output = String::new();
    for (index, number) in CHANNELS.into_iter().enumerate() {
        let path = channel(&entry.path, number)?;
        let Some(found) = writer.entry(&run.scope, &path)? else { continue };
        writer.join_appended(found.id, ctx.now())?;
        let is_empty = writer.entry(&run.scope, &path)?.is_none_or(|entry| entry.body.is_empty());
        let change = ViewChange {
            state: Some(end.state()),
            // The model reads the output of its command on its next turn.
            visibility: Some(if is_empty { Visibility::Summarized } else { Visibility::Visible }),
            is_write: true,
            ..ViewChange::default()
        };
        writer.change_view(&run.scope, found.id, &change, ctx.now())?;
        if end.bytes.get(index).is_some_and(|bytes| *bytes > 0) {
            output.push_str(&format!("\n{path}"));
        }
    }
    let command = entry.attributes.get("command").and_then(Value::as_str).unwrap_or_default();
    let body = format!("ran {command}\n{}{output}", end.words());
    let mut more = Map::from_iter([(PHASE.to_owned(), json!(Phase::Ended.name()))]);
    more.insert("exit".to_owned(), json!(end.code));
    more.insert("took_ms".to_owned(), json!(u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX)));
    rewrite(ctx, run, &entry, &body, end.state(), Some(more))?;
    writer.touch(run.entry, ctx.now())?;
    Ok(end.status())
}

/// Ends every command and call of a run that is not over, because the run is stopped.
pub(super) fn cancel_all(ctx: &OpContext<'_>, run: &RunRow) -> Result<(), Fault> {
    for row in ctx.store().views(&run.scope)? {
        let Some(entry) = ctx.store().entry_by_id(row.entry)? else { continue };
        let is_open = phase(&entry).is_some_and(|phase| phase != Phase::Ended);
        if is_open && is_plugin_call(&entry) {
            plugin_call::finish(ctx, run, &entry.path, &PluginEnd::cancelled())?;
        } else if is_open {
            let end = CommandEnd { reason: Some(CANCELLED.to_owned()), ..CommandEnd::default() };
            finish(ctx, run, &entry.path, &end)?;
        }
    }
    Ok(())
}

// `stream`, `stream/completed`, `stream/aborted` and `stream/cancel`: a program that runs an
// accepted command itself passes on its output.

/// Parameters of `stream_output`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path of the command's record, such as `log://turn_2/sh/cargo_test`.
    pub path: String,
    /// Channel: 1 for output, 2 for errors.
    pub channel: u32,
    /// The text.
    pub chunk: String,
}

/// Parameters of `complete_stream`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamCompletedParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path of the command's record.
    pub path: String,
    /// Exit status. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "exitCode")]
    pub exit_code: Option<i32>,
    /// Duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
}

/// Parameters of `abort_stream` and `cancel_stream`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamAbortedParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path of the command's record.
    pub path: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
}

/// The record of a command in one of these phases.
fn in_phase(ctx: &OpContext<'_>, run: &str, path: &str, phases: &[Phase]) -> Result<(RunRow, Entry), Fault> {
    let run = run_to_change(ctx, run, None)?;
    let path = EntryPath::parse(path).map_err(|error| Fault::invalid("path", error.to_string()))?;
    let entry = ctx.store().entry(&run.scope, &path)?;
    match entry.filter(|entry| phase(entry).is_some_and(|phase| phases.contains(&phase))) {
        Some(entry) => Ok((run, entry)),
        None => {
            let why = format!("{path} has no output that goes on");
            Err(Fault::new(FaultKind::Conflict, "not_streaming", why)
                .next("accept it with `resolve_run` and `runner: client` first"))
        }
    }
}

/// Leaves an accepted command to the program that accepted it.
pub(super) fn leave_to_client(ctx: &OpContext<'_>, run: &RunRow, path: &EntryPath) -> Result<(), Fault> {
    set_phase(ctx, run, path, Phase::Streamed)
}

/// Whether a call waits for output that a program of the user sends.
pub(super) fn waits_for_client(entry: &Entry) -> bool {
    phase(entry) == Some(Phase::Streamed)
}

/// Ends a command in the words of a program of the user.
fn end_by_client(
    ctx: &OpContext<'_>,
    (run, entry): &(RunRow, Entry),
    end: CommandEnd,
    duration: Option<f64>,
) -> Result<RunAccepted, Fault> {
    if is_plugin_call(entry) {
        plugin_call::finish(ctx, run, &entry.path, &PluginEnd::cancelled())?;
        return Ok(RunAccepted::of(&fresh(ctx, run)?));
    }
    let mut bytes = [0; 2];
    for (bytes, number) in bytes.iter_mut().zip(CHANNELS) {
        if let Some(entry) = ctx.store().entry(&run.scope, &channel(&entry.path, number)?)? {
            let length = entry.body.len() + ctx.store().appended(entry.id)?.len();
            *bytes = u64::try_from(length).unwrap_or(u64::MAX);
        }
    }
    let took = Duration::try_from_secs_f64(duration.unwrap_or_default()).unwrap_or_default();
    finish(ctx, run, &entry.path, &CommandEnd { took, bytes, ..end })?;
    Ok(RunAccepted::of(&fresh(ctx, run)?))
}

/// The `stream_output` operation.
pub struct StreamOutput;

impl Op for StreamOutput {
    const NAME: &'static str = "stream_output";
    const ALIASES: &'static [&'static str] = &["stream"];
    const TITLE: &'static str = "Stream output";
    const DOC: &'static str = "Append output of a command that the calling program runs itself.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = StreamParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: StreamParams) -> Result<RunAccepted, Fault> {
        let (run, entry) = in_phase(ctx, &params.run, &params.path, &[Phase::Streamed])?;
        if !CHANNELS.contains(&params.channel) {
            return Err(Fault::invalid("channel", "the channel is 1 or 2").with("field", "channel"));
        }
        let path = channel(&entry.path, params.channel)?;
        let found = ctx.store().entry(&run.scope, &path)?.ok_or_else(|| gone(&path))?;
        append(ctx.writer()?, &run, found.id, &params.chunk, ctx.now())?;
        Ok(RunAccepted::of(&fresh(ctx, &run)?))
    }
}

/// The `complete_stream` operation.
pub struct CompleteStream;

impl Op for CompleteStream {
    const NAME: &'static str = "complete_stream";
    const ALIASES: &'static [&'static str] = &["stream/completed"];
    const TITLE: &'static str = "Complete a stream";
    const DOC: &'static str = "Say how a command ended that the calling program ran itself.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = StreamCompletedParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: StreamCompletedParams) -> Result<RunAccepted, Fault> {
        let command = in_phase(ctx, &params.run, &params.path, &[Phase::Streamed])?;
        let end = CommandEnd { code: Some(params.exit_code.unwrap_or(0)), ..CommandEnd::default() };
        end_by_client(ctx, &command, end, params.duration)
    }
}

/// The `abort_stream` operation.
pub struct AbortStream;

impl Op for AbortStream {
    const NAME: &'static str = "abort_stream";
    const ALIASES: &'static [&'static str] = &["stream/aborted", "stream/cancel", "cancel_stream"];
    const TITLE: &'static str = "Abort a stream";
    const DOC: &'static str = "Stop a command or a plugin's call of a run. The run goes on.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = StreamAbortedParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: StreamAbortedParams) -> Result<RunAccepted, Fault> {
        let phases = [Phase::Accepted, Phase::Started, Phase::Streamed];
        let command = in_phase(ctx, &params.run, &params.path, &phases)?;
        let end = CommandEnd { reason: Some(CANCELLED.to_owned()), ..CommandEnd::default() };
        let accepted = end_by_client(ctx, &command, end, params.duration)?;
        Ok(match params.reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => accepted.noting(reason),
            None => accepted,
        })
    }
}

//! Replays sessions, event by event, through the same code path as a hook's event.
//!
//! `replay-sessions SCRIPT DIR [--accept | --candidates]`: SCRIPT has one step per line, in order
//! of time: `{at, session, seq, lines, hook}`. The lines are appended to the session's transcript,
//! which is in DIR with the database. Then the hook's payload is read, stored, answered and reacted
//! to, with the step's own time as the current time. With `--accept` the user accepts every pending
//! statement when a session has ended. With `--candidates` prompts get nothing, and everything
//! that each could have been given is printed, `{session, seq, candidates: [{line, features}]}`.
//!
//! Before each prompt its agent searches for the unchanged text of the prompt.
//!
//! Prints a line of JSON for each start and prompt with what the session was given, `{session, seq,
//! event, source, at, given}`; one for each search, `{session, seq, searched}`; one for each entry,
//! `{session, seq, entry}`; and at the end `{proposals}`, `{used}` and `{stored}`.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use nudge_context::Section;
use nudge_core::{EntryId, EventKind, Fault, HookEvent, Timestamp};
use nudge_harness::Harness;
use nudge_home::Settings;
use nudge_memory::capture::{
    self, CapturedEvent, CapturedVia, ProjectRef, ReadContext, StoreOutcome, pause, project,
};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::Reader;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::product;

/// Longer than an index update takes.
const INDEX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// How many results of a search are checked.
const MAX_RESULTS: u32 = 10;

/// How many injections are counted: more than any project has sessions.
const MAX_INJECTIONS: u32 = 100_000;

/// One step of a script.
#[derive(Deserialize)]
struct Step {
    at: i64,
    session: String,
    seq: Option<u64>,
    #[serde(default)]
    lines: Vec<Value>,
    #[serde(default)]
    hook: Value,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (script, dir, flag) = match args {
        [script, dir] => (script, dir, ""),
        [script, dir, flag] => (script, dir, flag.as_str()),
        _ => anyhow::bail!("usage: replay-sessions SCRIPT DIR [--accept | --candidates]"),
    };
    let mut stage = Stage::open(Path::new(dir), flag)?;
    let script = std::fs::File::open(script).with_context(|| format!("cannot read {script}"))?;
    let mut last = Timestamp::from_millis(0);
    for line in BufReader::new(script).lines() {
        let step: Step = serde_json::from_str(&line?)?;
        last = Timestamp::from_millis(step.at);
        stage.play(step)?;
    }
    stage.close(last)
}

/// A memory and its files.
struct Stage {
    memory: Memory,
    settings: Settings,
    dir: PathBuf,
    accepts: bool,
    prints_candidates: bool,
    /// The project of each directory. A script names few directories, and their projects do not
    /// change.
    projects: BTreeMap<String, ProjectRef>,
    stored: u64,
    not_stored: u64,
}

impl Stage {
    fn open(dir: &Path, flag: &str) -> anyhow::Result<Self> {
        anyhow::ensure!(["", "--accept", "--candidates"].contains(&flag), "{flag} is not known");
        std::fs::create_dir_all(dir)?;
        Ok(Self {
            memory: product::memory(&dir.join("nudge.db"))?,
            settings: Settings::default(),
            dir: dir.to_owned(),
            accepts: flag == "--accept",
            prints_candidates: flag == "--candidates",
            projects: BTreeMap::new(),
            stored: 0,
            not_stored: 0,
        })
    }

    fn play(&mut self, step: Step) -> anyhow::Result<()> {
        let transcript = self.dir.join(format!("{}.jsonl", step.session.replace('/', "_")));
        if !step.lines.is_empty() {
            let mut file = OpenOptions::new().append(true).create(true).open(&transcript)?;
            let lines: String = step.lines.iter().map(|line| format!("{line}\n")).collect();
            file.write_all(lines.as_bytes())?;
        }
        let Value::Object(mut payload) = step.hook else { return Ok(()) };
        payload.insert("transcript_path".to_owned(), transcript.to_string_lossy().into());
        let asked = payload.get("prompt").cloned().unwrap_or_default();
        let payload = Value::Object(payload).to_string();
        let event = nudge_harness::parse(Harness::Claude, &payload)?;
        let now = Timestamp::from_millis(step.at);
        if event.kind == EventKind::Prompt {
            let searched = self.search(&step.session, asked.as_str().unwrap_or_default(), now)?;
            println!("{}", json!({"session": step.session, "seq": step.seq, "searched": searched}));
        }
        let (entry, given) = self.handle_event(&event, &payload, (&step.session, step.seq), now)?;
        if let Some(entry) = entry {
            println!("{}", json!({"session": step.session, "seq": step.seq, "entry": entry.0}));
        }
        let source = match &event.kind {
            EventKind::SessionStart { source } => Some(source.word()),
            _ => None,
        };
        if source.is_some() || event.kind == EventKind::Prompt || given.is_some() {
            let given = given
                .map(|given| json!({"text": given.context, "lines": given.lines, "tokens": given.tokens}));
            println!(
                "{}",
                json!({"session": step.session, "seq": step.seq, "event": event.name, "source": source, "at": step.at, "given": given})
            );
        }
        if matches!(event.kind, EventKind::SessionEnd { .. }) {
            self.end(now)?;
        }
        Ok(())
    }

    /// Does what a hook does: reads and stores the event, answers if the agent accepts an answer,
    /// and reacts.
    fn handle_event(
        &mut self,
        event: &HookEvent,
        payload: &str,
        place: (&str, Option<u64>),
        now: Timestamp,
    ) -> anyhow::Result<(Option<EntryId>, Option<Injected>)> {
        let Some(captured) = self.captured(event, payload, now) else {
            self.not_stored += 1;
            return Ok((None, None));
        };
        let known = Harness::Claude.spec().event(&event.name);
        let limits = InjectionLimits::of(&self.settings, Some(false))
            .filter(|_| known.is_some_and(|event| event.context));
        let received = self.memory.receive(&captured).map_err(fault)?;
        let entry = match received.outcome {
            StoreOutcome::Stored(id) | StoreOutcome::Settled(id) => Some(id),
            StoreOutcome::Duplicate | StoreOutcome::Nothing => None,
        };
        match received.outcome {
            StoreOutcome::Stored(_) => self.stored += 1,
            _ => self.not_stored += 1,
        }
        // What a prompt could be given must not depend on what another one was.
        let given = if self.prints_candidates && event.kind == EventKind::Prompt {
            self.print_candidates(&captured, place, now)?;
            None
        } else {
            received.reply(limits, now).map_err(fault)?
        };
        received.react().map_err(|(name, error)| fault(error).context(name))?;
        Ok((entry, given))
    }

    /// Prints everything that a prompt could be given.
    fn print_candidates(
        &self,
        captured: &CapturedEvent,
        (session, seq): (&str, Option<u64>),
        now: Timestamp,
    ) -> anyhow::Result<()> {
        let Some((_, facts)) = self.memory.candidates(captured, now).map_err(fault)? else { return Ok(()) };
        let candidate = |found: &nudge_context::Found| {
            let features: serde_json::Map<String, Value> =
                found.features.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
            json!({
                "line": found.line(now),
                "features": features,
                "withheld": found.withheld,
            })
        };
        // What was stated has weights of its own.
        let work = facts.found.iter().filter(|found| found.what != "stated");
        let candidates: Vec<Value> = work.map(candidate).collect();
        println!("{}", json!({"session": session, "seq": seq, "candidates": candidates}));
        Ok(())
    }

    /// The entries that the agent of a session finds for a text, each with its session and its
    /// words; null when the search is rejected.
    fn search(&self, session: &str, text: &str, now: Timestamp) -> anyhow::Result<Value> {
        let project = self.projects.values().next().map(|project| project.key.clone());
        let session = Some(session.to_owned());
        let caller = Caller { project, session, ..Caller::new(Surface::Mcp, now) };
        let Ok(found) =
            nudge_agent::call(&self.memory, &caller, "search", json!({"query": text, "limit": MAX_RESULTS}))
        else {
            return Ok(Value::Null);
        };
        // A row of a request also shows what came of it.
        let ids = |row: &Value| [row["id"].clone(), row["answer"]["id"].clone()];
        let ids: Vec<Value> = found["results"].as_array().into_iter().flatten().flat_map(ids).collect();
        let ids: Vec<Value> = ids.into_iter().filter(Value::is_i64).collect();
        if ids.is_empty() {
            return Ok(json!([]));
        }
        let whole = nudge_agent::call(&self.memory, &caller, "get_observations", json!({"ids": ids}))
            .map_err(fault)?;
        let row =
            |row: &Value| json!({"id": row["id"], "session": row["session_id"], "text": row["content"]});
        Ok(whole.as_array().into_iter().flatten().map(row).collect())
    }

    fn captured(&mut self, event: &HookEvent, payload: &str, now: Timestamp) -> Option<CapturedEvent> {
        let cwd = event.cwd.clone()?;
        let project =
            self.projects.entry(cwd).or_insert_with_key(|cwd| project::resolve(Some(Path::new(cwd)), None));
        let here = ReadContext {
            now,
            project: project.clone(),
            headless: Some(false),
            via: CapturedVia::Hook,
            own_root: None,
            is_own_tool: nudge_agent::registry::has,
        };
        capture::read(event, payload, &here)
            .filter(|captured| !pause::touches_excluded(&self.settings, captured))
    }

    /// A session has ended: updates the index, as PRIMARY would have by now, and lets the user
    /// review the pending statements.
    fn end(&self, now: Timestamp) -> anyhow::Result<()> {
        self.memory.update_index(INDEX_TIMEOUT, now).map_err(fault)?;
        if !self.accepts {
            return Ok(());
        }
        for proposal in self.proposals(now, false)? {
            if proposal["kind"] == "statement" && proposal["state"] == "waiting" {
                self.call(now, "accept_proposal", json!({"id": proposal["id"]}))?;
            }
        }
        Ok(())
    }

    fn proposals(&self, now: Timestamp, all: bool) -> anyhow::Result<Vec<Value>> {
        let answer = self.call(now, "list_proposals", json!({"all": all}))?;
        answer["proposals"].as_array().cloned().context("no proposals in the answer")
    }

    fn call(&self, now: Timestamp, name: &str, params: Value) -> anyhow::Result<Value> {
        // The user is in the project.
        let project = self.projects.values().next().map(|project| project.key.clone());
        let caller = Caller { project, ..Caller::new(Surface::Cli, now) };
        nudge_agent::call(&self.memory, &caller, name, params)
            .map_err(|error| fault(error).context(name.to_owned()))
    }

    fn close(&self, now: Timestamp) -> anyhow::Result<()> {
        println!("{}", json!({"proposals": self.proposals(now, true)?}));
        let used = self.memory.store().read(used).map_err(fault)?;
        let used: Vec<Value> = used
            .into_iter()
            .map(|(section, (named, used))| json!({"section": section, "named": named, "used": used}))
            .collect();
        println!("{}", json!({"used": used}));
        println!("{}", json!({"stored": self.stored, "not_stored": self.not_stored}));
        Ok(())
    }
}

/// By section: how many injected lines name a file or a command, and how many of those the ledger
/// marks as used.
fn used(reader: &Reader<'_>) -> Result<BTreeMap<&'static str, (u64, u64)>, Fault> {
    let mut sections = BTreeMap::new();
    for injection in reader.injections_since(Timestamp::from_millis(0), MAX_INJECTIONS)? {
        for line in reader.injection_lines(injection.id)?.iter().filter(|line| line.is_injected()) {
            let Some(row) = reader.recent_row(line.entry)? else { continue };
            if row.file.is_none() && !row.kind.is_command() {
                continue;
            }
            let section = Section::from_number(line.section).map_or("none", Section::name);
            let (named, used) = sections.entry(section).or_default();
            *named += 1;
            *used += u64::from(line.used_at.is_some());
        }
    }
    Ok(sections)
}

fn fault(fault: Fault) -> anyhow::Error {
    anyhow::anyhow!("{fault:?}")
}

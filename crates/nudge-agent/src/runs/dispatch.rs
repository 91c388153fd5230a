//! Carries out one call of a run's model, in one transaction with its record.

use nudge_core::entry_state::EntryState;
use nudge_core::run::{Mode, RunState};
use nudge_core::{Fault, Timestamp};
use nudge_grammar::{Call, Tool};
use nudge_memory::entries::{self, CallResult};
use nudge_memory::memory::Memory;
use nudge_memory::operation::OpContext;
use nudge_store::Durability;
use serde_json::{Map, Value};

use super::gather::FileSearch;
use super::gather::{Show, gather};
use super::propose::{Proposed, Said, is_command};
use super::work::{CallEnd, LoopWork, RunCall, SentTurn};
use crate::plugins::PluginTools;
use crate::proposals::Sandbox;

/// What came of a call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Dispatched {
    /// Its status.
    pub status: u16,
    /// Whether it waits for the user.
    pub waits: bool,
}

/// What was looked up before the transaction.
struct Found {
    in_files: FileSearch,
    files: Option<Vec<entries::FoundFile>>,
    said: Said,
}

impl LoopWork {
    /// Carries out one call, and writes what came of it into its record. What an operation refuses
    /// is a result; only a failure of Nudge itself is a fault.
    pub fn dispatch(
        &self,
        memory: &Memory,
        turn: &SentTurn,
        call: &RunCall,
        sandbox: &Sandbox,
        plugins: &PluginTools,
        now: Timestamp,
    ) -> Result<Dispatched, Fault> {
        let found = self.find_before(memory, call, plugins, now)?;
        self.write_in(
            memory,
            Durability::Passive,
            turn.seq,
            |ctx| {
                let done = self.carry_out(ctx, call, &found, sandbox, plugins)?;
                let state = match (done.waits, done.status) {
                    (true, _) if done.is_ready => (EntryState::Resolved, None),
                    (true, _) => (EntryState::Proposed, None),
                    (false, status) if status >= 400 => (EntryState::Failed, Some(outcome_of(status))),
                    _ => (EntryState::Resolved, None),
                };
                // What was proposed again waits already.
                let is_new = || Ok::<_, Fault>(self.run_state(ctx)? != Some(RunState::Proposed));
                if done.waits && !done.goes_ahead && is_new()? {
                    ctx.writer()?.set_run_state(self.run.id, RunState::Proposed, None, now)?;
                }
                let end = CallEnd { state, body: &done.body, more: done.more };
                self.write_call(ctx.writer()?, turn.seq, call, end, now)?;
                Ok(Dispatched { status: done.status, waits: done.waits })
            },
            now,
        )
    }

    fn find_before(
        &self,
        memory: &Memory,
        call: &RunCall,
        plugins: &PluginTools,
        now: Timestamp,
    ) -> Result<Found, Fault> {
        let in_files = match call.call.tool {
            Tool::Search => self.search_files(memory, &call.call.target, now)?,
            _ => FileSearch::default(),
        };
        let reads_files = matches!(call.call.tool, Tool::Get | Tool::Set | Tool::Rm | Tool::Cp | Tool::Mv);
        let is_over_files = reads_files && entries::is_for_files(&call.call.target);
        let files = is_over_files.then(|| entries::all_files(memory, &self.caller(0, now))).transpose()?;
        let said = if is_command(&call.call) { self.said(memory, plugins)? } else { Said::default() };
        Ok(Found { in_files, files, said })
    }

    fn run_state(&self, ctx: &OpContext<'_>) -> Result<Option<RunState>, Fault> {
        Ok(ctx.store().run(self.run.id)?.map(|run| run.state))
    }

    fn carry_out(
        &self,
        ctx: &OpContext<'_>,
        call: &RunCall,
        found: &Found,
        sandbox: &Sandbox,
        plugins: &PluginTools,
    ) -> Result<Done, Fault> {
        let text = || call.call.body.clone().unwrap_or_else(|| call.call.target.clone());
        match call.call.tool {
            Tool::Think => Ok(Done::of(200, text())),
            Tool::Update => Ok(Done::of(200, text())),
            Tool::AskUser => Ok(Done { waits: true, ..Done::of(202, question(call)) }),
            Tool::Search => {
                let limit = call.call.attributes.get("results").and_then(Value::as_i64);
                let asked = &call.call.target;
                let gathered = gather(ctx, &self.alias(ctx)?, asked, &found.in_files, Show::lines(limit))?;
                Ok(Done::of(200, gathered.text))
            }
            Tool::Env | Tool::Sh => {
                self.propose_command(ctx, call, &found.said, sandbox).map(Done::of_proposed)
            }
            Tool::Mcp => self.propose_call(ctx, call, plugins, sandbox).map(Done::of_proposed),
            _ => self.verb(ctx, call, found, sandbox),
        }
    }

    /// A verb over entries. A change that would wait for the user waits in a loop that acts, and is
    /// refused in one that only asks.
    fn verb(
        &self,
        ctx: &OpContext<'_>,
        call: &RunCall,
        found: &Found,
        sandbox: &Sandbox,
    ) -> Result<Done, Fault> {
        let refused = Fault::invalid("proposes", "");
        let is_ask = self.mode() == Mode::Ask;
        let alias = self.alias(ctx)?;
        let result = ctx.writer()?.part(|| {
            let files = found.files.as_deref();
            let result = entries::carry_out(ctx, &call.call, Some(&alias), files)?;
            if result.status == 202 && is_ask { Err(refused) } else { Ok(result) }
        });
        match result {
            Ok(result) if result.status == 202 => {
                self.propose_changes(ctx, &result, sandbox).map(Done::of_proposed)
            }
            Ok(result) => Ok(Done::of_call(call, &result)),
            Err(fault) if fault.reason == "proposes" => Ok(Done::of(403, PROPOSES.to_owned())),
            Err(fault) => Err(fault),
        }
    }
}

const PROPOSES: &str = "only the user changes this, and a run that asks proposes nothing; say in the update \
    what should change";

struct Done {
    status: u16,
    body: String,
    waits: bool,
    /// Whether it is decided already, because the user allowed it ahead.
    goes_ahead: bool,
    /// Whether it may begin without a proposal.
    is_ready: bool,
    /// More facts for its record.
    more: Map<String, Value>,
}

impl Done {
    fn of(status: u16, body: String) -> Self {
        Self { status, body, waits: false, goes_ahead: false, is_ready: false, more: Map::new() }
    }

    fn of_proposed(proposed: Proposed) -> Self {
        let Proposed { status, body, more, goes_ahead, is_ready } = proposed;
        Self { status, body, more, goes_ahead, is_ready, waits: status == 202 }
    }

    fn of_call(call: &RunCall, result: &CallResult) -> Self {
        let body = match &result.why {
            Some(why) => why.clone(),
            None => of_answer(&call.call, &result.answer),
        };
        Self::of(result.status, body)
    }
}

/// The question with its options.
fn question(call: &RunCall) -> String {
    let options = call.call.attributes.get("options").and_then(Value::as_str);
    let options = options.or(call.call.body.as_deref()).map(str::trim).filter(|text| !text.is_empty());
    match options {
        Some(options) if options != call.call.target => format!("{}\nOptions: {options}", call.call.target),
        _ => call.call.target.clone(),
    }
}

/// The word for a status that failed.
fn outcome_of(status: u16) -> String {
    match status {
        400 => "invalid".to_owned(),
        403 => "permission:403".to_owned(),
        404 => "not_found".to_owned(),
        409 => "conflict".to_owned(),
        413 => "overflow".to_owned(),
        other => format!("error:{other}"),
    }
}

// What the record of a call says: short for what the packet shows elsewhere, whole for the rest.

/// How many entries a record lists.
const MAX_LISTED: usize = 50;

/// The text for a call that was carried out, from the answer of its operation.
fn of_answer(call: &Call, answer: &Value) -> String {
    match call.tool {
        Tool::Get => of_get(call, answer),
        Tool::Set => of_results(answer, "stored"),
        Tool::Rm => of_results(answer, "removed"),
        Tool::Cp => of_results(answer, "copied"),
        Tool::Mv => of_results(answer, "moved"),
        _ => String::new(),
    }
}

fn of_get(call: &Call, answer: &Value) -> String {
    if let Some(failed) = answer.get("failed").filter(|failed| !failed.is_null()) {
        return why(failed);
    }
    let entries: Vec<&Value> = answer["entries"].as_array().into_iter().flatten().collect();
    let is_part = call.attributes.contains_key("line") || call.attributes.contains_key("limit");
    if let (true, [entry]) = (is_part, entries.as_slice()) {
        let lines = &entry["lines"];
        let head = format!(
            "{} lines {} to {} of {}",
            text(entry, "path"),
            lines["from"],
            lines["from"].as_u64().unwrap_or(1) + lines["count"].as_u64().unwrap_or(0).saturating_sub(1),
            lines["of"]
        );
        let body = entry["body"].as_str().map_or_else(|| text(entry, "withheld"), str::to_owned);
        return format!("{head}\n{body}");
    }
    if entries.is_empty() {
        return format!("nothing matches {}", call.target);
    }
    let is_preview = answer["preview"] == Value::Bool(true);
    let heading = if is_preview { "matches" } else { "now visible" };
    let mut lines: Vec<String> = entries
        .iter()
        .take(MAX_LISTED)
        .map(|entry| {
            let withheld = entry["withheld"].as_str().map(|why| format!(", not shown: {why}"));
            format!(
                "{} ({} tokens{})",
                text(entry, "path"),
                entry["tokens"]["visible"],
                withheld.unwrap_or_default()
            )
        })
        .collect();
    lines.insert(0, format!("{heading}: {}", answer["matched"]));
    if let Some(left_out) = answer["left_out"].as_u64().filter(|count| *count > 0) {
        lines.push(format!("{left_out} more are not in this answer"));
    }
    lines.join("\n")
}

fn of_results(answer: &Value, done: &str) -> String {
    let results: Vec<&Value> = answer["results"].as_array().into_iter().flatten().collect();
    if results.is_empty() {
        return "nothing matches".to_owned();
    }
    let line = |result: &&Value| {
        let status = result["status"].as_u64().unwrap_or(500);
        if status >= 400 { why(result) } else { format!("{done} {}", text(result, "path")) }
    };
    let lines: Vec<String> = results.iter().take(MAX_LISTED).map(line).collect();
    lines.join("\n")
}

fn why(failed: &Value) -> String {
    // A model has no command line.
    let next = failed["next"]
        .as_str()
        .filter(|next| !next.contains("`nudge "))
        .map(|next| format!("; {next}"))
        .unwrap_or_default();
    format!("{}: {}{next}", text(failed, "path"), text(failed, "why"))
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

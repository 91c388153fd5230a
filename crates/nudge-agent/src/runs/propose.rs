//! What a loop that acts proposes, and how it is settled.
//!
//! A call that would change something waits with 202. Its record names its proposals, one for each
//! file or command, so that it can be decided in the run or with `nudge review`. Whoever decides,
//! [`LoopWork::settle`] reads it from the proposals.

use nudge_core::entry_state::EntryState;
use nudge_core::run::Mode;
use nudge_core::text::is_hidden;
use nudge_core::{EntryPath, Fault, Scope, Timestamp};
use nudge_grammar::{Call, Tool};
use nudge_memory::entries::CallResult;
use nudge_memory::memory::Memory;
use nudge_memory::operation::OpContext;
use nudge_memory::review::{self, CommandOfRun};
use nudge_memory::statements::proposals::State;
use nudge_store::{Durability, Reader};
use serde_json::{Map, Value, json};

use super::command;
use super::plugin_call::accepted_facts;
use super::records::{PROPOSALS, STALE, allowed, ids_of};
use super::settle::{Settled, ready, settle_record};
use super::work::{LoopWork, RunCall, parse};
use crate::plugins::PluginTools;
use crate::proposals::{Allowed, Asked, Right, Sandbox, Waits, may_go_ahead};

/// What a call that would change something came to.
pub(super) struct Proposed {
    pub(super) status: u16,
    /// What is shown of it: a diff, a command, or why it is refused.
    pub(super) body: String,
    /// More facts for its record.
    pub(super) more: Map<String, Value>,
    /// Whether it goes on without the user.
    pub(super) goes_ahead: bool,
    /// Whether it may begin without a proposal.
    pub(super) is_ready: bool,
}

/// What was said to a model, by whether the user typed it.
#[derive(Default)]
pub(super) struct Said {
    /// What it read elsewhere.
    pub(super) read: String,
    /// What the user typed.
    pub(super) typed: String,
}

impl LoopWork {
    /// What was said to the model. What the model said itself is neither. Empty if the user allowed
    /// nothing ahead: then it decides nothing, and reads every file in view.
    pub(super) fn said(&self, memory: &Memory, plugins: &PluginTools) -> Result<Said, Fault> {
        let mut said = Said::default();
        let allowed = memory.store().read(|reader| self.allowed_ahead(reader))?;
        if !allowed.yolo && allowed.programs.is_empty() {
            return Ok(said);
        }
        let (entries, _) = self.entries(memory)?;
        for entry in &entries {
            let is_own = entry.scheme == "log" && OWN_WORDS.iter().any(|tool| entry.path.contains(tool));
            match entry.by_user {
                true => said.typed.push_str(&format!("{}\n", entry.body)),
                false if !is_own => said.read.push_str(&format!("{}\n", entry.body)),
                false => {}
            }
        }
        // What plugins say of their tools stands in the system message.
        said.read.push_str(&plugins.list(self.mode()));
        said.typed.push_str(&self.prompt);
        Ok(said)
    }
}

/// The records of calls that say what the model said itself.
const OWN_WORDS: [&str; 9] =
    ["/sh/", "/env/", "/set/", "/rm/", "/mv/", "/cp/", "/think/", "/update/", "/ask_user/"];

/// What a question says about a call of a plugin.
const OUTSIDE: &str = "outside the sandbox: your plugin does it, with your rights";

/// The longest arguments of a call, in bytes.
const MAX_ARGUMENTS_BYTES: usize = 64 << 10;

/// A character of JSON, by its number if it is hidden.
fn visible(c: char) -> String {
    let mut units = [0; 2];
    match is_hidden(c) {
        true => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => c.to_string(),
    }
}

/// The arguments of a call in one line.
fn arguments(body: &str) -> Result<String, String> {
    if body.len() > MAX_ARGUMENTS_BYTES {
        return Err(format!("the arguments are limited to {MAX_ARGUMENTS_BYTES} bytes"));
    }
    let body = if body.trim().is_empty() { "{}" } else { body };
    match serde_json::from_str::<Map<String, Value>>(body) {
        // What nobody would see is shown by its number, so that the user reads all that is sent.
        Ok(arguments) => Ok(Value::Object(arguments).to_string().chars().map(visible).collect()),
        Err(error) => Err(format!("the body of mcp is no JSON object with the arguments: {error}")),
    }
}

impl Proposed {
    fn refused(status: u16, why: impl Into<String>) -> Self {
        Self { status, body: why.into(), more: Map::new(), goes_ahead: true, is_ready: false }
    }
}

impl LoopWork {
    /// What becomes of a verb whose changes wait for the user.
    pub(super) fn propose_changes(
        &self,
        ctx: &OpContext<'_>,
        result: &CallResult,
        sandbox: &Sandbox,
    ) -> Result<Proposed, Fault> {
        let results: Vec<&Value> = result.answer["results"].as_array().into_iter().flatten().collect();
        let waiting: Vec<&Value> = results.iter().filter(|one| one["status"] == 202).copied().collect();
        let places = waiting.iter().flat_map(|one| [&one["path"], &one["to"]]);
        let paths: Vec<String> = places.filter_map(Value::as_str).map(str::to_owned).collect();
        let dropped = waiting.iter().find(|one| one["proposal"]["state"] == "dropped");
        let ids: Vec<i64> = waiting.iter().filter_map(|one| one["proposal"]["id"].as_i64()).collect();
        if dropped.is_some() || ids.len() < waiting.len() {
            for id in ids {
                review::withdraw(ctx, id)?;
            }
            return Ok(Proposed::refused(403, "the user has rejected this change"));
        }
        let shown: Vec<String> = waiting.iter().map(|one| shown(&result.tool, one)).collect();
        let more = Map::from_iter([(PROPOSALS.to_owned(), json!(ids))]);
        let body = shown.join("\n");
        let is_of_files = paths.iter().all(|path| !path.contains("://"));
        let allowed = self.allowed_ahead(ctx.store())?;
        let ahead = match is_of_files {
            true => may_go_ahead(&Asked::Edit(&paths), &allowed, sandbox),
            // What the user stated, only the user changes.
            false => Err(Waits::NotAllowed),
        };
        match ahead {
            Ok(()) => {
                for id in ids {
                    if let Err(fault) = review::accept_as_allowed(ctx, id) {
                        return match fault.kind.is_failure() {
                            true => Err(fault),
                            false => Ok(Proposed::refused(409, fault.message)),
                        };
                    }
                }
                Ok(Proposed { status: 200, body, more, goes_ahead: true, is_ready: false })
            }
            Err(_) if self.flags().yolo && !is_of_files => {
                self.withdraw_all(ctx, &ids, "only the user changes what the user wrote")
            }
            Err(why) if self.flags().yolo => self.withdraw_all(ctx, &ids, &why.why()),
            Err(_) => Ok(Proposed { status: 202, body, more, goes_ahead: false, is_ready: false }),
        }
    }

    fn withdraw_all(&self, ctx: &OpContext<'_>, ids: &[i64], why: &str) -> Result<Proposed, Fault> {
        for id in ids {
            review::withdraw(ctx, *id)?;
        }
        Ok(Proposed::refused(403, why))
    }

    /// Proposes a command.
    pub(super) fn propose_command(
        &self,
        ctx: &OpContext<'_>,
        call: &RunCall,
        said: &Said,
        sandbox: &Sandbox,
    ) -> Result<Proposed, Fault> {
        let text = |name: &str| call.call.attributes.get(name).and_then(Value::as_str).unwrap_or_default();
        let rights = match Right::parse_all(text("rights")) {
            Ok(rights) => rights,
            Err(why) => return Ok(Proposed::refused(400, why)),
        };
        let Some(root) = self.run.root.clone() else {
            return Ok(Proposed::refused(403, "this run has no project directory, so it runs no commands"));
        };
        let command = call.call.target.trim();
        let names: Vec<String> = rights.iter().map(Right::text).collect();
        let asked = Asked::Command { command, rights: &rights, read: &said.read, typed: &said.typed };
        let allowed = self.allowed_ahead(ctx.store())?;
        let ahead = may_go_ahead(&asked, &allowed, sandbox);
        if let (Err(why), true) = (&ahead, self.flags().yolo) {
            return Ok(Proposed::refused(403, why.why()));
        }
        let key = self.project_key(ctx)?;
        let alias = self.alias(ctx)?;
        let wanted = CommandOfRun {
            command,
            tool: None,
            root: &root,
            run: &alias,
            rights: &names,
            sandbox: &sandbox.sentence,
        };
        let mut proposed = self.propose(ctx, key, wanted, ahead.is_ok())?;
        if proposed.status == 202 && !names.is_empty() {
            proposed.more.insert("rights".to_owned(), json!(names));
        }
        Ok(proposed)
    }

    /// Proposes a command or a call, and accepts it if it goes ahead.
    fn propose(
        &self,
        ctx: &OpContext<'_>,
        key: String,
        wanted: CommandOfRun<'_>,
        goes_ahead: bool,
    ) -> Result<Proposed, Fault> {
        let mut more = Map::from_iter([("command".to_owned(), json!(wanted.command))]);
        more.insert("sandbox".to_owned(), json!(wanted.sandbox));
        let body = wanted.command.to_owned();
        let what = if wanted.tool.is_some() { "call" } else { "command" };
        let note = match ctx.writer()?.part(|| review::propose_command(ctx, Scope::Project(key), wanted)) {
            Ok(note) => note,
            Err(fault) if fault.kind.is_failure() => return Err(fault),
            Err(fault) => return Ok(Proposed::refused(400, fault.message)),
        };
        let Some(id) = note.id.filter(|_| note.state == State::Waiting) else {
            return Ok(Proposed::refused(403, format!("the user has rejected this {what}")));
        };
        if goes_ahead {
            review::accept_as_allowed(ctx, id)?;
        }
        more.insert(PROPOSALS.to_owned(), json!([id]));
        Ok(Proposed { status: 202, body, more, goes_ahead, is_ready: false })
    }

    /// What becomes of a call of a plugin. One that changes nothing begins at once; the others
    /// wait.
    pub(super) fn propose_call(
        &self,
        ctx: &OpContext<'_>,
        call: &RunCall,
        plugins: &PluginTools,
        sandbox: &Sandbox,
    ) -> Result<Proposed, Fault> {
        let name = call.call.target.as_str();
        let Some(tool) = plugins.find(name) else {
            return Ok(Proposed::refused(404, plugins.unknown(name, self.mode())));
        };
        let arguments = match arguments(call.call.body.as_deref().unwrap_or_default()) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Proposed::refused(400, why)),
        };
        if nudge_secrets::redact(&arguments) != arguments {
            return Ok(Proposed::refused(
                400,
                "the arguments have what looks like a credential; leave it out",
            ));
        }
        if tool.read_only {
            let more = accepted_facts(&arguments);
            let body = format!("accepted: {arguments}");
            return Ok(Proposed { status: 202, body, more, goes_ahead: true, is_ready: true });
        }
        if self.mode() == Mode::Ask || self.flags().no_proposals {
            let why = format!("only the user accepts a call of {name}, and this loop asks for nothing");
            return Ok(Proposed::refused(403, why));
        }
        let ahead = may_go_ahead(&Asked::Tool(name), &self.allowed_ahead(ctx.store())?, sandbox);
        if let (Err(why), true) = (&ahead, self.flags().yolo) {
            return Ok(Proposed::refused(403, why.why()));
        }
        let key = self.project_key(ctx)?;
        let alias = self.alias(ctx)?;
        let wanted = CommandOfRun {
            command: &arguments,
            tool: Some(name),
            root: self.run.root.as_deref().unwrap_or_default(),
            run: &alias,
            rights: &[],
            sandbox: OUTSIDE,
        };
        self.propose(ctx, key, wanted, ahead.is_ok())
    }

    /// What the user allowed ahead. It holds for the user's own prompts: whoever else asks the run
    /// more gets nothing of it.
    fn allowed_ahead(&self, reader: &Reader<'_>) -> Result<Allowed, Fault> {
        let prompt = reader.entry(&self.run.scope, &parse(&self.row.prompt)?)?;
        match prompt.is_some_and(|prompt| prompt.origin.is_by_user()) {
            true => allowed(reader, &self.run, self.flags().yolo),
            false => Ok(Allowed::default()),
        }
    }

    fn project_key(&self, ctx: &OpContext<'_>) -> Result<String, Fault> {
        let row = ctx.store().project_uncounted(self.run.project)?;
        Ok(row.and_then(|row| row.keys.into_iter().next()).unwrap_or_default())
    }
}

/// A change as it is shown: its diff, or what is done to which path.
fn shown(tool: &str, one: &Value) -> String {
    let path = one["path"].as_str().unwrap_or_default();
    match one["diff"].as_str().filter(|diff| !diff.is_empty()) {
        Some(diff) => diff.trim_end().to_owned(),
        None => match one["to"].as_str() {
            Some(to) => format!("{tool} {path} to {to}"),
            None => format!("{tool} {path}"),
        },
    }
}

// How a call that waits was settled.

impl LoopWork {
    /// Settles a call whose proposals are decided.
    pub fn settle(
        &self,
        memory: &Memory,
        call: &RunCall,
        turn: u32,
        now: Timestamp,
    ) -> Result<Settled, Fault> {
        if let Some(known) = self.standing(memory, &call.path)? {
            return Ok(known);
        }
        self.write_in(
            memory,
            Durability::Stated,
            turn,
            |ctx| {
                let Some(entry) = ctx.store().entry(&self.run.scope, &call.path)? else {
                    return Ok(Settled::Done(403));
                };
                settle_record(ctx, &self.run, &entry)
            },
            now,
        )
    }

    /// How a call stands, as far as nothing is to be written for it.
    fn standing(&self, memory: &Memory, path: &EntryPath) -> Result<Option<Settled>, Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let Some(entry) = reader.entry(&self.run.scope, path)? else {
                return Ok(Some(Settled::Done(403)));
            };
            let Some(row) = reader.view(&self.run.scope, entry.id)? else {
                return Ok(Some(Settled::Done(403)));
            };
            if command::waits_for_client(&entry) {
                return Ok(Some(Settled::Waits));
            }
            if row.state != EntryState::Proposed {
                let status = nudge_core::entry_state::status_of(row.state, row.outcome.as_deref());
                return Ok(Some(ready(reader, &self.run, &entry)?.unwrap_or(Settled::Done(status))));
            }
            if entry.attributes.contains_key(STALE) {
                return Ok(Some(Settled::Stale));
            }
            let ids = ids_of(&entry);
            if ids.is_empty() {
                return Ok(Some(Settled::Waits));
            }
            for id in ids {
                if matches!(review::decision_on(reader, id)?.state, State::Waiting | State::Expired) {
                    return Ok(Some(Settled::Waits));
                }
            }
            Ok(None)
        })
    }
}

/// Whether a call runs a command.
pub(super) const fn is_command(call: &Call) -> bool {
    matches!(call.tool, Tool::Env | Tool::Sh)
}

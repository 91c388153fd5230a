//! What a loop that acts proposes, and how it is settled.
//!
//! A call that would change something waits with 202. Its record names its proposals, one for each
//! file or command, so that it can be decided in the run or with `nudge review`. Whoever decides,
//! [`LoopWork::settle`] reads it from the proposals.

use nudge_core::entry_state::EntryState;
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
use super::records::{PROPOSALS, STALE, allowed, ids_of};
use super::settle::{Settled, settle_record};
use super::work::{LoopWork, RunCall, parse};
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
    pub(super) fn said(&self, memory: &Memory) -> Result<Said, Fault> {
        let mut said = Said::default();
        let allowed = memory.store().read(|reader| self.allowed_ahead(reader))?;
        if !allowed.yolo && allowed.programs.is_empty() {
            return Ok(said);
        }
        let (entries, _) = self.entries(memory)?;
        for entry in &entries {
            let is_result = |path: &str| ["/get/", "/search/"].iter().any(|tool| path.contains(tool));
            let is_own = entry.scheme == "log" && !is_result(&entry.path);
            match entry.by_user {
                true => said.typed.push_str(&format!("{}\n", entry.body)),
                false if !is_own => said.read.push_str(&format!("{}\n", entry.body)),
                false => {}
            }
        }
        said.typed.push_str(&self.prompt);
        Ok(said)
    }
}

impl Proposed {
    fn refused(status: u16, why: impl Into<String>) -> Self {
        Self { status, body: why.into(), more: Map::new(), goes_ahead: true }
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
        let paths: Vec<String> =
            waiting.iter().filter_map(|one| one["path"].as_str()).map(str::to_owned).collect();
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
                Ok(Proposed { status: 200, body, more, goes_ahead: true })
            }
            Err(_) if self.flags().yolo && !is_of_files => {
                self.withdraw_all(ctx, &ids, "only the user changes what the user wrote")
            }
            Err(why) if self.flags().yolo => self.withdraw_all(ctx, &ids, &why.why()),
            Err(_) => Ok(Proposed { status: 202, body, more, goes_ahead: false }),
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
        let wanted =
            CommandOfRun { command, root: &root, run: &alias, rights: &names, sandbox: &sandbox.sentence };
        let note = match ctx.writer()?.part(|| review::propose_command(ctx, Scope::Project(key), wanted)) {
            Ok(note) => note,
            Err(fault) if fault.kind.is_failure() => return Err(fault),
            Err(fault) => return Ok(Proposed::refused(400, fault.message)),
        };
        let Some(id) = note.id.filter(|_| note.state == State::Waiting) else {
            return Ok(Proposed::refused(403, "the user has rejected this command"));
        };
        if ahead.is_ok() {
            review::accept_as_allowed(ctx, id)?;
        }
        let mut more = Map::from_iter([(PROPOSALS.to_owned(), json!([id]))]);
        more.insert("command".to_owned(), json!(command));
        more.insert("sandbox".to_owned(), json!(sandbox.sentence));
        if !names.is_empty() {
            more.insert("rights".to_owned(), json!(names));
        }
        Ok(Proposed { status: 202, body: command.to_owned(), more, goes_ahead: ahead.is_ok() })
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
                return Ok(Some(match command::accepted(reader, &self.run, &entry)? {
                    Some(turn) => Settled::Command(Box::new(turn)),
                    None => Settled::Done(status),
                }));
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

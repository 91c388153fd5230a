//! The single entry point to all operations: opens the transaction and runs one in it.

use std::borrow::Cow;

use nudge_context::{clean_text, is_plain_text};
use nudge_core::{Fault, FaultKind};
use nudge_home::Settings;
use nudge_store::{Durability, ProjectId, Reader};
use serde_json::Value;

use crate::caller::{Caller, HintLimits, Surface, Terms};
use crate::memory::Memory;
use crate::operation::{Answered, Effect, OpContext, Operation, Profile};
use crate::recall;
use crate::sessions::call_session;

impl Memory {
    /// Runs an operation, inside one transaction of its own.
    ///
    /// A write with an operation id that was seen in the last ten minutes is not run again: its
    /// first answer is returned.
    pub fn run_operation(
        &self,
        operation: &Operation,
        caller: &Caller,
        params: Value,
    ) -> Result<Value, Fault> {
        self.carry_out(operation, caller, params).map_err(|fault| for_surface(caller.surface, fault))
    }

    fn carry_out(&self, operation: &Operation, caller: &Caller, params: Value) -> Result<Value, Fault> {
        if caller.surface.tier() < operation.tier {
            return Err(Fault::new(
                FaultKind::Forbidden,
                "tier",
                format!("{} is reserved for the user", operation.name),
            )
            .next("ask the user to run it in their own terminal"));
        }
        if operation.cli_only && caller.surface.is_outside_terminal() {
            let why = format!("{} is reserved for the user's own terminal", operation.name);
            return Err(Fault::new(FaultKind::Forbidden, "cli_only", why).next("run it in a terminal"));
        }
        let only_reads = || operation.effect == Effect::Read || (operation.reads_only)(&params);
        if caller.read_only && !only_reads() {
            let why = format!("{} writes, and this browser may only read", operation.name);
            return Err(Fault::new(FaultKind::Forbidden, "reads_only", why)
                .next("sign in with `nudge ui`, without `--read-only`"));
        }
        if operation.clients_only && caller.surface.is_model_side() {
            let why = format!("{} is for the user and for programs, not for models", operation.name);
            return Err(Fault::new(FaultKind::Forbidden, "clients_only", why).next("ask the user to run it"));
        }
        let outcome = (operation.prepare)(self, caller, params).and_then(|params| match operation.effect {
            Effect::Read => self.read(caller, operation, params),
            Effect::Write | Effect::Destructive if (operation.reads_only)(&params) => {
                self.read(caller, operation, params)
            }
            Effect::Write | Effect::Destructive if (operation.answers_without_writing)(&params) => {
                match self.write(caller, operation, params.clone()) {
                    Err(fault) if is_unwritable(&fault) => self.read(caller, operation, params),
                    outcome => outcome,
                }
            }
            Effect::Write | Effect::Destructive => self.write(caller, operation, params),
        });
        if outcome.is_ok() && caller.surface == Surface::Mcp && is_work_read(operation) {
            self.note_work_read(caller);
        }
        outcome.map_err(|fault| with_next_step(fault, operation.name))
    }

    /// Records that an agent read with a tool of `work` in this project. A failure changes only
    /// which tools are listed.
    fn note_work_read(&self, caller: &Caller) {
        if !caller.project.as_deref().is_some_and(|project| self.is_first_work_read(project)) {
            return;
        }
        let project = |reader: &Reader<'_>| -> Result<Option<ProjectId>, Fault> {
            let project = project_of(reader, caller)?;
            let is_new = project.map(|id| reader.tally(&work_reads(id))).transpose()? == Some(0);
            Ok(project.filter(|_| is_new))
        };
        if let Ok(Some(project)) = self.store().read(project) {
            let _ = self.store().write(Durability::Passive, |writer| {
                writer.count(&work_reads(project), 1).map_err(Fault::from)
            });
        }
    }

    /// The settings that a call runs under: this process's, and the caller's terms.
    fn settings_for(&self, caller: &Caller) -> Cow<'_, Settings> {
        match &caller.terms {
            None => Cow::Borrowed(self.settings()),
            Some(Terms { default_ttl, secret_guard, strict_secrets, mcp_secrets, limits, models }) => {
                let own = HintLimits::of(self.settings());
                let limits = match limits {
                    Some(theirs) if caller.surface.is_user() => *theirs,
                    Some(theirs) => own.lowest(*theirs),
                    None => own,
                };
                Cow::Owned(Settings {
                    max_components: limits.components,
                    max_hints_per_component: limits.hints_per_component,
                    max_hints: limits.hints,
                    models: self.settings().models.clone().into_iter().chain(models.clone()).collect(),
                    default_ttl: default_ttl.clone(),
                    secret_guard: *secret_guard,
                    strict_secrets: *strict_secrets,
                    mcp_secrets: *mcp_secrets,
                    ..self.settings().clone()
                })
            }
        }
    }

    fn read(&self, caller: &Caller, operation: &Operation, params: Value) -> Result<Value, Fault> {
        self.store().read(|reader| {
            let settings = self.settings_for(caller);
            let ctx = OpContext::reading(reader, self.search(), caller, &settings);
            let answer = run_in_place(&ctx, operation, params)?.now;
            Ok(match caller.surface {
                Surface::Mcp if operation.name == FRAMED_OPERATION => answer,
                Surface::Mcp => cleaned(recall::for_agents(operation.name, answer)),
                Surface::Cli
                | Surface::AgentCli
                | Surface::Rpc
                | Surface::Client
                | Surface::Browser
                | Surface::Run => answer,
            })
        })
    }

    fn write(&self, caller: &Caller, operation: &Operation, params: Value) -> Result<Value, Fault> {
        self.store().write(Durability::Stated, |writer| {
            if let Some(id) = &caller.operation_id
                && let Some(answer) = writer.finished_operation(id)?
            {
                return repeat_of(&answer);
            }
            let settings = self.settings_for(caller);
            let ctx = OpContext::writing(writer, self.search(), caller, &settings);
            let answered = run_in_place(&ctx, operation, params)?;
            if let (Some(id), Some(mut repeat)) = (&caller.operation_id, answered.repeat) {
                // It echoes what the caller sent, also where nothing of that was stored.
                nudge_secrets::redact_json(&mut repeat);
                writer.finish_operation(id, &repeat.to_string(), caller.now)?;
            }
            Ok(match caller.surface {
                Surface::Mcp => cleaned(answered.now),
                Surface::Cli
                | Surface::AgentCli
                | Surface::Rpc
                | Surface::Client
                | Surface::Browser
                | Surface::Run => answered.now,
            })
        })
    }
}

/// Runs an operation in the project that the call belongs to. Over HTTP every operation takes the
/// id of the caller's session as `session`, because nothing else may say where the caller is.
fn run_in_place(ctx: &OpContext<'_>, operation: &Operation, mut params: Value) -> Result<Answered, Fault> {
    if !ctx.caller.has_no_place() {
        return (operation.run)(ctx, params);
    }
    let mut caller = ctx.caller.clone();
    let named = ["session", "session_id"].iter().find_map(|name| params.get(name)?.as_str());
    let named = named.map(str::to_owned);
    if let Some(fields) = params.as_object_mut()
        && fields.get("session").is_some_and(|session| session.is_string() || session.is_null())
        && !operation.takes("session")
    {
        fields.remove("session");
        if let Some(name) = &named {
            caller.session = Some(call_session::checked_name(name)?);
        }
    }
    caller.project = call_session::project_of_call(&ctx.as_caller(&caller), named.as_deref())?;
    (operation.run)(&ctx.as_caller(&caller), params)
}

/// The operation whose answer is a frame of our own, with quoted and cleaned texts in it.
const FRAMED_OPERATION: &str = "assemble_context";

/// An answer as a model may read it: no text in it has hidden characters or poses as a part of the
/// agent's own program. Programs get the bytes.
fn cleaned(mut answer: Value) -> Value {
    clean_in_place(&mut answer);
    answer
}

fn clean_in_place(value: &mut Value) {
    match value {
        Value::String(text) if !is_plain_text(text) => *text = clean_text(text),
        Value::Array(items) => items.iter_mut().for_each(clean_in_place),
        Value::Object(fields) => {
            fields.values_mut().for_each(clean_in_place);
            if !fields.keys().all(|name| is_plain_text(name)) {
                let all = std::mem::take(fields);
                *fields = all.into_iter().map(|(name, value)| (clean_text(&name), value)).collect();
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

// The tool list that fits a project: `work` where agents have used its tools.

/// The schemes of what the tools of `work` write.
const WORK_SCHEMES: [&str; 2] = ["context", "ghap"];

/// The tool list for the caller's project, if nobody chose one.
pub fn fitting_profile(ctx: &OpContext<'_>) -> Result<Profile, Fault> {
    let reader = ctx.store();
    let Some(project) = project_of(reader, ctx.caller)? else { return Ok(Profile::Default) };
    let mut is_used = reader.tally(&work_reads(project))? > 0;
    for scheme in WORK_SCHEMES {
        is_used = is_used || reader.has_agent_entry(project, scheme)?;
    }
    Ok(if is_used { Profile::Work } else { Profile::Default })
}

/// Whether this is a tool of `work` that leaves no entry behind.
fn is_work_read(operation: &Operation) -> bool {
    operation.profile == Profile::Work && operation.effect == Effect::Read
}

/// The name of the count of such calls in a project.
fn work_reads(project: ProjectId) -> String {
    format!("work reads in project {}", project.0)
}

fn project_of(reader: &Reader<'_>, caller: &Caller) -> Result<Option<ProjectId>, Fault> {
    Ok(caller.project.as_deref().map(|key| reader.project_by_key(key)).transpose()?.flatten())
}

/// The fault as callers on this surface may see it.
pub fn for_surface(surface: Surface, fault: Fault) -> Fault {
    match surface {
        Surface::Cli | Surface::Client | Surface::Browser => fault,
        Surface::AgentCli | Surface::Run => nudge_store::for_agents(fault),
        Surface::Mcp | Surface::Rpc => with_tools(nudge_store::for_agents(fault)),
    }
}

/// Whether the store can only be read: nothing was done.
fn is_unwritable(fault: &Fault) -> bool {
    fault.kind == FaultKind::ReadOnly || fault.reason == Fault::DISK_FULL
}

/// Adds a general next step to a bad-parameter fault that has none.
fn with_next_step(fault: Fault, operation: &str) -> Fault {
    if fault.kind == FaultKind::Invalid && fault.next.is_none() {
        return fault.next(format!("run `nudge discover {operation}` to see its parameters"));
    }
    fault
}

fn repeat_of(answer: &str) -> Result<Value, Fault> {
    serde_json::from_str(answer).map_err(|_| {
        Fault::new(FaultKind::Internal, "damaged_operation", "cannot read the saved answer of this operation")
            .next("run `nudge doctor`")
    })
}

// Failures for callers that have tools instead of a command line.
//
// Operations name the command that helps, such as `nudge log`. An agent that calls a tool gets the
// name of the tool instead. Where only the user can help, the text asks for the user.

/// Commands that an agent has a tool for. A command with arguments comes before the bare one.
const TOOL_OF_COMMAND: &[(&str, &str)] = &[
    ("correct", "correct"),
    ("delete", "delete_hint"),
    ("discover", "discover"),
    ("export", "export"),
    ("focus", "set_relevant_context"),
    ("forget", "forget"),
    ("journal ls", "list_journal_entries"),
    ("knows", "knows"),
    ("log", "hint_log"),
    ("ls ", "list_keys"),
    ("ls", "list_components"),
    ("project ls", "list_projects"),
    ("query", "query"),
    ("recent", "recent_context"),
    ("remember", "remember"),
    ("search", "search"),
    ("sessions", "list_sessions"),
    ("set", "set_hint"),
    ("why", "explain_injection"),
];

/// How a command begins in a text.
const COMMAND_START: &str = "`nudge ";

/// The failure with tools in the place of commands.
pub fn with_tools(mut fault: Fault) -> Fault {
    fault.message = named(&fault.message);
    fault.next = fault.next.map(|next| named(&next));
    fault
}

fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, command, after)) = next_command(rest) {
        let before_run = before.strip_suffix("run ");
        match (tool_for(command), before_run) {
            (Some(tool), Some(before_run)) => out.push_str(&format!("{before_run}call `{tool}`")),
            (Some(tool), None) => out.push_str(&format!("{before}`{tool}`")),
            (None, Some(before_run)) if !before_run.contains("the user") => {
                out.push_str(&format!("{before_run}ask the user to run {COMMAND_START}{command}`"));
            }
            (None, _) => out.push_str(&format!("{before}{COMMAND_START}{command}`")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The text before the next command, the command, and the text after it.
fn next_command(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(COMMAND_START)?;
    let (command, after) = rest.split_once('`')?;
    Some((before, command, after))
}

/// An option makes a command another one: `nudge set --allow-secret` is for the user.
fn tool_for(command: &str) -> Option<&'static str> {
    let is = |start: &str| {
        command
            .strip_prefix(start)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || start.ends_with(' '))
    };
    if command.contains(" --") {
        return None;
    }
    TOOL_OF_COMMAND.iter().find(|(start, _)| is(start)).map(|(_, tool)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_tools_and_the_rest_is_for_the_user() {
        for (text, expected) in [
            ("`nudge log` lists changes", "`hint_log` lists changes"),
            ("run `nudge ls api` to see its keys", "call `list_keys` to see its keys"),
            ("run `nudge ls` to see the components", "call `list_components` to see the components"),
            ("run `nudge discover bump` to see its parameters", "call `discover` to see its parameters"),
            ("`nudge search` and `nudge recent` show ids", "`search` and `recent_context` show ids"),
            ("run `nudge doctor`", "ask the user to run `nudge doctor`"),
            (
                "run `nudge doctor`, or set the hint again",
                "ask the user to run `nudge doctor`, or set the hint again",
            ),
            ("ask the user to run `nudge doctor`", "ask the user to run `nudge doctor`"),
            (
                "the user can run `nudge set … --allow-secret`",
                "the user can run `nudge set … --allow-secret`",
            ),
            ("no command here", "no command here"),
        ] {
            assert_eq!(named(text), expected);
        }
    }

    #[test]
    fn every_tool_exists() {
        for (_, tool) in TOOL_OF_COMMAND {
            assert_eq!(nudge_testkit::registry::find(tool).map(|operation| operation.name), Some(*tool));
        }
    }
}

//! Shared by all commands: flags, home, settings, and access to the memory.

use std::cell::{Cell, OnceCell};
use std::marker::PhantomData;
use std::time::Instant;

use nudge_agent::registry;
use nudge_client::Failed;
use nudge_client::link::{Link, LinkOptions};
use nudge_core::{Context, Fault, FaultKind};
use nudge_home::settings::{self, Resolved};
use nudge_home::{Home, Settings};
use nudge_memory::operation::Op;
use nudge_memory::{Ambient, Caller, Surface, hints, projects};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agent_above::calling_agent;
use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::globals::Globals;
use crate::output::Output;
use crate::pages::{Page, words};

pub(crate) use nudge_client::now;

/// One run of the program.
pub(crate) struct Invocation {
    /// The global flags.
    pub(crate) globals: Globals,
    /// How to print.
    pub(crate) output: Output,
    /// When the process started.
    pub(crate) began: Instant,
    resolved: OnceCell<Resolved>,
    ephemeral: Cell<bool>,
    server_answered: Cell<bool>,
}

impl Invocation {
    /// Stores the flags. Reads nothing yet.
    pub(crate) fn new(globals: Globals, began: Instant) -> Self {
        let output = Output::new(globals.json, globals.color);
        Self {
            globals,
            output,
            began,
            resolved: OnceCell::new(),
            ephemeral: Cell::new(false),
            server_answered: Cell::new(false),
        }
    }

    /// The directory of the memory.
    pub(crate) fn home(&self) -> Result<Home, Fault> {
        let home = Home::locate(self.globals.home.as_deref(), &|name| std::env::var_os(name))?;
        nudge_home::workspace::keep_out(&home);
        Ok(home)
    }

    /// The settings for the working directory, with their provenance. Read once.
    pub(crate) fn resolved(&self) -> Result<&Resolved, Fault> {
        if let Some(resolved) = self.resolved.get() {
            return Ok(resolved);
        }
        let home = self.home()?;
        let flags = self.globals.setting_flags();
        let resolved = match calling_agent() {
            None => settings::load(&home, &working_directory(), flags)?,
            Some(_) => settings::load_for_agent(&home, &working_directory(), flags)?,
        };
        Ok(self.resolved.get_or_init(|| resolved))
    }

    /// The effective settings. Mistakes in them cost the user one warning, not the command.
    pub(crate) fn settings(&self) -> Result<Settings, Fault> {
        let first = self.resolved.get().is_none();
        let resolved = self.resolved()?;
        if first && !resolved.warnings.is_empty() && !self.output.is_json() {
            self.output.note(|page| {
                let problems = words::count(resolved.warnings.len() as i64, "problem");
                page.warning("warning:")
                    .text(format!(" {problems} in the settings; run `nudge config` to see them"))
                    .end();
            });
        }
        Ok(resolved.settings.clone())
    }

    /// Runs an operation in the caller's context, through a server if one runs.
    ///
    /// Reads load no settings: parsing the configuration would cost more than the read.
    pub(crate) fn call<O: Op>(&self, params: &O::Params, context: Context) -> Result<Answer<O>, Fault> {
        let settings = if registry::may_write(O::NAME) { self.settings()? } else { Settings::default() };
        self.call_under(&settings, params, context)
    }

    /// Runs an operation like [`Self::call`], under these settings. For reads that depend on them.
    pub(crate) fn call_under<O: Op>(
        &self,
        settings: &Settings,
        params: &O::Params,
        context: Context,
    ) -> Result<Answer<O>, Fault> {
        let json = self.send(settings, O::NAME, serde_json::to_value(params), context)?;
        Ok(Answer { json, operation: PhantomData })
    }

    /// The part of a call that is the same for all operations: compiled once, not once for each.
    fn send(
        &self,
        settings: &Settings,
        operation: &str,
        params: serde_json::Result<Value>,
        context: Context,
    ) -> Result<Value, Fault> {
        let writes = registry::may_write(operation);
        let params = params.map_err(|error| {
            Fault::new(
                FaultKind::Internal,
                "unserialisable",
                format!("cannot write the parameters as JSON: {error}"),
            )
        })?;
        let home = self.home()?;
        let link = Link::open(&home, settings, LinkOptions { port: self.globals.port })?;
        let agent = calling_agent();
        let context = match agent {
            Some(_) => own_context(context)?,
            None => context,
        };
        let caller = if writes { writer(agent, context) } else { reader(agent, context) };
        self.ephemeral.set(link.is_ephemeral());
        let answer = link.call(&caller, operation, params);
        self.server_answered.set(link.through_server());
        answer
    }

    /// Runs an operation like [`Self::call`] and deserialises its answer.
    pub(crate) fn ask<O: Op>(&self, params: &O::Params, context: Context) -> Result<O::Answer, Fault> {
        self.call::<O>(params, context)?.typed()
    }

    /// Whether a server answered the last call. A server logs its own failures.
    pub(crate) fn server_answered(&self) -> bool {
        self.server_answered.get()
    }

    /// Whether the last call went to a memory that ends with its server.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.ephemeral.get()
    }

    /// Prints an answer: unchanged under `--json`, else as the page that `render` builds.
    pub(crate) fn show<O: Op>(
        &self,
        answer: &Answer<O>,
        render: impl FnOnce(&mut Page, &O::Answer),
    ) -> Result<Exit, Failure> {
        if self.output.is_json() {
            self.output.answer(&answer.json, |_| {});
        } else {
            let typed = answer.typed()?;
            self.output.answer(&answer.json, |page| render(page, &typed));
        }
        Ok(Exit::Ok)
    }
}

/// The answer of an operation, as it came. A server of another version may know more fields.
pub(crate) struct Answer<O> {
    /// The answer for programs.
    pub(crate) json: Value,
    operation: PhantomData<O>,
}

impl<O: Op> Answer<O> {
    /// Deserialises it.
    pub(crate) fn typed(&self) -> Result<O::Answer, Fault> {
        read_answer(&self.json)
    }
}

/// Deserialises an answer.
pub(crate) fn read_answer<T: DeserializeOwned>(answer: &Value) -> Result<T, Fault> {
    T::deserialize(answer).map_err(|error| unreadable_answer(&error))
}

fn unreadable_answer(error: &serde_json::Error) -> Fault {
    Fault::new(FaultKind::Internal, "unreadable_answer", format!("cannot read the answer: {error}"))
        .next("run `nudge doctor`: the server may have another version")
}

/// The caller of a read: the user, or the agent that started this command.
fn reader(agent: Option<&str>, context: Context) -> Caller {
    let surface = if agent.is_some() { Surface::AgentCli } else { Surface::Cli };
    let mut caller = Caller::new(surface, now());
    caller.client = Some(agent.unwrap_or("cli").to_owned());
    if context.cwd.is_none() {
        caller.project = Some(projects::of_directory(&working_directory()).key);
    }
    caller.ambient = Ambient::Here(context);
    caller
}

/// The context of a command that an agent runs. Its flags may not name another place than its own.
fn own_context(said: Context) -> Result<Context, Fault> {
    let here = here();
    if said.cwd.is_none() && said.repo.is_none() {
        return Ok(Context { cwd: here.cwd, repo: here.repo, branch: said.branch.or(here.branch), ..said });
    }
    hints::check_claim(&here, said.cwd.as_deref(), said.repo.as_deref())?;
    Ok(said)
}

/// The caller of a write. What it writes is stored with its project and machine, and the id
/// identifies a repeated write.
fn writer(agent: Option<&str>, context: Context) -> Caller {
    let mut caller = reader(agent, context);
    caller.project = Some(projects::of_directory(&working_directory()).key);
    caller.machine = nudge_home::host::identity().machine;
    caller.operation_id = Some(uuid::Uuid::now_v7().to_string());
    caller
}

/// Rejects the command if an ephemeral server runs: it keeps nothing in the files that the command
/// would use.
pub(crate) fn refuse_ephemeral(home: &Home) -> Result<(), Fault> {
    if nudge_client::status::status(home).ephemeral == Some(true) {
        return Err(Fault::new(
            FaultKind::Unavailable,
            "ephemeral",
            "the running server keeps its memory in no file (--ephemeral)",
        )
        .next("save the hints with `nudge export`, or stop the server with `nudge stop`"));
    }
    Ok(())
}

// A command that fails without a server writes the log line that a server would have written.

/// Logs the failure of a command, if it is an internal failure and no server logs it.
pub(crate) fn note_failure(invocation: &Invocation, command: &str, failure: &Failure) {
    let Failure::Fault(fault) = failure else { return };
    if command == "serve" || invocation.server_answered() {
        return;
    }
    if let Ok(home) = invocation.home() {
        log_failure(&home, command, invocation.began, fault);
    }
}

/// Logs an internal failure. A failure without a cause, such as a port without a server, is not
/// logged, because the user's message has all of it.
pub(crate) fn log_failure(home: &Home, what: &str, began: Instant, fault: &Fault) {
    let has_cause = fault.kind == FaultKind::Internal || !fault.causes().is_empty();
    if fault.kind.is_failure() && has_cause {
        let by = if calling_agent().is_some() { "agent-cli" } else { "cli" };
        Failed::new(what, by, began.elapsed(), fault).note(home);
    }
}

//! `resolve_run`: the user's decision on what a run waits for, a question, a change or a command.

use nudge_core::entry_state::EntryState;
use nudge_core::{Entry, EntryPath, Fault, FaultKind, Tier};
use nudge_memory::caller::Surface;
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::review::{self, AcceptParams, AcceptProposal, DecideParams, DropProposal};
use nudge_memory::statements::proposals::State;
use nudge_store::{RunRow, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command;
use super::named::{fresh, run_to_change};
use super::plugin_call::is_plugin_call;
use super::records::{self, STALE, ids_of, put, rewrite};
use super::settle::{Settled, settle_record};
use super::wire::RunAccepted;
use crate::proposals::{Accepting, ProposalHooks, programs_to_allow};

/// The longest answer, in characters.
const MAX_ANSWER_CHARS: usize = 20_000;

/// The longest text that the user puts in place of a proposal, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// What the user decided.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// Path of what waits, such as `log://turn_2/ask_user/which`. Default: whatever waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `accept` to answer a question or accept a proposal, `reject` to stop the run, `error` to
    /// refuse this and let the run go on.
    pub action: String,
    /// The answer to a question, or why it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// With `accept`: another text for the file, another command, or other arguments for a call, as
    /// an object of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// With `accept`: `edits` to accept all edits of files in this run from now on, `program` for
    /// all commands that run only the programs of this one, `tool` for all calls of this tool of a
    /// plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
    /// With `accept`: `client` if the calling program runs the command itself and passes its output
    /// on with `stream`. Default: the server runs it in the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
}

/// Parameters of `resolve_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Name, id or directory of its project. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What the user decided.
    pub resolution: Resolution,
}

/// The `resolve_run` operation.
pub struct ResolveRun;

impl Op for ResolveRun {
    const NAME: &'static str = "resolve_run";
    const ALIASES: &'static [&'static str] = &["run/resolve"];
    const TITLE: &'static str = "Answer a run";
    const DOC: &'static str = "Pass on the user's decision on what a run waits for.";
    const REFERENCE: &'static str = "Answer the question that a run waits for, or decide on the change or \
        command that it proposes. Rejecting it stops the run; with `error` the run goes on without it. \
        Only the user and the user's own programs decide.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const CLIENTS_ONLY: bool = true;
    type Params = ResolveRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ResolveRunParams) -> Result<RunAccepted, Fault> {
        if ctx.caller.surface == Surface::AgentCli {
            let why = "the decision is the user's, and an agent started this command";
            return Err(Fault::new(FaultKind::Forbidden, "tier", why)
                .next("ask the user to run it in their own terminal"));
        }
        let resolution = params.resolution;
        check(&resolution)?;
        let run = run_to_change(ctx, &params.run, params.project.as_deref())?;
        let entry = waiting(ctx, &run, resolution.path.as_deref())?;
        let note = match ids_of(&entry).is_empty() {
            true => answer(ctx, &run, &entry, &resolution)?,
            false => decide(ctx, &run, &entry, &resolution)?,
        };
        let accepted = RunAccepted::of(&fresh(ctx, &run)?);
        Ok(match note {
            Some(note) => accepted.noting(note),
            None => accepted,
        })
    }
}

fn check(resolution: &Resolution) -> Result<(), Fault> {
    let wrong = |field: &str, why: String| {
        Err(Fault::invalid(field, why).with("field", format!("resolution.{field}")))
    };
    if !matches!(resolution.action.as_str(), "accept" | "reject" | "error") {
        return wrong("action", "the action is `accept`, `reject` or `error`".to_owned());
    }
    if resolution.output.as_ref().is_some_and(|text| text.chars().count() > MAX_ANSWER_CHARS) {
        return wrong("output", format!("an answer is limited to {MAX_ANSWER_CHARS} characters"));
    }
    if resolution.text.as_ref().is_some_and(|text| nudge_secrets::redact(text) != text.as_str()) {
        return wrong(
            "text",
            "it has what looks like a credential, which would not be kept as it is".to_owned(),
        );
    }
    if resolution.text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
        return wrong("text", format!("a text is limited to {MAX_TEXT_BYTES} bytes"));
    }
    if resolution.allow.as_deref().is_some_and(|allow| !matches!(allow, "edits" | "program" | "tool")) {
        return wrong("allow", "what can be allowed is `edits`, `program` or `tool`".to_owned());
    }
    if resolution.runner.as_deref().is_some_and(|runner| !matches!(runner, "client" | "server")) {
        return wrong("runner", "the runner is `client` or `server`".to_owned());
    }
    Ok(())
}

/// The record that waits.
fn waiting(ctx: &OpContext<'_>, run: &RunRow, path: Option<&str>) -> Result<Entry, Fault> {
    let views = ctx.store().views(&run.scope)?;
    let row = views.into_iter().find(|row| row.state == EntryState::Proposed);
    let asked = path.map(EntryPath::parse).transpose();
    let asked = asked.map_err(|error| Fault::invalid("path", error.to_string()))?;
    let entry = match row {
        Some(row) => ctx.store().entry_by_id(row.entry)?,
        None => None,
    };
    entry.filter(|entry| asked.as_ref().is_none_or(|path| *path == entry.path)).ok_or_else(|| {
        let why = format!("`{}` does not wait for this", run.alias);
        Fault::new(FaultKind::Conflict, "nothing_waits", why)
            .next("run `nudge run show` to see what it waits for")
    })
}

/// Answers a question.
fn answer(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    resolution: &Resolution,
) -> Result<Option<String>, Fault> {
    let (said, state) = match resolution.action.as_str() {
        "accept" => ("The user answered: ", (EntryState::Resolved, None)),
        "reject" => ("", (EntryState::Failed, Some("rejected:403".to_owned()))),
        _ => ("It cannot be answered: ", (EntryState::Failed, Some("error:500".to_owned()))),
    };
    let output = resolution.output.as_deref().unwrap_or_default();
    let body = if said.is_empty() { entry.body.clone() } else { format!("{}\n{said}{output}", entry.body) };
    write_as_user(ctx, run, entry, &body, state)?;
    records::go_on(ctx.writer()?, run, ctx.now())?;
    Ok(None)
}

/// Writes a record in the user's words.
fn write_as_user(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    body: &str,
    state: (EntryState, Option<String>),
) -> Result<(), Fault> {
    put(ctx, &Entry { body: body.to_owned(), ..entry.clone() }, ctx.provenance()?)?;
    let change = ViewChange { state: Some(state), ..ViewChange::default() };
    ctx.writer()?.change_view(&run.scope, entry.id, &change, ctx.now())?;
    Ok(())
}

/// Decides on the proposals of a record. Returns what to know.
fn decide(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    resolution: &Resolution,
) -> Result<Option<String>, Fault> {
    match resolution.action.as_str() {
        "accept" => accept(ctx, run, entry, resolution),
        "reject" => {
            drop_all(ctx, entry)?;
            settle_record(ctx, run, entry)?;
            Ok(None)
        }
        _ => {
            drop_all(ctx, entry)?;
            let why = resolution.output.as_deref().unwrap_or("not this").trim();
            let body = format!("{}\nThe user did not accept this: {why}", entry.body.trim_end());
            write_as_user(ctx, run, entry, &body, (EntryState::Failed, Some("refused:409".to_owned())))?;
            records::go_on(ctx.writer()?, run, ctx.now())?;
            Ok(None)
        }
    }
}

fn drop_all(ctx: &OpContext<'_>, entry: &Entry) -> Result<(), Fault> {
    for id in ids_of(entry) {
        if review::decision_on(ctx.store(), id)?.state == State::Waiting {
            DropProposal::run(ctx, DecideParams { id })?;
        }
    }
    Ok(())
}

/// Accepts the proposals of a record. If what they would change has changed meanwhile, nothing is
/// done, and the run proposes it again.
fn accept(
    ctx: &OpContext<'_>,
    run: &RunRow,
    entry: &Entry,
    resolution: &Resolution,
) -> Result<Option<String>, Fault> {
    let text = |name: &str| entry.attributes.get(name).and_then(Value::as_str);
    let ids = ids_of(entry);
    if resolution.text.is_some() && ids.len() > 1 {
        let why = "this changes several files; accept or refuse it as it is";
        return Err(Fault::invalid("text", why).with("field", "resolution.text"));
    }
    let command = text("command").map(str::to_owned);
    let tool = text("target").filter(|_| is_plugin_call(entry));
    if tool.is_some() && resolution.runner.as_deref() == Some("client") {
        let why = "the server calls its plugins itself";
        return Err(Fault::invalid("runner", why).with("field", "resolution.runner"));
    }
    let hooked = ProposalHooks::default().apply(Accepting {
        tool: text("tool").unwrap_or_default().to_owned(),
        paths: text("target").map(str::to_owned).into_iter().filter(|_| command.is_none()).collect(),
        command: command.clone(),
        edited: resolution.text.clone(),
        content: None,
        veto: None,
    });
    if let Some((outcome, why)) = hooked.veto {
        drop_all(ctx, entry)?;
        let body = format!("{}\n{why}", entry.body.trim_end());
        rewrite(ctx, run, entry, &body, (EntryState::Failed, Some(format!("{outcome}:403"))), None)?;
        records::go_on(ctx.writer()?, run, ctx.now())?;
        return Ok(Some(why));
    }
    let done: Result<(), Fault> = ctx.writer()?.part(|| {
        for id in &ids {
            if review::decision_on(ctx.store(), *id)?.state == State::Waiting {
                AcceptProposal::run(ctx, AcceptParams { id: *id, text: hooked.content.clone() })?;
            }
        }
        Ok(())
    });
    match done {
        Ok(()) => {}
        Err(fault) if fault.reason == "changed" || fault.reason == "gone" => {
            return stale(ctx, run, entry, &fault).map(Some);
        }
        Err(fault) => return Err(fault),
    }
    let subject = match (tool, command.as_deref()) {
        (Some(tool), _) => Subject::Tool(tool),
        (None, Some(command)) => Subject::Command(command),
        (None, None) => Subject::Files,
    };
    let note = allow(ctx, run, resolution, subject)?;
    let settled = settle_record(ctx, run, entry)?;
    if let (Settled::Command(_), Some("client")) = (&settled, resolution.runner.as_deref()) {
        command::leave_to_client(ctx, run, &entry.path)?;
    }
    Ok(note)
}

/// Notes that a proposal is out of date. The run proposes the same again, for what is there now.
fn stale(ctx: &OpContext<'_>, run: &RunRow, entry: &Entry, fault: &Fault) -> Result<String, Fault> {
    records::withdraw(ctx, entry)?;
    let mut kept = entry.clone();
    kept.attributes.insert(STALE.to_owned(), true.into());
    put(ctx, &kept, super::log::by_nudge(run))?;
    ctx.writer()?.touch(run.entry, ctx.now())?;
    Ok(format!("not applied: {}; the run proposes it again", fault.message))
}

/// What was accepted.
enum Subject<'s> {
    /// A change of files.
    Files,
    /// A command.
    Command(&'s str),
    /// A call of this tool of a plugin.
    Tool(&'s str),
}

/// Allows more of the same, if the user says so. Returns what to know.
fn allow(
    ctx: &OpContext<'_>,
    run: &RunRow,
    resolution: &Resolution,
    subject: Subject<'_>,
) -> Result<Option<String>, Fault> {
    match (resolution.allow.as_deref(), subject) {
        (Some("tool"), Subject::Tool(tool)) => {
            records::allow(ctx, run, |allowed| allowed.tools.extend([tool.to_owned()]))?;
        }
        (Some("edits"), Subject::Files) => records::allow(ctx, run, |allowed| allowed.edits = true)?,
        (Some("program"), Subject::Command(command)) => {
            let line = resolution.text.as_deref().unwrap_or(command);
            let programs = programs_to_allow(line);
            if programs.is_empty() {
                let why =
                    "accepted this one only: a line like this can run other programs, so each is asked for";
                return Ok(Some(why.to_owned()));
            }
            records::allow(ctx, run, |allowed| allowed.programs.extend(programs))?;
        }
        (Some(_), _) => {
            let why = "`edits` is for a change of files, `program` for a command, and `tool` for a call of a plugin";
            return Err(Fault::invalid("allow", why).with("field", "resolution.allow"));
        }
        (None, _) => {}
    }
    Ok(None)
}

//! What a person says to a run: `ask`, `act` and `inject_run` put a prompt into its queue, `set`
//! does so through its entry.

use nudge_core::entry_state::EntryState;
use nudge_core::run::{Mode, RunState};
use nudge_core::{EntryPath, Fault, FaultKind, Tier};
use nudge_memory::caller::{Caller, Surface};
use nudge_memory::entries::{EntryResult, SetEntries, SetEntryParams, VerbAnswer};
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};
use nudge_store::{EntryDraft, LoopDraft, RunRow, SecretPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::named::{fresh, run_to_change};
use super::skill::{self, ReadSkill};
use super::start::{self, NewRun};
use super::wire::{MODEL_SETTING, RunAccepted, RunFlags};
use super::{abort, models};

/// The longest prompt, in bytes. A longer one fits no model.
const MAX_PROMPT_BYTES: usize = 256 * 1024;

/// How many prompts may wait in one run.
const MAX_QUEUED_PROMPTS: usize = 100;

/// Parameters of `ask`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskParams {
    /// The question.
    #[schemars(length(min = 1))]
    pub prompt: String,
    /// Alias of the model. Required for a new run; an existing run keeps its model without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the run to continue, or of the new one. Default: a new run with a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// True to ask a copy of the run, which stays as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fork: bool,
    /// How freely the model chooses words, from 0 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Who the model is asked to be. Only for a new run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Maximum tokens of a request. Default: what the model can read.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "contextLimit")]
    pub context_limit: Option<u32>,
    /// True to leave out the project's files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "noRepo")]
    pub no_repo: bool,
    /// True to ask the user nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "noInteraction")]
    pub no_interaction: bool,
    /// True to leave out `search`, which looks in memory and in the project's files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "noSearch")]
    pub no_search: bool,
    /// True to leave out searches of the web. Runs have none yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "noWeb")]
    pub no_web: bool,
    /// True to leave out everything that waits for the user.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "noProposals")]
    pub no_proposals: bool,
    /// True to let the model change files and run commands. Each waits until the user accepts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub act: bool,
    /// With `act`: true to accept everything that the sandbox keeps in. Refused without a sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yolo: bool,
    /// Skills to add to the run before it is asked: paths of Markdown files, folders or zips on
    /// this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub read: Vec<ReadSkill>,
}

impl AskParams {
    fn flags(&self) -> RunFlags {
        RunFlags {
            no_repo: self.no_repo,
            no_interaction: self.no_interaction,
            no_search: self.no_search,
            no_web: self.no_web,
            no_proposals: self.no_proposals,
            yolo: self.yolo,
        }
    }

    const fn mode(&self) -> Mode {
        if self.act { Mode::Act } else { Mode::Ask }
    }
}

/// The `ask` operation.
pub struct Ask;

impl Op for Ask {
    const NAME: &'static str = "ask";
    const TITLE: &'static str = "Ask a model";
    const DOC: &'static str = "Ask a configured model; it answers from memory and the project's files.";
    const REFERENCE: &'static str = "Ask a configured model, which answers from memory and the project's \
        files. The answer comes later: `get_run` has it. Nothing is executed and no file changes, unless \
        `act` is true.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = AskParams;
    type Answer = RunAccepted;

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        skill::read_named(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: AskParams) -> Result<RunAccepted, Fault> {
        check_prompt(&params.prompt)?;
        check_yolo(ctx, &params)?;
        if params.read.len() != params.skills.len() {
            let why = "skills are added with `ask`";
            return Err(Fault::invalid("skills", why).with("field", "skills"));
        }
        start::check_temperature(params.temperature)?;
        start::check_context_limit(params.context_limit)?;
        let run = run_for(ctx, &params)?;
        let mut left_out = 0;
        for read in params.read.iter().cloned() {
            left_out += skill::write_skill(ctx, &run, read)?.left_out_count;
        }
        let how = (params.mode(), params.flags());
        let seq = queue(ctx, &run, &params.prompt, how, params.model.as_deref())?;
        let accepted = RunAccepted::of(&fresh(ctx, &run)?).in_loop(seq);
        Ok(match left_out {
            0 => accepted,
            count => accepted.noting(format!("files of the skills that were left out: {count}")),
        })
    }
}

/// The `act` operation.
pub struct Act;

impl Op for Act {
    const NAME: &'static str = "act";
    const TITLE: &'static str = "Let a model act";
    const DOC: &'static str =
        "Let a configured model change files and run commands, each after the user accepted it.";
    const REFERENCE: &'static str = "Let a configured model work on something: it reads like `ask`, and it \
        proposes changes of files and commands. Each waits with 202 until the user accepts it. Accepted \
        commands run in a sandbox. The answer comes later: `get_run` has it.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = AskParams;
    type Answer = RunAccepted;

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        Ask::prepare(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: AskParams) -> Result<RunAccepted, Fault> {
        Ask::run(ctx, AskParams { act: true, ..params })
    }
}

/// Rejects what only the user may ask for: that everything is accepted ahead.
fn check_yolo(ctx: &OpContext<'_>, params: &AskParams) -> Result<(), Fault> {
    if !params.yolo {
        return Ok(());
    }
    if !params.act {
        return Err(Fault::invalid("yolo", "`yolo` needs `act`").with("field", "yolo"));
    }
    if !may_accept_ahead(ctx) {
        let why = "only the user accepts everything ahead";
        return Err(Fault::new(FaultKind::Forbidden, "tier", why)
            .next("ask the user to run `nudge act --yolo` in their own terminal"));
    }
    Ok(())
}

/// Whether the caller is the user, at the terminal or in a program of their own.
fn may_accept_ahead(ctx: &OpContext<'_>) -> bool {
    matches!(ctx.caller.surface, Surface::Cli | Surface::Client)
}

fn check_prompt(prompt: &str) -> Result<(), Fault> {
    if prompt.trim().is_empty() {
        return Err(Fault::invalid("prompt", "the prompt is empty").with("field", "prompt"));
    }
    if prompt.len() > MAX_PROMPT_BYTES {
        let why = format!("a prompt is limited to {MAX_PROMPT_BYTES} bytes");
        return Err(Fault::invalid("prompt", why).with("field", "prompt"));
    }
    Ok(())
}

/// The run to ask: an existing one, a copy of it, or a new one.
fn run_for(ctx: &OpContext<'_>, params: &AskParams) -> Result<RunRow, Fault> {
    let existing = match &params.run {
        Some(alias) => match run_to_change(ctx, alias, None) {
            Ok(run) => Some(run),
            Err(fault) if fault.reason == "no_run" && !params.fork => None,
            Err(fault) => return Err(fault),
        },
        None if params.fork => {
            return Err(Fault::invalid("fork", "`fork` needs the run to copy").with("field", "run"));
        }
        None => None,
    };
    if let Some(run) = existing {
        if params.persona.is_some() {
            let why = "the persona of a run is fixed for its life";
            return Err(Fault::invalid("persona", why).with("field", "persona").next("start a new run"));
        }
        if let Some(model) = &params.model {
            models::find_known(ctx, model)?;
        }
        let run = if params.fork { start::fork(ctx, &run, None)? } else { run };
        let config = nudge_store::RunConfig {
            model: params.model.clone(),
            temperature: params.temperature,
            context_limit: params.context_limit,
        };
        ctx.writer()?.configure_run(run.id, &config, ctx.now())?;
        return fresh(ctx, &run);
    }
    let model = match &params.model {
        Some(model) => model.clone(),
        None => return Err(models::none_given(ctx)?),
    };
    start::create(
        ctx,
        NewRun {
            alias: params.run.clone(),
            named_after: params.prompt.clone(),
            model,
            temperature: params.temperature,
            persona: params.persona.clone(),
            context_limit: params.context_limit,
            parent: None,
        },
    )
}

/// Puts a prompt into the queue of a run; returns the number of its loop.
pub(super) fn queue(
    ctx: &OpContext<'_>,
    run: &RunRow,
    prompt: &str,
    (mode, flags): (Mode, RunFlags),
    model: Option<&str>,
) -> Result<u32, Fault> {
    let writer = ctx.writer()?;
    let waiting = writer.loops(run.id)?.iter().filter(|row| !row.state.is_over()).count();
    if waiting >= MAX_QUEUED_PROMPTS {
        return Err(Fault::invalid(
            "queue",
            format!("{MAX_QUEUED_PROMPTS} prompts wait in this run already"),
        ));
    }
    let number = fresh(ctx, run)?.next_loop;
    let path = EntryPath::parse(&format!("prompt://{number}"))
        .map_err(|error| Fault::invalid("prompt", error.to_string()))?;
    let mut attributes = Map::new();
    attributes.insert("mode".to_owned(), mode.name().into());
    writer.put_entry(&EntryDraft {
        scope: run.scope.clone(),
        path: path.clone(),
        body: prompt.to_owned(),
        attributes,
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Redact,
        now: ctx.now(),
    })?;
    let alias = model.unwrap_or(&run.model).to_owned();
    let mut config = flags.to_config();
    // What the model is now: the settings of the process that drives the run may differ.
    let known = models::find_known(ctx, &alias)?;
    config.insert(MODEL_SETTING.to_owned(), serde_json::to_value(known).unwrap_or_default());
    let draft = LoopDraft { run: run.id, mode, model: alias, prompt: path.as_str().to_owned(), config };
    let seq = writer.queue_loop(&draft, ctx.now())?;
    if run.state.is_over() {
        writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
    }
    writer.touch(run.entry, ctx.now())?;
    Ok(seq)
}

// `inject_run`: another message for a run, answered after what it works on.

/// Parameters of `inject_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InjectRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// The message.
    #[schemars(length(min = 1))]
    pub message: String,
}

/// The `inject_run` operation.
pub struct InjectRun;

impl Op for InjectRun {
    const NAME: &'static str = "inject_run";
    const ALIASES: &'static [&'static str] = &["run/inject"];
    const TITLE: &'static str = "Add a message to a run";
    const DOC: &'static str = "Add a message to a run. It is answered after what the run works on.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = InjectRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: InjectRunParams) -> Result<RunAccepted, Fault> {
        check_prompt(&params.message)?;
        let run = run_to_change(ctx, &params.run, None)?;
        let last = ctx.store().loops(run.id)?.pop();
        let mut how =
            last.map_or((Mode::Ask, RunFlags::default()), |row| (row.mode, RunFlags::of(&row.config)));
        how.1.yolo &= may_accept_ahead(ctx);
        let seq = queue(ctx, &run, &params.message, how, None)?;
        Ok(RunAccepted::of(&fresh(ctx, &run)?).in_loop(seq))
    }
}

// `set`, also for runs: a body asks a run, and the state `cancelled` aborts it.

/// What stands before the alias of a run.
const RUN_PREFIX: &str = "run://";

/// The `set` operation.
pub struct SetEntry;

impl Op for SetEntry {
    const NAME: &'static str = SetEntries::NAME;
    const ALIASES: &'static [&'static str] = SetEntries::ALIASES;
    const TITLE: &'static str = SetEntries::TITLE;
    const DOC: &'static str = SetEntries::DOC;
    const REFERENCE: &'static str = SetEntries::REFERENCE;
    const TIER: Tier = SetEntries::TIER;
    const EFFECT: Effect = SetEntries::EFFECT;
    const PROFILE: Profile = SetEntries::PROFILE;
    type Params = SetEntryParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        SetEntries::reads_only(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        SetEntries::prepare(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: SetEntryParams) -> Result<VerbAnswer, Fault> {
        let is_run = params.path.starts_with(RUN_PREFIX) && !params.preview;
        if is_run { Ok(VerbAnswer::one(set_run(ctx, params)?)) } else { SetEntries::run(ctx, params) }
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        SetEntries::for_repeat(answer)
    }
}

/// Starts, asks or aborts a run through its own entry. The attributes are the parameters of `ask`.
fn set_run(ctx: &OpContext<'_>, params: SetEntryParams) -> Result<EntryResult, Fault> {
    let path = params.path;
    if ctx.caller.surface.is_model_side() {
        return Ok(EntryResult::failed(&path, "permission:403", "a model starts no runs"));
    }
    let alias = path.trim_start_matches(RUN_PREFIX).to_owned();
    match (params.body, params.state.as_deref()) {
        (_, Some(state)) if state == EntryState::Cancelled.name() => {
            let run = run_to_change(ctx, &alias, None)?;
            abort::abort(ctx, &run)?;
            Ok(EntryResult::done(&path))
        }
        (Some(prompt), None) => {
            let mut fields: Map<String, Value> = params.attributes.unwrap_or_default();
            // What only `ask` reads.
            fields.remove("read");
            fields.insert("prompt".to_owned(), prompt.into());
            fields.insert("run".to_owned(), alias.into());
            let asked: AskParams = serde_json::from_value(Value::Object(fields))
                .map_err(|error| Fault::invalid("schema", format!("a run: {error}")))?;
            let accepted = Ask::run(ctx, asked)?;
            Ok(EntryResult { status: accepted.status, ..EntryResult::done(&path) })
        }
        _ => {
            let why = "give it a body to ask it, or the state `cancelled` to abort it";
            Ok(EntryResult::failed(&path, "invalid", why))
        }
    }
}

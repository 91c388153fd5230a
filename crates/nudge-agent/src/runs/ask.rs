//! `ask`: puts a prompt into the queue of a run, and starts the run if there is none.

use nudge_core::run::{Mode, RunState};
use nudge_core::{EntryPath, Fault, Tier};
use nudge_store::{EntryDraft, LoopDraft, RunRow, SecretPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::skill::{self, ReadSkill};
use super::start::{self, NewRun};
use super::wire::{RunAccepted, RunFlags};
use super::{find, fork, models};
use nudge_memory::caller::Caller;
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// The longest prompt, in bytes. A longer one fits no model.
const PROMPT_MOST: usize = 256 * 1024;

/// The model in the settings of a loop.
pub(super) const MODEL: &str = "model";

/// How many prompts may wait in one run.
const QUEUE_MOST: usize = 100;

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
        }
    }
}

/// The `ask` operation.
pub struct Ask;

impl Op for Ask {
    const NAME: &'static str = "ask";
    const ALIASES: &'static [&'static str] = &["nudge.ask"];
    const TITLE: &'static str = "Ask a model";
    const DOC: &'static str = "Ask a configured model; it answers from memory and the project's files.";
    const REFERENCE: &'static str = "Ask a configured model, which answers from memory and the project's \
        files. The answer comes later: `get_run` has it. Nothing is executed and no file changes.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = AskParams;
    type Answer = RunAccepted;

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        skill::read_named(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: AskParams) -> Result<RunAccepted, Fault> {
        check_prompt(&params.prompt)?;
        if params.read.len() != params.skills.len() {
            let why = "skills are added with `ask`";
            return Err(Fault::invalid("skills", why).with("field", "skills"));
        }
        start::check_temperature(params.temperature)?;
        start::check_context_limit(params.context_limit)?;
        let run = run_for(ctx, &params)?;
        let mut left_out = 0;
        for read in params.read.iter().cloned() {
            left_out += skill::write(ctx, &run, read)?.left_out_count;
        }
        let seq = queue(ctx, &run, &params.prompt, params.flags(), params.model.as_deref())?;
        let accepted = RunAccepted::of(&find::fresh(ctx, &run)?).in_loop(seq);
        Ok(match left_out {
            0 => accepted,
            count => accepted.noting(format!("files of the skills that were left out: {count}")),
        })
    }
}

pub(super) fn check_prompt(prompt: &str) -> Result<(), Fault> {
    if prompt.trim().is_empty() {
        return Err(Fault::invalid("prompt", "the prompt is empty").with("field", "prompt"));
    }
    if prompt.len() > PROMPT_MOST {
        let why = format!("a prompt is limited to {PROMPT_MOST} bytes");
        return Err(Fault::invalid("prompt", why).with("field", "prompt"));
    }
    Ok(())
}

/// The run to ask: an existing one, a copy of it, or a new one.
fn run_for(ctx: &OpContext<'_>, params: &AskParams) -> Result<RunRow, Fault> {
    let existing = match &params.run {
        Some(alias) => match find::run_to_change(ctx, alias, None) {
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
        let run = if params.fork { fork::fork(ctx, &run, None)? } else { run };
        let config = nudge_store::RunConfig {
            model: params.model.clone(),
            temperature: params.temperature,
            context_limit: params.context_limit,
        };
        ctx.writer()?.configure_run(run.id, &config, ctx.now())?;
        return find::fresh(ctx, &run);
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
    flags: RunFlags,
    model: Option<&str>,
) -> Result<u32, Fault> {
    let writer = ctx.writer()?;
    let waiting = writer.loops(run.id)?.iter().filter(|row| !row.state.is_over()).count();
    if waiting >= QUEUE_MOST {
        return Err(Fault::invalid("queue", format!("{QUEUE_MOST} prompts wait in this run already")));
    }
    let number = find::fresh(ctx, run)?.next_loop;
    let path = EntryPath::parse(&format!("prompt://{number}"))
        .map_err(|error| Fault::invalid("prompt", error.to_string()))?;
    let mut attributes = Map::new();
    attributes.insert("mode".to_owned(), Mode::Ask.name().into());
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
    config.insert(MODEL.to_owned(), serde_json::to_value(known).unwrap_or_default());
    let draft =
        LoopDraft { run: run.id, mode: Mode::Ask, model: alias, prompt: path.as_str().to_owned(), config };
    let seq = writer.queue_loop(&draft, ctx.now())?;
    if run.state.is_over() {
        writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
    }
    writer.touch(run.entry, ctx.now())?;
    Ok(seq)
}

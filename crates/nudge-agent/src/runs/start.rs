//! `start_run`, `fork_run`, `configure_run` and `rename_run`: a run, before and beside its prompts.

use nudge_core::run::RunState;
use nudge_core::{EntryPath, Fault, FaultKind, Scope};
use nudge_memory::entries::{root_of, run_scope};
use nudge_memory::operation::{Effect, Op, OpContext};
use nudge_memory::projects::resolve::UNKNOWN;
use nudge_memory::statements::project_to_write;
use nudge_store::{EntryDraft, RunConfig, RunId, RunRow, SecretPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::wire::RunAccepted;
use super::{models, named};

/// The longest persona, in characters.
const MAX_PERSONA_CHARS: usize = 8_000;

/// Parameters of `start_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRunParams {
    /// Alias of the model.
    #[schemars(length(min = 1))]
    pub model: String,
    /// Name of the run, unique in the project. Default: a name with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How freely the model chooses words, from 0 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Who the model is asked to be, for the life of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Maximum tokens of a request. Default: what the model can read.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "contextLimit")]
    pub context_limit: Option<u32>,
}

/// The `start_run` operation.
pub struct StartRun;

impl Op for StartRun {
    const NAME: &'static str = "start_run";
    const ALIASES: &'static [&'static str] = &["startRun"];
    const TITLE: &'static str = "Start a run";
    const DOC: &'static str = "Create a run without a prompt; `ask` gives it one.";
    const REFERENCE: &'static str = "Create a run without a prompt. `ask` gives it one.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = StartRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: StartRunParams) -> Result<RunAccepted, Fault> {
        let new = NewRun {
            alias: params.run,
            named_after: "run".to_owned(),
            model: params.model,
            temperature: params.temperature,
            persona: params.persona,
            context_limit: params.context_limit,
            parent: None,
        };
        Ok(RunAccepted::of(&create(ctx, new)?))
    }
}

/// A run to be created.
pub(super) struct NewRun {
    /// Its alias; `None` for one that is made from `named_after`.
    pub(super) alias: Option<String>,
    pub(super) named_after: String,
    pub(super) model: String,
    pub(super) temperature: Option<f64>,
    pub(super) persona: Option<String>,
    pub(super) context_limit: Option<u32>,
    pub(super) parent: Option<RunRow>,
}

/// Creates a run in the caller's project.
pub(super) fn create(ctx: &OpContext<'_>, new: NewRun) -> Result<RunRow, Fault> {
    check_temperature(new.temperature)?;
    check_context_limit(new.context_limit)?;
    if new.persona.as_deref().is_some_and(|persona| persona.chars().count() > MAX_PERSONA_CHARS) {
        let why = format!("a persona is limited to {MAX_PERSONA_CHARS} characters");
        return Err(Fault::invalid("persona", why).with("field", "persona"));
    }
    models::find_known(ctx, &new.model)?;
    let project = project_to_write(ctx, None)?;
    let key = project.keys.first().cloned().unwrap_or_else(|| UNKNOWN.to_owned());
    let alias = match new.alias {
        Some(alias) => alias,
        None => free_alias(ctx, &key, project.id, &new.named_after)?,
    };
    let scope = free_scope(ctx, run_scope(&key, &alias)?)?;
    if ctx.store().run_by_alias(project.id, &alias)?.is_some() {
        return Err(Fault::new(
            FaultKind::Conflict,
            "run_exists",
            format!("there is a run `{alias}` already"),
        )
        .next("choose another name, or ask it with `run`"));
    }
    let path = EntryPath::parse(&format!("run://{alias}"))
        .map_err(|error| Fault::invalid("run", error.to_string()).with("field", "run"))?;
    let mut attributes = Map::new();
    attributes.insert("model".to_owned(), new.model.clone().into());
    let entry = ctx.writer()?.put_entry(&EntryDraft {
        scope: Scope::Project(key),
        path,
        body: String::new(),
        attributes,
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Redact,
        now: ctx.now(),
    })?;
    let row = RunRow {
        id: RunId(0),
        project: project.id,
        scope,
        entry: entry.id,
        parent: new.parent.as_ref().map(|parent| parent.id),
        session: Some(format!("run-{alias}-{}", ctx.now().as_millis())),
        alias,
        model: new.model,
        state: RunState::Queued,
        outcome: None,
        next_turn: new.parent.as_ref().map_or(1, |parent| parent.next_turn),
        next_loop: new.parent.as_ref().map_or(1, |parent| parent.next_loop),
        root: root_of(ctx.caller).map(|root| root.to_string_lossy().into_owned()),
        temperature: new.temperature,
        persona: new.persona,
        context_limit: new.context_limit,
        created_at: ctx.now(),
        updated_at: ctx.now(),
    };
    let id = ctx.writer()?.add_run(&row, ctx.now())?;
    Ok(RunRow { id, ..row })
}

/// The scope of a new run. A run that was renamed keeps its own, so its old name gets another one.
fn free_scope(ctx: &OpContext<'_>, named: Scope) -> Result<Scope, Fault> {
    let mut scope = named.clone();
    let mut number = 2_u32;
    // What somebody wrote under the name before is not the run's.
    while ctx.store().run_of_scope(&scope)?.is_some() || !ctx.store().entries_in(&scope, None)?.is_empty() {
        // No alias has a `~`.
        scope = Scope::Run(format!("{}~{number}", named.key()));
        number += 1;
    }
    Ok(scope)
}

/// The least tokens of a request that are worth sending: instructions and a prompt.
const MIN_CONTEXT_TOKENS: u32 = 1_000;

/// Rejects a limit that no packet is below.
pub(super) fn check_context_limit(limit: Option<u32>) -> Result<(), Fault> {
    match limit {
        Some(limit) if limit < MIN_CONTEXT_TOKENS => {
            let why = format!("the limit is at least {MIN_CONTEXT_TOKENS} tokens");
            Err(Fault::invalid("context_limit", why).with("field", "context_limit"))
        }
        _ => Ok(()),
    }
}

/// Rejects a temperature that no model takes.
pub(super) fn check_temperature(temperature: Option<f64>) -> Result<(), Fault> {
    match temperature {
        Some(value) if !(0.0..=2.0).contains(&value) => {
            Err(Fault::invalid("temperature", "the temperature is between 0 and 2")
                .with("field", "temperature"))
        }
        _ => Ok(()),
    }
}

/// A free alias that reads like the text it is made from.
fn free_alias(
    ctx: &OpContext<'_>,
    key: &str,
    project: nudge_store::ProjectId,
    text: &str,
) -> Result<String, Fault> {
    // A name is no place for a credential, nor for a word that says there was one.
    let text = nudge_secrets::redact(text).replace(nudge_secrets::REDACTED, " ");
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_ascii_lowercase)
        .collect();
    let stem = if words.is_empty() { "run".to_owned() } else { words.join("-") };
    let stem: String = stem.chars().take(40).collect();
    for number in 1_u32.. {
        let alias = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
        let is_free = ctx.store().run_by_alias(project, &alias)?.is_none()
            && ctx.store().entries_in(&run_scope(key, &alias)?, None)?.is_empty();
        if is_free {
            return Ok(alias);
        }
    }
    Err(Fault::invalid("run", "no free name is left"))
}

// `fork_run`: a copy of a run that goes its own way. Bodies are shared, not copied.

/// Parameters of `fork_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkRunParams {
    /// Name of the run to copy.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Name of the copy. Default: the name of the run with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The `fork_run` operation.
pub struct ForkRun;

impl Op for ForkRun {
    const NAME: &'static str = "fork_run";
    const ALIASES: &'static [&'static str] = &["run/fork"];
    const TITLE: &'static str = "Fork a run";
    const DOC: &'static str = "Copy a run; the copy sees what it saw and goes its own way.";
    const REFERENCE: &'static str = "Copy a run. The copy sees everything the run saw, goes on with its turn \
        numbers, and changes nothing in it.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = ForkRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ForkRunParams) -> Result<RunAccepted, Fault> {
        let run = named::run_to_change(ctx, &params.run, None)?;
        Ok(RunAccepted::of(&fork(ctx, &run, params.name)?))
    }
}

/// Copies a run.
pub(super) fn fork(ctx: &OpContext<'_>, run: &RunRow, name: Option<String>) -> Result<RunRow, Fault> {
    let copy = create(
        ctx,
        NewRun {
            alias: name,
            named_after: run.alias.clone(),
            model: run.model.clone(),
            temperature: run.temperature,
            persona: run.persona.clone(),
            context_limit: run.context_limit,
            parent: Some(run.clone()),
        },
    )?;
    ctx.writer()?.fork_views(&run.scope, &copy.scope, ctx.now())?;
    Ok(copy)
}

/// Parameters of `configure_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigureRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Alias of the model for prompts from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How freely the model chooses words, from 0 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Maximum tokens of a request.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "contextLimit")]
    pub context_limit: Option<u32>,
    /// Cannot be changed: the persona of a run is fixed for its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

/// The `configure_run` operation.
pub struct ConfigureRun;

impl Op for ConfigureRun {
    const NAME: &'static str = "configure_run";
    const ALIASES: &'static [&'static str] = &["run/config"];
    const TITLE: &'static str = "Configure a run";
    const DOC: &'static str = "Change the model, the temperature or the token limit of a run.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = ConfigureRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ConfigureRunParams) -> Result<RunAccepted, Fault> {
        let run = named::run_to_change(ctx, &params.run, None)?;
        if params.persona.is_some_and(|persona| Some(persona) != run.persona) {
            let why = "the persona of a run is fixed for its life";
            return Err(Fault::invalid("persona", why).with("field", "persona").next("start a new run"));
        }
        check_temperature(params.temperature)?;
        check_context_limit(params.context_limit)?;
        if let Some(model) = &params.model {
            models::find_known(ctx, model)?;
        }
        let config = RunConfig {
            model: params.model,
            temperature: params.temperature,
            context_limit: params.context_limit,
        };
        ctx.writer()?.configure_run(run.id, &config, ctx.now())?;
        Ok(RunAccepted::of(&named::fresh(ctx, &run)?))
    }
}

/// Parameters of `rename_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Its new name.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// The `rename_run` operation.
pub struct RenameRun;

impl Op for RenameRun {
    const NAME: &'static str = "rename_run";
    const ALIASES: &'static [&'static str] = &["run/rename"];
    const TITLE: &'static str = "Rename a run";
    const DOC: &'static str = "Give a run another name.";
    const REFERENCE: &'static str = "Give a run another name. It must be free in the project.";
    const EFFECT: Effect = Effect::Write;
    const CLIENTS_ONLY: bool = true;
    type Params = RenameRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RenameRunParams) -> Result<RunAccepted, Fault> {
        let run = named::run_to_change(ctx, &params.run, None)?;
        // The rules for names are those of a new run.
        run_scope("", &params.name)?;
        if ctx.store().run_by_alias(run.project, &params.name)?.is_some() {
            let why = format!("there is a run `{}` already", params.name);
            return Err(Fault::new(FaultKind::Conflict, "run_exists", why).next("choose another name"));
        }
        let path = EntryPath::parse(&format!("run://{}", params.name))
            .map_err(|error| Fault::invalid("name", error.to_string()).with("field", "name"))?;
        let writer = ctx.writer()?;
        writer.rename_entry(run.entry, &path, &ctx.provenance()?, SecretPolicy::Redact, ctx.now())?;
        writer.rename_run(run.id, &params.name, ctx.now())?;
        Ok(RunAccepted::of(&named::fresh(ctx, &run)?))
    }
}

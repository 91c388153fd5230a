//! `configure_run` and `rename_run`.

use nudge_core::{EntryPath, Fault, FaultKind, Tier};
use nudge_store::{RunConfig, SecretPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::RunAccepted;
use super::{find, models, start};
use nudge_memory::entries::run_scope;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

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
    const ALIASES: &'static [&'static str] = &["nudge.configure_run", "run/config"];
    const TITLE: &'static str = "Configure a run";
    const DOC: &'static str = "Change the model, the temperature or the token limit of a run.";
    const REFERENCE: &'static str = "Change the model, the temperature or the token limit of a run.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = ConfigureRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ConfigureRunParams) -> Result<RunAccepted, Fault> {
        let run = find::run_to_change(ctx, &params.run, None)?;
        if params.persona.is_some_and(|persona| Some(persona) != run.persona) {
            let why = "the persona of a run is fixed for its life";
            return Err(Fault::invalid("persona", why).with("field", "persona").next("start a new run"));
        }
        start::check_temperature(params.temperature)?;
        start::check_context_limit(params.context_limit)?;
        if let Some(model) = &params.model {
            models::find_known(ctx, model)?;
        }
        let config = RunConfig {
            model: params.model,
            temperature: params.temperature,
            context_limit: params.context_limit,
        };
        ctx.writer()?.configure_run(run.id, &config, ctx.now())?;
        Ok(RunAccepted::of(&find::fresh(ctx, &run)?))
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
    const ALIASES: &'static [&'static str] = &["nudge.rename_run", "run/rename"];
    const TITLE: &'static str = "Rename a run";
    const DOC: &'static str = "Give a run another name.";
    const REFERENCE: &'static str = "Give a run another name. It must be free in the project.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = RenameRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: RenameRunParams) -> Result<RunAccepted, Fault> {
        let run = find::run_to_change(ctx, &params.run, None)?;
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
        Ok(RunAccepted::of(&find::fresh(ctx, &run)?))
    }
}

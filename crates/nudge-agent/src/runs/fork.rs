//! `fork_run`: a copy of a run that goes its own way. Bodies are shared, not copied.

use nudge_core::{Fault, Tier};
use nudge_store::RunRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find;
use super::start::{self, NewRun};
use super::wire::RunAccepted;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

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
    const ALIASES: &'static [&'static str] = &["nudge.fork_run", "run/fork"];
    const TITLE: &'static str = "Fork a run";
    const DOC: &'static str = "Copy a run; the copy sees what it saw and goes its own way.";
    const REFERENCE: &'static str = "Copy a run. The copy sees everything the run saw, goes on with its turn \
        numbers, and changes nothing in it.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = ForkRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ForkRunParams) -> Result<RunAccepted, Fault> {
        let run = find::run_to_change(ctx, &params.run, None)?;
        Ok(RunAccepted::of(&fork(ctx, &run, params.name)?))
    }
}

/// Copies a run.
pub(super) fn fork(ctx: &OpContext<'_>, run: &RunRow, name: Option<String>) -> Result<RunRow, Fault> {
    let copy = start::create(
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

//! `inject_run`: another message for a run, answered after what it works on.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::{RunAccepted, RunFlags};
use super::{ask, find};
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

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
    const ALIASES: &'static [&'static str] = &["nudge.inject_run", "run/inject"];
    const TITLE: &'static str = "Add a message to a run";
    const DOC: &'static str = "Add a message to a run. It is answered after what the run works on.";
    const REFERENCE: &'static str = "Add a message to a run. It is answered after what the run works on.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = InjectRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: InjectRunParams) -> Result<RunAccepted, Fault> {
        ask::check_prompt(&params.message)?;
        let run = find::run_to_change(ctx, &params.run, None)?;
        let last = ctx.store().loops(run.id)?.pop();
        let flags = last.map(|row| RunFlags::of(&row.config)).unwrap_or_default();
        let seq = ask::queue(ctx, &run, &params.message, flags, None)?;
        Ok(RunAccepted::of(&find::fresh(ctx, &run)?).in_loop(seq))
    }
}

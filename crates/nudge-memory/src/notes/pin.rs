//! `pin` and `unpin`: a pinned observation is kept past its retention.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::EntryRef;

/// How many can be named at once.
const AT_ONCE: usize = 1_000;

/// The next step for a number that belongs to a prompt or to nothing.
const NOT_PINNABLE: &str =
    "only observations can be pinned, not prompts; run `nudge search` or `nudge recent` to see ids";

/// Parameters of `pin` and `unpin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinParams {
    /// Observation ids, as numbers or `obs://N`.
    pub ids: Vec<EntryRef>,
}

/// Answer of `pin` and `unpin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PinAnswer {
    /// True if they are pinned now.
    pub pinned: bool,
    /// Ids that were found.
    pub ids: Vec<i64>,
    /// Ids that were not found.
    pub missing: Vec<i64>,
}

/// The `pin` operation.
pub struct PinObservations;

/// The `unpin` operation.
pub struct UnpinObservations;

impl Op for PinObservations {
    const NAME: &'static str = "pin";
    const ALIASES: &'static [&'static str] = &["nudge.pin"];
    const TITLE: &'static str = "Pin observations";
    const DOC: &'static str = "Pin observations, so that retention never deletes them.";
    const REFERENCE: &'static str = "Pin observations, so that retention never deletes them.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, true)
    }
}

impl Op for UnpinObservations {
    const NAME: &'static str = "unpin";
    const ALIASES: &'static [&'static str] = &["nudge.unpin"];
    const TITLE: &'static str = "Unpin observations";
    const DOC: &'static str = "Unpin observations, so that retention applies to them again.";
    const REFERENCE: &'static str = "Unpin observations, so that retention applies to them again.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, false)
    }
}

fn set(ctx: &OpContext<'_>, params: &PinParams, pinned: bool) -> Result<PinAnswer, Fault> {
    if params.ids.is_empty() {
        return Err(Fault::invalid("ids", "ids array must not be empty").with("field", "ids"));
    }
    if params.ids.len() > AT_ONCE {
        return Err(Fault::invalid("ids", format!("at most {AT_ONCE} ids per call")).with("field", "ids"));
    }
    let ids = params.ids.iter().map(EntryRef::id).collect::<Result<Vec<_>, _>>()?;
    let mut answer = PinAnswer { pinned, ids: Vec::new(), missing: Vec::new() };
    let hidden = ctx.hidden()?;
    for id in ids {
        if hidden.hide_entry(ctx.store(), id)? {
            answer.missing.push(id.0);
            continue;
        }
        if let Some(project) = ctx.store().project_of(id)? {
            projects::may_write_into(ctx.store(), ctx.caller, Some(project), "")?;
        }
        let there = ctx.writer()?.pin_observation(id, pinned, ctx.now())?;
        if there { answer.ids.push(id.0) } else { answer.missing.push(id.0) }
    }
    if answer.ids.is_empty() {
        return Err(Fault::new(FaultKind::NotFound, "no_observation", "there is no such observation")
            .with("missing", answer.missing)
            .next(NOT_PINNABLE));
    }
    Ok(answer)
}

//! `bump`: records that a hint was used and worked.

use nudge_core::{Fault, Tier};

use super::wire::{BumpParams, HintAnswer};
use super::{choice, get, limits, secrets, shown};
use crate::operation::{Effect, Op, OpContext, Profile};

/// The `bump` operation.
pub struct BumpHint;

impl Op for BumpHint {
    const NAME: &'static str = "bump";
    const ALIASES: &'static [&'static str] = &["nudge.bump", "bump_hint"];
    const TITLE: &'static str = "Bump hint";
    const DOC: &'static str = "Report that a hint worked, so that it ranks higher. Call it after the \
        command or path in a hint succeeded.";
    const REFERENCE: &'static str = "Report that a hint worked. This raises its use count, so it ranks \
        higher.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = BumpParams;
    type Answer = HintAnswer;

    fn run(ctx: &OpContext<'_>, params: BumpParams) -> Result<HintAnswer, Fault> {
        let delta = limits::check_delta(params.delta)?;
        let hints = get::variants(ctx, &params.component, &params.key)?;
        let caller_facts = choice::context_for(ctx, params.context)?;
        let mut hint = choice::one_variant(ctx.caller, hints, &caller_facts, ctx.now())?;
        ctx.writer()?.use_hint(hint.id, delta, ctx.now())?;
        hint.use_count = hint.use_count.saturating_add(delta);
        hint.last_used_at = Some(ctx.now());
        let mut hint = shown::hint(ctx, &hint)?;
        if !secrets::allowed(ctx.caller, ctx.settings) {
            hint = hint.without_secret();
        }
        Ok(HintAnswer { hint })
    }

    fn for_repeat(answer: HintAnswer) -> HintAnswer {
        HintAnswer { hint: answer.hint.without_secret() }
    }
}

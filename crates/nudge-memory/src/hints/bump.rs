//! `bump`: says that a hint was used and worked.

use nudge_core::{Fault, Tier};

use super::wire::{BumpParams, HintAnswer};
use super::{choice, get, limits, secrets, shown};
use crate::desk::Desk;
use crate::operation::{Effect, Op, Profile};

/// The operation.
pub struct BumpHint;

impl Op for BumpHint {
    const NAME: &'static str = "bump";
    const ALIASES: &'static [&'static str] = &["nudge.bump", "bump_hint"];
    const TITLE: &'static str = "Bump hint";
    const DOC: &'static str =
        "Say that a hint worked, so that it ranks higher. Call after you used one with success.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = BumpParams;
    type Answer = HintAnswer;

    fn run(desk: &Desk<'_>, params: BumpParams) -> Result<HintAnswer, Fault> {
        let delta = limits::check_delta(params.delta)?;
        let hints = get::variants(desk, &params.component, &params.key)?;
        let standing = choice::context_for(desk.caller, params.context)?;
        let mut hint = choice::one_variant(desk.caller, hints, &standing, desk.now())?;
        desk.writer()?.use_hint(hint.id, delta, desk.now())?;
        hint.use_count = hint.use_count.saturating_add(delta);
        hint.last_used_at = Some(desk.now());
        let mut hint = shown::hint(desk, &hint)?;
        if !secrets::allowed(desk.caller, desk.settings) {
            hint = hint.without_secret();
        }
        Ok(HintAnswer { hint })
    }

    fn for_repeat(answer: HintAnswer) -> HintAnswer {
        HintAnswer { hint: answer.hint.without_secret() }
    }
}

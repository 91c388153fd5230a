//! `delete_hint`: forgets one variant and returns it as it was.

use nudge_core::{Fault, Tier};

use super::wire::{self, DeleteAnswer, DeleteParams};
use super::{choice, get, secrets};
use crate::desk::Desk;
use crate::operation::{Effect, Op, Profile};

/// The operation.
pub struct DeleteHint;

impl Op for DeleteHint {
    const NAME: &'static str = "delete_hint";
    const ALIASES: &'static [&'static str] = &["nudge.delete_hint"];
    const TITLE: &'static str = "Delete hint";
    const DOC: &'static str = "Delete a hint that is wrong or out of date.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Default;
    type Params = DeleteParams;
    type Answer = DeleteAnswer;

    fn run(desk: &Desk<'_>, params: DeleteParams) -> Result<DeleteAnswer, Fault> {
        let hints = get::variants(desk, &params.component, &params.key)?;
        let context = choice::context_for(desk.caller, params.context)?;
        let hint = choice::one_variant(hints, &context, desk.now())?;
        desk.writer()?.delete_entry(hint.id, desk.now())?;
        let mut previous = wire::Hint::from(&hint);
        if !secrets::allowed(desk.caller, desk.settings) {
            previous = previous.without_secret();
        }
        Ok(DeleteAnswer { deleted: true, previous })
    }

    fn for_repeat(answer: DeleteAnswer) -> DeleteAnswer {
        DeleteAnswer { deleted: answer.deleted, previous: answer.previous.without_secret() }
    }
}

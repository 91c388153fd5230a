//! `delete_hint`: forgets one variant and returns it as it was.

use nudge_core::{Fault, Hint, Tier};
use nudge_store::Ending;

use super::wire::{DeleteAnswer, DeleteParams};
use super::{authority, choice, get, secrets, shown, stored};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::proposals::{self, Action, Change};

/// The operation.
pub struct DeleteHint;

impl Op for DeleteHint {
    const NAME: &'static str = "delete_hint";
    const ALIASES: &'static [&'static str] = &["nudge.delete_hint"];
    const TITLE: &'static str = "Delete hint";
    const DOC: &'static str = "Delete a hint that is wrong or out of date.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = DeleteParams;
    type Answer = DeleteAnswer;

    fn run(ctx: &OpContext<'_>, params: DeleteParams) -> Result<DeleteAnswer, Fault> {
        let hints = get::variants(ctx, &params.component, &params.key)?;
        let standing = choice::context_for(ctx.caller, params.context)?;
        let hint = choice::one_variant(ctx.caller, hints, &standing, ctx.now())?;
        if let Some(why) = authority::why_proposal(ctx.caller, Some(&hint), &hint.meta.conditions) {
            return Ok(DeleteAnswer {
                deleted: false,
                previous: None,
                proposal: Some(propose(ctx, &hint, why)?),
            });
        }
        delete(ctx, &hint)?;
        let mut previous = shown::hint(ctx, &hint)?;
        if !secrets::allowed(ctx.caller, ctx.settings) {
            previous = previous.without_secret();
        }
        Ok(DeleteAnswer { deleted: true, previous: Some(previous), proposal: None })
    }

    fn for_repeat(answer: DeleteAnswer) -> DeleteAnswer {
        DeleteAnswer { previous: answer.previous.map(super::wire::Hint::without_secret), ..answer }
    }
}

/// Deletes a hint; its last version stays readable.
pub(super) fn delete(ctx: &OpContext<'_>, hint: &Hint) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    let by = ctx.provenance()?;
    writer.keep_version(hint.id, Ending::Deleted, hint.is_secret(), &by, ctx.now())?;
    writer.delete_entry(hint.id, ctx.now())?;
    Ok(())
}

/// Leaves the deletion for the person to decide.
fn propose(ctx: &OpContext<'_>, hint: &Hint, why: String) -> Result<proposals::ProposalNote, Fault> {
    let change = Change {
        action: Action::Delete,
        component: hint.component.clone(),
        key: hint.key.clone(),
        target: stored::path_of(&hint.component, &hint.key, &hint.meta)?,
        value: None,
        meta: None,
        body: format!("delete {}/{}", hint.component, hint.key),
        why,
    };
    proposals::make(ctx, change)
}

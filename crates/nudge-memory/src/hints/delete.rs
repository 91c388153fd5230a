//! `delete_hint`: deletes one variant and returns it as it was.

use nudge_core::{Fault, Hint};
use nudge_store::Ending;

use super::wire::{DeleteAnswer, DeleteParams};
use super::{authority, choice, get, secrets, stored};
use crate::operation::{Effect, Op, OpContext};
use crate::statements::proposals::{self, Action, Change};

/// The `delete_hint` operation.
pub struct DeleteHint;

impl Op for DeleteHint {
    const NAME: &'static str = "delete_hint";
    const TITLE: &'static str = "Delete hint";
    const DOC: &'static str = "Delete a hint that is wrong or out of date. If the user stated it, the \
        deletion becomes a proposal.";
    const REFERENCE: &'static str = "Delete one variant of a hint. When an agent deletes a hint that the \
        user stated, the deletion becomes a proposal.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = DeleteParams;
    type Answer = DeleteAnswer;

    fn run(ctx: &OpContext<'_>, params: DeleteParams) -> Result<DeleteAnswer, Fault> {
        let hints = get::variants(ctx, &params.component, &params.key)?;
        let caller_facts = choice::context_for(ctx, params.context)?;
        let hint = choice::one_variant(ctx.caller, hints, &caller_facts, ctx.now())?;
        if let Some(why) = authority::why_proposal(ctx, Some(&hint), &hint.meta.conditions)? {
            return Ok(DeleteAnswer {
                deleted: false,
                previous: None,
                proposal: Some(propose(ctx, &hint, why)?),
            });
        }
        delete(ctx, &hint)?;
        let mut previous = stored::wire_hint(ctx, &hint)?;
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

/// Proposes the deletion to the user.
pub(super) fn propose(
    ctx: &OpContext<'_>,
    hint: &Hint,
    why: String,
) -> Result<proposals::ProposalNote, Fault> {
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

//! Applies a change that an agent proposed and the user accepted.

use nudge_core::{Fault, FaultKind, Provenance};

use super::quota::Quota;
use super::set::{Outcome, Write};
use super::wire::{self, Meta, Value};
use super::{delete, shown, stored};
use crate::operation::OpContext;
use crate::statements::proposals::{Action, Edit, Proposal};
use crate::statements::stated_by;

/// Applies the change as the user's own. Returns the changed hint, or `None` if it was deleted.
pub(crate) fn carry_out(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    edit: &Edit,
) -> Result<Option<wire::Hint>, Fault> {
    let rows = ctx.store().hints_of_key(&edit.component, &edit.key, ctx.now())?;
    let existing = rows.into_iter().find(|row| row.entry.path.as_str() == edit.target);
    match proposal.content.action {
        Action::Delete => {
            let row = existing.ok_or_else(|| gone(proposal, edit))?;
            delete::delete(ctx, &stored::hint_of(row)?)?;
            Ok(None)
        }
        Action::Set => {
            // The statement is about the place it was made for, not about where the user reviews
            // it.
            let place = existing.map_or_else(|| proposal.by.project.clone(), |row| row.entry.writer.project);
            let provenance = Provenance { project: place, ..ctx.provenance()? };
            set(ctx, proposal, edit, provenance).map(Some)
        }
        Action::Move | Action::Copy | Action::Remember | Action::Correct | Action::Forget => {
            Err(unreadable(proposal))
        }
    }
}

fn set(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    edit: &Edit,
    provenance: Provenance,
) -> Result<wire::Hint, Fault> {
    let value = edit.value.clone().unwrap_or_default();
    let value = Value::from_json(value).map_err(|_| unreadable(proposal))?.checked()?;
    let meta = Meta::from_stored(edit.meta.clone().unwrap_or_default());
    let mut meta = meta.map_err(|_| unreadable(proposal))?.into_core()?;
    // From now on it is the user's statement; it still says who had the idea.
    meta.added_by.get_or_insert(stated_by(ctx.store(), &proposal.by)?);
    let write = Write {
        component: edit.component.clone(),
        key: edit.key.clone(),
        value,
        meta,
        expect: None,
        history: None,
        allow_secret: false,
        provenance,
    };
    let mut quota = Quota::for_component(ctx, &edit.component)?;
    match write.run(ctx, &mut quota)? {
        Outcome::Written(hint) => shown::hint(ctx, &hint),
        Outcome::Proposed { note, .. } => Err(Fault::new(FaultKind::Forbidden, "tier", note.why)),
    }
}

fn unreadable(proposal: &Proposal) -> Fault {
    let why = format!("cannot read proposal {}", proposal.id.0);
    Fault::new(FaultKind::Internal, "damaged_proposal", why)
        .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
}

fn gone(proposal: &Proposal, edit: &Edit) -> Fault {
    let why = format!("{}/{} no longer exists", edit.component, edit.key);
    Fault::new(FaultKind::NotFound, "gone", why)
        .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
}

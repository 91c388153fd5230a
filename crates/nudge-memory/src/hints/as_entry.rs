//! Hints as entries: what the verbs need to read and write one by its path.

use nudge_core::{Entry, EntryPath, Fault, FaultKind, HintValue};

use nudge_store::HintRow;

use super::wire::{Meta, Value};
use super::{authority, choice, delete, get, stored};
use crate::operation::OpContext;
use crate::statements::proposals::ProposalNote;

/// The metadata of a stored hint, in its wire form.
pub(crate) fn meta_of(entry: &Entry) -> Result<Meta, Fault> {
    let (_, meta) = stored::statement_of(&entry.body, &entry.attributes)?;
    Ok(Meta::of(&meta))
}

/// A value with a new text: of the same type as the stored one, else plain text.
pub(crate) fn value_with(existing: Option<&Entry>, text: &str) -> Result<Value, Fault> {
    match existing {
        Some(entry) => Ok(Value(stored::statement_of(text, &entry.attributes)?.0)),
        None => Ok(Value(HintValue::Text(text.to_owned()))),
    }
}

/// Whether a caller may read a hint: the user always, an agent only if it applies.
pub(crate) fn may_show_row(ctx: &OpContext<'_>, row: HintRow) -> Result<bool, Fault> {
    choice::may_show(ctx, &stored::hint_of(row)?)
}

/// Deletes the variant with this path; a note if the deletion waits for the user instead.
pub(crate) fn delete_variant(
    ctx: &OpContext<'_>,
    component: &str,
    key: &str,
    path: &EntryPath,
) -> Result<Option<ProposalNote>, Fault> {
    for hint in get::variants(ctx, component, key)? {
        if stored::path_of(component, key, &hint.meta)? != *path {
            continue;
        }
        if let Some(why) = authority::why_proposal(ctx, Some(&hint), &hint.meta.conditions)? {
            return delete::propose(ctx, &hint, why).map(Some);
        }
        delete::delete(ctx, &hint)?;
        return Ok(None);
    }
    Err(Fault::new(FaultKind::NotFound, "no_hint", format!("there is no hint {path}")))
}

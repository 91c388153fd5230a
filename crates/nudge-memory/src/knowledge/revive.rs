//! A corrected statement that is stated again replaces its correction.

use nudge_context::clean_text;
use nudge_core::{EntryId, Fault};

use crate::operation::OpContext;
use crate::projects;
use crate::statements::{self, Contradicted, StatementState, Stored, retire, stated_by};

/// How many corrections in a row are followed. Nobody corrects one thing more often.
const CORRECTIONS: usize = 50;

/// Retires the correction of a statement that was just stated again: stating the old words again
/// means that the new ones no longer apply. An agent cannot retire the user's statement.
pub(super) fn retire_successor(
    ctx: &OpContext<'_>,
    before: &Stored,
    made: &Stored,
) -> Result<Option<Contradicted>, Fault> {
    let mut next = before.stated.successor.filter(|_| before.stated.state == StatementState::Corrected);
    for _ in 0..CORRECTIONS {
        let Some(id) = next.filter(|id| *id != made.id.0) else { return Ok(None) };
        let Some(successor) = statements::by_id(ctx.store(), EntryId(id))? else { return Ok(None) };
        if successor.stated.state == StatementState::Stands {
            return end(ctx, successor, made);
        }
        next = successor.stated.successor;
    }
    Ok(None)
}

fn end(ctx: &OpContext<'_>, successor: Stored, made: &Stored) -> Result<Option<Contradicted>, Fault> {
    let by_person = projects::is_person(ctx.caller);
    if successor.by.is_by_user() && !by_person {
        return Ok(None);
    }
    let stated_by = stated_by(ctx.store(), &successor.by)?;
    let over =
        retire(ctx.writer()?, successor, StatementState::Corrected, Some(made.id.0), by_person, ctx.now())?;
    Ok(Some(Contradicted { id: over.id.0, text: clean_text(&over.text), stated_by }))
}

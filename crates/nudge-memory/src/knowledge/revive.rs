//! A statement that was corrected and is stated again takes its place back.

use nudge_context::clean_text;
use nudge_core::{EntryId, Fault};

use crate::operation::OpContext;
use crate::projects;
use crate::statements::{self, Contradicted, Standing, Stored, retire, stated_by};

/// How many corrections are followed. Nobody corrects one thing more often.
const CORRECTIONS: usize = 50;

/// Ends what stands in the place of a corrected statement that was just stated again: whoever goes back to the old words does
/// not want the new ones beside them. What the person stated an agent does not end.
pub(super) fn end_successor(
    ctx: &OpContext<'_>,
    before: &Stored,
    made: &Stored,
) -> Result<Option<Contradicted>, Fault> {
    let mut next = before.stated.successor.filter(|_| before.stated.state == Standing::Corrected);
    for _ in 0..CORRECTIONS {
        let Some(id) = next.filter(|id| *id != made.id.0) else { return Ok(None) };
        let Some(successor) = statements::by_id(ctx.store(), EntryId(id))? else { return Ok(None) };
        if successor.stated.state == Standing::Stands {
            return end(ctx, successor, made);
        }
        next = successor.stated.successor;
    }
    Ok(None)
}

fn end(ctx: &OpContext<'_>, successor: Stored, made: &Stored) -> Result<Option<Contradicted>, Fault> {
    let by_person = projects::is_person(ctx.caller);
    if successor.by.is_the_persons() && !by_person {
        return Ok(None);
    }
    let stated_by = stated_by(ctx.store(), &successor.by)?;
    let over = retire(ctx.writer()?, successor, Standing::Corrected, Some(made.id.0), by_person, ctx.now())?;
    Ok(Some(Contradicted { id: over.id.0, text: clean_text(&over.text), stated_by }))
}

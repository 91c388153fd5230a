//! What was said before in the same words, or in words that mean the same.

use nudge_core::{EntryId, Fault};
use nudge_store::{Stage, StatedWords, Writer};

use super::super::content::{Action, Matter, State};
use super::super::stored::{Proposal, proposal_of};
use super::{Kind, Said, said_at};
use crate::statements::likeness::Likeness;
use crate::statements::saying;
use crate::statements::stored::{Standing, Stored, statement_of};

/// What is known of what was said.
pub(super) enum Before {
    /// It waits, or comes back.
    Proposed(Box<Proposal>),
    /// It is the person's statement.
    Stands(Box<Stored>),
    /// The person does not want it.
    TurnedDown(EntryId),
}

/// The first that says the same: what holds or waits comes before what is over.
pub(super) fn find(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Likeness,
) -> Result<Option<Before>, Fault> {
    let (over, alive): (Vec<&StatedWords>, Vec<_>) = all.iter().partition(|known| known.stage == Stage::Over);
    for known in alive.into_iter().chain(over).filter(|known| (like.same)(said.text, &known.body)) {
        if let Some(found) = before(writer, said, known.id)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn before(writer: &Writer<'_>, said: &Said<'_>, id: EntryId) -> Result<Option<Before>, Fault> {
    let Some(entry) = writer.entry_by_id(id)? else { return Ok(None) };
    if let Some(statement) = statement_of(entry.clone()) {
        if statement.stated.directory != said.directory {
            return Ok(None);
        }
        return Ok(match statement.stated.state {
            // What an agent stated the person may say, too.
            Standing::Stands if statement.by.is_the_persons() => Some(Before::Stands(Box::new(statement))),
            Standing::Forgotten => Some(Before::TurnedDown(id)),
            Standing::Stands | Standing::Corrected => None,
        });
    }
    let is_kind = |proposal: &Proposal| match proposal.content.matter {
        Matter::Statement(ref words) => said.kind == Kind::Statement && words.directory == said.directory,
        Matter::Routine(_) => said.kind == Kind::Routine,
        Matter::Edit(_) => false,
    };
    let is_saying = |proposal: &Proposal| proposal.content.action == Action::Remember && is_kind(proposal);
    let Some(proposal) = proposal_of(entry).filter(is_saying) else { return Ok(None) };
    match proposal.content.state {
        State::Dropped => Ok(Some(Before::TurnedDown(id))),
        State::Accepted => accepted(writer, proposal).map(Some),
        State::Waiting | State::Replaced | State::Expired => Ok(Some(Before::Proposed(Box::new(proposal)))),
    }
}

/// What became of the statement that the person made of a proposal, perhaps in other words.
fn accepted(writer: &Writer<'_>, proposal: Proposal) -> Result<Before, Fault> {
    let made = proposal.content.matter.words().and_then(|words| words.successor).map(EntryId);
    let statement = made.map(|id| writer.entry_by_id(id)).transpose()?.flatten().and_then(statement_of);
    Ok(match statement {
        Some(statement) if statement.stated.state == Standing::Stands => Before::Stands(Box::new(statement)),
        Some(statement) if statement.stated.state == Standing::Forgotten => Before::TurnedDown(statement.id),
        _ => Before::Proposed(Box::new(proposal)),
    })
}

/// Counts what was said at the statement that says it.
pub(super) fn count(writer: &Writer<'_>, mut statement: Stored, said: &Said<'_>) -> Result<EntryId, Fault> {
    for one in said.just_now() {
        statement.stated.times = statement.stated.times.saturating_add(1);
        saying::add(&mut statement.stated.said, one.clone());
    }
    statement.save(writer, said_at(said))?;
    Ok(statement.id)
}

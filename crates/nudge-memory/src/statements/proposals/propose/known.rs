//! Finds what was said before in the same words, or in words that mean the same.

use nudge_core::{EntryId, Fault};
use nudge_store::{Stage, StatedWords, Writer};

use super::super::content::{Action, ProposalSubject, State};
use super::super::stored::{Proposal, proposal_of};
use super::{Kind, Said, said_at};
use crate::statements::likeness::Similarity;
use crate::statements::saying;
use crate::statements::stored::{StatementState, Stored, statement_of};

/// The earlier record of what was said.
pub(super) enum Before {
    /// It waits, or waits again.
    Proposed(Box<Proposal>),
    /// It is the user's statement.
    Stands(Box<Stored>),
    /// The user rejected it.
    TurnedDown(EntryId),
}

/// The first record that says the same: one in force or waiting comes before one that is over.
pub(super) fn find(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Similarity,
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
            // The user may also say what an agent stated.
            StatementState::Stands if statement.by.is_by_user() => Some(Before::Stands(Box::new(statement))),
            StatementState::Forgotten => Some(Before::TurnedDown(id)),
            StatementState::Stands | StatementState::Corrected => None,
        });
    }
    let is_kind = |proposal: &Proposal| match proposal.content.matter {
        ProposalSubject::Statement(ref words) => {
            said.kind == Kind::Statement && words.directory == said.directory
        }
        ProposalSubject::Routine(_) => said.kind == Kind::Routine,
        ProposalSubject::Edit(_) | ProposalSubject::Entry(_) => false,
    };
    let is_saying = |proposal: &Proposal| proposal.content.action == Action::Remember && is_kind(proposal);
    let Some(proposal) = proposal_of(entry).filter(is_saying) else { return Ok(None) };
    match proposal.content.state {
        State::Dropped => Ok(Some(Before::TurnedDown(id))),
        State::Accepted => accepted(writer, proposal).map(Some),
        State::Waiting | State::Replaced | State::Expired => Ok(Some(Before::Proposed(Box::new(proposal)))),
    }
}

/// The current state of the statement that the user made from a proposal, perhaps in other words.
fn accepted(writer: &Writer<'_>, proposal: Proposal) -> Result<Before, Fault> {
    let made = proposal.content.matter.words().and_then(|words| words.successor).map(EntryId);
    let statement = made.map(|id| writer.entry_by_id(id)).transpose()?.flatten().and_then(statement_of);
    Ok(match statement {
        Some(statement) if statement.stated.state == StatementState::Stands => {
            Before::Stands(Box::new(statement))
        }
        Some(statement) if statement.stated.state == StatementState::Forgotten => {
            Before::TurnedDown(statement.id)
        }
        _ => Before::Proposed(Box::new(proposal)),
    })
}

/// Counts what was said on the statement that says it.
pub(super) fn count(writer: &Writer<'_>, mut statement: Stored, said: &Said<'_>) -> Result<EntryId, Fault> {
    for one in said.just_now() {
        statement.stated.times = statement.stated.times.saturating_add(1);
        saying::add(&mut statement.stated.said, one.clone());
    }
    statement.save(writer, said_at(said))?;
    Ok(statement.id)
}

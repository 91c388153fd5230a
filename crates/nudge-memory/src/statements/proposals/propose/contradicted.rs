//! What was said earlier gives way to what speaks against it. What the person stated or accepted does not: only a statement
//! ends that.

use nudge_core::{EntryId, Fault, Scope};
use nudge_store::{Stage, StatedWords, Writer};

use super::super::content::{Action, Matter, State};
use super::super::stored::{proposal_of, set_state};
use super::{Said, said_at};
use crate::statements::likeness::Likeness;
use crate::statements::make::retire;
use crate::statements::stored::{Standing, statement_of};

/// The person's statement that was spoken against, if there is one: while it holds, what was said only waits.
pub(super) fn persons(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Likeness,
) -> Result<Option<i64>, Fault> {
    for known in all.iter().filter(|known| known.stage == Stage::InForce && is_against(said, known, like)) {
        let Some(statement) = writer.entry_by_id(known.id)?.and_then(statement_of) else { continue };
        let holds_there =
            statement.stated.directory.is_none() || statement.stated.directory == said.directory;
        if statement.by.is_the_persons() && holds_there {
            return Ok(Some(known.id.0));
        }
    }
    Ok(None)
}

/// Replaces earlier sayings at once. What an agent stated gives way only to what is in force itself.
pub(super) fn replace(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Likeness,
    (successor, is_in_force): (EntryId, bool),
) -> Result<(), Fault> {
    let holds = |known: &&StatedWords| {
        matches!(known.stage, Stage::InForce | Stage::SaidOnce) && known.id != successor
    };
    for known in all.iter().filter(holds).filter(|known| is_against(said, known, like)) {
        let Some(entry) = writer.entry_by_id(known.id)? else { continue };
        let is_own = entry.scope != Scope::Global;
        if let Some(statement) = statement_of(entry.clone()) {
            let is_there = is_own && statement.stated.directory == said.directory;
            let may_end = is_in_force && !statement.by.is_the_persons();
            if may_end && is_there && statement.said_at() < said_at(said) {
                retire(writer, statement, Standing::Corrected, Some(successor.0), true, said_at(said))?;
            }
            continue;
        }
        let is_saying = |proposal: &super::Proposal| {
            proposal.content.action == Action::Remember
                && matches!(&proposal.content.matter, Matter::Statement(words) if words.directory == said.directory)
                && proposal.last_at < said_at(said)
        };
        if let Some(earlier) = proposal_of(entry).filter(is_saying) {
            set_state(writer, &earlier, State::Replaced, Some(successor.0), said.provenance, said_at(said))?;
        }
    }
    Ok(())
}

fn is_against(said: &Said<'_>, known: &StatedWords, like: &Likeness) -> bool {
    (like.contradicts)(said.text, &known.body) && !(like.same)(said.text, &known.body)
}

//! Something said later replaces earlier sayings that it contradicts. It does not replace what the
//! user stated or accepted: only a statement ends that.

use nudge_core::{EntryId, Fault, Scope};
use nudge_store::{Stage, StatedWords, Writer};

use super::super::content::{Action, ProposalSubject, State};
use super::super::stored::{proposal_of, set_state};
use super::{Said, said_at};
use crate::statements::likeness::Similarity;
use crate::statements::make::retire;
use crate::statements::stored::{StatementState, statement_of};

/// The user's statement that is contradicted, if there is one. While it is in force, what was said
/// only waits.
pub(super) fn contradicted_user_statement(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Similarity,
) -> Result<Option<i64>, Fault> {
    for known in all.iter().filter(|known| known.stage == Stage::InForce && is_against(said, known, like)) {
        let Some(statement) = writer.entry_by_id(known.id)?.and_then(statement_of) else { continue };
        let holds_there =
            statement.stated.directory.is_none() || statement.stated.directory == said.directory;
        if statement.by.is_by_user() && holds_there {
            return Ok(Some(known.id.0));
        }
    }
    Ok(None)
}

/// Replaces earlier sayings at once. An agent's statement is only replaced by something that is
/// itself in force.
pub(super) fn replace(
    writer: &Writer<'_>,
    said: &Said<'_>,
    all: &[StatedWords],
    like: &Similarity,
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
            let may_end = is_in_force && !statement.by.is_by_user();
            if may_end && is_there && statement.said_at() < said_at(said) {
                retire(writer, statement, StatementState::Corrected, Some(successor.0), true, said_at(said))?;
            }
            continue;
        }
        let is_saying = |proposal: &super::Proposal| {
            proposal.content.action == Action::Remember
                && matches!(&proposal.content.matter, ProposalSubject::Statement(words) if words.directory == said.directory)
                && proposal.last_at < said_at(said)
        };
        if let Some(earlier) = proposal_of(entry).filter(is_saying) {
            set_state(writer, &earlier, State::Replaced, Some(successor.0), said.provenance, said_at(said))?;
        }
    }
    Ok(())
}

fn is_against(said: &Said<'_>, known: &StatedWords, like: &Similarity) -> bool {
    (like.contradicts)(said.text, &known.body) && !(like.same)(said.text, &known.body)
}

//! Restores statements that were replaced by something the user then rejected.

use nudge_core::{Fault, Scope, Timestamp};
use nudge_store::{Stage, Writer};

use super::content::State;
use super::stored::{Proposal, proposal_of, set_state};
use crate::statements::stored::{StatementState, statement_of};

/// Restores what a dropped proposal had replaced.
pub(crate) fn bring_back(writer: &Writer<'_>, dropped: &Proposal, now: Timestamp) -> Result<(), Fault> {
    let Scope::Project(key) = &dropped.scope else { return Ok(()) };
    let Some(project) = writer.project_by_key(key)? else { return Ok(()) };
    let gave_way = Some(dropped.id.0);
    for known in writer.statements_of(project)?.iter().filter(|known| known.stage == Stage::Over) {
        let Some(entry) = writer.entry_by_id(known.id)? else { continue };
        if let Some(mut statement) = statement_of(entry.clone()) {
            if statement.stated.successor == gave_way && statement.stated.state == StatementState::Corrected {
                statement.stated.state = StatementState::Stands;
                statement.stated.successor = None;
                statement.save(writer, now)?;
            }
            continue;
        }
        let was_replaced = |proposal: &Proposal| {
            proposal.content.state == State::Replaced
                && proposal.content.matter.words().is_some_and(|words| words.successor == gave_way)
        };
        if let Some(proposal) = proposal_of(entry).filter(was_replaced) {
            let said_by = proposal.by.clone();
            set_state(writer, &proposal, State::Waiting, None, &said_by, now)?;
        }
    }
    Ok(())
}

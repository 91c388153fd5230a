//! Decisions that the user made outside a review.

use nudge_core::instruction::Subject;
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{ProjectId, Reader, SecretPolicy, Stage, Writer};

use super::content::{Action, ProposalSubject, State};
use super::stored::{Proposal, all, proposal_of, set_state};
use crate::statements::stored::{StatementState, Stored, statement_of};

/// Accepts waiting sayings that say the same as a statement that the user just made, and holds back
/// those that contradict it.
pub(crate) fn settle(
    writer: &Writer<'_>,
    made: &Stored,
    project: Option<ProjectId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let (subject, directory) = (Subject::of(&made.text), &made.stated.directory);
    for saying in open_sayings(writer, project, |body| subject.is_same(&Subject::of(body)))? {
        if saying.directory() == directory.as_deref() {
            set_state(writer, &saying, State::Accepted, Some(made.id.0), &made.by, now)?;
        }
    }
    for saying in open_sayings(writer, project, |body| subject.contradicts(&Subject::of(body)))? {
        if directory.is_none() || saying.directory() == directory.as_deref() {
            hold_back(writer, saying, Some(made.id), now)?;
        }
    }
    Ok(())
}

/// Replaces waiting sayings in the old words of a corrected statement by its successor.
pub(crate) fn replace_old_words(
    writer: &Writer<'_>,
    old: &Stored,
    successor: &Stored,
    project: Option<ProjectId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let subject = Subject::of(&old.text);
    for saying in open_sayings(writer, project, |body| subject.is_same(&Subject::of(body)))? {
        if saying.directory() == old.stated.directory.as_deref() {
            set_state(writer, &saying, State::Replaced, Some(successor.id.0), &successor.by, now)?;
        }
    }
    Ok(())
}

/// Releases sayings that only waited because they contradicted a statement, now that it is over.
pub(crate) fn release(writer: &Writer<'_>, over: EntryId, now: Timestamp) -> Result<(), Fault> {
    let waits =
        |known: &Proposal| known.content.matter.words().is_some_and(|words| words.against == Some(over.0));
    for saying in all(writer)?.into_iter().filter(waits) {
        hold_back(writer, saying, None, now)?;
    }
    Ok(())
}

/// Records which statement keeps a saying from being in force, or that none does.
fn hold_back(
    writer: &Writer<'_>,
    mut saying: Proposal,
    against: Option<EntryId>,
    now: Timestamp,
) -> Result<(), Fault> {
    if let ProposalSubject::Statement(words) = &mut saying.content.matter {
        words.against = against.map(|id| id.0);
        let by = saying.by.clone();
        saying.save(writer, &by, SecretPolicy::Redact, now)?;
    }
    Ok(())
}

/// The undecided sayings of the user in a project with matching words.
fn open_sayings(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    is_so: impl Fn(&str) -> bool,
) -> Result<Vec<Proposal>, Fault> {
    let Some(project) = project else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for known in reader.statements_of(project)?.iter().filter(|known| known.stage != Stage::Over) {
        if is_so(&known.body) {
            let proposal = reader.entry_by_id(known.id)?.and_then(proposal_of);
            found.extend(proposal.filter(|one| one.content.action == Action::Remember));
        }
    }
    Ok(found)
}

/// Whether the user withdrew these words in a project: forgot or corrected such a statement, or
/// dropped a proposal.
pub(crate) fn is_withdrawn(reader: &Reader<'_>, project: ProjectId, text: &str) -> Result<bool, Fault> {
    let subject = Subject::of(text);
    for known in reader.statements_of(project)?.iter().filter(|known| known.stage == Stage::Over) {
        if !subject.is_same(&Subject::of(&known.body)) {
            continue;
        }
        let Some(entry) = reader.entry_by_id(known.id)? else { continue };
        let statement = statement_of(entry.clone()).map(|one| one.stated);
        let ended = statement.is_some_and(|one| one.state != StatementState::Stands && one.ended_by_person);
        let dropped = proposal_of(entry).is_some_and(|proposal| {
            proposal.content.state == State::Dropped && proposal.content.action == Action::Remember
        });
        if ended || dropped {
            return Ok(true);
        }
    }
    Ok(false)
}

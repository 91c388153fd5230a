//! The stored form of a proposal, and how decisions outside a review settle it.

use nudge_core::instruction::Subject;
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_store::{EntryDraft, ProjectId, Reader, SecretPolicy, Stage, Writer};
use serde_json::{Map, Value};

use super::content::{Action, Content, ProposalSubject, State};
use crate::statements::stored::{StatementState, Stored, statement_of};

/// The scheme of proposals.
pub(super) const SCHEME: &str = "proposal";

/// How many proposals are read, newest first. The limit on waiting ones is far lower.
const MAX_READ: u32 = 2_000;

/// A stored proposal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) id: EntryId,
    pub(crate) content: Content,
    /// Who asked for it last, or said it.
    pub(crate) by: Provenance,
    pub(crate) first_at: Timestamp,
    pub(crate) last_at: Timestamp,
    /// Where it would apply. Proposals of edits have no project.
    pub(crate) scope: Scope,
    /// The change in one line; for a statement, its words.
    pub(crate) body: String,
    path: EntryPath,
}

impl Proposal {
    /// A new proposal.
    pub(super) const fn new(
        scope: Scope,
        path: EntryPath,
        body: String,
        content: Content,
        by: Provenance,
        at: Timestamp,
    ) -> Self {
        Self { id: EntryId(0), content, by, first_at: at, last_at: at, scope, body, path }
    }

    /// The directory that its words were said for.
    pub(super) fn directory(&self) -> Option<&str> {
        self.content.matter.words()?.directory.as_deref()
    }

    /// Writes it as it is now. `by` is the author of this write.
    pub(super) fn save(
        &self,
        writer: &Writer<'_>,
        by: &Provenance,
        secrets: SecretPolicy,
        now: Timestamp,
    ) -> Result<EntryId, Fault> {
        let written = writer.put_entry(&EntryDraft {
            scope: self.scope.clone(),
            path: self.path.clone(),
            body: self.body.clone(),
            attributes: attributes_of(&self.content),
            provenance: by.clone(),
            secrets,
            now,
        })?;
        if let Some(stage) = self.content.stage() {
            writer.set_stage(written.id, stage, Timestamp::from_millis(self.content.asked_at))?;
        }
        Ok(written.id)
    }
}

/// All readable proposals, newest first.
pub(crate) fn all(reader: &Reader<'_>) -> Result<Vec<Proposal>, Fault> {
    Ok(reader.newest(SCHEME, MAX_READ)?.into_iter().filter_map(proposal_of).collect())
}

/// The proposal with this number.
pub(crate) fn by_id(reader: &Reader<'_>, id: i64) -> Result<Proposal, Fault> {
    reader.entry_by_id(EntryId(id))?.and_then(proposal_of).ok_or_else(|| no_proposal(id))
}

/// The fault for an unknown proposal.
pub(crate) fn no_proposal(id: i64) -> Fault {
    Fault::new(FaultKind::NotFound, "no_proposal", format!("there is no proposal {id}"))
        .next("run `nudge review` to see open proposals")
}

/// Whether the entry with this number is a proposal.
pub(crate) fn is_proposal(reader: &Reader<'_>, id: EntryId) -> Result<bool, Fault> {
    Ok(reader.entry_by_id(id)?.is_some_and(|entry| entry.path.scheme() == SCHEME))
}

/// Records the user's decision. The entry's origin still says who proposed it. The text of a
/// decided change is not kept: it was written, or nobody wants it.
pub(crate) fn set_state(
    writer: &Writer<'_>,
    proposal: &Proposal,
    state: State,
    successor: Option<i64>,
    by: &Provenance,
    now: Timestamp,
) -> Result<(), Fault> {
    let mut decided = proposal.clone();
    decided.content.state = state;
    if let Some(words) = decided.content.matter.words_mut() {
        words.successor = successor;
    }
    if let ProposalSubject::Entry(change) = &mut decided.content.matter
        && state != State::Waiting
    {
        change.body = None;
    }
    decided.save(writer, by, SecretPolicy::Redact, now)?;
    Ok(())
}

/// Removes proposals that were made in one of these places.
pub(crate) fn forget_places(writer: &Writer<'_>, keys: &[String], now: Timestamp) -> Result<(), Fault> {
    for entry in writer.newest(SCHEME, u32::MAX)? {
        let places = [&entry.origin.project, &entry.writer.project];
        let lies_there = matches!(&entry.scope, Scope::Project(key) if keys.contains(key));
        if lies_there || places.into_iter().flatten().any(|place| keys.contains(place)) {
            writer.delete_entry(entry.id, now)?;
        }
    }
    Ok(())
}

fn attributes_of(content: &Content) -> Map<String, Value> {
    match serde_json::to_value(content) {
        Ok(Value::Object(attributes)) => attributes,
        _ => unreachable!("a struct of plain fields is an object"),
    }
}

/// Reads a proposal from its entry; `None` for any other entry, and for one that only a newer
/// program can read.
pub(in crate::statements) fn proposal_of(entry: Entry) -> Option<Proposal> {
    if entry.path.scheme() != SCHEME {
        return None;
    }
    let content: Content = serde_json::from_value(Value::Object(entry.attributes)).ok()?;
    let last_at = Timestamp::from_millis(content.asked_at);
    let by = if content.state == State::Waiting { entry.writer } else { entry.origin };
    Some(Proposal {
        id: entry.id,
        content,
        by,
        first_at: entry.created_at,
        last_at,
        scope: entry.scope,
        body: entry.body,
        path: entry.path,
    })
}

// Decisions that the user made outside a review.

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
pub(crate) fn release_sayings(writer: &Writer<'_>, over: EntryId, now: Timestamp) -> Result<(), Fault> {
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

// Restores statements that were replaced by something the user then rejected.

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

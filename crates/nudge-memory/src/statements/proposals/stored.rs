//! The stored form of a proposal.

use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_store::{EntryDraft, Reader, SecretPolicy, Writer};
use serde_json::{Map, Value};

use super::content::{Content, ProposalSubject, State};

/// The scheme of proposals.
pub(super) const SCHEME: &str = "proposal";

/// How many proposals are read, newest first. The limit on waiting ones is far lower.
const LOOKED_AT: u32 = 2_000;

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
    Ok(reader.newest(SCHEME, LOOKED_AT)?.into_iter().filter_map(proposal_of).collect())
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

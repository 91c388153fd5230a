//! The store as a source for the search index, and the names of the kinds of entries.

use nudge_core::observation::USER_PROMPT;
use nudge_core::{EntryId, ObservationKind, Speaker};
use nudge_index::{Changes, Document, Source, SourceError};
use nudge_outcomes::shell;
use nudge_store::{DocumentKind, DocumentRow, Reader, Store, StoreError};
use serde_json::Value;

/// Facts that are not indexed: nobody searches for their words.
const UNSEARCHED_FACTS: [&str; 2] = ["hash", "model"];

/// One state of the store, for a search.
pub(crate) struct Snapshot<'r> {
    reader: &'r Reader<'r>,
    lineage: u64,
    beside: Vec<Document>,
}

impl<'r> Snapshot<'r> {
    /// The store, and the documents that are not in the index.
    pub(crate) fn new(reader: &'r Reader<'r>, beside: Vec<Document>) -> Result<Self, StoreError> {
        Ok(Self { reader, lineage: reader.lineage()?, beside })
    }
}

impl Source for Snapshot<'_> {
    fn changes_after(&self, position: i64, limit: usize) -> Result<Changes, SourceError> {
        changes_after(self.reader, position, limit)
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
        documents(self.reader, ids)
    }

    fn documents_after(&self, id: i64, limit: usize) -> Result<Vec<Document>, SourceError> {
        documents_after(self.reader, id, limit)
    }

    fn head(&self) -> Result<i64, SourceError> {
        self.reader.feed_head().map_err(failed)
    }

    fn beside(&self) -> &[Document] {
        &self.beside
    }

    fn lineage(&self) -> u64 {
        self.lineage
    }
}

/// The changing store, for the index writer. Every call is a separate read: a read as long as an
/// index build would keep the database's log from being emptied.
pub(crate) struct Following<'s> {
    store: &'s Store,
    lineage: u64,
}

impl<'s> Following<'s> {
    pub(crate) fn new(store: &'s Store) -> Result<Self, StoreError> {
        Ok(Self { store, lineage: store.read(|reader| reader.lineage())? })
    }

    fn read<T>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T, SourceError>) -> Result<T, SourceError> {
        self.store.read(|reader| Ok::<_, StoreError>(f(reader))).map_err(failed)?
    }
}

impl Source for Following<'_> {
    fn changes_after(&self, position: i64, limit: usize) -> Result<Changes, SourceError> {
        self.read(|reader| changes_after(reader, position, limit))
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
        self.read(|reader| documents(reader, ids))
    }

    fn documents_after(&self, id: i64, limit: usize) -> Result<Vec<Document>, SourceError> {
        self.read(|reader| documents_after(reader, id, limit))
    }

    fn head(&self) -> Result<i64, SourceError> {
        self.read(|reader| reader.feed_head().map_err(failed))
    }

    fn lineage(&self) -> u64 {
        self.lineage
    }
}

fn changes_after(reader: &Reader<'_>, position: i64, limit: usize) -> Result<Changes, SourceError> {
    match reader.feed_after(position, count(limit)) {
        Ok(page) => Ok(Changes {
            changes: page.changes.iter().map(|change| (change.position, change.entry.0)).collect(),
            head: page.head,
        }),
        Err(StoreError::FeedGone { .. }) => Err(SourceError::Gone),
        Err(error) => Err(failed(error)),
    }
}

fn documents(reader: &Reader<'_>, ids: &[i64]) -> Result<Vec<Document>, SourceError> {
    let ids: Vec<EntryId> = ids.iter().copied().map(EntryId).collect();
    Ok(reader.documents(&ids).map_err(failed)?.into_iter().filter(is_indexed).map(document).collect())
}

fn documents_after(reader: &Reader<'_>, id: i64, limit: usize) -> Result<Vec<Document>, SourceError> {
    let rows = reader.documents_after(EntryId(id), count(limit)).map_err(failed)?;
    Ok(rows.into_iter().filter(is_indexed).map(document).collect())
}

fn failed(error: StoreError) -> SourceError {
    SourceError::Store(Box::new(error))
}

fn count(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX >> 1)
}

/// Whether an entry is indexed. Statements are not: which of them apply depends on the caller and
/// its place.
fn is_indexed(row: &DocumentRow) -> bool {
    row.kind != DocumentKind::Known || !row.attributes.contains_key("state")
}

/// The searchable text of an entry. Its first line is its title. Its facts count as text only for
/// an observation: the text of a summary already contains them.
fn document(row: DocumentRow) -> Document {
    let (title, rest) = row.body.split_once('\n').unwrap_or((&row.body, ""));
    let mut body = rest.to_owned();
    if let DocumentKind::Observation(_) = row.kind {
        let texts = row.attributes.iter().filter(|(name, _)| !UNSEARCHED_FACTS.contains(&name.as_str()));
        texts.for_each(|(_, value)| add_text(value, &mut body));
    }
    Document {
        id: row.id.0,
        scheme: scheme(row.kind).to_owned(),
        kind: kind(&row),
        project: row.scope,
        session: row.session.map_or(0, |session| session.0),
        at: row.at.as_millis(),
        title: title.to_owned(),
        body,
        files: row.files,
    }
}

/// The number of its kind; a command that only looks at something has its own.
fn kind(row: &DocumentRow) -> u8 {
    let is_look = row.kind == DocumentKind::Observation(Some(ObservationKind::Command))
        && shell::is_read_only(&row.body);
    if is_look { LOOK_NUMBER } else { EntryKind::of(row.kind).number }
}

const fn scheme(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Observation(_) => "obs",
        DocumentKind::Prompt(_) => "prompt",
        DocumentKind::Summary => "summary",
        DocumentKind::Known => "known",
        DocumentKind::Hypothesis => "ghap",
        DocumentKind::Value => "value",
    }
}

fn add_text(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            text.push('\n');
            text.push_str(string);
        }
        Value::Array(items) => items.iter().for_each(|item| add_text(item, text)),
        _ => {}
    }
}

// The names of entry kinds in requests and answers: kinds of observations, and the other kinds
// that search finds.

/// A kind of entry that search can find.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryKind {
    /// Its number in the index: for an observation the number of its kind. Numbers never change.
    pub(crate) number: u8,
    /// Its name.
    pub(crate) name: &'static str,
}

pub(super) const PROMPT: EntryKind = EntryKind { number: 0, name: USER_PROMPT };

const MEMORY: EntryKind = EntryKind { number: 100, name: "memory" };

pub(super) const SUMMARY: EntryKind = EntryKind { number: 101, name: "session_summary" };

const THOUGHT: EntryKind = EntryKind { number: 102, name: "agent_thought" };

const NOTE: EntryKind = EntryKind { number: 103, name: "system_note" };

pub(super) const HINT: EntryKind = EntryKind { number: 104, name: "hint" };

pub(super) const STATEMENT: EntryKind = EntryKind { number: 105, name: "statement" };

const HYPOTHESIS: EntryKind = EntryKind { number: 107, name: "hypothesis" };

const VALUE: EntryKind = EntryKind { number: 108, name: "value" };

/// The index number of a command that only looks at something.
const LOOK_NUMBER: u8 = 106;

/// Kinds of entries that an agent only looked at; among equal hits they come last.
pub(super) const FAINT_KINDS: [u8; 3] =
    [ObservationKind::FileRead.number(), ObservationKind::Search.number(), LOOK_NUMBER];

/// The kinds that are not observations.
const OTHER_KINDS: [EntryKind; 9] =
    [PROMPT, MEMORY, SUMMARY, THOUGHT, NOTE, HINT, STATEMENT, HYPOTHESIS, VALUE];

impl EntryKind {
    /// The kind of an entry.
    pub(crate) fn of(kind: DocumentKind) -> Self {
        match kind {
            DocumentKind::Observation(kind) => Self::of_kind(kind.unwrap_or(ObservationKind::ToolOther)),
            DocumentKind::Prompt(Speaker::Person) => PROMPT,
            DocumentKind::Prompt(Speaker::Agent) => THOUGHT,
            DocumentKind::Prompt(Speaker::Program) => NOTE,
            DocumentKind::Summary => SUMMARY,
            DocumentKind::Known => MEMORY,
            DocumentKind::Hypothesis => HYPOTHESIS,
            DocumentKind::Value => VALUE,
        }
    }

    /// The kind with this name; `None` if there is none.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let other = OTHER_KINDS.into_iter().find(|kind| kind.name == name);
        other.or_else(|| ObservationKind::from_name(name).map(Self::of_kind))
    }

    /// The index numbers that a search for this kind covers.
    pub(crate) fn numbers(self) -> Vec<u8> {
        let look = (self.number == ObservationKind::Command.number()).then_some(LOOK_NUMBER);
        [self.number].into_iter().chain(look).collect()
    }

    const fn of_kind(kind: ObservationKind) -> Self {
        Self { number: kind.number(), name: kind.name() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_has_a_word_and_a_number_of_its_own() {
        let kinds = ObservationKind::ALL.map(EntryKind::of_kind);
        let all: Vec<EntryKind> = kinds.into_iter().chain(OTHER_KINDS).collect();
        for kind in &all {
            assert_eq!(EntryKind::named(kind.name), Some(*kind));
            assert_eq!(all.iter().filter(|other| other.number == kind.number).count(), 1);
        }
        assert_eq!(EntryKind::named("nonsense"), None);
    }
}

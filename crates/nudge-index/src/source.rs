//! The input of the index: documents and changes.

/// The searchable view of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The entry's id.
    pub id: i64,
    /// The entry's scheme, such as `observation` or `known`.
    pub scheme: String,
    /// The number of the observation kind; 0 for prompts; for anything else, a number that the
    /// caller chooses.
    pub kind: u8,
    /// The project it belongs to.
    pub project: i64,
    /// The session it belongs to; 0 for none.
    pub session: i64,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// Its summary line: subject, first line, command. Not repeated in `body`.
    pub title: String,
    /// The rest of its text.
    pub body: String,
    /// The files it is about.
    pub files: Vec<String>,
}

impl Document {
    /// The searchable texts. A phrase matches within one of them.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [self.title.as_str(), self.body.as_str()].into_iter().chain(self.files.iter().map(String::as_str))
    }
}

/// A range of the change feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Feed position and id of each changed entry, in the order of the feed.
    pub changes: Vec<(i64, i64)>,
    /// The newest position of the feed.
    pub head: i64,
}

/// Why a [`Source`] could not answer.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The feed no longer reaches back to the requested position: start from a snapshot.
    #[error("the change feed no longer reaches back to the position asked for")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// The store as the index sees it: a feed of changes, and the current rows.
///
/// All calls of one search should see the same state of the store, no older than the search itself:
/// a read transaction that begins with the first call. (An index that is ahead of its source is
/// treated as one of another store.)
pub trait Source {
    /// At most `limit` changes after `position`, oldest first.
    ///
    /// # Errors
    /// [`SourceError::Gone`] if the feed no longer has all changes after `position`.
    fn changes_after(&self, position: i64, limit: usize) -> Result<Changes, SourceError>;

    /// Those of `ids` that exist and may be found now, in any order.
    ///
    /// # Errors
    /// If the store fails.
    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, SourceError>;

    /// At most `limit` documents with ids above `id`, by id.
    ///
    /// # Errors
    /// If the store fails.
    fn documents_after(&self, id: i64, limit: usize) -> Result<Vec<Document>, SourceError>;

    /// The newest position of the feed.
    ///
    /// # Errors
    /// If the store fails.
    fn head(&self) -> Result<i64, SourceError>;

    /// Documents that are never indexed and that every search scans: which of them may be found
    /// depends on the caller.
    fn beside(&self) -> &[Document] {
        &[]
    }

    /// The identity of the store. An index made from another store is not used: its positions and
    /// ids mean something else.
    fn lineage(&self) -> u64 {
        0
    }
}

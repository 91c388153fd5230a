//! What is indexed, and where it comes from.

/// The searchable view of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The entry's id.
    pub id: i64,
    /// The entry's scheme, such as `observation` or `known`.
    pub scheme: String,
    /// The number of the observation kind; 0 for prompts; numbers of the caller's choice for the
    /// rest.
    pub kind: u8,
    /// The project it belongs to.
    pub project: i64,
    /// The session it belongs to; 0 for none.
    pub session: i64,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// What it says in a line: subject, first line, command. Not repeated in `body`.
    pub title: String,
    /// The rest of its text.
    pub body: String,
    /// The files it concerns.
    pub files: Vec<String>,
}

impl Document {
    /// The texts that are searched. A phrase lies within one of them.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [self.title.as_str(), self.body.as_str()].into_iter().chain(self.files.iter().map(String::as_str))
    }
}

/// A stretch of the change feed.
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
    /// The feed was trimmed past the position asked for: start from a snapshot.
    #[error("the change feed no longer reaches back to the position asked for")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// The store as the index sees it: a feed of changes, and the rows as they are now.
///
/// All calls of one search should see one state of the store, not older than the search itself: a
/// read transaction that begins with the first of them. (An index that is ahead of its source is
/// taken for one of another store.)
pub trait Source {
    /// At most `limit` changes after `position`, oldest first.
    ///
    /// # Errors
    /// [`SourceError::Gone`] if the feed no longer holds all changes after `position`.
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

    /// Documents that are never indexed and looked at by every search: what may be found depends on
    /// who asks.
    fn beside(&self) -> &[Document] {
        &[]
    }

    /// Which store this is. An index made from another one is not used: positions and ids mean
    /// something else there.
    fn lineage(&self) -> u64 {
        0
    }
}

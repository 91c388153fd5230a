//! What a search answers, and how much of it is wanted.

use crate::text::engine::State;

/// Which of the hits are wanted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many.
    pub limit: usize,
    /// After how many.
    pub offset: usize,
}

impl Default for Page {
    /// The first twenty.
    fn default() -> Self {
        Self { limit: 20, offset: 0 }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// The hits of the page, in the order asked for. The caller resolves them against the store.
    pub hits: Vec<Hit>,
    /// How many documents were looked at one by one.
    pub scanned: usize,
    /// How many match in all, where that is known without counting: see
    /// [`Index::count`](crate::Index::count).
    pub total: Option<usize>,
    /// Nothing had all the words, and these have some.
    pub is_relaxed: bool,
    /// The state of the index that answered.
    pub state: State,
}

/// One entry that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The entry's id.
    pub id: i64,
    /// Its score in the order asked for; only comparable within one search.
    pub score: f64,
    /// Why: the words of the query it has, those in its title as `title:word`.
    pub matched: Vec<String>,
    /// The share of the query that it has, its words weighed by their rarity: 1 is all of it.
    pub covered: f32,
    /// The share of the query that its title alone has.
    pub covered_by_title: f32,
}

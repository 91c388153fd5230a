//! The result of a search, and the page of it to return.

use crate::text::engine::State;

/// Which of the hits to return.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The most hits.
    pub limit: usize,
    /// How many hits to skip.
    pub offset: usize,
}

impl Default for Page {
    /// The first twenty.
    fn default() -> Self {
        Self { limit: 20, offset: 0 }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// The hits of the page, in the requested order. The caller resolves them against the store.
    pub hits: Vec<Hit>,
    /// How many documents were scanned one by one.
    pub scanned: usize,
    /// How many match in total, if that is known without counting: see
    /// [`Index::count`](crate::Index::count).
    pub total: Option<usize>,
    /// Whether no entry had all the words, so that these have some.
    pub is_relaxed: bool,
    /// The state of the index that answered.
    pub state: State,
    /// The words that were searched for, in order.
    pub sought: Vec<HitRequest>,
    /// How many documents there are, whatever the filters say.
    pub documents: u64,
}

/// A word that was searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct HitRequest {
    /// As typed.
    pub label: String,
    /// How rare it is among all entries: its inverse document frequency.
    pub rarity: f32,
    /// Whether any entry has it.
    pub is_known: bool,
    /// Whether it looks like a name in code: several parts, or a sign.
    pub is_name: bool,
}

impl Hits {
    /// The page of hits with all the words (`all` in total), filled up with hits that have some.
    pub(super) fn followed_by(self, rest: Self, all: usize, page: Page) -> Self {
        let mut hits = self.hits;
        let skip = page.offset.saturating_sub(all);
        let room = page.limit.saturating_sub(hits.len());
        let some = rest.hits.into_iter().filter(|hit| !hit.has_all).skip(skip).take(room);
        hits.extend(some);
        Self { hits, is_relaxed: all == 0, total: rest.total, ..self }
    }
}

/// One entry that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The entry's id.
    pub id: i64,
    /// Its score in the requested order; only comparable within one search.
    pub score: f64,
    /// Whether it has every word of the query.
    pub has_all: bool,
    /// Why it matched: the words of the query it has; those in its title as `title:word`.
    pub matched: Vec<String>,
    /// The share of the query that it has, with words weighted by their rarity: 1 is all of it.
    pub covered: f32,
    /// The share of the query that its title alone has.
    pub covered_by_title: f32,
    /// Which of the searched words it has, by their index in [`Hits::sought`].
    pub has: Vec<usize>,
    /// Which of them its title has.
    pub in_title: Vec<usize>,
}

//! Which words of a query occur in a text.

use std::sync::LazyLock;

use super::filters::Filters;
use super::query::Query;
use super::scan::Scan;

static ANY: LazyLock<Filters> = LazyLock::new(Filters::default);

/// Finds the words of a query in texts, as a search does.
pub struct Finder<'q>(Scan<'q>);

impl<'q> Finder<'q> {
    /// For the words of `query`.
    pub fn of(query: &'q Query) -> Self {
        Self(Scan::new(query, &ANY))
    }

    /// Which of them occur in `text`, one bit for each of the first 128.
    pub fn words_in(&mut self, text: &str) -> u128 {
        self.0.terms_in(text)
    }
}

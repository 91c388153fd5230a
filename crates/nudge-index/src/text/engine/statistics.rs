//! How rare words are, over the index and the tail together, so that both are scored alike.

use std::collections::HashMap;

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

/// The engine's statistics with those of the tail added.
pub(crate) struct Statistics<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) documents: u64,
    pub(crate) tokens: HashMap<Field, u64>,
    /// How many documents of both contain each word of the query.
    pub(crate) holding: HashMap<Term, u64>,
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.searcher.total_num_tokens(field)? + self.tokens.get(&field).copied().unwrap_or(0))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.searcher.total_num_docs()? + self.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.holding.get(term).map_or_else(|| self.searcher.doc_freq(term), |&count| Ok(count))
    }
}

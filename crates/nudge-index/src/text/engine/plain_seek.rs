//! A query that never uses the engine's short cut for seeking.
//!
//! For excluded terms the engine seeks by a short cut (`seek_danger`). Phrases support it only for
//! documents at or after their current one, and builds with assertions assert that. This wrapper
//! replaces the short cut with a plain seek.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader};

/// A query whose scorer seeks document by document.
#[derive(Debug)]
pub(crate) struct PlainSeekQuery(pub(crate) Box<dyn Query>);

struct PlainSeekWeight(Box<dyn Weight>);

struct PlainSeekScorer(Box<dyn Scorer>);

impl Clone for PlainSeekQuery {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for PlainSeekQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(PlainSeekWeight(self.0.weight(scoring)?)))
    }
}

impl Weight for PlainSeekWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(PlainSeekScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, document)
    }
}

impl DocSet for PlainSeekScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }

    fn cost(&self) -> u64 {
        self.0.cost()
    }
}

impl Scorer for PlainSeekScorer {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}

//! The best documents of the engine, filtered while they are collected.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use tantivy::query::Weight;
use tantivy::{DocId, SegmentReader, TERMINATED};

use super::snapshot::Snapshot;
use crate::text::filters::Filters;
use crate::text::scale;

/// A document the engine found.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Found {
    /// BM25 over all text.
    pub(crate) base: f32,
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) kind: u8,
    pub(crate) segment: u32,
    pub(crate) document: DocId,
    /// The sort key.
    key: f64,
}

/// What makes a document the best.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Best {
    /// The highest BM25.
    Relevance,
    /// The highest blend, given the highest BM25 and the time.
    Blended { best: f32, now: i64 },
}

/// Entries that the engine is not asked about: those changed since, and those not built yet.
pub(crate) struct StaleEntries<'a> {
    pub(crate) ids: &'a HashSet<i64>,
    pub(crate) built_to: Option<i64>,
}

impl StaleEntries<'_> {
    fn covers(&self, id: i64) -> bool {
        self.built_to.is_some_and(|built_to| id > built_to) || self.ids.contains(&id)
    }
}

/// Collects matching documents.
pub(crate) struct Collector<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) filters: &'a Filters,
    pub(crate) overruled: &'a StaleEntries<'a>,
}

impl Collector<'_> {
    /// The `limit` best, best first.
    pub(crate) fn best(&self, weight: &dyn Weight, limit: usize, best: Best) -> tantivy::Result<Vec<Found>> {
        let mut heap: BinaryHeap<Worst> = BinaryHeap::with_capacity(limit + 1);
        let mut least = f32::MIN;
        for (segment, reader) in self.snapshot.searcher.segment_readers().iter().enumerate() {
            weight.for_each_pruning(least, reader, &mut |document, base| {
                let Some((id, at)) = self.admitted(segment, reader, document) else { return least };
                let kind = self.snapshot.columns[segment].kind.get_val(document) as u8;
                let key = match best {
                    Best::Relevance => f64::from(base),
                    Best::Blended { best, now } => scale::blended(base, best, at, now),
                };
                heap.push(Worst(Found { base, id, at, kind, segment: segment as u32, document, key }));
                if heap.len() > limit {
                    heap.pop();
                }
                if heap.len() == limit
                    && let Some(Worst(worst)) = heap.peek()
                {
                    // The next lower number, so that equal scores pass and the newer document wins.
                    least = match best {
                        Best::Relevance => worst.base.next_down(),
                        Best::Blended { best, .. } => scale::least_relevance(worst.key, best) * 0.999_99,
                    };
                }
                least
            })?;
        }
        let mut found: Vec<Found> = heap.into_iter().map(|Worst(found)| found).collect();
        found.sort_by(|a, b| compare(b, a));
        Ok(found)
    }

    /// The ids of all matches.
    pub(crate) fn all(&self, weight: &dyn Weight) -> tantivy::Result<Vec<i64>> {
        let mut ids = Vec::new();
        for (segment, reader) in self.snapshot.searcher.segment_readers().iter().enumerate() {
            weight.for_each_no_score(reader, &mut |documents| {
                let admitted =
                    documents.iter().filter_map(|&document| self.admitted(segment, reader, document));
                ids.extend(admitted.map(|(id, _)| id));
            })?;
        }
        Ok(ids)
    }

    /// The number of matches, counting no further than `at_most`.
    pub(crate) fn count(&self, weight: &dyn Weight, at_most: usize) -> tantivy::Result<usize> {
        let mut count = 0;
        for (segment, reader) in self.snapshot.searcher.segment_readers().iter().enumerate() {
            let mut scorer = weight.scorer(reader, 1.0)?;
            let mut document = scorer.doc();
            while document != TERMINATED && count < at_most {
                count += usize::from(self.admitted(segment, reader, document).is_some());
                document = scorer.advance();
            }
        }
        Ok(count)
    }

    fn admitted(&self, segment: usize, reader: &SegmentReader, document: DocId) -> Option<(i64, i64)> {
        if reader.is_deleted(document) {
            return None;
        }
        let columns = &self.snapshot.columns[segment];
        let at = columns.at.get_val(document);
        let (project, kind) = (columns.project.get_val(document), columns.kind.get_val(document) as u8);
        if !self.filters.admit_numbers(project, kind, at) {
            return None;
        }
        let id = columns.id.get_val(document);
        (!self.overruled.covers(id)).then_some((id, at))
    }
}

/// The top of the heap is the worst of the best.
struct Worst(Found);

fn compare(a: &Found, b: &Found) -> Ordering {
    a.key.total_cmp(&b.key).then(a.at.cmp(&b.at)).then(a.id.cmp(&b.id))
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&other.0, &self.0)
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}

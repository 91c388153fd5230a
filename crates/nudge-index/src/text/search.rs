//! A search: the engine's best and the tail, scored alike, in one order.

mod both;
mod hits;
mod nearest;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::IndexError;
use crate::source::{Source, SourceError};
use crate::text::engine::compile::Refusal;
use crate::text::engine::{Snapshot, State};
use crate::text::filters::Filters;
use crate::text::index::{Index, state};
use crate::text::query::Query;
use crate::text::scale::Order;
use crate::text::scan::Tail;
use both::{IndexAndTail, Stop};
pub use hits::{Hit, HitRequest, Hits, Page};
pub use nearest::Nearest;

impl Index {
    /// The entries of `source` that match `query` and pass `filters`.
    ///
    /// # Errors
    /// If the store fails. A problem with the index only makes the search slower.
    pub fn search(
        &self,
        source: &dyn Source,
        query: &Query,
        filters: &Filters,
        order: Order,
        page: Page,
        now: i64,
    ) -> Result<Hits, IndexError> {
        let hits = self.with_engine(source, |both| both.search(query, filters, order, page, now))?;
        let wanted = page.offset.saturating_add(page.limit);
        let Some(all) = hits.total.filter(|&all| all == 0 || all < wanted) else { return Ok(hits) };
        if all == 0 && query.may_relax() || query.shows_rest() {
            let relaxed = query.relaxed();
            // Entries with all the words are also among those with some, and were returned already.
            let further = Page { offset: 0, limit: wanted.saturating_add(all) };
            let rest =
                self.with_engine(source, |both| both.search(&relaxed, filters, order, further, now))?;
            return Ok(hits.followed_by(rest, all, page));
        }
        Ok(hits)
    }

    /// The ids of all entries that match, in ascending order, as [`Index::search`] would find them.
    ///
    /// # Errors
    /// If the store fails.
    pub fn matching(
        &self,
        source: &dyn Source,
        query: &Query,
        filters: &Filters,
    ) -> Result<Vec<i64>, IndexError> {
        let ids = self.with_engine(source, |both| both.matching(query, filters))?;
        if ids.is_empty() && query.may_relax() {
            return self.with_engine(source, |both| both.matching(&query.relaxed(), filters));
        }
        Ok(ids)
    }

    /// How many entries match, counting no further than `at_most`: a sentence may match half of
    /// everything.
    ///
    /// # Errors
    /// If the store fails.
    pub fn count(
        &self,
        source: &dyn Source,
        query: &Query,
        filters: &Filters,
        at_most: usize,
    ) -> Result<usize, IndexError> {
        let count = self.with_engine(source, |both| both.count(query, filters, at_most))?;
        if count == 0 && query.may_relax() {
            return self.with_engine(source, |both| both.count(&query.relaxed(), filters, at_most));
        }
        Ok(count)
    }

    /// How many entries match in the way that found `hits`, counting no further than `at_most`:
    /// shows what a narrower search left out.
    ///
    /// # Errors
    /// If the store fails.
    pub fn count_like(
        &self,
        hits: &Hits,
        source: &dyn Source,
        query: &Query,
        filters: &Filters,
        at_most: usize,
    ) -> Result<usize, IndexError> {
        let relaxed = hits.is_relaxed.then(|| query.relaxed());
        let query = relaxed.as_ref().unwrap_or(query);
        self.with_engine(source, |both| both.count(query, filters, at_most))
    }

    /// Runs `work` with the index and its tail; if the engine cannot run it or fails, with a scan
    /// of everything.
    fn with_engine<T>(
        &self,
        source: &dyn Source,
        work: impl Fn(&IndexAndTail<'_>) -> Result<T, Stop>,
    ) -> Result<T, IndexError> {
        let (snapshot, tail, mut found) = self.usable(source)?;
        // The engine asserts the content of its files; a file with a valid checksum and wrong
        // content counts as damaged too.
        let both = IndexAndTail { engine: snapshot.as_deref(), tail: &tail, source, state: found };
        match catch_unwind(AssertUnwindSafe(|| work(&both))) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(Stop::Source(error))) => return Err(error.into()),
            Ok(Err(Stop::Engine(Refusal::TooBroad))) => {}
            Ok(Err(Stop::Engine(Refusal::Failed))) | Err(_) => {
                self.mark_damaged();
                found = State::Damaged;
            }
        }
        let tail = Tail::everything();
        match work(&IndexAndTail { engine: None, tail: &tail, source, state: found }) {
            Ok(done) => Ok(done),
            Err(Stop::Source(error)) => Err(error.into()),
            Err(Stop::Engine(_)) => unreachable!("a scan does not ask the engine"),
        }
    }

    fn usable(
        &self,
        source: &dyn Source,
    ) -> Result<(Option<std::sync::Arc<Snapshot>>, Tail, State), SourceError> {
        let snapshot = match self.snapshot_of(source) {
            Ok(snapshot) => snapshot,
            Err(state) => return Ok((None, Tail::everything(), state)),
        };
        Ok(match Tail::after(&snapshot.coverage, source)? {
            Some(tail) => {
                let state = state(&snapshot);
                (Some(snapshot), tail, state)
            }
            None => (None, Tail::everything(), State::OtherStore),
        })
    }
}

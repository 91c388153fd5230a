//! Engine and tail together.

use std::collections::{HashMap, HashSet};

use super::hits::{Hit, Hits, Page};
use tantivy::query::{Bm25StatisticsProvider, EnableScoring, Weight};

use crate::source::{Source, SourceError};
use crate::text::engine::collect::{Best, Collector, Found, StaleEntries};
use crate::text::engine::compile::{Compiler, Refusal};
use crate::text::engine::rescore::{TermPostings, evidence};
use crate::text::engine::{Snapshot, State, Statistics};
use crate::text::filters::Filters;
use crate::text::query::Query;
use crate::text::scale::{self, Evidence, Order, RESCORED_HITS, Scale};
use crate::text::scan::{Scan, Tail};

/// The data of one search.
pub(super) struct IndexAndTail<'a> {
    pub(super) engine: Option<&'a Snapshot>,
    pub(super) tail: &'a Tail,
    pub(super) source: &'a dyn Source,
    pub(super) state: State,
}

/// Why a search did not finish.
pub(super) enum Stop {
    Source(SourceError),
    Engine(Refusal),
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl<E: Into<Refusal>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Engine(error.into())
    }
}

/// A document that may become a hit.
struct Candidate {
    id: i64,
    at: i64,
    relevance: f32,
    evidence: Evidence,
}

/// The request to the engine.
struct EngineRequest<'a> {
    query: &'a Query,
    filters: &'a Filters,
    order: Order,
    /// How many it must find for the page.
    wanted: usize,
    now: i64,
}

/// What the engine found. Every page of a query is cut from the same order: which documents are
/// rescored does not depend on the page, and the rest keeps the engine's order.
#[derive(Default)]
struct EngineResults {
    /// The best of it, ranked together with the tail.
    best: Vec<Candidate>,
    /// The documents after all of these, in the engine's order.
    beyond: Vec<Candidate>,
    /// Whether there is no more.
    is_all: bool,
}

impl IndexAndTail<'_> {
    pub(super) fn search(
        &self,
        query: &Query,
        filters: &Filters,
        order: Order,
        page: Page,
        now: i64,
    ) -> Result<Hits, Stop> {
        let mut scan = Scan::new(query, filters);
        let scanned = self.tail.each(self.source, |document| scan.add(document))?;
        let postings = match self.engine {
            Some(snapshot) => {
                let words = scan.document_counts().map(|(word, _)| word);
                Some(TermPostings::look_up(words, &snapshot.searcher, snapshot.fields)?)
            }
            None => None,
        };
        let narrowed = query.narrowed(|word| {
            scan.document_count(word) + postings.as_ref().map_or(0, |postings| postings.document_count(word))
        });
        if let Some((_, chosen)) = &narrowed {
            scan.narrow(chosen);
        }
        let whole = query;
        let query = narrowed.as_ref().map_or(query, |(query, _)| query);
        let scale = self.scale(query, &scan, postings.as_ref())?;
        let wanted = page.offset.saturating_add(page.limit);
        let mut gathered = match (self.engine, &postings) {
            (Some(snapshot), Some(postings)) => {
                let asked = EngineRequest { query, filters, order, wanted, now };
                self.engine(snapshot, &asked, &scan, &scale, postings)?
            }
            _ => EngineResults { is_all: true, ..EngineResults::default() },
        };
        gathered.best.extend(scan.found.iter().map(|sighting| {
            let evidence = sighting.evidence(query, &scale);
            let relevance = document_score(&scale, &evidence, filters.is_faint(sighting.kind));
            Candidate { id: sighting.id, at: sighting.at, relevance, evidence }
        }));
        let total = gathered.is_all.then_some(gathered.best.len());
        let hits = ranked(gathered, order, now)
            .skip(page.offset)
            .take(page.limit)
            .map(|(score, candidate)| Hit {
                id: candidate.id,
                score,
                has_all: scale.wanted.iter().all(|&term| candidate.evidence.has(term)),
                matched: matched(query, &scale, &candidate),
                covered: scale.covered(&candidate.evidence),
                covered_by_title: scale.covered_by_title(&candidate.evidence),
                has: scale.places(|term| candidate.evidence.has(term)),
                in_title: scale.places(|term| candidate.evidence.has_in_title(term)),
            })
            .collect();
        let mut sought = scale.sought(query);
        if narrowed.is_some() {
            sought.extend(self.scale(whole, &scan, postings.as_ref())?.unseen(whole));
        }
        let documents = scale.documents;
        Ok(Hits { hits, scanned, total, is_relaxed: false, state: self.state, sought, documents })
    }

    pub(super) fn matching(&self, query: &Query, filters: &Filters) -> Result<Vec<i64>, Stop> {
        let mut scan = Scan::new(query, filters);
        self.tail.each(self.source, |document| scan.add(document))?;
        let mut ids: Vec<i64> = scan.found.iter().map(|sighting| sighting.id).collect();
        if let Some(snapshot) = self.engine {
            let weight = self.unscored(snapshot, query, filters)?;
            let overruled = self.overruled();
            ids.extend(Collector { snapshot, filters, overruled: &overruled }.all(&*weight)?);
        }
        ids.sort_unstable();
        Ok(ids)
    }

    pub(super) fn count(&self, query: &Query, filters: &Filters, at_most: usize) -> Result<usize, Stop> {
        let mut scan = Scan::new(query, filters);
        self.tail.each(self.source, |document| scan.add(document))?;
        let count = scan.found.len();
        let Some(snapshot) = self.engine.filter(|_| count < at_most) else { return Ok(count.min(at_most)) };
        let weight = self.unscored(snapshot, query, filters)?;
        let overruled = self.overruled();
        let collector = Collector { snapshot, filters, overruled: &overruled };
        Ok(count + collector.count(&*weight, at_most - count)?)
    }

    fn unscored(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        filters: &Filters,
    ) -> Result<Box<dyn Weight>, Stop> {
        let compiler = Compiler { searcher: &snapshot.searcher, fields: snapshot.fields };
        let scoring = EnableScoring::disabled_from_searcher(&snapshot.searcher);
        Ok(compiler.query(query, filters)?.weight(scoring)?)
    }

    fn engine(
        &self,
        snapshot: &Snapshot,
        asked: &EngineRequest<'_>,
        scan: &Scan<'_>,
        scale: &Scale,
        postings: &TermPostings<'_>,
    ) -> Result<EngineResults, Stop> {
        let compiler = Compiler { searcher: &snapshot.searcher, fields: snapshot.fields };
        let statistics = statistics(snapshot, &compiler, scan, postings);
        let scoring = EnableScoring::enabled_from_statistics_provider(&statistics, &snapshot.searcher);
        let weight = compiler.query(asked.query, asked.filters)?.weight(scoring)?;
        let overruled = self.overruled();
        let collector = Collector { snapshot, filters: asked.filters, overruled: &overruled };
        let Engine { found, again, is_all } = found(&collector, &*weight, asked)?;
        let evidence = evidence(snapshot, asked.query, scale, postings, &found)?;
        let candidates = found.iter().zip(evidence).enumerate().map(|(number, (found, evidence))| {
            let relevance = match number < again {
                true => document_score(scale, &evidence, asked.filters.is_faint(found.kind)),
                false => found.base,
            };
            Candidate { id: found.id, at: found.at, relevance, evidence }
        });
        let mut best: Vec<Candidate> = candidates.collect();
        // The engine's own relevance is never above a rescored one, so these may be ranked together
        // with the tail; a blend of it may be above.
        let beyond = match asked.order {
            Order::Relevance => Vec::new(),
            Order::Blended => best.split_off(again),
        };
        Ok(EngineResults { best, beyond, is_all })
    }

    fn overruled(&self) -> StaleEntries<'_> {
        StaleEntries { ids: &self.tail.changed, built_to: self.tail.after }
    }

    fn scale(
        &self,
        query: &Query,
        scan: &Scan<'_>,
        postings: Option<&TermPostings<'_>>,
    ) -> Result<Scale, Stop> {
        let mut volume = scan.volume;
        let mut holding: HashMap<&str, u64> = scan.document_counts().collect();
        if let (Some(snapshot), Some(postings)) = (self.engine, postings) {
            volume.documents += snapshot.searcher.total_num_docs()?;
            volume.text_words += snapshot.searcher.total_num_tokens(snapshot.fields.text)?;
            for (word, count) in &mut holding {
                *count += postings.document_count(word);
            }
        }
        Ok(Scale::of(query, volume, &holding))
    }
}

/// The score of a document. A faint one keeps the engine's score: documents beyond the window have
/// only that score, and must not come before it on a later page.
fn document_score(scale: &Scale, evidence: &Evidence, is_faint: bool) -> f32 {
    let score = scale.score(evidence);
    if is_faint { (score * scale::FAINT_FACTOR).max(evidence.base.min(score)) } else { score }
}

/// The engine's matches, best first.
struct Engine {
    found: Vec<Found>,
    /// How many of them are rescored with title and coverage.
    again: usize,
    is_all: bool,
}

/// The engine's best. For the blended order, the best by either measure, so that a new entry is not
/// missed because it is a weak answer, nor the best answer because it is old; then, for a later
/// page, the best blends beyond them.
fn found(collector: &Collector<'_>, weight: &dyn Weight, asked: &EngineRequest<'_>) -> Result<Engine, Stop> {
    let window = match asked.order {
        Order::Relevance => RESCORED_HITS.max(asked.wanted),
        Order::Blended => RESCORED_HITS,
    };
    let mut found = collector.best(weight, window, Best::Relevance)?;
    let is_all = found.len() < window;
    if asked.order == Order::Relevance || is_all {
        return Ok(Engine { again: found.len().min(RESCORED_HITS), found, is_all });
    }
    let best = Best::Blended { best: found.first().map_or(0.0, |best| best.base), now: asked.now };
    let mut known: HashSet<i64> = found.iter().map(|found| found.id).collect();
    found.extend(
        collector.best(weight, RESCORED_HITS, best)?.into_iter().filter(|found| known.insert(found.id)),
    );
    let again = found.len();
    if asked.wanted > again {
        let beyond = collector.best(weight, asked.wanted + again, best)?;
        found.extend(beyond.into_iter().filter(|found| known.insert(found.id)));
    }
    Ok(Engine { found, again, is_all })
}

fn statistics<'s>(
    snapshot: &'s Snapshot,
    compiler: &Compiler<'_>,
    scan: &Scan<'_>,
    postings: &TermPostings<'_>,
) -> Statistics<'s> {
    let holding = scan.document_counts();
    Statistics {
        searcher: &snapshot.searcher,
        documents: scan.volume.documents,
        tokens: HashMap::from([(snapshot.fields.text, scan.volume.text_words)]),
        holding: holding
            .map(|(word, count)| (compiler.word(word), count + postings.document_count(word)))
            .collect(),
    }
}

/// All candidates in the requested order, each with its score.
fn ranked(gathered: EngineResults, order: Order, now: i64) -> impl Iterator<Item = (f64, Candidate)> {
    let EngineResults { best: mut candidates, beyond, .. } = gathered;
    let best = candidates.iter().map(|candidate| candidate.relevance).fold(0.0, f32::max);
    let score = move |candidate: &Candidate| match order {
        Order::Relevance => f64::from(candidate.relevance),
        Order::Blended => scale::blended(candidate.relevance, best, candidate.at, now),
    };
    candidates.sort_by(|a, b| {
        let by_score = || score(b).total_cmp(&score(a));
        by_score().then(b.at.cmp(&a.at)).then(b.id.cmp(&a.id))
    });
    candidates.into_iter().chain(beyond).map(move |candidate| (score(&candidate), candidate))
}

fn matched(query: &Query, scale: &Scale, candidate: &Candidate) -> Vec<String> {
    let has = scale.wanted.iter().filter(|&&term| candidate.evidence.has(term));
    let shown = has.map(|&term| {
        let label = &query.terms[term].label;
        if candidate.evidence.has_in_title(term) { format!("title:{label}") } else { label.clone() }
    });
    shown.collect()
}

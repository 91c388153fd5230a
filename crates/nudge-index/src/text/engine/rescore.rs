//! A second pass over the engine's best documents: which terms they have, which in the title, and
//! how rare those are over index and tail.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::postings::{Postings, TermInfo};
use tantivy::query::{Bm25StatisticsProvider, EnableScoring, Scorer};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, InvertedIndexReader, Searcher, SegmentReader, TERMINATED, Term};

use super::collect::Found;
use super::compile::{Compiler, Refusal};
use super::schema::Fields;
use super::snapshot::{Columns, Snapshot};
use crate::text::query::{Pattern, Query};
use crate::text::scale::{Evidence, Scale};

/// Evidence for each of `found`, in their order.
pub(crate) fn evidence(
    snapshot: &Snapshot,
    query: &Query,
    scale: &Scale,
    postings: &TermPostings<'_>,
    found: &[Found],
) -> Result<Vec<Evidence>, Refusal> {
    let mut evidence: Vec<Evidence> = found.iter().map(|found| Evidence::new(found.base)).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&index| (found[index].segment, found[index].document));
    for group in order.chunk_by(|&a, &b| found[a].segment == found[b].segment) {
        let look = SegmentPass::open(snapshot, scale, postings, found[group[0]].segment)?;
        for &term in &scale.wanted {
            for (number, pattern) in query.terms[term].patterns.iter().enumerate() {
                match pattern {
                    Pattern::Word(word) => look.word(term, number, word, group, found, &mut evidence)?,
                    pattern => look.pattern(term, pattern, group, found, &mut evidence)?,
                }
            }
        }
    }
    Ok(evidence)
}

/// The state of the pass in one segment.
struct SegmentPass<'a> {
    snapshot: &'a Snapshot,
    scale: &'a Scale,
    postings: &'a TermPostings<'a>,
    number: u32,
    segment: &'a SegmentReader,
    text: Arc<InvertedIndexReader>,
    columns: &'a Columns,
}

impl<'a> SegmentPass<'a> {
    fn open(
        snapshot: &'a Snapshot,
        scale: &'a Scale,
        postings: &'a TermPostings<'a>,
        number: u32,
    ) -> Result<Self, Refusal> {
        let segment = snapshot.searcher.segment_reader(number);
        let text = segment.inverted_index(snapshot.fields.text)?;
        let columns = &snapshot.columns[number as usize];
        Ok(Self { snapshot, scale, postings, number, segment, text, columns })
    }

    fn word(
        &self,
        term: usize,
        number: usize,
        word: &str,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let Some(place) = self.postings.at(word, self.number) else { return Ok(()) };
        let mut postings =
            self.text.read_postings_from_terminfo(place, IndexRecordOption::WithFreqsAndPositions)?;
        let mut positions = Vec::new();
        for &index in group {
            let document = found[index].document;
            if !reach(&mut postings, document) {
                continue;
            }
            evidence[index].set(term);
            let length = self.columns.title(document);
            postings.positions(&mut positions);
            let in_title = positions.iter().filter(|&&position| position < length).count();
            if in_title > 0 {
                evidence[index].title += self.scale.title(term, number, in_title as u32, length);
                evidence[index].set_in_title(term);
            }
        }
        Ok(())
    }

    fn pattern(
        &self,
        term: usize,
        pattern: &Pattern,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let searcher = &self.snapshot.searcher;
        let compiler = Compiler { searcher, fields: self.snapshot.fields };
        let weight = compiler.pattern(pattern)?.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut scorer: Box<dyn Scorer> = weight.scorer(self.segment, 1.0)?;
        for &index in group {
            if reach(&mut scorer, found[index].document) {
                evidence[index].set(term);
            }
        }
        Ok(())
    }
}

/// Whether `document` is in the set, which only moves forward.
fn reach<D: DocSet + ?Sized>(set: &mut D, document: u32) -> bool {
    let mut at = set.doc();
    if at < document && at != TERMINATED {
        at = set.seek(document);
    }
    at == document
}

// The dictionary entries of a query's words in each segment, looked up once for all users.

/// For each word, its dictionary entry in each segment.
pub(crate) struct TermPostings<'q>(HashMap<&'q str, Vec<Option<TermInfo>>>);

impl<'q> TermPostings<'q> {
    /// Looks up `words`.
    pub(crate) fn look_up(
        words: impl Iterator<Item = &'q str>,
        searcher: &Searcher,
        fields: Fields,
    ) -> tantivy::Result<Self> {
        let segments = searcher.segment_readers().iter();
        let dictionaries = segments
            .map(|segment| segment.inverted_index(fields.text))
            .collect::<tantivy::Result<Vec<_>>>()?;
        let mut places = HashMap::new();
        for word in words {
            let term = Term::from_field_text(fields.text, word);
            let found: Result<Vec<_>, _> =
                dictionaries.iter().map(|dictionary| dictionary.get_term_info(&term)).collect();
            places.insert(word, found?);
        }
        Ok(Self(places))
    }

    /// How many documents of the index contain `word`.
    pub(crate) fn document_count(&self, word: &str) -> u64 {
        let places = self.0.get(word).into_iter().flatten().flatten();
        places.map(|place| u64::from(place.doc_freq)).sum()
    }

    /// Its dictionary entry in one segment.
    pub(crate) fn at(&self, word: &str, segment: u32) -> Option<&TermInfo> {
        self.0.get(word)?.get(segment as usize)?.as_ref()
    }
}

// How rare words are, over the index and the tail together, so that both are scored alike.

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

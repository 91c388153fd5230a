//! Scans what the index does not have yet, with the analyzer and the patterns of the index.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::source::{Document, Source, SourceError};
use crate::text::analyzer::Words;
use crate::text::engine::Coverage;
use crate::text::filters::Filters;
use crate::text::query::{Pattern, Query, Step, Term};
use crate::text::scale::{Evidence, Scale, Volume};

/// A scan for one query.
pub(crate) struct Scan<'q> {
    query: &'q Query,
    filters: &'q Filters,
    /// The words of the query, and their numbers.
    needles: HashMap<&'q str, usize>,
    prefixes: Vec<&'q str>,
    words: Words,
    places: Vec<Vec<u32>>,
    prefix_places: Vec<Vec<u32>>,
    /// How many documents contain each needle.
    holding: Vec<u64>,
    pub(crate) volume: Volume,
    pub(crate) found: Vec<ScanMatch>,
}

/// A document that matches.
pub(crate) struct ScanMatch {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) kind: u8,
    length: u32,
    title_length: u32,
    /// For each term, for each pattern: how often in all text, and how often in the title.
    counts: Vec<Vec<(u32, u32)>>,
}

impl<'q> Scan<'q> {
    pub(crate) fn new(query: &'q Query, filters: &'q Filters) -> Self {
        let mut needles = HashMap::new();
        let mut prefixes = Vec::new();
        for pattern in query.terms.iter().flat_map(|term| &term.patterns) {
            let (words, prefix): (Vec<&str>, Option<&str>) = match pattern {
                Pattern::Word(word) => (vec![word], None),
                Pattern::Prefix(prefix) => (vec![], Some(prefix)),
                Pattern::Phrase(steps) => (steps.iter().map(|step| step.text.as_str()).collect(), None),
                Pattern::PhrasePrefix(steps) => {
                    let (last, first) = steps.split_last().expect("a phrase has steps");
                    (first.iter().map(|step| step.text.as_str()).collect(), Some(&last.text))
                }
            };
            for word in words {
                let next = needles.len();
                needles.entry(word).or_insert(next);
            }
            prefixes.extend(prefix.filter(|prefix| !prefixes.contains(prefix)));
        }
        let (places, prefix_places) = (vec![Vec::new(); needles.len()], vec![Vec::new(); prefixes.len()]);
        let holding = vec![0; needles.len()];
        let (words, volume, found) = (Words::default(), Volume::default(), Vec::new());
        Self { query, filters, needles, prefixes, words, places, prefix_places, holding, volume, found }
    }

    /// Scans one document.
    pub(crate) fn add(&mut self, document: &Document) {
        // A session's own latest words must not count as known to it.
        if self.filters.other_session == Some(document.session) {
            return;
        }
        if self.volume.documents == 0 {
            self.words = Words::with_memory();
        }
        let mut counts: Vec<Vec<(u32, u32)>> =
            self.query.terms.iter().map(|term| vec![(0, 0); term.patterns.len()]).collect();
        let mut held = vec![false; self.holding.len()];
        let (mut length, mut title_length) = (0, 0);
        for (number, text) in document.texts().enumerate() {
            self.read(text);
            length += self.words.len() as u32;
            if number == 0 {
                title_length = self.words.positions();
            }
            for (needle, places) in self.places.iter().enumerate() {
                held[needle] |= !places.is_empty();
            }
            self.count(number == 0, &mut counts);
        }
        for (needle, held) in held.into_iter().enumerate() {
            self.holding[needle] += u64::from(held);
        }
        self.volume.documents += 1;
        self.volume.text_words += u64::from(length);
        let has = |term: usize| counts[term].iter().any(|(count, _)| *count > 0);
        if self.query.expression.matches(&has) && self.filters.admit(document) {
            let Document { id, at, kind, .. } = *document;
            self.found.push(ScanMatch { id, at, kind, length, title_length, counts });
        }
    }

    /// Which terms occur in a text, one bit for each of the first 128.
    fn terms_in(&mut self, text: &str) -> u128 {
        self.read(text);
        let has = |(_, term): &(usize, &Term)| term.patterns.iter().any(|pattern| self.seen(pattern) > 0);
        let terms = self.query.terms.iter().enumerate().filter(has);
        terms.fold(0, |bits, (number, _)| bits | 1_u128.checked_shl(number as u32).unwrap_or(0))
    }

    /// How many of the documents contain each needle.
    pub(crate) fn document_counts(&self) -> impl Iterator<Item = (&'q str, u64)> + '_ {
        self.needles.iter().map(|(&needle, &number)| (needle, self.holding[number]))
    }

    /// How many of them contain one word.
    pub(crate) fn document_count(&self, word: &str) -> u64 {
        self.needles.get(word).map_or(0, |&number| self.holding[number])
    }

    /// Keeps only the counts of these terms; any one is enough.
    pub(crate) fn narrow(&mut self, chosen: &[usize]) {
        for sighting in &mut self.found {
            sighting.counts = chosen.iter().map(|&term| std::mem::take(&mut sighting.counts[term])).collect();
        }
        self.found.retain(|sighting| sighting.counts.iter().flatten().any(|(count, _)| *count > 0));
    }

    fn read(&mut self, text: &str) {
        self.words.analyze(text);
        self.places.iter_mut().chain(&mut self.prefix_places).for_each(Vec::clear);
        for word in self.words.iter() {
            if let Some(&needle) = self.needles.get(word.text) {
                self.places[needle].push(word.position);
            }
            for (number, prefix) in self.prefixes.iter().enumerate() {
                if word.text.starts_with(prefix) {
                    self.prefix_places[number].push(word.position);
                }
            }
        }
        self.places.iter_mut().chain(&mut self.prefix_places).for_each(|places| places.sort_unstable());
    }

    fn count(&self, is_title: bool, counts: &mut [Vec<(u32, u32)>]) {
        for (term, counts) in self.query.terms.iter().zip(counts) {
            for (pattern, count) in term.patterns.iter().zip(counts) {
                let seen = self.seen(pattern);
                count.0 += seen;
                if is_title && matches!(pattern, Pattern::Word(_)) {
                    count.1 += seen;
                }
            }
        }
    }

    fn seen(&self, pattern: &Pattern) -> u32 {
        let phrase = |steps: &[Step], last: Option<(&Step, &[u32])>| {
            let (first, rest) = steps.split_first().expect("a phrase has steps");
            let begins = self.at(&first.text).iter().filter(|&&start| {
                let is_there = |step: &Step, places: &[u32]| {
                    places.binary_search(&(start + step.offset - first.offset)).is_ok()
                };
                rest.iter().all(|step| is_there(step, self.at(&step.text)))
                    && last.is_none_or(|(step, places)| is_there(step, places))
            });
            begins.count()
        };
        let count = match pattern {
            Pattern::Word(word) => self.at(word).len(),
            Pattern::Prefix(prefix) => self.beginning(prefix).len(),
            Pattern::Phrase(steps) => phrase(steps, None),
            Pattern::PhrasePrefix(steps) => {
                let (last, first) = steps.split_last().expect("a phrase has steps");
                phrase(first, Some((last, self.beginning(&last.text))))
            }
        };
        count as u32
    }

    fn at(&self, word: &str) -> &[u32] {
        self.needles.get(word).map_or(&[], |&needle| &self.places[needle])
    }

    fn beginning(&self, prefix: &str) -> &[u32] {
        let number = self.prefixes.iter().position(|known| *known == prefix);
        number.map_or(&[], |number| &self.prefix_places[number])
    }
}

impl ScanMatch {
    /// The evidence for it.
    pub(crate) fn evidence(&self, query: &Query, scale: &Scale) -> Evidence {
        let mut evidence = Evidence::default();
        for &term in &scale.wanted {
            for (number, pattern) in query.terms[term].patterns.iter().enumerate() {
                let (count, in_title) = self.counts[term][number];
                if count > 0 {
                    let is_prefix = matches!(pattern, Pattern::Prefix(_));
                    evidence.base += scale.text(term, number, count, self.length, is_prefix);
                    evidence.set(term);
                }
                if in_title > 0 {
                    evidence.title += scale.title(term, number, in_title, self.title_length);
                    evidence.set_in_title(term);
                }
            }
        }
        evidence
    }
}

// Which words of a query occur in a text.

static ANY_FILTERS: LazyLock<Filters> = LazyLock::new(Filters::default);

/// Finds the words of a query in texts, as a search does.
pub struct Finder<'q>(Scan<'q>);

impl<'q> Finder<'q> {
    /// For the words of `query`.
    pub fn of(query: &'q Query) -> Self {
        Self(Scan::new(query, &ANY_FILTERS))
    }

    /// Which of them occur in `text`, one bit for each of the first 128.
    pub fn words_in(&mut self, text: &str) -> u128 {
        self.0.terms_in(text)
    }

    /// Which of them occur in `text`, as typed.
    pub fn labels_in(&mut self, text: &str) -> Vec<&'q str> {
        let bits = self.words_in(text);
        let terms = self.0.query.terms.iter().take(u128::BITS as usize).enumerate();
        terms.filter(|(place, _)| bits & 1 << place != 0).map(|(_, term)| term.label.as_str()).collect()
    }
}

// What the index does not have yet: entries changed after its position, and those it was not built
// up to.

/// How many changes or documents are fetched at a time.
const BATCH_ROWS: usize = 1000;

/// What must be scanned in addition to an index.
pub(crate) struct Tail {
    /// Entries that changed.
    pub(crate) changed: HashSet<i64>,
    /// All entries with higher ids; `None` if the index is complete.
    pub(crate) after: Option<i64>,
}

impl Tail {
    /// The tail without any index: everything.
    pub(crate) fn everything() -> Self {
        Self { changed: HashSet::new(), after: Some(i64::MIN) }
    }

    /// The tail of an index that covers `coverage`; `None` if the feed no longer reaches back to
    /// it.
    pub(crate) fn after(coverage: &Coverage, source: &dyn Source) -> Result<Option<Self>, SourceError> {
        let mut changed = HashSet::new();
        let mut position = coverage.position;
        loop {
            let found = match source.changes_after(position, BATCH_ROWS) {
                Ok(found) => found,
                Err(SourceError::Gone) => return Ok(None),
                Err(error) => return Err(error),
            };
            if found.head < coverage.position {
                return Ok(None);
            }
            changed.extend(found.changes.iter().map(|(_, id)| *id));
            match found.changes.last() {
                Some(&(last, _)) if found.changes.len() >= BATCH_ROWS && last > position => position = last,
                _ => return Ok(Some(Self { changed, after: coverage.built_to })),
            }
        }
    }

    /// Calls `look` with the current state of every document of the tail, each once, and of those
    /// that are never indexed. Returns how many the tail has.
    pub(crate) fn each(
        &self,
        source: &dyn Source,
        mut look: impl FnMut(&Document),
    ) -> Result<usize, SourceError> {
        let mut count = 0;
        let built = |id: &i64| self.after.is_none_or(|after| *id <= after);
        let mut changed: Vec<i64> = self.changed.iter().copied().filter(built).collect();
        changed.sort_unstable();
        for ids in changed.chunks(BATCH_ROWS) {
            let documents = source.documents(ids)?;
            count += documents.len();
            documents.iter().for_each(&mut look);
        }
        let mut after = self.after;
        while let Some(id) = after {
            let documents = source.documents_after(id, BATCH_ROWS)?;
            count += documents.len();
            documents.iter().for_each(&mut look);
            after = documents.last().map(|document| document.id).filter(|&last| last > id);
        }
        source.beside().iter().for_each(look);
        Ok(count)
    }
}

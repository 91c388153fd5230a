//! The weights of a query's words, over index and tail together, and the evidence for a document.

use std::collections::HashMap;

use crate::text::query::{Pattern, Query};
use crate::text::rank::{USUAL_TITLE, bm25, idf, relevance};
use crate::text::search::HitRequest;

/// A prefix says little about rarity; every match counts the same, as in the engine.
const PREFIX_SCORE: f32 = 1.0;

/// The weights of one query.
pub(crate) struct Scale {
    /// The terms that count for a document.
    pub(crate) wanted: Vec<usize>,
    /// For each term, for each of its patterns.
    rarity: Vec<Vec<f32>>,
    /// For each term, its share of the whole; terms that no document has weigh nothing.
    share: Vec<f32>,
    average_text: f32,
}

/// How many documents there are, and how long they are.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Volume {
    pub(crate) documents: u64,
    pub(crate) text_words: u64,
}

impl Scale {
    /// Weighs the words of `query`, given how many documents contain each.
    pub(crate) fn of(query: &Query, volume: Volume, holding: &HashMap<&str, u64>) -> Self {
        let mut wanted = Vec::new();
        query.expression.wanted(&mut wanted);
        wanted.sort_unstable();
        wanted.dedup();
        let held = |word: &str| holding.get(word).copied().unwrap_or(0);
        let rare = |word: &str| idf(held(word), volume.documents);
        let rarity: Vec<Vec<f32>> = query
            .terms
            .iter()
            .map(|term| {
                let rarity = term.patterns.iter().map(|pattern| match pattern {
                    Pattern::Word(word) => rare(word),
                    Pattern::Prefix(_) => PREFIX_SCORE,
                    Pattern::Phrase(steps) => steps.iter().map(|step| rare(&step.text)).sum(),
                    Pattern::PhrasePrefix(steps) => {
                        steps[..steps.len() - 1].iter().map(|step| rare(&step.text)).sum()
                    }
                });
                rarity.collect()
            })
            .collect();
        let mut share = vec![0.0; query.terms.len()];
        for &index in &wanted {
            let is_known = query.terms[index].patterns.iter().any(|pattern| match pattern {
                Pattern::Word(word) => held(word) > 0,
                _ => true,
            });
            if is_known {
                share[index] = rarity[index].iter().copied().fold(0.0, f32::max);
            }
        }
        let total: f32 = share.iter().sum();
        if total > 0.0 {
            share.iter_mut().for_each(|share| *share /= total);
        }
        let average_text = volume.text_words as f32 / volume.documents.max(1) as f32;
        Self { wanted, rarity, share, average_text }
    }

    /// How much a pattern in the text counts.
    pub(crate) fn text(&self, term: usize, pattern: usize, count: u32, length: u32, is_prefix: bool) -> f32 {
        let rarity = self.rarity[term][pattern];
        if is_prefix { rarity } else { bm25(rarity, count, length, self.average_text) }
    }

    /// How much a word counts in a title of `length` words.
    pub(crate) fn title(&self, term: usize, pattern: usize, count: u32, length: u32) -> f32 {
        bm25(self.rarity[term][pattern], count, length, USUAL_TITLE)
    }

    /// The words that count for a document, with their weights.
    pub(crate) fn sought(&self, query: &Query) -> Vec<HitRequest> {
        let word = |&index: &usize| HitRequest {
            label: query.terms[index].label.clone(),
            rarity: self.rarity[index].iter().copied().fold(0.0, f32::max),
            is_known: self.share[index] > 0.0,
            is_name: query.terms[index].is_name,
        };
        self.wanted.iter().map(word).collect()
    }

    /// The words that no document has.
    pub(crate) fn unseen(&self, query: &Query) -> impl Iterator<Item = HitRequest> {
        self.sought(query).into_iter().filter(|word| !word.is_known)
    }

    /// The indexes, among the wanted terms, of those for which `has` is true.
    pub(crate) fn places(&self, has: impl Fn(usize) -> bool) -> Vec<usize> {
        self.wanted.iter().enumerate().filter(|(_, term)| has(**term)).map(|(place, _)| place).collect()
    }

    /// The score of a document.
    pub(crate) fn score(&self, evidence: &Evidence) -> f32 {
        relevance(evidence.base, evidence.title, self.covered(evidence))
    }

    /// The share of the query that a document has.
    pub(crate) fn covered(&self, evidence: &Evidence) -> f32 {
        self.shares(|term| evidence.has(term))
    }

    /// The share of the query that its title has.
    pub(crate) fn covered_by_title(&self, evidence: &Evidence) -> f32 {
        self.shares(|term| evidence.has_in_title(term))
    }

    fn shares(&self, has: impl Fn(usize) -> bool) -> f32 {
        self.wanted.iter().filter(|&&term| has(term)).map(|&term| self.share[term]).sum()
    }
}

/// The evidence for a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) base: f32,
    pub(crate) title: f32,
    has: u128,
    in_title: u128,
}

impl Evidence {
    pub(crate) fn new(base: f32) -> Self {
        Self { base, ..Self::default() }
    }

    /// Terms beyond the first 128 of a query are matched like the others, but do not count here.
    pub(crate) fn set(&mut self, term: usize) {
        self.has |= 1_u128.checked_shl(term as u32).unwrap_or(0);
    }

    pub(crate) fn set_in_title(&mut self, term: usize) {
        self.in_title |= 1_u128.checked_shl(term as u32).unwrap_or(0);
    }

    pub(crate) fn has(&self, term: usize) -> bool {
        self.has & 1_u128.checked_shl(term as u32).unwrap_or(0) != 0
    }

    pub(crate) fn has_in_title(&self, term: usize) -> bool {
        self.in_title & 1_u128.checked_shl(term as u32).unwrap_or(0) != 0
    }
}

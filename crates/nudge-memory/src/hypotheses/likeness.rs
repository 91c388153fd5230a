//! Text similarity by shared words. It needs no model. A rare word counts more than a common one.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Words that occur in every text.
const COMMON_WORDS: [&str; 62] = [
    "about",
    "after",
    "again",
    "all",
    "also",
    "and",
    "any",
    "are",
    "because",
    "been",
    "before",
    "but",
    "can",
    "could",
    "did",
    "does",
    "each",
    "for",
    "from",
    "goal",
    "had",
    "has",
    "have",
    "hypothesis",
    "into",
    "its",
    "it",
    "more",
    "not",
    "only",
    "other",
    "our",
    "out",
    "outcome",
    "over",
    "prediction",
    "action",
    "same",
    "should",
    "some",
    "such",
    "than",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "was",
    "were",
    "what",
    "when",
    "which",
    "while",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// The shortest word that counts, in characters.
const MIN_WORD_CHARS: usize = 3;

/// The significant words of a text, in the form in which they are compared.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS && !COMMON_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

/// A word without its grammatical ending.
fn stem(word: &str) -> String {
    for ending in ["ings", "ing", "ies", "ied", "edly", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() > MIN_WORD_CHARS
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

/// Texts to be compared with one another.
pub(super) struct Corpus {
    texts: Vec<BTreeMap<String, f32>>,
    in_texts: HashMap<String, usize>,
}

impl Corpus {
    /// Builds the corpus from these texts.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<BTreeMap<String, f32>> = texts.into_iter().map(counted).collect();
        let mut in_texts = HashMap::new();
        for word in texts.iter().flat_map(BTreeMap::keys) {
            *in_texts.entry(word.clone()).or_insert(0) += 1;
        }
        Self { texts, in_texts }
    }

    /// The weight of a word: the rarer, the higher.
    fn weight(&self, word: &str) -> f32 {
        let having = self.in_texts.get(word).copied().unwrap_or(0) as f32;
        (1.0 + (self.texts.len() as f32 + 1.0) / (having + 0.5)).ln()
    }

    /// How similar two of the texts are, from 0 to 1.
    pub(super) fn alike(&self, one: usize, other: usize) -> f32 {
        self.cosine(&self.texts[one], &self.texts[other])
    }

    /// How similar another text is to one of them, from 0 to 1.
    pub(super) fn alike_to(&self, text: &str, other: usize) -> f32 {
        self.cosine(&counted(text), &self.texts[other])
    }

    /// The share of the asked words, weighted by rarity, that one of the texts contains.
    pub(super) fn covers(&self, asked: &str, other: usize) -> f32 {
        let asked: HashSet<String> = words(asked).into_iter().collect();
        let whole: f32 = asked.iter().map(|word| self.weight(word)).sum();
        let had = asked.iter().filter(|word| self.texts[other].contains_key(*word));
        let had: f32 = had.map(|word| self.weight(word)).sum();
        if whole > 0.0 { had / whole } else { 0.0 }
    }

    fn cosine(&self, one: &BTreeMap<String, f32>, other: &BTreeMap<String, f32>) -> f32 {
        let square = |text: &BTreeMap<String, f32>| {
            text.iter().map(|(word, count)| (count * self.weight(word)).powi(2)).sum::<f32>().sqrt()
        };
        let shared: f32 = one
            .iter()
            .filter_map(|(word, count)| Some(count * other.get(word)? * self.weight(word).powi(2)))
            .sum();
        let size = square(one) * square(other);
        if size > 0.0 { shared / size } else { 0.0 }
    }
}

/// The words of a text with their weights; a repeated word counts a little more.
fn counted(text: &str) -> BTreeMap<String, f32> {
    let mut counts: BTreeMap<String, f32> = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    counts.values_mut().for_each(|count| *count = 1.0 + count.ln());
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_the_same_thing_are_more_alike() {
        let corpus = Corpus::of([
            "the cache returns stale prices because the key lacks the currency",
            "prices are stale: the cache key has no currency in it",
            "the migration fails since the column is missing",
        ]);
        assert!(corpus.alike(0, 1) > 0.5, "{}", corpus.alike(0, 1));
        assert!(corpus.alike(0, 2) < 0.1, "{}", corpus.alike(0, 2));
        assert!(corpus.covers("stale cache", 1) > 0.9);
        assert!(corpus.alike_to("", 0) < f32::EPSILON);
    }
}

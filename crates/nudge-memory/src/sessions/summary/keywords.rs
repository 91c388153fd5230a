//! The topic of a prompt, roughly: its meaningful words.

use std::collections::BTreeSet;

/// Words that say nothing about the topic.
const EMPTY: [&str; 58] = [
    "about", "after", "again", "all", "also", "and", "any", "are", "before", "but", "can", "could", "did",
    "does", "don", "for", "from", "get", "has", "have", "how", "into", "its", "just", "let", "like", "make",
    "may", "more", "need", "not", "now", "only", "our", "out", "please", "should", "some", "than", "that",
    "the", "them", "then", "there", "these", "they", "this", "too", "use", "was", "what", "when", "where",
    "which", "why", "will", "with", "you",
];

/// The minimum number of letters in a keyword.
const LEAST: usize = 3;

/// The meaningful words, in lower case.
pub(crate) fn keywords(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= LEAST)
        .map(str::to_lowercase)
        .filter(|word| !EMPTY.contains(&word.as_str()))
        .collect()
}

/// The similarity of two sets: the share of common words in all words.
pub(crate) fn likeness(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_with_meaning_count() {
        let found: Vec<String> =
            keywords("Please make the Parser_test, and fix it: 42!").into_iter().collect();
        assert_eq!(found, ["fix", "parser_test"]);
    }

    #[test]
    fn likeness_goes_from_nothing_to_one() {
        let (parser, router) = (keywords("fix parser tests"), keywords("draw router map"));
        assert_eq!(likeness(&parser, &parser), 1.0);
        assert_eq!(likeness(&parser, &router), 0.0);
        assert_eq!(likeness(&parser, &keywords("fix router docs")), 0.2);
    }
}

//! Episodes: stretches of a session with one topic.

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::text::one_line_of_chars;
use nudge_core::{ObservationKind as Kind, Outcome, Timestamp};
use nudge_store::{ObservationRow, PromptRow};
use serde::{Deserialize, Serialize};

/// How much of a prompt is kept as the intent.
pub(super) const MAX_INTENT_CHARS: usize = 200;

/// A prompt less similar to its episode than this begins another one.
const MIN_TOPIC_SIMILARITY: f64 = 0.15;

/// A prompt with fewer words ("yes", "go on") has no topic of its own.
const MIN_WORDS: usize = 5;

/// How many files an episode lists.
const MAX_FILES: usize = 5;

/// How many steps are kept per episode, and in all episodes together. Summaries outlive the
/// observations, so they must stay much smaller.
const MAX_STEPS: usize = 200;

const MAX_STEPS_IN_ALL: usize = 1_000;

/// The maximum number of episodes; later events belong to the last one.
pub(super) const MAX_EPISODES: usize = 50;

/// A stretch of a session with one topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// When it began.
    pub started_at: String,
    /// When something last happened in it.
    pub ended_at: String,
    /// The prompt it began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The number of observations.
    pub observations: usize,
    /// How many of them failed.
    pub failures: usize,
    /// The files it was about, most frequently touched first.
    pub hot_files: Vec<String>,
    /// What happened, step by step.
    pub trace: Vec<Step>,
}

/// One step: what remains of an observation after it is deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Seconds since the episode began.
    pub t: u64,
    /// The kind of observation.
    pub kind: String,
    /// The file it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Splits a session into episodes, by the similarity of its prompts.
pub(super) fn episodes(prompts: &[&PromptRow], observations: &[ObservationRow]) -> Vec<Episode> {
    let begins = beginnings(prompts);
    let mut episodes = Vec::new();
    let mut steps_left = MAX_STEPS_IN_ALL;
    for (index, begin) in begins.iter().enumerate() {
        let until = begins.get(index + 1).map(|next| next.at);
        // Events before the first prompt belong to the first episode.
        let mine = |at: Timestamp| (index == 0 || at >= begin.at) && until.is_none_or(|until| at < until);
        let rows: Vec<&ObservationRow> = observations.iter().filter(|row| mine(row.at)).collect();
        let last_said = prompts.iter().filter(|row| mine(row.at)).map(|row| row.at).max();
        let episode = Episode::of(Some(begin), &rows, last_said, steps_left);
        steps_left -= episode.trace.len();
        episodes.push(episode);
    }
    if episodes.is_empty() && !observations.is_empty() {
        episodes.push(Episode::of(None, &observations.iter().collect::<Vec<_>>(), None, steps_left));
    }
    episodes
}

/// The prompts that begin an episode.
fn beginnings<'p>(prompts: &[&'p PromptRow]) -> Vec<&'p PromptRow> {
    let mut begins: Vec<&PromptRow> = Vec::new();
    let mut topic: BTreeSet<String> = BTreeSet::new();
    for prompt in prompts {
        let words = keywords(&prompt.body);
        let continues = prompt.body.split_whitespace().count() < MIN_WORDS
            || begins.len() >= MAX_EPISODES
            || likeness(&words, &topic) >= MIN_TOPIC_SIMILARITY;
        if begins.is_empty() || !continues {
            begins.push(prompt);
            topic = words;
        } else {
            topic.extend(words);
        }
    }
    begins
}

impl Episode {
    fn of(
        begin: Option<&PromptRow>,
        rows: &[&ObservationRow],
        last_said: Option<Timestamp>,
        steps: usize,
    ) -> Self {
        let first = begin.map(|prompt| prompt.at);
        let started = first.into_iter().chain(rows.first().map(|row| row.at)).min();
        let started = started.unwrap_or(Timestamp::from_millis(0));
        let ended = rows.last().map(|row| row.at).max(last_said).unwrap_or(started);
        Self {
            started_at: started.to_string(),
            ended_at: ended.to_string(),
            intent: begin.map(|prompt| one_line_of_chars(&prompt.body, MAX_INTENT_CHARS)),
            observations: rows.len(),
            failures: rows.iter().filter(|row| has_failed(row)).count(),
            hot_files: hot(rows),
            trace: rows.iter().take(MAX_STEPS.min(steps)).map(|row| step(row, started)).collect(),
        }
    }
}

fn step(row: &ObservationRow, started: Timestamp) -> Step {
    Step {
        t: row.at.since(started).as_secs(),
        kind: row.kind.name().to_owned(),
        file: row.files.first().cloned(),
        failed: has_failed(row),
    }
}

fn hot(rows: &[&ObservationRow]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in rows.iter().flat_map(|row| &row.files) {
        *counts.entry(file).or_default() += 1;
    }
    let mut files: Vec<(&str, usize)> = counts.into_iter().collect();
    files.sort_by_key(|(file, count)| (std::cmp::Reverse(*count), *file));
    files.into_iter().take(MAX_FILES).map(|(file, _)| file.to_owned()).collect()
}

// The topic of a prompt, roughly: its meaningful words.

/// Words that say nothing about the topic, sorted.
const EMPTY_WORDS: [&str; 58] = [
    "about", "after", "again", "all", "also", "and", "any", "are", "before", "but", "can", "could", "did",
    "does", "don", "for", "from", "get", "has", "have", "how", "into", "its", "just", "let", "like", "make",
    "may", "more", "need", "not", "now", "only", "our", "out", "please", "should", "some", "than", "that",
    "the", "them", "then", "there", "these", "they", "this", "too", "use", "was", "what", "when", "where",
    "which", "why", "will", "with", "you",
];

/// The minimum number of letters in a keyword.
const MIN_LETTERS: usize = 3;

/// The meaningful words, in lower case.
pub(crate) fn keywords(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= MIN_LETTERS)
        .map(str::to_lowercase)
        .filter(|word| EMPTY_WORDS.binary_search(&word.as_str()).is_err())
        .collect()
}

/// The similarity of two sets: the share of common words in all words.
pub(crate) fn likeness(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

pub(super) const fn has_failed(row: &ObservationRow) -> bool {
    matches!(row.outcome, Outcome::Failed { .. }) || matches!(row.kind, Kind::CommandError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_with_meaning_count() {
        assert!(EMPTY_WORDS.is_sorted());
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

//! The one matching rule of this bench: when the words of one text occur in another.
//!
//! A text is a set of words: lower-cased, split at every character that is neither a letter nor a
//! digit, without stop words and single letters, and without English endings (`-s`, `-es`, `-ed`,
//! `-ing`). A statement is in a line if the line has at least 0.6 of its words, and two of them
//! unless it has only one. Only a single line or a single proposal counts, because a whole block of
//! text has many words.
//!
//! An event helped if its distinguishing words are in one line. Candidates are the words that at
//! most one event in a hundred of its project has (five events in a small project). The ten best
//! count: first those that the prompt has too, then the rarest. Two words that the prompt has too
//! are enough. Otherwise three are needed, or half if there are fewer than six, and at least two.
//! Two names that the event and the prompt share are also enough, as in the rule that made the
//! pairs. A name is a file, a path or an identifier that at most one event in twenty of the project
//! has (ten events in a small project).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// The share of a statement's words that a line must have.
const MIN_SHARE: f64 = 0.6;

/// A word that more than this share of a project's events have distinguishes none of them.
const MAX_WORD_SHARE: f64 = 0.01;

/// In a small project a word is rare up to this many events.
const MIN_RARE: usize = 5;

/// The same for names.
const RARE_NAME: f64 = 0.05;
const MIN_RARE_NAME: usize = 10;

/// The maximum number of distinguishing words of an event.
const MAX_DISTINGUISHING: usize = 10;

/// How much of an event is read, in characters: text pasted further down is rarely its subject.
const MAX_EVENT: usize = 3_000;

/// Words without meaning of their own.
const STOP_LIST: &str = "a about after again all also am an and any are as at be been before being but by can could did do does \
    doesn doing don down each few for from further get got had has have having he her here him his how i if im in into is isn it \
    its just let lets like ll me more most my no not now of off ok on once one only or other our out over own please re same she \
    should so some such sure than that thats the their them then there these they this those through to too under until up us use used uses \
    using ve very want was we were what when where which while who why will with would yeah yes you your";

/// The words of a text.
pub(in crate::bench) fn words(text: &str) -> BTreeSet<String> {
    static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_LIST.split_whitespace().collect());
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() > 1 && !STOP_WORDS.contains(word)).map(stem).collect()
}

/// The names in a text, lower-cased: files by their last part, identifiers, versions.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let tokens = text.split(|c: char| !is_part(c)).map(|token| token.trim_matches(['.', '/', '-']));
    let last = tokens.map(|token| token.rsplit('/').next().unwrap_or(token)).filter(|token| token.len() > 3);
    let is_name = |token: &&str| {
        let capital = token.chars().skip(1).any(char::is_uppercase) && token.chars().any(char::is_lowercase);
        let digit = token.chars().any(|c| c.is_ascii_digit()) && token.chars().any(char::is_alphabetic);
        capital || digit || token.contains(['_', '.', '-'])
    };
    last.filter(is_name).map(str::to_lowercase).collect()
}

/// A word without English endings.
fn stem(word: &str) -> String {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(bare) = word.strip_suffix(ending)
            && bare.len() > 2
            && !(ending == "s" && bare.ends_with('s'))
        {
            return bare.trim_end_matches('e').to_owned();
        }
    }
    if word.len() > 3 { word.trim_end_matches('e').to_owned() } else { word.to_owned() }
}

/// Whether a line has a statement's words.
pub(in crate::bench) fn contains_statement(statement: &BTreeSet<String>, line: &BTreeSet<String>) -> bool {
    let found = statement.intersection(line).count();
    found >= statement.len().min(2) && found > 0 && found as f64 >= statement.len() as f64 * MIN_SHARE
}

/// The line of a text that has a statement's words.
pub(super) fn line_with<'t>(statement: &BTreeSet<String>, text: &'t str) -> Option<&'t str> {
    text.lines().find(|line| contains_statement(statement, &words(line)))
}

/// The sentences of a text.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '.', '!', '?', ';']).map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// The sentence of a text that has the most words of another text; the first one if several do.
pub(super) fn most_similar_sentence<'t>(text: &'t str, other: &str) -> Option<&'t str> {
    let other = words(other);
    let shared = |sentence: &str| words(sentence).intersection(&other).count();
    sentences(text).reduce(|best, next| if shared(next) > shared(best) { next } else { best })
}

/// How many events of a project have each word.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    events: usize,
    having: HashMap<String, usize>,
    named: HashMap<String, usize>,
}

impl Rarity {
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut rarity = Self::default();
        for text in texts {
            rarity.events += 1;
            for word in words(head(text)) {
                *rarity.having.entry(word).or_default() += 1;
            }
            for name in names(head(text)) {
                *rarity.named.entry(name).or_default() += 1;
            }
        }
        rarity
    }

    /// The words that distinguish an event from others, ranked for a prompt.
    pub(super) fn distinguishing(&self, event: &str, prompt: &str) -> Distinguishing {
        let most = ((self.events as f64 * MAX_WORD_SHARE) as usize).max(MIN_RARE);
        let asked = words(prompt);
        let having = |word: &String| self.having.get(word).copied().unwrap_or_default();
        let mut rare: Vec<String> =
            words(head(event)).into_iter().filter(|word| having(word) <= most).collect();
        rare.sort_by_key(|word| (!asked.contains(word), having(word), word.clone()));
        rare.truncate(MAX_DISTINGUISHING);
        let shared = rare.iter().filter(|word| asked.contains(*word)).cloned().collect();
        let most = ((self.events as f64 * RARE_NAME) as usize).max(MIN_RARE_NAME);
        let mut names: BTreeSet<String> = names(head(event)).intersection(&names(prompt)).cloned().collect();
        names.retain(|name| self.named.get(name).copied().unwrap_or_default() <= most);
        Distinguishing { shared, all: rare.into_iter().collect(), names }
    }
}

/// The words that distinguish an event from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distinguishing {
    /// Those that are in the prompt too.
    pub(super) shared: BTreeSet<String>,
    pub(super) all: BTreeSet<String>,
    /// The names that are in the prompt too.
    pub(super) names: BTreeSet<String>,
}

/// The line of a text that has the distinguishing words.
pub(super) fn helpful_line<'t>(distinguishing: &Distinguishing, text: &'t str) -> Option<&'t str> {
    let Distinguishing { shared, all, names: shared_names } = distinguishing;
    let needed = all.len().div_ceil(2).clamp(2, 3);
    text.lines().find(|line| {
        let found = words(line);
        found.intersection(shared).count() >= 2
            || found.intersection(all).count() >= needed
            || names(line).intersection(shared_names).count() >= 2
    })
}

fn head(text: &str) -> &str {
    text.char_indices().nth(MAX_EVENT).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(statement: &str, text: &str) -> bool {
        line_with(&words(statement), text).is_some()
    }

    #[test]
    fn words_are_stemmed_and_stop_words_dropped() {
        let expected = ["amend", "commit", "test"].map(str::to_owned);
        assert_eq!(words("Please don't amend the commits, we're testing! US"), expected.into());
        assert_eq!(words("uses used using use files file filed"), words("file"));
    }

    #[test]
    fn a_statement_stands_in_one_line_or_not_at_all() {
        assert!(check(
            "don't amend commits - it messes with workflows",
            "- 3 d: please don't amend commits, it messes with the workflow"
        ));
        assert!(!check(
            "don't amend commits - it messes with workflows",
            "- amend\n- commits\n- messes\n- workflows"
        ));
        assert!(!check(
            "keep working documentation in linear",
            "| 12 | 3 d | edit | docs/documentation.md |"
        ));
        assert!(check("jsdom remember", "remember: jsdom"));
        assert!(!check("jsdom remember", "jsdom"));
        assert!(!check("the and of", "the and of"));
    }

    #[test]
    fn rare_words_that_the_prompt_has_come_first() {
        let texts: Vec<String> = (0..600).map(|number| format!("commit number{number} checkpoint")).collect();
        let rarity = Rarity::of(texts.iter().map(String::as_str));
        let found = rarity.distinguishing("commit number7 zebra quokka", "where is the quokka");
        assert_eq!(found.all, ["number7", "quokka", "zebra"].map(str::to_owned).into());
        assert_eq!(found.shared, ["quokka".to_owned()].into());
        assert_eq!(helpful_line(&found, "# x\n- the quokka of number7"), Some("- the quokka of number7"));
        assert_eq!(helpful_line(&found, "- the quokka\n- number7"), None);
        assert_eq!(helpful_line(&found, "- commit checkpoint"), None);
    }

    #[test]
    fn the_likest_sentence_is_the_first_with_most_words() {
        let text = "Hello there. Run the tests first! Then run tests again.";
        assert_eq!(most_similar_sentence(text, "always run tests"), Some("Run the tests first!"));
    }
}

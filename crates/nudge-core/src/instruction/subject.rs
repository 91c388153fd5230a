//! Whether two instructions say the same, or the opposite.
//!
//! An instruction is reduced to its content words, each wanted or rejected. Words that say little
//! ("use", "please", "always") and reasons are left out, and synonyms count as one word.
//!
//! Treating two rules as one loses the second; treating one rule as two only proposes it twice. So
//! texts are the same only if neither has content that the other lacks.

use std::borrow::Cow;

use super::words::{Position, Word, words};
use super::{MAX_INSTRUCTION_CHARS, prose};
use crate::text::first_chars;

/// A content word of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    word: String,
    /// Whether it is negated.
    rejected: bool,
    /// Whether it is in the position of a value: after "use", "is" or "in".
    value: bool,
    /// Whether it adds a second thing or a condition: "… and push", "… on Fridays".
    adds: bool,
}

/// Words without content of their own, sorted.
#[rustfmt::skip]
pub(super) const EMPTY_WORDS: &[&str] = &[
    "a", "about", "absolutely", "actually", "again", "all", "also", "always", "am", "an", "and",
    "any", "anymore", "are", "as", "at", "be", "been", "but", "by", "can", "claude", "could", "did",
    "do", "does", "each", "ensure", "ever", "every", "everything", "everywhere", "explicitly",
    "for", "forget", "forgetting", "forward", "from", "future", "generally", "going", "have",
    "here", "how", "i", "if", "in", "instead", "into", "is", "it", "just", "keep", "kindly", "let",
    "like", "longer", "made", "make", "may", "me", "more", "must", "my", "need", "needs",
    "normally", "note", "now", "of", "off", "ok", "on", "one", "only", "onto", "onwards", "or",
    "our", "out", "please", "possible", "prefer", "project", "put", "rather", "really", "remember",
    "repo", "should", "simply", "so", "some", "still", "store", "strictly", "sure", "than", "thank",
    "thanks", "that", "the", "them", "then", "there", "these", "they", "thing", "things", "this",
    "those", "to", "told", "too", "try", "typically", "up", "us", "use", "used", "uses", "using",
    "usually", "very", "want", "was", "we", "were", "when", "where", "wherever", "which", "will",
    "with", "would", "you", "your",
];

/// Words that negate the rest of their clause.
const NEGATIONS: &[&str] = &["avoid", "never", "no", "not", "quit", "stop", "without"];

/// Words before the one value of something. After "with", "on" or "to" there may well be several.
const BEFORE_VALUES: &[&str] = &["are", "in", "is", "prefer", "under", "use", "uses", "using"];

/// Words before a second thing or a condition.
#[rustfmt::skip]
const BEFORE_MORE: &[&str] = &[
    "and", "but", "except", "for", "if", "in", "inside", "on", "only", "or", "outside", "plus",
    "under", "unless", "until", "when", "where", "while", "within",
];

/// Words allowed between such a word and what it introduces.
const ARTICLES: &[&str] = &["a", "all", "an", "any", "every", "my", "our", "the", "your"];

/// Synonyms.
#[rustfmt::skip]
const SYNONYMS: &[(&str, &str)] = &[
    ("changelog.md", "changelog"), ("delete", "remove"), ("directory", "folder"),
    ("doc", "documentation"), ("execute", "run"), ("launch", "run"), ("pull-request", "pr"),
    ("readme.md", "readme"), ("repository", "repo"), ("unittest", "test"), ("create", "add"),
    ("modify", "change"), ("edit", "change"), ("touch", "change"), ("write", "add"),
    ("written", "add"),
];

/// Tools and choices that exclude each other.
#[rustfmt::skip]
const RIVAL_WORDS: &[&[&str]] = &[
    &["npm", "pnpm", "yarn", "bun"], &["pip", "uv", "poetry", "conda"], &["tabs", "spaces"],
    &["jest", "vitest", "mocha"], &["docker", "podman"], &["eslint", "biome"], &["black", "ruff"],
    &["rebase", "merge"], &["british", "american", "us", "uk"],
    &["english", "german", "french", "spanish", "portuguese", "italian", "dutch"],
    &["postgres", "mysql", "sqlite"], &["bash", "zsh", "fish", "powershell"], &["webpack", "vite"],
    &["unittest", "pytest"], &["linux", "macos", "windows", "ubuntu"],
    &["vim", "vscode", "neovim", "emacs", "helix"], &["git", "jj"], &["short", "long"],
];

/// Two texts that share this part of the shorter one's words are about the same thing.
const MIN_SHARED_WORDS: f64 = 0.6;

/// The least ratio of the shorter to the longer text's length, in words, for the two to say the
/// same.
const MIN_LENGTH_RATIO: f64 = 0.75;

/// Words before an instruction that are no part of it.
#[rustfmt::skip]
const LEAD_INS: &[&str] = &[
    "by the way", "btw", "for your information", "fyi", "heads up", "just so you know", "one more thing",
    "one thing", "note that", "please note", "reminder", "oh", "hey", "hi", "okay", "ok", "also",
];

/// A text without details that do not change its words: what leads in to it, case, spaces and
/// punctuation at its end.
pub fn plain_words(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let words = words.join(" ");
    without_lead_in(&words).trim_end_matches(['.', '!', ';', ',']).to_owned()
}

/// A text without "by the way" and the like before it.
fn without_lead_in(text: &str) -> &str {
    let mut rest = text;
    while let Some(next) = LEAD_INS.iter().find_map(|lead_in| {
        let begin = rest.get(..lead_in.len())?;
        let after = &rest[begin.len()..];
        let ends = after.starts_with(|c: char| !c.is_alphanumeric());
        (ends && begin.eq_ignore_ascii_case(lead_in))
            .then(|| after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`' && c != '"'))
    }) {
        rest = next;
    }
    rest
}

/// What a text is about, for comparison with others.
#[derive(Clone, Debug)]
pub struct Subject {
    plain: String,
    terms: Vec<Term>,
}

impl Subject {
    /// What this text is about.
    pub fn of(text: &str) -> Self {
        Self { plain: plain_words(text), terms: terms(text) }
    }

    /// Whether both say the same, perhaps in other words. If each has content that the other lacks,
    /// they do not. If only one has, that content must be little and add nothing.
    pub fn is_same(&self, other: &Self) -> bool {
        if self.plain == other.plain {
            return !self.plain.is_empty();
        }
        let (a, b) = (&self.terms, &other.terms);
        let (only_a, only_b) = (alone(a, b), alone(b, a));
        let extra = match (only_a.as_slice(), only_b.as_slice()) {
            ([], extra) | (extra, []) => extra,
            _ => return false,
        };
        part(a.len().min(b.len()), a.len().max(b.len())) >= MIN_LENGTH_RATIO
            && !extra.iter().any(|term| term.adds)
    }

    /// Whether one says the opposite of the other, or another value for the same thing.
    pub fn contradicts(&self, other: &Self) -> bool {
        opposed(&self.terms, &other.terms) || another_value(&self.terms, &other.terms)
    }
}

/// Whether both texts say the same: see [`Subject::is_same`].
pub fn same(a: &str, b: &str) -> bool {
    Subject::of(a).is_same(&Subject::of(b))
}

/// Whether the texts contradict each other: see [`Subject::contradicts`].
pub fn contradicts(a: &str, b: &str) -> bool {
    Subject::of(a).contradicts(&Subject::of(b))
}

/// The terms that the others lack, in the same polarity (wanted or rejected).
fn alone<'t>(terms: &'t [Term], others: &[Term]) -> Vec<&'t Term> {
    let has =
        |term: &Term| others.iter().any(|other| other.word == term.word && other.rejected == term.rejected);
    terms.iter().filter(|term| !has(term)).collect()
}

/// Whether the same words are wanted in one and rejected in the other.
fn opposed(a: &[Term], b: &[Term]) -> bool {
    let shared = |term: &&Term| b.iter().any(|other| other.word == term.word);
    let differs =
        |term: &&Term| b.iter().any(|other| other.word == term.word && other.rejected != term.rejected);
    let (shared, differing) = (a.iter().filter(shared).count(), a.iter().filter(differs).count());
    let shorter = a.len().min(b.len());
    differing > 0 && part(shared, shorter) >= MIN_SHARED_WORDS && part(differing, shared) >= MIN_SHARED_WORDS
}

/// Whether they give two values for the same thing: rivals, or the one word in which two texts
/// differ. They must share at least as much as they differ in.
fn another_value(a: &[Term], b: &[Term]) -> bool {
    let (only_a, only_b) = (alone(a, b), alone(b, a));
    let shared = a.len() - only_a.len();
    let value = |terms: &[&Term]| matches!(terms, [term] if term.value && !term.rejected);
    if value(&only_a) && value(&only_b) && shared > 0 {
        return true;
    }
    let wanted = |terms: &[&Term], others: &[Term]| -> Vec<String> {
        let is_own = |term: &&&Term| !term.rejected && !others.iter().any(|other| other.word == term.word);
        terms.iter().filter(is_own).map(|term| term.word.clone()).collect()
    };
    let (only_a, only_b) = (wanted(&only_a, b), wanted(&only_b, a));
    let rest = only_a.len().max(only_b.len()).saturating_sub(1);
    rest <= shared && only_a.iter().any(|one| only_b.iter().any(|other| are_rivals(one, other)))
}

fn are_rivals(a: &str, b: &str) -> bool {
    let has = |group: &&[&str], term: &str| group.iter().any(|word| stem(word) == term);
    RIVAL_WORDS.iter().any(|group| has(group, a) && has(group, b))
}

#[expect(clippy::cast_precision_loss, reason = "counts of words in a sentence")]
fn part(some: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}

fn terms(text: &str) -> Vec<Term> {
    let text = without_lead_in(text.trim_start());
    let words = words(first_chars(prose::without_reason(text), MAX_INSTRUCTION_CHARS));
    let mut terms: Vec<Term> = Vec::new();
    let (mut rejected, mut value, mut adds) = (false, false, false);
    let said = words.iter().enumerate().take_while(|(_, word)| !begins_reason(word));
    for (at, word) in said {
        if word.position > Position::Inside && !joins(&words, at) {
            rejected = false;
        }
        rejected |= negates(&words, at);
        let text = word.text.as_ref();
        if EMPTY_WORDS.binary_search(&text).is_err() && !NEGATIONS.contains(&text) {
            let word = stem(text).into_owned();
            if !terms.iter().any(|term| term.word == word) {
                terms.push(Term { word, rejected, value, adds });
            }
        }
        let goes_on = ARTICLES.contains(&text);
        value = BEFORE_VALUES.contains(&text) || (value && goes_on);
        adds = BEFORE_MORE.contains(&text) || (adds && goes_on);
    }
    terms
}

/// The reason for an instruction is not part of it.
fn begins_reason(word: &Word<'_>) -> bool {
    word.text == "because"
        || (word.position == Position::Clause && matches!(&*word.text, "otherwise" | "since"))
}

/// "or" and "and" continue a negation: "do not commit or push".
fn joins(words: &[Word<'_>], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| matches!(words[before].text.as_ref(), "or" | "and"))
}

fn negates(words: &[Word<'_>], at: usize) -> bool {
    let next = words.get(at + 1).map(|word| word.text.as_ref());
    match words[at].text.as_ref() {
        "instead" => next == Some("of"),
        "rather" => next == Some("than"),
        "over" => true,
        "no" => words.get(at + 1).is_some_and(|next| next.position < Position::Clause),
        // "Don't forget to run it" means: run it.
        word => NEGATIONS.contains(&word) && !matches!(next, Some("forget" | "forgetting")),
    }
}

/// The word without its ending, with synonyms mapped to one word.
fn stem(word: &str) -> Cow<'_, str> {
    let is = |form: &str, word: &str| form == word || form.strip_suffix('e') == Some(word);
    let alike = |word: &str| SYNONYMS.iter().find(|(form, _)| is(form, word)).map(|(_, meant)| *meant);
    let cut = match word {
        _ if word.len() < 4 || !word.is_ascii() => word,
        _ if word.ends_with("ss") || word.ends_with("is") => word,
        _ if word.ends_with("ing") && word.len() > 5 => undouble(&word[..word.len() - 3]),
        _ if word.ends_with("ed") && word.len() > 4 => undouble(&word[..word.len() - 2]),
        _ => word.strip_suffix('s').unwrap_or(word),
    };
    alike(word).or_else(|| alike(cut)).map_or_else(
        || Cow::Borrowed(cut.strip_suffix('e').unwrap_or(cut)),
        |meant| Cow::Owned(meant.trim_end_matches('e').to_owned()),
    )
}

/// Reduces a doubled last letter to one.
fn undouble(stem: &str) -> &str {
    let bytes = stem.as_bytes();
    match bytes {
        [.., a, b] if a == b && stem.len() > 4 && !matches!(b, b's' | b'l') => &stem[..stem.len() - 1],
        _ => stem,
    }
}

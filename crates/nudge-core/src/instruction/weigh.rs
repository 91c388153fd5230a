//! The score of a sentence as a standing instruction: the evidence for and against, added up.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Kind;
use super::prose::Sentence;
use super::words::{Classes, Pattern};
use super::words::{Position, Word, words};

/// The least score of a standing instruction.
pub(super) const MIN_SCORE: i32 = 3;

/// The least weight of a sign that carries an instruction. Lighter signs only support one; without
/// a carrying sign a sentence needs one point more.
const MIN_CARRYING_WEIGHT: i32 = 3;

/// All signs of this weight together count once.
const SUPPORT_WEIGHT: i32 = 1;

/// A sentence with more words is a description.
const MAX_SENTENCE_WORDS: usize = 40;

/// A reproach ("I told you so") with fewer words counts only for the sentences next to it.
const WORDS_OF_CONTENT: usize = 7;

/// A reproach with fewer words is nothing but a reproach: its own score is 0.
const MIN_SENTENCE_WORDS: usize = 5;

/// What the form of a sentence adds or subtracts.
const QUESTION_SCORE: i32 = -6;

const ITEM_SCORE: i32 = -1;

const WORDY_SCORE: i32 = -2;

const ONE_WORD: i32 = -2;

const SHOUTING_SCORE: i32 = 1;

const MAX_FOR_CODE: i32 = 3;

/// The score of one sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct SentenceScore {
    /// The sum of its signs.
    pub score: i32,
    /// What its signs add to the sentences next to it.
    pub beside: i32,
    /// Whether it has a word of permanence.
    pub permanence: bool,
    /// The kind that its heaviest sign indicates.
    pub kind: Option<Kind>,
}

/// Scores a sentence by itself.
pub(super) fn score_sentence(sentence: &Sentence<'_>) -> SentenceScore {
    let words = words(sentence.text);
    let found = found(&words);
    let carries = found.iter().filter(|(sign, _)| sign.weight >= MIN_CARRYING_WEIGHT);
    let carried = carries.fold(0, |all, (_, clauses)| all | clauses);
    let permanence = found.iter().any(|(sign, _)| sign.permanent);
    let mut weighed = SentenceScore { permanence, ..SentenceScore::default() };
    let (mut heaviest, mut support) = (0, 0);
    for (sign, clauses) in found {
        match sign.reach {
            Reach::Clause if clauses & carried == 0 => continue,
            Reach::Fleeting if weighed.permanence => continue,
            _ => {}
        }
        match (sign.reach, sign.weight) {
            (Reach::Beside, weight) => weighed.beside += weight,
            (_, SUPPORT_WEIGHT) => support = SUPPORT_WEIGHT,
            (_, weight) => weighed.score += weight,
        }
        if sign.weight > heaviest && sign.kind.is_some() {
            (heaviest, weighed.kind) = (sign.weight, sign.kind);
        }
    }
    match words.len() {
        ..MIN_SENTENCE_WORDS if weighed.beside > 0 => return SentenceScore { score: 0, ..weighed },
        WORDS_OF_CONTENT.. => weighed.score += weighed.beside,
        _ => {}
    }
    weighed.score += support - i32::from(carried == 0) + form(sentence, &words, weighed.beside > 0);
    weighed
}

/// What the form of a sentence adds or subtracts. A reproach that begins as a question does not
/// count as a question.
fn form(sentence: &Sentence<'_>, words: &[Word<'_>], reproach: bool) -> i32 {
    let forms = [
        (
            sentence.text.trim_end_matches([')', '"']).ends_with('?') || asks(words) && !reproach,
            QUESTION_SCORE,
        ),
        (sentence.listed, ITEM_SCORE),
        (words.len() > MAX_SENTENCE_WORDS, WORDY_SCORE),
        (words.len() < 2, ONE_WORD),
        (shouts(sentence.text), SHOUTING_SCORE),
    ];
    let sum: i32 = forms.into_iter().filter(|(is_so, _)| *is_so).map(|(_, weight)| weight).sum();
    sum - code(sentence.text).min(MAX_FOR_CODE)
}

/// Whether a sentence begins as a question. A request in the form of a question ("can we …") does
/// not count.
pub(super) fn asks(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const ASKING: &[&str] = &[
        "are", "did", "do", "does", "has", "have", "how", "is", "q", "question", "should", "was",
        "were", "what", "which", "who", "why",
    ];
    let openings = words.iter().take_while(|word| word.position == Position::Sentence).count();
    let Some(word) = openings.checked_sub(1).and_then(|at| words.get(at)) else { return false };
    let next = words.get(openings).map(|word| word.text.as_ref());
    ASKING.contains(&word.text.as_ref()) && next != Some("not")
}

/// Whether a word of command is in capitals.
fn shouts(text: &str) -> bool {
    let loud =
        |word| matches!(word, "NOT" | "NEVER" | "ALWAYS" | "MUST" | "ONLY" | "STOP" | "DON'T" | "DONT");
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(loud)
}

/// How many words are names in code: a review mentions functions, a rule rarely does.
fn code(text: &str) -> i32 {
    let name = |word: &&str| {
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return false;
        }
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let camel =
            inner.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        camel
            || word.contains("()")
            || word.contains("://")
            || inner.contains("::")
            || inner.matches('_').count() > 1
    };
    i32::try_from(text.split_whitespace().filter(name).count()).unwrap_or(i32::MAX)
}

// The table of the evidence is `signs.txt`, which explains its own format. It is read once.

/// One sign.
#[derive(Clone, Debug)]
struct Sign {
    /// What it adds to the score of a sentence.
    pub weight: i32,
    /// The kind of instruction it indicates, if any.
    pub kind: Option<Kind>,
    /// Whether it is a word of permanence.
    pub permanent: bool,
    /// Where it counts.
    pub reach: Reach,
}

/// Where a sign counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Reach {
    /// In its sentence.
    Sentence,
    /// In its sentence, but only if the same clause has a sign that carries an instruction.
    Clause,
    /// In its sentence, unless that has a word of permanence.
    Fleeting,
    /// In its sentence and the sentences next to it: "how often do I have to say this".
    Beside,
}

/// The signs, and where to look for each.
struct Table {
    signs: Vec<Sign>,
    patterns: Vec<(usize, Pattern)>,
    by_first: HashMap<&'static str, Vec<usize>>,
}

static SIGN_TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("signs.txt")));

/// The signs in a sentence, each with a bit set of the clauses it is in.
fn found(words: &[Word<'_>]) -> Vec<(&'static Sign, u64)> {
    let mut clauses = vec![0; SIGN_TABLE.signs.len()];
    let mut clause = 1_u64;
    for (at, word) in words.iter().enumerate() {
        if at > 0 && word.position == Position::Clause {
            clause = clause.checked_mul(2).unwrap_or(clause);
        }
        for &index in SIGN_TABLE.by_first.get(word.text.as_ref()).into_iter().flatten() {
            let (sign, pattern) = &SIGN_TABLE.patterns[index];
            if clauses[*sign] & clause == 0 && pattern.matches(words, at) {
                clauses[*sign] |= clause;
            }
        }
    }
    SIGN_TABLE.signs.iter().zip(clauses).filter(|(_, clauses)| *clauses != 0).collect()
}

impl Table {
    fn read(written: &'static str) -> Self {
        let mut table = Self { signs: Vec::new(), patterns: Vec::new(), by_first: HashMap::new() };
        let mut classes = Classes::new();
        for line in written.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, words)) = line.strip_prefix('<').and_then(|line| line.split_once("> = ")) {
                classes.entry(name).or_default().extend(words.split(' '));
            } else if let Some((_, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
                table.signs.push(Sign::read(rest));
            } else {
                let patterns = line.split(',').map(str::trim).filter(|pattern| !pattern.is_empty());
                patterns.for_each(|pattern| table.add(Pattern::read(pattern, &classes)));
            }
        }
        table
    }

    /// Adds a pattern to the newest sign.
    fn add(&mut self, pattern: Pattern) {
        for first in pattern.first() {
            self.by_first.entry(first).or_default().push(self.patterns.len());
        }
        self.patterns.push((self.signs.len().saturating_sub(1), pattern));
    }
}

impl Sign {
    fn read(written: &str) -> Self {
        let has = |word: &str| written.split(' ').any(|written| written == word);
        let kinds = [("rule", Kind::Rule), ("fact", Kind::Fact), ("preference", Kind::Preference)];
        let reaches = [("clause", Reach::Clause), ("fleeting", Reach::Fleeting), ("beside", Reach::Beside)];
        Self {
            weight: written.split(' ').next().and_then(|weight| weight.parse().ok()).unwrap_or(0),
            kind: kinds.into_iter().find(|(word, _)| has(word)).map(|(_, kind)| kind),
            permanent: has("permanent"),
            reach: reaches
                .into_iter()
                .find(|(word, _)| has(word))
                .map_or(Reach::Sentence, |(_, reach)| reach),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let written = include_str!("signs.txt");
        assert_eq!(SIGN_TABLE.signs.len(), written.lines().filter(|line| line.starts_with('[')).count());
        assert!(SIGN_TABLE.signs.iter().all(|sign| sign.weight != 0), "a sign without a weight");
        let unread: Vec<_> = SIGN_TABLE.patterns.iter().filter(|(_, pattern)| !pattern.is_valid()).collect();
        assert!(unread.is_empty(), "{unread:?}");
    }
}

//! A parsed query: an expression over its terms; or why it cannot be parsed.

use crate::text::analyzer::{Form, Word, Words};

/// The most words of a sentence that are searched for. A prompt of a page would otherwise cost as
/// much as thirty prompts.
const MAX_WORDS: usize = 32;

/// A query, ready to be run any number of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub(crate) expression: Expression,
    pub(crate) terms: Vec<Term>,
    pub(crate) reading: Reading,
}

/// How the terms are combined when no operator says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Operators were used: the expression decides, adjacent terms mean AND.
    Strict,
    /// Quotes or a prefix and no operator: all are required; if no entry has them all, any.
    Phrases,
    /// Up to four distinctive words and nothing else: entries with all of them, then entries with
    /// some.
    Keywords,
    /// A sentence: any of its words, the best first.
    Sentence,
}

/// An expression over the terms of a query, by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Term(usize),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
}

impl Query {
    /// Whether an entry with only some of its words is less than what was asked for.
    pub fn expects_all(&self) -> bool {
        self.reading != Reading::Sentence
    }

    /// Whether it has more words than are searched for.
    pub fn is_narrowed(&self) -> bool {
        self.reading == Reading::Sentence && self.terms.len() > MAX_WORDS
    }

    /// How the words are combined.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Whether any of its words may match if no entry has them all.
    pub(crate) fn may_relax(&self) -> bool {
        matches!(self.reading, Reading::Keywords | Reading::Phrases) && self.terms.len() > 1
    }

    /// Whether entries with some of its words follow those with all.
    pub(crate) fn shows_rest(&self) -> bool {
        self.reading == Reading::Keywords && self.terms.len() > 1
    }

    /// For a sentence with more words than are searched for: the rarest words that any entry has,
    /// and their numbers. `holding` returns how many documents have a word.
    pub(crate) fn narrowed(&self, holding: impl Fn(&str) -> u64) -> Option<(Self, Vec<usize>)> {
        if !self.is_narrowed() {
            return None;
        }
        let held = |term: &Term| match term.patterns.as_slice() {
            [Pattern::Word(word)] => holding(word),
            _ => u64::MAX,
        };
        let mut known: Vec<(u64, usize)> = self.terms.iter().map(held).zip(0..).collect();
        known.retain(|(held, _)| *held > 0);
        known.sort_unstable();
        known.truncate(MAX_WORDS);
        let mut chosen: Vec<usize> = known.into_iter().map(|(_, term)| term).collect();
        chosen.sort_unstable();
        let terms = chosen.iter().map(|&term| self.terms[term].clone()).collect();
        let expression = Expression::Or((0..chosen.len()).map(Expression::Term).collect());
        Some((Self { expression, terms, reading: self.reading }, chosen))
    }

    /// The same words; any one is enough.
    pub(crate) fn relaxed(&self) -> Self {
        Self {
            expression: Expression::Or((0..self.terms.len()).map(Expression::Term).collect()),
            terms: self.terms.clone(),
            reading: Reading::Sentence,
        }
    }
}

impl Expression {
    /// Whether a document matches, given which terms it has.
    pub(crate) fn matches(&self, has: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Term(index) => has(*index),
            Self::And(all) => all.iter().all(|part| part.matches(has)),
            Self::Or(any) => any.iter().any(|part| part.matches(has)),
            Self::Not(part) => !part.matches(has),
        }
    }

    /// The terms that count for a document: those not under a NOT.
    pub(crate) fn wanted(&self, into: &mut Vec<usize>) {
        match self {
            Self::Term(index) => into.push(*index),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.wanted(into)),
            Self::Not(_) => {}
        }
    }

    /// How many terms it has, counting each use.
    pub(super) fn uses(&self) -> usize {
        match self {
            Self::Term(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::uses).sum(),
            Self::Not(part) => part.uses(),
        }
    }

    /// Whether it says what to find, not only what to exclude.
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Self::Term(_) => true,
            Self::And(parts) => parts.iter().any(Self::is_bounded),
            Self::Or(parts) => parts.iter().all(Self::is_bounded),
            Self::Not(_) => false,
        }
    }
}

// A term of a query, and the word patterns that count as finding it.

/// Something that was typed, and the patterns that find it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// As typed, for explanations.
    pub(crate) label: String,
    /// Any of these is enough.
    pub(crate) patterns: Vec<Pattern>,
    /// Whether it looks like a name in code: several parts, or a sign.
    pub(crate) is_name: bool,
}

/// A pattern over the words of one text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    /// This word.
    Word(String),
    /// A word that begins like this.
    Prefix(String),
    /// These words at these distances from the first; at least two steps.
    Phrase(Vec<Step>),
    /// The same; the last step is the beginning of a word.
    PhrasePrefix(Vec<Step>),
}

/// One step of a phrase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) offset: u32,
    pub(crate) text: String,
}

impl Term {
    /// The patterns for `text` as typed between spaces or quotes; `None` if there is no word in it.
    pub(crate) fn typed(text: &str, is_prefix: bool) -> Option<Self> {
        let words = Words::of(text);
        let mut steps = steps(&words);
        let last = words.iter().filter(|word| matches!(word.form, Form::Part | Form::Signed)).last();
        // In a script without spaces, every word that contains the text counts as one that begins
        // with it.
        let open =
            last.filter(|last| is_prefix && steps.last().is_some_and(|step| step.offset == last.position));
        if let (Some(open), Some(step)) = (open, steps.last_mut()) {
            step.text = open.text.to_owned();
        }
        let mut patterns = vec![pattern(steps, open.is_some())?];
        patterns.extend(whole(&words, open.is_some()));
        let is_name = words.iter().any(|word| matches!(word.form, Form::Whole | Form::Signed));
        Some(Self { label: text.trim().to_owned(), patterns, is_name })
    }
}

fn pattern(mut steps: Vec<Step>, is_open: bool) -> Option<Pattern> {
    Some(match (steps.len(), is_open) {
        (0, _) => return None,
        (1, false) => Pattern::Word(steps.remove(0).text),
        (1, true) => Pattern::Prefix(steps.remove(0).text),
        (_, false) => Pattern::Phrase(steps),
        (_, true) => Pattern::PhrasePrefix(steps),
    })
}

/// The whole name, if the text is one name of several parts without a sign.
fn whole(words: &Words, is_open: bool) -> Option<Pattern> {
    if words.iter().any(|word| word.name != 0 || word.form == Form::Signed) {
        return None;
    }
    let whole = words.iter().find(|word| word.form == Form::Whole)?;
    if is_open {
        return Some(Pattern::Prefix(whole.text.to_owned()));
    }
    let stem = words.iter().find(|word| word.form == Form::WholeStem);
    Some(Pattern::Word(stem.unwrap_or(whole).text.to_owned()))
}

/// The words that represent the text in a phrase, one per position: a stem rather than the written
/// form, the form with a sign rather than either, a pair rather than a character. The second
/// character of a pair needs no step of its own.
fn steps(words: &Words) -> Vec<Step> {
    let mut chosen: Vec<Word<'_>> = Vec::new();
    let is_step = |word: &Word<'_>| !matches!(word.form, Form::Whole | Form::WholeStem | Form::Dotted);
    for word in words.iter().filter(is_step) {
        match chosen.last_mut() {
            Some(last) if last.position == word.position => *last = word,
            Some(last)
                if last.form == Form::Pair
                    && last.position + 1 == word.position
                    && word.form == Form::Single =>
            {
                chosen.push(word);
            }
            _ => chosen.push(word),
        }
    }
    let mut steps = Vec::with_capacity(chosen.len());
    for (index, word) in chosen.iter().enumerate() {
        let is_covered = word.form == Form::Single && index > 0 && chosen[index - 1].form == Form::Pair;
        if !is_covered {
            steps.push(Step { offset: word.position, text: word.text.to_owned() });
        }
    }
    steps
}

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at character {}", at + 1)]
pub struct QueryError {
    /// What is wrong, in a few words.
    pub message: String,
    /// The position, in characters from the beginning of the query.
    pub at: usize,
}

impl QueryError {
    pub(super) fn new(message: impl Into<String>, at: usize) -> Self {
        Self { message: message.into(), at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, is_prefix: bool) -> String {
        let Some(term) = Term::typed(text, is_prefix) else { return "nothing".into() };
        let show = |steps: &[Step]| {
            steps.iter().map(|step| format!("{}+{}", step.text, step.offset)).collect::<Vec<_>>().join(" ")
        };
        let shown = term.patterns.iter().map(|pattern| match pattern {
            Pattern::Word(word) => word.clone(),
            Pattern::Prefix(word) => format!("{word}*"),
            Pattern::Phrase(steps) => format!("[{}]", show(steps)),
            Pattern::PhrasePrefix(steps) => format!("[{}*]", show(steps)),
        });
        shown.collect::<Vec<_>>().join(" or ")
    }

    #[test]
    fn what_finds_a_word() {
        assert_eq!(shown("Tests", false), "test");
        assert_eq!(shown("OPS-1234", false), "[op+0 1234+1] or ops1234");
        assert_eq!(shown("src/a.rs", false), "[src+0 a+1 rs+2]");
        assert_eq!(shown("使用者rust", false), "[使用+0 用者+1 rust+3]");
        assert_eq!(shown("者", false), "者");
        assert_eq!(shown("&&", false), "nothing");
    }

    #[test]
    fn what_finds_a_sign() {
        assert_eq!(shown("C++", false), "c++");
        assert_eq!(shown("the C# code", false), "[the+0 c#+1 code+2]");
        assert_eq!(shown("objective-c++", false), "[object+0 c+++1]");
        assert_eq!(shown(".net", false), ".net");
        assert_eq!(shown("asp.net", false), "[asp+0 net+1]");
        assert_eq!(shown(".gitIgn", true), "[.git+0 ign+1*]");
        assert_eq!(shown(".ne", true), ".ne*");
        assert_eq!(shown("c++", true), "c++*");
    }

    #[test]
    fn what_finds_a_beginning() {
        assert_eq!(shown("tests", true), "tests*");
        assert_eq!(shown("getUse", true), "[get+0 use+1*] or getuse*");
        assert_eq!(shown("使用", true), "使用");
    }
}

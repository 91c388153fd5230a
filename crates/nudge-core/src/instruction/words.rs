//! The words of a sentence, normalised for comparison, and patterns over them.

use std::borrow::Cow;
use std::collections::HashMap;

/// The position of a word in its sentence.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Position {
    /// Anywhere else.
    Inside,
    /// It begins a clause: it follows a comma, a dash, a bracket or a conjunction.
    Clause,
    /// It begins the sentence.
    Sentence,
}

/// A word in lower case, without the punctuation around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: Cow<'a, str>,
    pub position: Position,
}

/// Words that open a sentence without being part of it: "ok, please use tabs" begins with "use".
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "actually", "again", "ah", "alright", "also", "and", "btw", "but", "cool", "good", "great",
    "hey", "hmm", "kindly", "nah", "nope", "note", "oh", "ok", "okay", "please", "pls", "plz",
    "ps", "right", "so", "sorry", "sure", "thanks", "though", "wait", "well", "yeah", "yep", "yes",
];

/// Words that join clauses: the word after them begins one.
#[rustfmt::skip]
const CONJUNCTIONS: &[&str] = &[
    "and", "because", "but", "however", "or", "please", "pls", "since", "so", "then", "therefore",
    "though",
];

/// The words of a sentence. "don't" is "do not".
pub(super) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut words = Vec::with_capacity(sentence.len() / 5);
    let mut position = Position::Sentence;
    for run in Runs(sentence) {
        match run {
            Run::Mark if words.last().is_some_and(answers_no) => position = Position::Sentence,
            Run::Mark => position = position.max(Position::Clause),
            Run::Word(raw) => position = push(&mut words, raw, position),
        }
    }
    words
}

/// "No, use tabs" begins with "use"; "no tabs" with "no".
fn answers_no(word: &Word<'_>) -> bool {
    word.position == Position::Sentence && word.text == "no"
}

/// Adds a word and returns the position of the next one.
fn push<'a>(words: &mut Vec<Word<'a>>, raw: &'a str, position: Position) -> Position {
    let text = level(raw);
    let next = match position {
        Position::Sentence if FILLERS.contains(&text.as_ref()) => Position::Sentence,
        _ if CONJUNCTIONS.contains(&text.as_ref()) => Position::Clause,
        _ => Position::Inside,
    };
    match contraction(&text) {
        Some((first, second)) => {
            words.push(Word { text: Cow::Borrowed(first), position });
            words.push(Word { text: Cow::Borrowed(second), position: Position::Inside });
        }
        None => words.push(Word { text, position }),
    }
    next
}

fn level(raw: &str) -> Cow<'_, str> {
    if raw.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(raw);
    }
    if raw.is_ascii() {
        return Cow::Owned(raw.to_ascii_lowercase());
    }
    Cow::Owned(raw.to_lowercase().replace('’', "'"))
}

enum Run<'a> {
    Word(&'a str),
    Mark,
}

/// A sentence split into words and the punctuation that separates clauses.
struct Runs<'a>(&'a str);

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        loop {
            let first = self.0.chars().next()?;
            if begins_word(first) {
                let end = self.0.find(|c| !inside_word(c)).unwrap_or(self.0.len());
                let (word, rest) = self.0.split_at(end);
                let word = word.trim_end_matches(|c| !begins_word(c) && c != '/');
                self.0 = rest;
                return Some(Run::Word(word));
            }
            self.0 = &self.0[first.len_utf8()..];
            if matches!(first, ',' | ';' | ':' | '(' | ')' | '–' | '—' | '-' | '!' | '.') {
                return Some(Run::Mark);
            }
        }
    }
}

fn begins_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// Names of files, directories and packages are one word each.
fn inside_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '.' | '/' | '@' | '+' | '#')
}

/// Contractions of two words. A form without its apostrophe is listed if it is not another word.
fn contraction(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "ain't" | "isn't" | "isnt" => ("is", "not"),
        "aren't" | "arent" => ("are", "not"),
        "can't" | "cannot" | "cant" => ("can", "not"),
        "couldn't" => ("could", "not"),
        "didn't" | "didnt" => ("did", "not"),
        "doesn't" | "doesnt" => ("does", "not"),
        "don't" | "dont" => ("do", "not"),
        "hadn't" => ("had", "not"),
        "hasn't" => ("has", "not"),
        "haven't" => ("have", "not"),
        "i'd" => ("i", "would"),
        "i'll" => ("i", "will"),
        "i'm" | "im" => ("i", "am"),
        "i've" | "ive" => ("i", "have"),
        "it's" => ("it", "is"),
        "let's" | "lets" => ("let", "us"),
        "mustn't" => ("must", "not"),
        "shouldn't" | "shouldnt" => ("should", "not"),
        "that's" | "thats" => ("that", "is"),
        "there's" => ("there", "is"),
        "they're" => ("they", "are"),
        "wasn't" => ("was", "not"),
        "we'd" => ("we", "would"),
        "we'll" => ("we", "will"),
        "we're" => ("we", "are"),
        "we've" => ("we", "have"),
        "weren't" => ("were", "not"),
        "what's" => ("what", "is"),
        "won't" | "wont" => ("will", "not"),
        "wouldn't" => ("would", "not"),
        "you'd" => ("you", "would"),
        "you'll" => ("you", "will"),
        "you're" => ("you", "are"),
        "you've" => ("you", "have"),
        _ => return None,
    })
}

// Patterns over the words of a sentence.
//
// A pattern is written as words with spaces between them:
//
// | written | matches |
// |---|---|
// | `^` | nothing; what follows begins a clause. `^^`: begins the sentence |
// | `a\|b` | one of these words |
// | `*ing` | a word with this ending |
// | `<verb>` | a word of the class of this name |
// | `a?` | this word, or nothing |
// | `!a` | nothing; the next word is not this one |
// | `_` | any word |
// | `..` | up to six words |
// | `$` | nothing; the clause ends |

/// The most words that a `..` may skip: enough for "in all of our own packages".
const MAX_GAP: usize = 6;

/// A set of words, one of them required at a position.
#[derive(Clone, Debug, Default)]
struct Words {
    /// Sorted for searching: a class has up to a hundred.
    listed: Vec<&'static str>,
    endings: Vec<&'static str>,
    any: bool,
}

/// The words of each class.
pub(super) type Classes = HashMap<&'static str, Vec<&'static str>>;

#[derive(Clone, Debug)]
enum Part {
    One(Words),
    Maybe(Words),
    Not(Words),
    Gap,
    End,
}

/// One pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    position: Position,
    parts: Vec<Part>,
}

impl Pattern {
    pub(super) fn read(written: &'static str, classes: &Classes) -> Self {
        let mut position = Position::Inside;
        let mut parts = Vec::new();
        for part in written.split(' ') {
            match part {
                "^" => position = Position::Clause,
                "^^" => position = Position::Sentence,
                _ => parts.push(Part::read(part, classes)),
            }
        }
        Self { position, parts }
    }

    /// The words that can begin a match. A pattern begins with a word, so it is tried only where
    /// that word occurs.
    pub(super) fn first(&self) -> &[&'static str] {
        match self.parts.first() {
            Some(Part::One(words)) => &words.listed,
            _ => &[],
        }
    }

    /// Whether it can match: it begins with a listed word, and all its classes are known.
    #[cfg(test)]
    pub(super) fn is_valid(&self) -> bool {
        let plain = |word: &&str| !word.is_empty() && !word.contains(['<', '>', '^', '!', '?', '$', '*']);
        let known = |words: &Words| words.listed.iter().chain(&words.endings).all(plain);
        let sound = |part: &Part| match part {
            Part::One(words) | Part::Maybe(words) | Part::Not(words) => known(words),
            Part::Gap | Part::End => true,
        };
        let begins =
            matches!(self.parts.first(), Some(Part::One(words)) if words.endings.is_empty() && !words.any);
        begins && !self.first().is_empty() && self.parts.iter().all(sound)
    }

    /// Whether it matches from this word on.
    pub(super) fn matches(&self, words: &[Word<'_>], at: usize) -> bool {
        words[at].position >= self.position && fits(&self.parts, words, at)
    }
}

impl Part {
    fn read(part: &'static str, classes: &Classes) -> Self {
        match part {
            ".." => Self::Gap,
            "$" => Self::End,
            _ => match (part.strip_prefix('!'), part.strip_suffix('?')) {
                (Some(not), _) => Self::Not(one_of(not, classes)),
                (_, Some(maybe)) => Self::Maybe(one_of(maybe, classes)),
                _ => Self::One(one_of(part, classes)),
            },
        }
    }
}

fn one_of(part: &'static str, classes: &Classes) -> Words {
    let mut words = Words::default();
    for word in part.split('|') {
        let class = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        match (class.and_then(|class| classes.get(class)), word.strip_prefix('*')) {
            (Some(class), _) => words.listed.extend_from_slice(class),
            (_, Some(ending)) => words.endings.push(ending),
            _ if word == "_" => words.any = true,
            _ => words.listed.push(word),
        }
    }
    words.listed.sort_unstable();
    words.listed.dedup();
    words
}

fn fits(parts: &[Part], words: &[Word<'_>], at: usize) -> bool {
    let Some((part, rest)) = parts.split_first() else { return true };
    let word = words.get(at).map(|word| word.text.as_ref());
    let among = |words: &Words| word.is_some_and(|word| words.has(word));
    match part {
        Part::One(list) => among(list) && fits(rest, words, at + 1),
        Part::Maybe(list) => (among(list) && fits(rest, words, at + 1)) || fits(rest, words, at),
        Part::Not(list) => !among(list) && fits(rest, words, at),
        Part::Gap => (at..=at + MAX_GAP).take_while(|at| *at <= words.len()).any(|at| fits(rest, words, at)),
        Part::End => words.get(at).is_none_or(|word| word.position > Position::Inside),
    }
}

impl Words {
    fn has(&self, word: &str) -> bool {
        self.any || self.listed.binary_search(&word).is_ok() || self.endings.iter().any(|end| ends(word, end))
    }
}

/// Whether a word really has this ending: "is", "its" and "class" are not plurals.
fn ends(word: &str, end: &str) -> bool {
    let other =
        end == "s" && (word.len() < 4 || ["ss", "is", "us", "as"].iter().any(|end| word.ends_with(end)));
    word.len() > end.len() + 1 && word.ends_with(end) && !other
}

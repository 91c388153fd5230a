//! Patterns over the words of a sentence.
//!
//! A pattern is written as words with spaces between them:
//!
//! | written | matches |
//! |---|---|
//! | `^` | nothing; what follows begins a clause. `^^`: begins the sentence |
//! | `a\|b` | one of these words |
//! | `*ing` | a word with this ending |
//! | `<verb>` | a word of the class of this name |
//! | `a?` | this word, or nothing |
//! | `!a` | nothing; the next word is not this one |
//! | `_` | any word |
//! | `..` | up to six words |
//! | `$` | nothing; the clause ends |

use std::collections::HashMap;

use super::words::{Place, Word};

/// The most words that a `..` may skip: enough for "in all of our own packages".
const GAP: usize = 6;

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
    place: Place,
    parts: Vec<Part>,
}

impl Pattern {
    pub(super) fn read(written: &'static str, classes: &Classes) -> Self {
        let mut place = Place::Inside;
        let mut parts = Vec::new();
        for part in written.split(' ') {
            match part {
                "^" => place = Place::Clause,
                "^^" => place = Place::Sentence,
                _ => parts.push(Part::read(part, classes)),
            }
        }
        Self { place, parts }
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
        words[at].place >= self.place && fits(&self.parts, words, at)
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
        Part::Gap => (at..=at + GAP).take_while(|at| *at <= words.len()).any(|at| fits(rest, words, at)),
        Part::End => words.get(at).is_none_or(|word| word.place > Place::Inside),
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

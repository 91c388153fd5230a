//! The words of a sentence, normalised for comparison.

use std::borrow::Cow;

/// The position of a word in its sentence.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
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
    pub place: Place,
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
const JOINTS: &[&str] = &[
    "and", "because", "but", "however", "or", "please", "pls", "since", "so", "then", "therefore",
    "though",
];

/// The words of a sentence. "don't" is "do not".
pub(super) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut words = Vec::with_capacity(sentence.len() / 5);
    let mut place = Place::Sentence;
    for run in Runs(sentence) {
        match run {
            Run::Mark if words.last().is_some_and(answers_no) => place = Place::Sentence,
            Run::Mark => place = place.max(Place::Clause),
            Run::Word(raw) => place = push(&mut words, raw, place),
        }
    }
    words
}

/// "No, use tabs" begins with "use"; "no tabs" with "no".
fn answers_no(word: &Word<'_>) -> bool {
    word.place == Place::Sentence && word.text == "no"
}

/// Adds a word and returns the position of the next one.
fn push<'a>(words: &mut Vec<Word<'a>>, raw: &'a str, place: Place) -> Place {
    let text = level(raw);
    let next = match place {
        Place::Sentence if FILLERS.contains(&text.as_ref()) => Place::Sentence,
        _ if JOINTS.contains(&text.as_ref()) => Place::Clause,
        _ => Place::Inside,
    };
    match contraction(&text) {
        Some((first, second)) => {
            words.push(Word { text: Cow::Borrowed(first), place });
            words.push(Word { text: Cow::Borrowed(second), place: Place::Inside });
        }
        None => words.push(Word { text, place }),
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

//! Free text as a query: the distinctive words of a sentence, any of which may match.

use std::collections::HashMap;

use super::expression::{Expression, Pattern, Query, Reading, Term};
use crate::text::analyzer::{Form, Word, Words};

/// How many words of a sentence are considered: their rarity decides which are searched for.
const MAX_WORDS: usize = 256;

/// How much of a text is read, in bytes: the important words are near its beginning, and a pasted
/// log has no end.
const MAX_PROMPT: usize = 16 * 1024;

pub(super) fn of_prompt(text: &str) -> Option<Query> {
    let words = Words::of(clipped(text));
    let mut found = Candidates::default();
    for index in 0..words.len() {
        found.offer(&words, index);
    }
    let terms = found.into_terms();
    if terms.is_empty() {
        return None;
    }
    let expression = Expression::Or((0..terms.len()).map(Expression::Term).collect());
    Some(Query { expression, terms, reading: Reading::Sentence })
}

fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_PROMPT)]
}

/// Words in order of appearance, each once.
#[derive(Default)]
struct Candidates {
    order: Vec<Candidate>,
    known: HashMap<String, usize>,
}

struct Candidate {
    label: String,
    word: String,
    is_name: bool,
    telling: u32,
}

impl Candidates {
    fn offer(&mut self, words: &Words, index: usize) {
        let word = words.at(index);
        let is_said_better = word.form == Form::Dotted
            || words.len() > index + 1 && replaces(words.at(index + 1), word)
            || index > 0 && replaces(words.at(index - 1), word);
        if is_said_better {
            return;
        }
        let label = match word.form {
            Form::Stem | Form::WholeStem => words.at(index - 1).text,
            _ => word.text,
        };
        if !self.known.contains_key(word.text) {
            self.known.insert(word.text.to_owned(), self.order.len());
            let telling = distinctiveness(word.form, label);
            let is_name = matches!(word.form, Form::Whole | Form::WholeStem | Form::Signed);
            let (label, word) = (label.to_owned(), word.text.to_owned());
            self.order.push(Candidate { label, word, is_name, telling });
        }
    }

    /// The most distinctive ones, in order of appearance; common words only if there are no others.
    fn into_terms(self) -> Vec<Term> {
        let mut ranked: Vec<(usize, Candidate)> = self.order.into_iter().enumerate().collect();
        if ranked.iter().any(|(_, candidate)| candidate.telling > 0) {
            ranked.retain(|(_, candidate)| candidate.telling > 0);
        }
        ranked.sort_by_key(|(_, candidate)| std::cmp::Reverse(candidate.telling));
        ranked.truncate(MAX_WORDS);
        ranked.sort_by_key(|(order, _)| *order);
        let term = |(_, candidate): (usize, Candidate)| Term {
            label: candidate.label,
            patterns: vec![Pattern::Word(candidate.word)],
            is_name: candidate.is_name,
        };
        ranked.into_iter().map(term).collect()
    }
}

/// Whether to search only for `other`: the stem of `word`, or a pair of characters that includes
/// it.
fn replaces(other: Word<'_>, word: Word<'_>) -> bool {
    match (word.form, other.form) {
        (Form::Part, Form::Stem) | (Form::Whole, Form::WholeStem) => word.position == other.position,
        (Form::Single, Form::Pair) => other.position == word.position || other.position + 1 == word.position,
        _ => false,
    }
}

/// How distinctive a word is by its form.
fn distinctiveness(form: Form, label: &str) -> u32 {
    if is_common(label) {
        return 0;
    }
    let length = label.chars().count().min(20) as u32;
    match form {
        Form::Whole | Form::WholeStem | Form::Signed => 40 + length,
        Form::Pair => 30,
        Form::Single | Form::Dotted => 1,
        Form::Part | Form::Stem => 1 + length,
    }
}

/// English words that say nothing about the topic of a sentence.
pub(super) fn is_common(word: &str) -> bool {
    const COMMON: &str = " a an and any are as at be been but by can could did do does for from had has have he her his how \
        i if in into is it its just let may me might more most must my no nor not now of on one only or other our out over \
        own please same she should so some such t than that the their them then there these they this those to too up us \
        was we were what when where which while who whom why will with would you your ";
    word.len() < 8 && COMMON.contains(&format!(" {word} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        of_prompt(text).map_or("nothing".into(), |query| {
            let words = query.terms.iter().map(|term| match &term.patterns[0] {
                Pattern::Word(word) => word.clone(),
                _ => "?".into(),
            });
            words.collect::<Vec<_>>().join(" ")
        })
    }

    #[test]
    fn a_sentence_is_its_telling_words() {
        assert_eq!(shown("Why does the getUserName() of \"it fail?"), "get user name getusernam fail");
        assert_eq!(shown("to be or not to be"), "to be or not");
        assert_eq!(shown("((( ***"), "nothing");
        assert_eq!(shown("port x.py to C++"), "port x py c c++");
        assert_eq!(shown("数据库 x"), "数据 据库 x");
    }

    #[test]
    fn a_long_one_is_capped() {
        let long: String = (0..200).map(|i| format!("w{i} word{i} ")).collect();
        assert_eq!(of_prompt(&long).map(|query| query.terms.len()), Some(MAX_WORDS));
    }
}

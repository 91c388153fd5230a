//! Whether a text is a query, or a sentence, in which nothing is a condition.

use std::collections::BTreeSet;

use super::lex::{Lexeme, Token};
use super::number;
use crate::text::query::prompt::is_common;
use crate::text::query::term::Term;

/// Up to this many plain words are all required; a longer list is a sentence. Words like `the` do
/// not count.
pub(super) const MOST_KEYWORDS: usize = 4;

pub(super) const fn is_operator(lexeme: &Lexeme<'_>) -> bool {
    matches!(lexeme, Lexeme::And | Lexeme::Or | Lexeme::Not)
}

/// Whether the text has more words in a row, without an operator, than people type as a query.
/// Phrases do not count. People who type an operator leave out common words; people who write NOT
/// in a sentence do not.
pub(super) fn is_sentence(tokens: &[Token<'_>]) -> bool {
    let has_operator = tokens.iter().any(|token| is_operator(&token.lexeme));
    if has_small_words(tokens, has_operator) {
        return true;
    }
    let mut runs = tokens.split(|token| is_operator(&token.lexeme));
    runs.any(|run| {
        let words = run.iter().filter_map(|token| match token.lexeme {
            Lexeme::Word { text, .. } => Some(text),
            _ => None,
        });
        is_long(words, has_operator)
    })
}

/// Whether a text with operators or phrases has so many different common words that it is a
/// sentence with NOT or quotation marks in it.
fn has_small_words(tokens: &[Token<'_>], has_operator: bool) -> bool {
    let has_phrase = tokens.iter().any(|token| matches!(token.lexeme, Lexeme::Quoted { .. }));
    let words = tokens.iter().filter_map(|token| match token.lexeme {
        Lexeme::Word { text, .. } => Some(text.to_lowercase()),
        _ => None,
    });
    let small: BTreeSet<String> = words.filter(|word| is_common(word)).collect();
    has_operator && small.len() >= 3 || has_phrase && small.len() >= 2
}

/// Whether these are more than four words; `counts_small` includes common ones.
pub(super) fn is_long<'w>(words: impl Iterator<Item = &'w str>, counts_small: bool) -> bool {
    let mut terms = Vec::new();
    for term in words.filter_map(|word| Term::typed(word, false)) {
        if counts_small || !is_common(&term.label.to_lowercase()) {
            number(term, &mut terms);
        }
        if terms.len() > MOST_KEYWORDS {
            return true;
        }
    }
    false
}

//! The analyzer as a Tantivy tokenizer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::text::analyzer::Words;

/// Gives the engine the words of our analyzer.
#[derive(Clone)]
pub(super) struct Analyzer {
    words: Words,
    token: Token,
}

pub(super) struct Tokens<'a> {
    words: &'a Words,
    token: &'a mut Token,
    next: usize,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self { words: Words::with_memory(), token: Token::default() }
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Tokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        self.words.analyze(text);
        self.token.reset();
        Tokens { words: &self.words, token: &mut self.token, next: 0 }
    }
}

impl TokenStream for Tokens<'_> {
    fn advance(&mut self) -> bool {
        if self.next == self.words.len() {
            return false;
        }
        let word = self.words.at(self.next);
        self.token.text.clear();
        self.token.text.push_str(word.text);
        self.token.position = word.position as usize;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

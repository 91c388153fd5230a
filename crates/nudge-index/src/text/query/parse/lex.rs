//! The tokens of a query.

use super::super::expression::QueryError;

/// A token and its start, in characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) lexeme: Lexeme<'a>,
    pub(super) at: usize,
}

/// The kinds of tokens.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    Word { text: &'a str, is_prefix: bool },
    Quoted { text: &'a str, is_prefix: bool },
    And,
    Or,
    Not,
    Open,
    Close,
}

impl Lexeme<'_> {
    /// Its name in error messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Word { .. } => "a word",
            Self::Quoted { .. } => "a phrase",
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
            Self::Open => "an opening parenthesis",
            Self::Close => "a closing parenthesis",
        }
    }
}

/// Splits a query into tokens.
pub(super) fn lex(text: &str) -> Result<Vec<Token<'_>>, QueryError> {
    let mut lexer = Lexer { text, byte: 0, at: 0, tokens: Vec::new(), opened: Vec::new() };
    while let Some(c) = lexer.text[lexer.byte..].chars().next() {
        match c {
            c if c.is_whitespace() => lexer.advance(c.len_utf8()),
            '"' => lexer.quoted()?,
            '(' => lexer.open(),
            ')' => lexer.close(),
            _ => lexer.word(),
        }
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    text: &'a str,
    byte: usize,
    at: usize,
    tokens: Vec<Token<'a>>,
    opened: Vec<Opened>,
}

/// What a closing parenthesis closes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Opened {
    Group,
    /// A parenthesis inside a word that ended before it was closed, as in `main(void x)`.
    Word,
}

impl<'a> Lexer<'a> {
    fn advance(&mut self, bytes: usize) {
        self.at += self.text[self.byte..self.byte + bytes].chars().count();
        self.byte += bytes;
    }

    fn push(&mut self, lexeme: Lexeme<'a>, bytes: usize) {
        self.tokens.push(Token { lexeme, at: self.at });
        self.advance(bytes);
    }

    fn open(&mut self) {
        self.opened.push(Opened::Group);
        self.push(Lexeme::Open, 1);
    }

    /// Only a parenthesis that closes a group has a meaning; any other counts as a space.
    fn close(&mut self) {
        match self.opened.pop() {
            Some(Opened::Group) => self.push(Lexeme::Close, 1),
            Some(Opened::Word) | None => self.advance(1),
        }
    }

    /// From one quote to the next; two quotes in a row are a quote inside.
    fn quoted(&mut self) -> Result<(), QueryError> {
        let inner = &self.text[self.byte + 1..];
        // A quote at the very end quotes nothing.
        if inner.trim().is_empty() && !self.tokens.is_empty() {
            self.advance(self.text.len() - self.byte);
            return Ok(());
        }
        let mut end = 0;
        loop {
            let Some(quote) = inner[end..].find('"') else {
                return Err(QueryError::new("unclosed quote", self.at));
            };
            end += quote;
            if !inner[end + 1..].starts_with('"') {
                break;
            }
            end += 2;
        }
        let is_prefix = inner[end + 1..].starts_with('*');
        self.push(Lexeme::Quoted { text: &inner[..end], is_prefix }, end + 2 + usize::from(is_prefix));
        Ok(())
    }

    /// Up to a space, a quote, or a closing parenthesis that was not opened inside the word.
    fn word(&mut self) {
        let rest = &self.text[self.byte..];
        let mut open = 0;
        let mut end = rest.len();
        for (index, c) in rest.char_indices() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                '"' | ')' => end = index,
                c if c.is_whitespace() => end = index,
                _ => continue,
            }
            if end == index {
                break;
            }
        }
        self.opened.extend(std::iter::repeat_n(Opened::Word, open));
        let text = &rest[..end];
        let lexeme = match text {
            "AND" => Lexeme::And,
            "OR" => Lexeme::Or,
            "NOT" => Lexeme::Not,
            _ => match text.strip_suffix('*') {
                Some(stem) if stem.chars().any(char::is_alphanumeric) => {
                    Lexeme::Word { text: stem, is_prefix: true }
                }
                _ => Lexeme::Word { text, is_prefix: false },
            },
        };
        self.push(lexeme, end);
    }
}

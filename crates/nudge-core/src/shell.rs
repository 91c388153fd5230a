//! The words of a command line, as byte ranges, including quotes.
//!
//! What a line runs is read by `nudge-outcomes`; here no byte is lost, because guards look at it.

use std::ops::Range;

/// How closely the shell is followed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text is a command line: quotes, escapes and expansions belong to their word, across line
    /// ends and to any depth. An unclosed one extends to the end.
    Shell,
    /// The text may contain a command line: only quotes hold a word together, and none crosses a
    /// line end. Nothing is escaped and nothing nests, so a stray quote in prose costs one line and
    /// not the rest of the text.
    Text,
}

/// A piece of a command line. Blanks are not tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A word with its quotes and expansions.
    Word(Range<usize>),
    /// A separator of commands, such as `;`.
    Break,
}

impl Token {
    /// The range of the word, if it is one.
    pub fn word(self) -> Option<Range<usize>> {
        match self {
            Self::Word(place) => Some(place),
            Self::Break => None,
        }
    }
}

/// The words and breaks of a text from an offset on.
pub const fn tokens(text: &[u8], from: usize, reading: Reading) -> Tokens<'_> {
    Tokens { text, at: from, reading }
}

/// The iterator that [`tokens`] returns.
#[derive(Clone, Debug)]
pub struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
    reading: Reading,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            match self.blank() {
                0 => break,
                blank => self.at += blank,
            }
        }
        let start = self.at;
        if self.is_break(*self.text.get(start)?) {
            self.at += 1;
            return Some(Token::Break);
        }
        self.at = match self.reading {
            Reading::Shell => shell_word_end(self.text, start),
            Reading::Text => text_word_end(self.text, start),
        };
        Some(Token::Word(start..self.at))
    }
}

impl Tokens<'_> {
    /// The number of bytes here that only separate words; 0 if there are none.
    fn blank(&self) -> usize {
        match (self.reading, self.text.get(self.at..).unwrap_or_default()) {
            (Reading::Shell, rest) => white_space(rest),
            (Reading::Text, [b' ' | b'\t', ..]) => 1,
            (Reading::Text, [b'\\', b'\n', ..]) => 2,
            (Reading::Text, _) => 0,
        }
    }

    const fn is_break(&self, byte: u8) -> bool {
        match self.reading {
            Reading::Shell => matches!(byte, b';' | b'&' | b'|' | b'(' | b')' | b'{' | b'}' | b'!'),
            Reading::Text => matches!(byte, b'\n' | b'\r' | b'|' | b';' | b'&'),
        }
    }
}

/// The range without the quotes around it. A quote that was never closed is dropped too.
pub fn unquoted(text: &[u8], place: Range<usize>) -> Range<usize> {
    match &text[place.clone()] {
        [quote @ (b'"' | b'\''), .., last] if last == quote => place.start + 1..place.end - 1,
        [b'"' | b'\'', ..] => place.start + 1..place.end,
        _ => place,
    }
}

/// The end of a word as the shell reads it.
fn shell_word_end(text: &[u8], start: usize) -> usize {
    // The open constructs, by the byte that closes them; `$` for `$'…'`, where a backslash escapes.
    let mut open: Vec<u8> = Vec::new();
    let mut before = b' ';
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        let expands = before == b'$';
        before = byte;
        match (open.last().copied(), byte) {
            (Some(b'\''), b'\'') => drop(open.pop()),
            (Some(b'\''), _) => {}
            (_, b'\\') => at += 1,
            (Some(b'$'), b'\'') => drop(open.pop()),
            (Some(b'$'), _) => {}
            (Some(close), _) if close == byte => drop(open.pop()),
            (_, b'`') => open.push(b'`'),
            (_, b'(') if expands => open.push(b')'),
            (_, b'{') if expands => open.push(b'}'),
            (Some(b'"'), _) => {}
            (_, b'"') => open.push(b'"'),
            (_, b'\'') => open.push(if expands { b'$' } else { b'\'' }),
            // `NAME=(a b)` and nested parentheses.
            (_, b'(') => open.push(b')'),
            (None, b';' | b'&' | b'|' | b')') => return at,
            (None, _) if white_space(&text[at..]) > 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The end of a word in any text.
fn text_word_end(text: &[u8], start: usize) -> usize {
    /// The longest word; it bounds the work on hostile text.
    const MAX_BYTES: usize = 1024;
    let mut quote = None;
    let mut at = start;
    let limit = text.len().min(start + MAX_BYTES);
    while at < limit {
        match (quote, text[at]) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), b'\n') => break,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b' ' | b'\t' | b'\n' | b'\r' | b'|' | b';' | b'&') => break,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The number of bytes of the white-space character at the start of a text, in any script.
fn white_space(text: &[u8]) -> usize {
    match text.first() {
        None => 0,
        Some(first) if first.is_ascii() => usize::from(char::from(*first).is_whitespace()),
        // No white space takes more than three bytes.
        Some(_) => (2..=3).find(|bytes| is_white_space(text.get(..*bytes))).unwrap_or(0),
    }
}

fn is_white_space(character: Option<&[u8]>) -> bool {
    let character = character.and_then(|bytes| std::str::from_utf8(bytes).ok());
    character.is_some_and(|character| character.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests;

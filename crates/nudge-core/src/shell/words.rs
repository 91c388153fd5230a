//! The words of a command line, as byte ranges, quotes and all.

use std::ops::Range;

/// How far the shell is followed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text is a command line: quotes, escapes and what is expanded in a word belong to it,
    /// over line ends and to any depth. What is never closed goes on to the end.
    Shell,
    /// A command line may stand somewhere in the text: only quotes hold a word together, and none
    /// goes over a line end. Nothing is escaped and nothing nests, so a stray mark in prose costs
    /// one line and not the rest of the text.
    Text,
}

/// A piece of a command line. Blanks are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A word with its quotes and what is expanded in it.
    Word(Range<usize>),
    /// A mark that stands between commands, such as `;`.
    Break,
}

impl Token {
    /// Where the word is, if it is one.
    pub fn word(self) -> Option<Range<usize>> {
        match self {
            Self::Word(place) => Some(place),
            Self::Break => None,
        }
    }
}

/// The words and breaks of a text from a place in it.
pub const fn tokens(text: &[u8], from: usize, reading: Reading) -> Tokens<'_> {
    Tokens { text, at: from, reading }
}

/// The iterator that [`tokens`] gives.
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
    /// The bytes of what only separates words here: none where something else stands.
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

/// The range without the quotes around it. A quote that was never closed is left out too.
pub fn unquoted(text: &[u8], place: Range<usize>) -> Range<usize> {
    match &text[place.clone()] {
        [quote @ (b'"' | b'\''), .., last] if last == quote => place.start + 1..place.end - 1,
        [b'"' | b'\'', ..] => place.start + 1..place.end,
        _ => place,
    }
}

/// Where a word ends that the shell reads.
fn shell_word_end(text: &[u8], start: usize) -> usize {
    // What is open, by what closes it; `$` for `$'…'`, where a backslash counts.
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
            // `NAME=(a b)` and what stands in parentheses within.
            (_, b'(') => open.push(b')'),
            (None, b';' | b'&' | b'|' | b')') => return at,
            (None, _) if white_space(&text[at..]) > 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Where a word ends that stands in any text.
fn text_word_end(text: &[u8], start: usize) -> usize {
    /// Longest word that is read; it bounds the work on hostile text.
    const LONGEST: usize = 1024;
    let mut quote = None;
    let mut at = start;
    let limit = text.len().min(start + LONGEST);
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

/// The bytes of the white space that a text begins with: of one character, of any script.
fn white_space(text: &[u8]) -> usize {
    match text.first() {
        None => 0,
        Some(first) if first.is_ascii() => usize::from(char::from(*first).is_whitespace()),
        // None takes more than three bytes.
        Some(_) => (2..=3).find(|bytes| is_white_space(text.get(..*bytes))).unwrap_or(0),
    }
}

fn is_white_space(character: Option<&[u8]>) -> bool {
    let character = character.and_then(|bytes| std::str::from_utf8(bytes).ok());
    character.is_some_and(|character| character.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests;

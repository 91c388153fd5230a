//! The words of a command line, as byte ranges.

/// Words from `from` to the end of the command: a line end, a pipe or a separator.
pub(super) fn of(text: &[u8], from: usize) -> Vec<(usize, usize)> {
    /// More arguments than a person writes before the flag that matters.
    const MOST: usize = 64;
    some(text, from, MOST)
}

/// The first word of the command.
pub(super) fn first(text: &[u8], from: usize) -> Option<(usize, usize)> {
    some(text, from, 1).first().copied()
}

fn some(text: &[u8], from: usize, most: usize) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut at = from;
    while at < text.len() && words.len() < most {
        match text[at] {
            b' ' | b'\t' => at += 1,
            b'\\' if text.get(at + 1) == Some(&b'\n') => at += 2,
            b'\n' | b'\r' | b'|' | b';' | b'&' => break,
            _ => {
                let end = word_end(text, at);
                words.push((at, end));
                at = end;
            }
        }
    }
    words
}

/// The range without the quotes around it.
pub(super) fn unquoted(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let word = &text[start..end];
    match word.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            (start + 1, if word.len() > 1 && word[word.len() - 1] == quote { end - 1 } else { end })
        }
        _ => (start, end),
    }
}

/// Longest word that is read; it bounds the work on hostile text.
const LONGEST: usize = 1024;

fn word_end(text: &[u8], start: usize) -> usize {
    let mut quote = None;
    let mut at = start;
    let limit = text.len().min(start + LONGEST);
    while at < limit {
        match (quote, text[at]) {
            (Some(open), b) if b == open => quote = None,
            (Some(_), b'\n') => break,
            (None, b @ (b'"' | b'\'')) => quote = Some(b),
            (None, b' ' | b'\t' | b'\n' | b'\r' | b'|' | b';' | b'&') => break,
            _ => {}
        }
        at += 1;
    }
    at
}

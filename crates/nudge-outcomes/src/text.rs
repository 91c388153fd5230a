//! Plain output: without escapes, and only the part that is read.

use std::borrow::Cow;
use std::sync::LazyLock;

use nudge_core::text::first_chars;
use regex::Regex;

/// How much of the beginning of a long output is read: compile errors are there.
const MAX_START_BYTES: usize = 64 * 1024;

/// How much of its end is read: summaries are there.
const MAX_END_BYTES: usize = 256 * 1024;

/// The maximum length of a stored line, in characters.
const MAX_LINE_CHARS: usize = 200;

/// The beginning and the end of an output, as plain lines.
pub(crate) fn plain(output: &str) -> String {
    if output.len() <= MAX_START_BYTES + MAX_END_BYTES {
        return without_escapes(output).into_owned();
    }
    let (beginning, _) = output.split_at(output.floor_char_boundary(MAX_START_BYTES));
    let (_, end) = output.split_at(output.ceil_char_boundary(output.len() - MAX_END_BYTES));
    let beginning = beginning.rsplit_once('\n').map_or(beginning, |(whole, _)| whole);
    let end = end.split_once('\n').map_or(end, |(_, whole)| whole);
    format!("{}\n{}", without_escapes(beginning), without_escapes(end))
}

/// A line as stored.
pub(crate) fn stored_line(line: &str) -> String {
    first_chars(line.trim(), MAX_LINE_CHARS).trim_end().to_owned()
}

/// The prefix that pnpm, turbo and mise put before each line of a script.
static PACKAGE_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    let scripts = "(?:test|build|lint|check|typecheck|compile|unit|e2e)[a-z0-9:_-]*";
    Regex::new(&format!(r"^(?:[a-zA-Z0-9_@./-]+[ :]{scripts}: |\[{scripts}\] )"))
        .expect("plain words make an expression")
});

/// A script's line without its package prefix.
pub(crate) fn without_package(line: &str) -> &str {
    PACKAGE_PREFIX.find(line).and_then(|found| line.get(found.end()..)).unwrap_or(line)
}

/// A line without the number that `grep -n` puts before it.
pub(crate) fn without_number(line: &str) -> &str {
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    match line.split_at(digits) {
        (number, rest) if !number.is_empty() => rest.strip_prefix([':', '-']).unwrap_or(line),
        _ => line,
    }
}

/// Removes colours, links and cursor moves. Text that returns to the start of its line begins a new
/// line.
fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r', '\u{8}']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if moves_cursor(skip_escape(&mut chars)) => plain.push('\n'),
            '\u{1b}' | '\u{8}' => {}
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// Whether an escape ending in this character moves to another line, or to the start of this one.
fn moves_cursor(end: Option<char>) -> bool {
    end.is_some_and(|end| matches!(end, 'A' | 'B' | 'E' | 'F' | 'G' | 'H'))
}

/// Skips an escape; returns the final character of an `ESC [ …` sequence.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    match chars.peek() {
        Some('[') => {
            chars.next();
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if ('@'..='~').contains(&c) {
                    return Some(c);
                }
            }
            None
        }
        Some(']') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
            None
        }
        _ => {
            // `ESC ( B` and similar have intermediate characters before the final one.
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(char::is_ascii_graphic);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_returns_are_taken_out() {
        for (text, expected) in [
            ("\u{1b}[1m\u{1b}[32mok\u{1b}[0m\r\nb", "ok\nb"),
            ("10%\r20%\r", "10%\n20%\n"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}!", "link!"),
            ("1/4\u{1b}[2A\u{1b}[2KSummary", "1/4\nSummary"),
            ("FAILED\u{1b}(B\u{1b}[m.", "FAILED."),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[31\nb", "a\nb"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn of_a_long_output_both_ends_are_read() {
        let long = format!("first\n{}last\n", "ä line\n".repeat(200_000));
        let read = plain(&long);
        assert!(read.len() <= MAX_START_BYTES + MAX_END_BYTES + 1);
        assert!(read.starts_with("first\n") && read.ends_with("\nlast\n"));
    }
}

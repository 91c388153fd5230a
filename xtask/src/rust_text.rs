//! Separates the code, comments and string literals of a Rust file.
//!
//! Not a parser: just enough that prose does not trigger a rule about code, nor code a rule about
//! strings.

use regex::Regex;

/// The kind of a piece of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Comment,
    Literal,
}

/// A piece of source of one kind, with its byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

/// Splits a source file into pieces; joined, they are the file again.
pub(crate) fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let (mut code_from, mut at) = (0, 0);
    while at < source.len() {
        match special(source, at) {
            Some((kind, end)) => {
                if code_from < at {
                    out.push(Piece { kind: Kind::Code, start: code_from, text: &source[code_from..at] });
                }
                out.push(Piece { kind, start: at, text: &source[at..end] });
                (code_from, at) = (end, end);
            }
            None => at += source[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if code_from < source.len() {
        out.push(Piece { kind: Kind::Code, start: code_from, text: &source[code_from..] });
    }
    out
}

/// The source with comments and literals blanked; offsets and lines do not change.
pub(crate) fn code_only(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for piece in pieces(source) {
        if piece.kind == Kind::Code {
            out.push_str(piece.text);
        } else {
            out.extend(piece.text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        }
    }
    out
}

/// The string literals without prefix and quotes, each with its starting offset.
pub(crate) fn literals(source: &str) -> Vec<(usize, &str)> {
    let literals = pieces(source).into_iter().filter(|piece| piece.kind == Kind::Literal);
    literals
        .map(|piece| {
            let inner = piece.text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            (piece.start, inner.trim_matches('#').trim_matches(['"', '\'']))
        })
        .collect()
}

/// The comment or literal that begins exactly at `at`, and where it ends.
fn special(source: &str, at: usize) -> Option<(Kind, usize)> {
    let rest = &source[at..];
    if rest.starts_with("//") {
        return Some((Kind::Comment, at + rest.find('\n').unwrap_or(rest.len())));
    }
    if rest.starts_with("/*") {
        return Some((Kind::Comment, at + block_comment(rest)));
    }
    if let Some(body) = rest.strip_prefix('"') {
        return Some((Kind::Literal, at + 1 + quoted(body, '"')));
    }
    if rest.starts_with('\'') {
        return char_literal(rest).map(|length| (Kind::Literal, at + length));
    }
    let inside_word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if inside_word { None } else { prefixed(rest).map(|length| (Kind::Literal, at + length)) }
}

/// Length of a block comment; they nest.
fn block_comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..bytes.len().min(at + 2)] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" if depth == 1 => return at + 2,
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Length up to and including the closing quote; handles escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + 1;
        }
    }
    rest.len()
}

/// Length of a character literal; `None` for a lifetime.
fn char_literal(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        return Some(1 + quoted(&rest[1..], '\''));
    }
    let (closing, quote) = chars.next()?;
    (quote == '\'').then_some(closing + 1)
}

/// Length of a literal with a prefix: `r"…"`, `r#"…"#`, `b"…"`, `b'…'`, `br"…"`, `c"…"`.
fn prefixed(rest: &str) -> Option<usize> {
    let letters = rest.len() - rest.trim_start_matches(['r', 'b', 'c']).len();
    if letters == 0 || letters > 2 {
        return None;
    }
    let (prefix, after) = rest.split_at(letters);
    if !prefix.ends_with('r') {
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        return Some(letters + 1 + quoted(&after[1..], quote));
    }
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&closing).map_or(body.len(), |at| at + closing.len());
    Some(letters + hashes + 1 + end)
}

// Patterns written in this program's source.

/// Compiles a pattern from this program's source, which is known to be valid.
///
/// The workspace builds `regex` without Unicode tables: write `(?-u:\b)`, `[0-9]` and `[ \t]`.
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a pattern written in the source compiles")
}

/// The one-based line of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        let source =
            "let a = \"std::fs\"; // std::env\n/* std /* nested */ net */ let b: &'a str = r#\"x\"y\"#;\n";
        let code = code_only(source);
        assert_eq!(code.len(), source.len());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), "let a = ; let b: &'a str = ;");
    }

    #[test]
    fn literals_come_without_prefix_and_quotes() {
        let source = "f(\"one\", b\"two\", r##\"th\"#ree\"##, 'x', '\\'', \"say \\\"hi\\\" \\\\\")";
        let found: Vec<_> = literals(source).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found[..4], ["one", "two", "th\"#ree", "x"]);
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn lifetimes_and_raw_identifiers_are_code() {
        let source = "fn f<'a>(r#type: &'a str, rb: u8) {}";
        assert_eq!(code_only(source), source);
    }
}

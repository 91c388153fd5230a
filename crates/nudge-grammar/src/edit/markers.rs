//! Blocks `<<IDENT … IDENT`.
//!
//! An opener stands at the start of the body or after white space or `>`. A word that is no
//! operation (`<<EOF`) opens a block only where nothing but white space stands before it: a script
//! that holds a here-document is content, not an edit. An operation after other text must begin a
//! line. `<<:::path` is the form in which bodies are shown, and is content as well.

use super::error::EditError;
use super::step::EditStep;

/// The blocks of a body.
pub(super) struct Marked {
    pub(super) steps: Vec<EditStep>,
    /// Whether there was other text around the blocks.
    pub(super) has_outside: bool,
}

/// What a block does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Replace,
    Prepend,
    Append,
    Delete,
    Search,
    /// The word is no operation: the content becomes the body.
    Other,
}

/// The words that begin an operation.
const OPERATIONS: &[(&str, Operation)] = &[
    ("NEW", Operation::Replace),
    ("REPLACE", Operation::Replace),
    ("PREPEND", Operation::Prepend),
    ("APPEND", Operation::Append),
    ("DELETE", Operation::Delete),
    ("SEARCH", Operation::Search),
];

/// A block that was read.
struct Block<'a> {
    operation: Operation,
    ident: &'a str,
    content: &'a str,
    /// Where the opener begins, and where the closer ends.
    start: usize,
    end: usize,
}

/// Reads the blocks; `None` when there are none.
pub(super) fn parse(body: &str) -> Result<Option<Marked>, EditError> {
    let mut marked = Marked { steps: Vec::new(), has_outside: false };
    let mut at = 0;
    while let Some(block) = next_block(body, at)? {
        marked.has_outside |= !body[at..block.start].trim().is_empty();
        at = block.end;
        let text = block.content.to_owned();
        marked.steps.push(match block.operation {
            Operation::Replace | Operation::Other => EditStep::Replace(text),
            Operation::Prepend => EditStep::Prepend(text),
            Operation::Append => EditStep::Append(text),
            Operation::Delete => EditStep::Delete(text),
            Operation::Search => {
                let replace = replacement(body, &block)?;
                at = replace.end;
                EditStep::SearchReplace { search: text, replace: replace.content.to_owned() }
            }
        });
    }
    marked.has_outside |= !body[at..].trim().is_empty();
    Ok((!marked.steps.is_empty()).then_some(marked))
}

/// The REPLACE block right after a SEARCH.
fn replacement<'a>(body: &'a str, search: &Block<'a>) -> Result<Block<'a>, EditError> {
    let lone = || EditError::LoneSearch { ident: search.ident.to_owned() };
    let block = next_block(body, search.end)?.ok_or_else(lone)?;
    let is_next = body[search.end..block.start].trim().is_empty();
    if is_next && block.ident.starts_with("REPLACE") { Ok(block) } else { Err(lone()) }
}

/// The next block at or after `from`.
fn next_block(body: &str, from: usize) -> Result<Option<Block<'_>>, EditError> {
    for (offset, _) in body[from..].match_indices("<<") {
        let start = from + offset;
        let Some(ident) = opener(body, start) else { continue };
        let operation = operation(ident);
        let before = &body[from..start];
        let is_first = before.trim().is_empty();
        if !is_first && (operation == Operation::Other || !begins_line(before)) {
            continue;
        }
        let after = start + 2 + ident.len();
        let (content, end) = content(&body[after..], ident)
            .ok_or_else(|| EditError::Unclosed { marker: format!("<<{ident}"), closer: ident.to_owned() })?;
        return Ok(Some(Block { operation, ident, content, start, end: after + end }));
    }
    Ok(None)
}

fn operation(ident: &str) -> Operation {
    OPERATIONS.iter().find(|(word, _)| ident.starts_with(word)).map_or(Operation::Other, |(_, found)| *found)
}

/// Whether only indentation stands between the last line end and here.
fn begins_line(before: &str) -> bool {
    before.trim_end_matches([' ', '\t']).ends_with(['\n', '>'])
}

/// The word of the opener at `start`, if one is there.
fn opener(body: &str, start: usize) -> Option<&str> {
    let is_free = body[..start].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '>');
    let rest = &body[start + 2..];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ident = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    let is_ended = rest[ident.len()..].chars().next().is_none_or(char::is_whitespace);
    (is_free && is_ended && ident.starts_with(|c: char| c.is_ascii_uppercase())).then_some(ident)
}

/// The content of a block whose opener ends where `rest` begins, and where its closer ends.
fn content<'a>(rest: &'a str, ident: &str) -> Option<(&'a str, usize)> {
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let line_end = super::lines::end_at(rest, blank);
    let is_block = line_end > 0;
    let start = if is_block { blank + line_end } else { rest.chars().next().map_or(0, char::len_utf8) };
    let at = closer(rest, ident, is_block)?;
    let inner = rest.get(start..at).unwrap_or_default();
    Some((without_last_space(inner, is_block), at + ident.len()))
}

/// Where the closer begins: the word between white space. When the opener ends its line, a word
/// that is alone on its line is preferred, as long as no other block opens before it.
fn closer(rest: &str, ident: &str, is_block: bool) -> Option<usize> {
    let first = bounded(rest, ident, 0).next()?;
    if !is_block || is_alone(rest, first, ident) {
        return Some(first);
    }
    let opens = rest[first..].match_indices("<<").map(|(at, _)| first + at);
    let limit = opens.into_iter().find(|at| opener(rest, *at).is_some()).unwrap_or(rest.len());
    let alone = bounded(&rest[..limit], ident, first).find(|at| is_alone(rest, *at, ident));
    Some(alone.unwrap_or(first))
}

/// Where the word stands between white space, from `from` on.
fn bounded<'a>(rest: &'a str, ident: &'a str, from: usize) -> impl Iterator<Item = usize> + 'a {
    rest[from..].match_indices(ident).map(move |(at, _)| from + at).filter(move |at| {
        let before = rest[..*at].chars().next_back();
        let after = rest[at + ident.len()..].chars().next();
        before.is_some_and(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    })
}

fn is_alone(rest: &str, at: usize, ident: &str) -> bool {
    let before = rest[..at].trim_end_matches([' ', '\t']);
    let after = rest[at + ident.len()..].trim_start_matches([' ', '\t', '\r']);
    before.ends_with('\n') && (after.is_empty() || after.starts_with('\n'))
}

/// The content without the line end and indentation before the closer, or without one space.
fn without_last_space(inner: &str, is_block: bool) -> &str {
    let line = inner.trim_end_matches([' ', '\t']);
    if line.ends_with('\n') {
        return super::lines::without_end(line);
    }
    if is_block && line.is_empty() {
        return line;
    }
    let mut chars = inner.chars();
    chars.next_back();
    chars.as_str()
}

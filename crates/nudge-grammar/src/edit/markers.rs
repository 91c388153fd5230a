//! Edits as they are written: blocks `<<IDENT … IDENT`, and older forms.
//!
//! An opener stands at the start of the body or after white space or `>`. A word that is no
//! operation (`<<EOF`) opens a block only where nothing but white space stands before it: a script
//! that holds a here-document is content, not an edit. An operation after other text must begin a
//! line. `<<:::path` is the form in which bodies are shown, and is content as well.

use serde_json::Value;

use super::outcome::{EditError, EditStep};
use crate::pattern::Pattern;

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
    let line_end = super::locate::end_at(rest, blank);
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
        return super::locate::without_end(line);
    }
    if is_block && line.is_empty() {
        return line;
    }
    let mut chars = inner.chars();
    chars.next_back();
    chars.as_str()
}

// Edits in older forms: conflict markers, unified diffs, JSON, tags, sed expressions.

/// Reads an older form; `None` when the body is none of them.
pub(super) fn parse_older(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    if let Some(steps) = conflicts(body)? {
        return Ok(Some(steps));
    }
    if is_diff(body) {
        return Ok(Some(vec![EditStep::Patch(body.to_owned())]));
    }
    if let Some(steps) = json(body).or_else(|| tagged(body)) {
        return Ok(Some(steps));
    }
    sed_chain(body)
}

/// Blocks `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, with 3 to 12 signs.
fn conflicts(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    let mut steps = Vec::new();
    let mut lines = body.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if !is_fence(line, '<', &["SEARCH"]) {
            continue;
        }
        let unclosed = |closer: &str| EditError::Unclosed {
            marker: line.trim_end().to_owned(),
            closer: closer.to_owned(),
        };
        let search = until(&mut lines, '=', &[""]).ok_or_else(|| unclosed("======="))?;
        let replace = until(&mut lines, '>', &["REPLACE", ""]).ok_or_else(|| unclosed(">>>>>>> REPLACE"))?;
        steps.push(EditStep::SearchReplace { search, replace });
    }
    Ok((!steps.is_empty()).then_some(steps))
}

/// Whether a line is 3 to 12 of `sign` and then one of the labels.
fn is_fence(line: &str, sign: char, labels: &[&str]) -> bool {
    let line = line.trim_end();
    let label = line.trim_start_matches(sign);
    let signs = line.len() - label.len();
    (3..=12).contains(&signs) && labels.contains(&label.trim())
}

/// The lines before the next fence, without the last line end.
fn until<'a>(lines: &mut impl Iterator<Item = &'a str>, sign: char, labels: &[&str]) -> Option<String> {
    let mut text = String::new();
    for line in lines {
        if is_fence(line, sign, labels) {
            return Some(super::locate::without_end(&text).to_owned());
        }
        text.push_str(line);
    }
    None
}

/// Whether the body begins as a diff does and has a hunk.
fn is_diff(body: &str) -> bool {
    let start = body.trim_start();
    let begins =
        ["--- ", "diff --git ", "Index: ", "@@ ", "@@\n", "@@\r\n", "*** Begin Patch", "*** Update File"];
    begins.iter().any(|word| start.starts_with(word)) && super::patch::has_hunk(body)
}

/// `{"search": …, "replace": …}`, or a list of them, and nothing else.
fn json(body: &str) -> Option<Vec<EditStep>> {
    if !body.trim_start().starts_with(['{', '[']) || !body.contains("\"search\"") {
        return None;
    }
    match serde_json::from_str(body).ok()? {
        Value::Array(items) if !items.is_empty() => items.iter().map(pair).collect(),
        value => Some(vec![pair(&value)?]),
    }
}

fn pair(value: &Value) -> Option<EditStep> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
    Some(EditStep::SearchReplace { search: text("search")?, replace: text("replace")? })
}

/// `<old_text>…</old_text>` and `<new_text>…</new_text>`, and nothing else.
fn tagged(body: &str) -> Option<Vec<EditStep>> {
    let mut steps = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (search, after) = rest.strip_prefix("<old_text>")?.split_once("</old_text>")?;
        let (replace, after) = after.trim_start().strip_prefix("<new_text>")?.split_once("</new_text>")?;
        steps.push(EditStep::SearchReplace { search: inside(search), replace: inside(replace) });
        rest = after.trim_start();
    }
    (!steps.is_empty()).then_some(steps)
}

/// The content without the line ends next to its tags.
fn inside(text: &str) -> String {
    let text = &text[super::locate::end_at(text, 0)..];
    super::locate::without_end(text).to_owned()
}

/// Lines that are all sed expressions; several on a line are separated by `;`.
fn sed_chain(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    let mut found = Vec::new();
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(parts) = expressions(line) else {
            if is_broken_sed(body) {
                return Err(EditError::BrokenSed(line.chars().take(60).collect()));
            }
            return Ok(None);
        };
        found.extend(parts);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let steps = found.into_iter().map(|text| Ok(EditStep::Substitute(Pattern::parse(text)?)));
    steps.collect::<Result<_, EditError>>().map(Some)
}

/// Whether a body is one line such as `s/old` or `s/old/new`: an expression that lacks its end. As
/// the new body it would lose all that is there.
fn is_broken_sed(body: &str) -> bool {
    let line = body.trim();
    let rest = line.strip_prefix("s/").unwrap_or_default();
    !rest.is_empty() && !line.contains('\n') && rest.matches('/').count() < 2
}

/// The expressions of a line; `None` when a part of it is something else.
fn expressions(line: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (first, after) = rest.split_at(Pattern::leading_sed(rest)?);
        found.push(first);
        let after = after.trim_start();
        rest = if after.is_empty() { after } else { after.strip_prefix(';')?.trim_start() };
    }
    Some(found)
}

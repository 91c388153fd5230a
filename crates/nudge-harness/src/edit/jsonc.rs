//! Edits JSON with comments in place: bytes that need not change stay as they are.

use std::ops::Range;

use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast, parse_to_ast};
use serde_json::Value;

use super::EditError;

/// Where commas are allowed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Commas {
    /// Between two items, as in standard JSON.
    Between,
    /// Also after the last item.
    AlsoTrailing,
}

/// A settings file: an object and its text.
#[derive(Debug)]
pub(crate) struct JsonText {
    text: String,
    value: Value,
    commas: Commas,
}

impl JsonText {
    /// Reads a file. A missing or blank one counts as an empty object.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, EditError> {
        Self::read_with(text, Commas::Between)
    }

    /// The same, for an agent that allows other commas.
    pub(crate) fn read_with(text: Option<&str>, commas: Commas) -> Result<Self, EditError> {
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
        Self::of(text.to_owned(), commas)
    }

    fn of(text: String, commas: Commas) -> Result<Self, EditError> {
        let value = Tree::of(&text, commas)?.value()?;
        if !value.is_object() {
            return Err(EditError::WrongKind { place: "the file".into(), expected: "an object" });
        }
        Ok(Self { text, value, commas })
    }

    /// The parsed content.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The edited text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Whether the value at `path` contains a comment.
    pub(crate) fn has_comments(&self, path: &[&str]) -> bool {
        Tree::of(&self.text, self.commas)
            .is_ok_and(|tree| !tree.comments_in(tree.find(path).span()).is_empty())
    }

    /// Sets a member of the object at `path`: replaces its value, or adds it at the end.
    pub(crate) fn set(&mut self, path: &[&str], key: &str, value: &Value) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
        let node = page.find(path);
        let splices = match node.member(key) {
            Some(place) => {
                let text = page.written(value, &page.line_indent(place.start), page.is_spread(&node));
                vec![(place, text)]
            }
            None => page.appended(&node, |indent, spread| {
                let between = if spread { ": " } else { ":" };
                format!("{}{between}{}", Value::from(key), page.written(value, indent, spread))
            }),
        };
        self.splice(splices)
    }

    /// Adds a value to the end of the list at `path`.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
        let node = page.find(path);
        let splices = page.appended(&node, |indent, spread| page.written(value, indent, spread));
        self.splice(splices)
    }

    /// Removes the `index`-th item of the object or list at `path`, with its comma. Comments next
    /// to it stay.
    pub(crate) fn remove(&mut self, path: &[&str], index: usize) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
        let splices = page.removed(&page.find(path), index);
        self.splice(splices)
    }

    /// Removes a member of the object at `path`.
    pub(crate) fn remove_key(&mut self, path: &[&str], key: &str) -> Result<(), EditError> {
        let index = Tree::of(&self.text, self.commas)?.find(path).index(key);
        index.map_or(Ok(()), |index| self.remove(path, index))
    }

    fn splice(&mut self, mut splices: Vec<Splice>) -> Result<(), EditError> {
        splices.sort_by_key(|(place, _)| place.start);
        let mut whole = self.text.clone();
        for (place, text) in splices.into_iter().rev() {
            whole.replace_range(place, &text);
        }
        *self = Self::of(whole, self.commas)?;
        Ok(())
    }
}

// The positions of values and comments in a JSON text.

/// Standard JSON and comments. Agents differ in what else they accept.
const STRICT_OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const WITH_TRAILING_COMMAS: ParseOptions = ParseOptions { allow_trailing_commas: true, ..STRICT_OPTIONS };

const COLLECT_OPTIONS: CollectOptions =
    CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };

/// A parsed text.
struct Tree<'a> {
    text: &'a str,
    /// The length of a byte order mark, or 0.
    start: usize,
    root: ast::Value<'a>,
    comments: Vec<Range<usize>>,
    /// The positions of trailing commas.
    trailing: Vec<usize>,
}

impl<'a> Tree<'a> {
    fn of(text: &'a str, commas: Commas) -> Result<Self, EditError> {
        let json = text.strip_prefix('\u{feff}').unwrap_or(text);
        let start = text.len() - json.len();
        let options = match commas {
            Commas::Between => STRICT_OPTIONS,
            Commas::AlsoTrailing => WITH_TRAILING_COMMAS,
        };
        let read = parse_to_ast(json, &COLLECT_OPTIONS, &options).map_err(|error| {
            place_of_comment_or(
                json,
                EditError::NotJson { line: error.line_display(), column: error.column_display() },
            )
        })?;
        let is_comment = |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
        let tokens = read.tokens.unwrap_or_default();
        let (comments, others): (Vec<_>, Vec<_>) =
            tokens.into_iter().partition(|token| is_comment(&token.token));
        let comments =
            comments.iter().map(|token| start + token.range.start..start + token.range.end).collect();
        let is_last = |two: &&[jsonc_parser::tokens::TokenAndRange<'_>]| {
            let closes = matches!(two[1].token, Token::CloseBrace | Token::CloseBracket);
            matches!(two[0].token, Token::Comma) && closes
        };
        let trailing = others.windows(2).filter(is_last).map(|two| start + two[0].range.start).collect();
        let root = read.value.unwrap_or(ast::Value::NullKeyword(ast::NullKeyword {
            range: jsonc_parser::common::Range::new(0, 0),
        }));
        Ok(Self { text, start, root, comments, trailing })
    }

    /// The value of the text, parsed by the same parser as everywhere else.
    fn value(&self) -> Result<serde_json::Value, EditError> {
        let mut plain = self.text.as_bytes().to_vec();
        for comment in &self.comments {
            let written = plain[comment.clone()].iter_mut();
            written.filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        }
        for comma in &self.trailing {
            plain[*comma] = b' ';
        }
        serde_json::from_slice(&plain[self.start..]).map_err(not_json)
    }

    /// The node at a path of keys and indices, or the last node on the path that exists.
    fn find(&self, path: &[&str]) -> Node<'_, 'a> {
        let value = path.iter().fold(&self.root, |value, step| match value {
            ast::Value::Object(object) => {
                let members = object.properties.iter().rev();
                members
                    .into_iter()
                    .find(|member| member.name.as_str() == *step)
                    .map_or(value, |member| &member.value)
            }
            ast::Value::Array(list) => {
                step.parse().ok().and_then(|index: usize| list.elements.get(index)).unwrap_or(value)
            }
            _ => value,
        });
        Node { value, start: self.start }
    }

    /// The trailing comma in a range of the text.
    fn trailing_in(&self, part: Range<usize>) -> Option<usize> {
        self.trailing.iter().copied().rfind(|comma| part.contains(comma))
    }

    /// The comments in a range of the text.
    fn comments_in(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let inside = |comment: &&Range<usize>| part.start <= comment.start && comment.end <= part.end;
        self.comments.iter().filter(inside).cloned().collect()
    }
}

/// The position where the usual parser stops, unless it stops at a comment.
fn place_of_comment_or(json: &str, otherwise: EditError) -> EditError {
    let Err(error) = serde_json::from_str::<serde_json::Value>(json) else { return otherwise };
    let line = json.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let stopped_by = line.as_bytes().get(error.column().saturating_sub(1));
    if stopped_by == Some(&b'/') { otherwise } else { not_json(error) }
}

fn not_json(error: serde_json::Error) -> EditError {
    EditError::NotJson { line: error.line(), column: error.column() }
}

/// One value and its position.
#[derive(Copy, Clone)]
struct Node<'t, 'a> {
    value: &'t ast::Value<'a>,
    start: usize,
}

impl Node<'_, '_> {
    /// The value with its brackets.
    fn span(&self) -> Range<usize> {
        self.place(self.value)
    }

    /// Everything between the brackets.
    fn inside(&self) -> Range<usize> {
        let span = self.span();
        span.start + 1..span.end - 1
    }

    /// The ranges of the items: members with their keys, or values.
    fn items(&self) -> Vec<Range<usize>> {
        match self.value {
            ast::Value::Object(object) => object.properties.iter().map(|member| self.place(member)).collect(),
            ast::Value::Array(list) => list.elements.iter().map(|value| self.place(value)).collect(),
            _ => Vec::new(),
        }
    }

    /// The index of the member with that key; of duplicates, the last counts.
    fn index(&self, key: &str) -> Option<usize> {
        let object = self.value.as_object()?;
        object.properties.iter().rposition(|member| member.name.as_str() == key)
    }

    /// The range of a member's value.
    fn member(&self, key: &str) -> Option<Range<usize>> {
        let member = self.value.as_object()?.properties.get(self.index(key)?)?;
        Some(self.place(&member.value))
    }

    fn place(&self, part: &impl Ranged) -> Range<usize> {
        let range = part.range();
        self.start + range.start..self.start + range.end
    }
}

// Computes edits of a text: where they go, and in which formatting.

/// The most common indentation, for files that show none of their own.
const DEFAULT_INDENT: &str = "  ";

/// A range of the text, and its replacement.
type Splice = (Range<usize>, String);

/// A text and its structure, for computing an edit.
struct EditContext<'a> {
    text: &'a str,
    tree: Tree<'a>,
}

impl<'a> EditContext<'a> {
    fn of(text: &'a str, commas: Commas) -> Result<Self, EditError> {
        Ok(Self { text, tree: Tree::of(text, commas)? })
    }

    /// The node at a path of keys and indices.
    fn find(&self, path: &[&str]) -> Node<'_, 'a> {
        self.tree.find(path)
    }

    /// The splices that add an item at the end of a node.
    fn appended(&self, node: &Node<'_, '_>, item: impl Fn(&str, bool) -> String) -> Vec<Splice> {
        let (spread, newline) = (self.is_spread(node), self.newline());
        let items = node.items();
        let indent = match items.first() {
            Some(first) if spread => self.line_indent(first.start),
            None if spread => format!("{}{}", self.line_indent(node.span().start), self.indent()),
            _ => String::new(),
        };
        let item = item(&indent, spread);
        let last = items.last().map_or(node.inside().start, |last| last.end);
        // If there is a trailing comma, keep one at the end.
        let trailing = self.tree.trailing_in(last..node.inside().end);
        let item = if trailing.is_some() { format!("{item},") } else { item };
        let end = trailing.map_or(last, |comma| comma + 1);
        let beside = self.comments_on_line(end, node.inside().end, items.is_empty());
        let comma = items.last().filter(|_| trailing.is_none());
        let comma = comma.map(|last| (last.end..last.end, ",".to_owned()));
        let placed = match beside.last() {
            // After the comment, which belongs to what precedes it.
            Some(comment) if spread || self.is_line_comment(comment) => {
                (comment.end..comment.end, format!("{newline}{indent}{item}"))
            }
            Some(comment) => (comment.end..comment.end, item),
            None if spread && items.is_empty() => {
                let outer = self.line_indent(node.span().start);
                (node.inside(), format!("{newline}{indent}{item}{newline}{outer}"))
            }
            None if items.is_empty() => (node.inside(), item),
            None if spread => (end..end, format!("{newline}{indent}{item}")),
            None => (end..end, item),
        };
        comma.into_iter().chain([placed]).collect()
    }

    /// The comments after a position that are on its line; all of them in a node without items.
    fn comments_on_line(&self, from: usize, to: usize, all: bool) -> Vec<Range<usize>> {
        let line_end = self.text[from..to].find('\n').map_or(to, |newline| from + newline);
        let most = if all { to } else { line_end };
        self.tree.comments_in(from..to).into_iter().filter(|comment| comment.start < most).collect()
    }

    /// The splices that remove an item from a node.
    fn removed(&self, node: &Node<'_, '_>, index: usize) -> Vec<Splice> {
        let items = node.items();
        let Some(item) = items.get(index) else { return Vec::new() };
        let cut = |place: Range<usize>| vec![(place, String::new())];
        match (index.checked_sub(1).map(|before| &items[before]), items.get(index + 1)) {
            (_, Some(next)) => match self.tree.comments_in(item.end..next.start).first() {
                Some(comment) => {
                    let comma = self.comma(item.end, next.start).filter(|comma| comma.start > comment.start);
                    [Some(item.start..comment.start), comma].into_iter().flatten().flat_map(cut).collect()
                }
                None => cut(item.start..next.start),
            },
            (Some(before), None) => match self.tree.comments_in(before.end..item.start).last() {
                Some(comment) => {
                    let comma = self.comma(before.end, item.start);
                    let item = self.behind(comment, item)..item.end;
                    [comma, Some(item)].into_iter().flatten().flat_map(cut).collect()
                }
                None => cut(before.end..item.end),
            },
            (None, None) => {
                let inside = node.inside();
                let before = self.tree.comments_in(inside.start..item.start);
                let after = self.tree.comments_in(item.end..inside.end);
                // A trailing comma would then follow nothing.
                let comma = self.tree.trailing_in(item.end..inside.end).map(|comma| comma..comma + 1);
                match (before.last(), after.first()) {
                    (None, None) => cut(inside),
                    (Some(comment), _) => [Some(self.behind(comment, item)..item.end), comma]
                        .into_iter()
                        .flatten()
                        .flat_map(cut)
                        .collect(),
                    (None, Some(comment)) => {
                        let comma = comma.filter(|comma| comma.start >= comment.start);
                        [Some(item.start..comment.start), comma].into_iter().flatten().flat_map(cut).collect()
                    }
                }
            }
        }
    }

    /// Where to cut between a comment and the item after it. The line break stays if the comment
    /// would otherwise swallow the text after the item.
    fn behind(&self, comment: &Range<usize>, item: &Range<usize>) -> usize {
        let rest = self.text[item.end..].trim_start_matches([' ', '\t', '\r']);
        let swallows = self.is_line_comment(comment) && !rest.starts_with('\n');
        if swallows { item.start } else { comment.end }
    }

    fn is_line_comment(&self, comment: &Range<usize>) -> bool {
        self.text[comment.clone()].starts_with("//")
    }

    /// The comma between two items.
    fn comma(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let comments = self.tree.comments_in(from..to);
        let is_comment = |at: usize| comments.iter().any(|comment| comment.contains(&at));
        let mut commas = self.text[from..to].match_indices(',').map(|(at, _)| from + at);
        commas.find(|at| !is_comment(*at)).map(|at| at..at + 1)
    }

    /// A value as text: on several lines like its surroundings, or on one.
    fn written(&self, value: &Value, indent: &str, spread: bool) -> String {
        if !spread {
            return value.to_string();
        }
        let unit = self.indent();
        let pretty = format!("{value:#}");
        let mut lines = pretty.lines();
        let mut text = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let content = line.trim_start();
            let depth = (line.len() - content.len()) / 2;
            text.push_str(&format!("{}{indent}{}{content}", self.newline(), unit.repeat(depth)));
        }
        text
    }

    /// Whether the items of a node are on separate lines; for an empty node the whole file decides.
    fn is_spread(&self, node: &Node<'_, '_>) -> bool {
        let first = |node: &Node<'_, '_>| node.items().first().map(|item| node.span().start..item.start);
        let has_newline = |place: Range<usize>| self.text[place].contains('\n');
        first(node).or_else(|| first(&self.tree.find(&[]))).is_none_or(has_newline)
    }

    /// The indentation of one level.
    fn indent(&self) -> String {
        let first = self.tree.find(&[]).items().first().map(|item| self.line_indent(item.start));
        first.filter(|indent| !indent.is_empty()).unwrap_or_else(|| DEFAULT_INDENT.to_owned())
    }

    /// The whitespace at the start of the line with this position.
    fn line_indent(&self, place: usize) -> String {
        let line = self.text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..place].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

#[cfg(test)]
mod tests;

//! Computes edits of a text: where they go, and in which formatting.

use std::ops::Range;

use serde_json::Value;

use super::Commas;
use super::tree::{Node, Tree};
use crate::edit::EditError;

/// The most common indentation, for files that show none of their own.
const INDENT: &str = "  ";

/// A range of the text, and its replacement.
pub(super) type Splice = (Range<usize>, String);

/// A text and its structure, for computing an edit.
pub(super) struct EditContext<'a> {
    text: &'a str,
    tree: Tree<'a>,
}

impl<'a> EditContext<'a> {
    pub(super) fn of(text: &'a str, commas: Commas) -> Result<Self, EditError> {
        Ok(Self { text, tree: Tree::of(text, commas)? })
    }

    /// The node at a path of keys and indices.
    pub(super) fn find(&self, path: &[&str]) -> Node<'_, 'a> {
        self.tree.find(path)
    }

    /// The splices that add an item at the end of a node.
    pub(super) fn appended(&self, node: &Node<'_, '_>, item: impl Fn(&str, bool) -> String) -> Vec<Splice> {
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
    pub(super) fn removed(&self, node: &Node<'_, '_>, index: usize) -> Vec<Splice> {
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
    pub(super) fn written(&self, value: &Value, indent: &str, spread: bool) -> String {
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
    pub(super) fn is_spread(&self, node: &Node<'_, '_>) -> bool {
        let first = |node: &Node<'_, '_>| node.items().first().map(|item| node.span().start..item.start);
        let has_newline = |place: Range<usize>| self.text[place].contains('\n');
        first(node).or_else(|| first(&self.tree.find(&[]))).is_none_or(has_newline)
    }

    /// The indentation of one level.
    fn indent(&self) -> String {
        let first = self.tree.find(&[]).items().first().map(|item| self.line_indent(item.start));
        first.filter(|indent| !indent.is_empty()).unwrap_or_else(|| INDENT.to_owned())
    }

    /// The whitespace at the start of the line with this position.
    pub(super) fn line_indent(&self, place: usize) -> String {
        let line = self.text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..place].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

//! The positions of values and comments in a JSON text.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Commas;
use crate::edit::EditError;

/// Standard JSON and comments. Agents differ in what else they accept.
const STRICT: ParseOptions = ParseOptions {
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

const WITH_TRAILING_COMMAS: ParseOptions = ParseOptions { allow_trailing_commas: true, ..STRICT };

const COLLECTED: CollectOptions =
    CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };

/// A parsed text.
pub(super) struct Tree<'a> {
    text: &'a str,
    /// The length of a byte order mark, or 0.
    start: usize,
    root: ast::Value<'a>,
    comments: Vec<Range<usize>>,
    /// The positions of trailing commas.
    trailing: Vec<usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn of(text: &'a str, commas: Commas) -> Result<Self, EditError> {
        let json = text.strip_prefix('\u{feff}').unwrap_or(text);
        let start = text.len() - json.len();
        let options = match commas {
            Commas::Between => STRICT,
            Commas::AlsoTrailing => WITH_TRAILING_COMMAS,
        };
        let read = parse_to_ast(json, &COLLECTED, &options).map_err(|error| {
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
    pub(super) fn value(&self) -> Result<serde_json::Value, EditError> {
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
    pub(super) fn find(&self, path: &[&str]) -> Node<'_, 'a> {
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
    pub(super) fn trailing_in(&self, part: Range<usize>) -> Option<usize> {
        self.trailing.iter().copied().rfind(|comma| part.contains(comma))
    }

    /// The comments in a range of the text.
    pub(super) fn comments_in(&self, part: Range<usize>) -> Vec<Range<usize>> {
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
pub(super) struct Node<'t, 'a> {
    value: &'t ast::Value<'a>,
    start: usize,
}

impl Node<'_, '_> {
    /// The value with its brackets.
    pub(super) fn span(&self) -> Range<usize> {
        self.place(self.value)
    }

    /// Everything between the brackets.
    pub(super) fn inside(&self) -> Range<usize> {
        let span = self.span();
        span.start + 1..span.end - 1
    }

    /// The ranges of the items: members with their keys, or values.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match self.value {
            ast::Value::Object(object) => object.properties.iter().map(|member| self.place(member)).collect(),
            ast::Value::Array(list) => list.elements.iter().map(|value| self.place(value)).collect(),
            _ => Vec::new(),
        }
    }

    /// The index of the member with that key; of duplicates, the last counts.
    pub(super) fn index(&self, key: &str) -> Option<usize> {
        let object = self.value.as_object()?;
        object.properties.iter().rposition(|member| member.name.as_str() == key)
    }

    /// The range of a member's value.
    pub(super) fn member(&self, key: &str) -> Option<Range<usize>> {
        let member = self.value.as_object()?.properties.get(self.index(key)?)?;
        Some(self.place(&member.value))
    }

    fn place(&self, part: &impl Ranged) -> Range<usize> {
        let range = part.range();
        self.start + range.start..self.start + range.end
    }
}

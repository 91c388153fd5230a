//! The parts of a glob, and their parser.

use super::error::PatternError;

/// The deepest nesting of `{…}` and `!(…)`.
const MAX_DEPTH: usize = 12;

/// One part of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wild {
    /// These characters.
    Text(String),
    /// `?`: one character of a segment.
    One,
    /// `*`: any characters of a segment.
    Star,
    /// `**`: any characters, also `/`.
    Deep,
    /// `**/`: any number of segments, also none.
    Segments,
    /// `[a-z]`.
    Class(Class),
    /// `{a,b}`.
    Either(Vec<Vec<Wild>>),
    /// `!(a|b)`: anything else.
    Not {
        /// What it must not be.
        choices: Vec<Vec<Wild>>,
        /// Whether it may hold a `/`.
        is_deep: bool,
    },
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) is_negated: bool,
    pub(super) ranges: Vec<(char, char)>,
}

impl Class {
    /// Whether the set accepts `c`. It never accepts `/`.
    pub(super) fn accepts(&self, c: char) -> bool {
        c != '/' && self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.is_negated
    }
}

/// Reads a glob into its parts.
pub(super) fn parse(text: &str) -> Result<Vec<Wild>, PatternError> {
    let chars: Vec<char> = text.chars().collect();
    let mut parts = parse_part(&chars, text, 0)?;
    if let [Wild::Not { is_deep, .. }] = parts.as_mut_slice() {
        *is_deep = true;
    }
    Ok(parts)
}

fn parse_part(chars: &[char], text: &str, depth: usize) -> Result<Vec<Wild>, PatternError> {
    if depth > MAX_DEPTH {
        return Err(PatternError::invalid("glob", text, format!("it nests deeper than {MAX_DEPTH}")));
    }
    let mut parts = Parts::default();
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        at += match rest {
            ['\\', c, ..] => parts.text(*c, 2),
            ['*', '*', '/', ..] if at == 0 || chars[at - 1] == '/' => parts.wild(Wild::Segments, 3),
            ['*', '*', ..] => parts.wild(Wild::Deep, rest.iter().take_while(|c| **c == '*').count()),
            ['*', ..] => parts.wild(Wild::Star, 1),
            ['?', ..] => parts.wild(Wild::One, 1),
            ['[', ..] => match class(rest) {
                Some((class, taken)) => parts.wild(Wild::Class(class), taken),
                None => parts.text('[', 1),
            },
            ['{', ..] => match choices(&rest[1..], '{', '}', ',') {
                Some((found, taken)) if found.len() > 1 => {
                    parts.wild(Wild::Either(parse_all(&found, text, depth)?), taken + 1)
                }
                _ => parts.text('{', 1),
            },
            ['!', '(', ..] => match choices(&rest[2..], '(', ')', '|') {
                Some((found, taken)) => {
                    let is_deep = found.iter().any(|choice| choice.contains(&'/'));
                    let choices = parse_all(&found, text, depth)?;
                    parts.wild(Wild::Not { choices, is_deep }, taken + 2)
                }
                None => parts.text('!', 1),
            },
            [c, ..] => parts.text(*c, 1),
            [] => break,
        };
    }
    Ok(parts.finish())
}

fn parse_all(found: &[&[char]], text: &str, depth: usize) -> Result<Vec<Vec<Wild>>, PatternError> {
    found.iter().map(|choice| parse_part(choice, text, depth + 1)).collect()
}

/// Gathers parts and joins neighbouring characters.
#[derive(Default)]
struct Parts {
    done: Vec<Wild>,
    plain: String,
}

impl Parts {
    fn text(&mut self, c: char, taken: usize) -> usize {
        self.plain.push(c);
        taken
    }

    fn wild(&mut self, wild: Wild, taken: usize) -> usize {
        self.flush();
        self.done.push(wild);
        taken
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.done.push(Wild::Text(std::mem::take(&mut self.plain)));
        }
    }

    fn finish(mut self) -> Vec<Wild> {
        self.flush();
        self.done
    }
}

/// Splits up to the closing bracket; the number of characters includes that bracket.
fn choices(rest: &[char], open: char, close: char, separator: char) -> Option<(Vec<&[char]>, usize)> {
    let (mut found, mut from, mut depth, mut at) = (Vec::new(), 0, 0usize, 0);
    while at < rest.len() {
        let c = rest[at];
        if c == '\\' {
            at += 1;
        } else if c == open {
            depth += 1;
        } else if c == close && depth == 0 {
            found.push(&rest[from..at]);
            return Some((found, at + 1));
        } else if c == close {
            depth -= 1;
        } else if c == separator && depth == 0 {
            found.push(&rest[from..at]);
            from = at + 1;
        }
        at += 1;
    }
    None
}

/// Reads `[…]` and how many characters it takes; `None` when it does not close or is empty.
fn class(rest: &[char]) -> Option<(Class, usize)> {
    let is_negated = matches!(rest.get(1), Some('!' | '^'));
    let from = if is_negated { 2 } else { 1 };
    // A bracket that comes first is a member of the set.
    let close = rest.iter().skip(from + 1).position(|c| *c == ']')? + from + 1;
    let members = &rest[from..close];
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < members.len() {
        match members[at..] {
            ['\\', c, ..] => {
                ranges.push((c, c));
                at += 2;
            }
            [low, '-', high, ..] => {
                ranges.push((low, high));
                at += 3;
            }
            [c, ..] => {
                ranges.push((c, c));
                at += 1;
            }
            [] => break,
        }
    }
    Some((Class { is_negated, ranges }, close + 1))
}

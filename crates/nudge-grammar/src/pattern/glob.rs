//! Globs: `*` and `?` stay within a segment of a path, `**` crosses `/`, `!(…)` is anything else.
//!
//! A glob without `!(…)` becomes a regular expression and takes linear time. A glob with it is
//! matched by sets of positions, because no regular expression here can say "not".

use regex::{Regex, RegexBuilder};

use super::error::PatternError;

/// The largest compiled program, in bytes.
const MAX_SIZE: usize = 2 << 20;

/// A compiled glob.
#[derive(Clone, Debug)]
pub(super) enum Glob {
    /// Without negation.
    Plain(Regex),
    /// With `!(…)`.
    Negating(Vec<Wild>),
}

/// Whether the text has an unescaped wildcard.
pub(super) fn is_glob(text: &str) -> bool {
    !parse(text).is_ok_and(|parts| parts.iter().all(|part| matches!(part, Wild::Text(_))))
}

/// The text that a literal stands for: escaped wildcards without their backslash.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('*' | '?' | '[' | ']' | '{' | '}')) => {}
            _ => plain.push(c),
        }
    }
    plain
}

/// The characters before the first wildcard.
pub(super) fn prefix(text: &str) -> String {
    match parse(text).as_deref() {
        Ok([Wild::Text(plain), ..]) => plain.clone(),
        _ => String::new(),
    }
}

/// Whether the glob is a text and then `**`, so that it fits everything that begins with the text.
pub(super) fn is_prefix(text: &str) -> bool {
    matches!(parse(text).as_deref(), Ok([Wild::Text(_), Wild::Deep]))
}

impl Glob {
    /// Compiles a glob.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let parts = parse(text)?;
        if has_not(&parts) {
            return Ok(Self::Negating(parts));
        }
        let mut source = String::from(r"\A");
        write_all(&parts, &mut source);
        source.push_str(r"\z");
        RegexBuilder::new(&source)
            .dot_matches_new_line(true)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .build()
            .map(Self::Plain)
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::too_costly("glob", "it compiles too large"),
                _ => PatternError::invalid("glob", text, "a set of characters is not in order"),
            })
    }

    /// Whether the glob fits the whole text.
    pub(super) fn fits(&self, whole: &str) -> Result<bool, PatternError> {
        match self {
            Self::Plain(regex) => Ok(regex.is_match(whole)),
            Self::Negating(parts) => fits(parts, whole, &mut Budget::full()),
        }
    }

    /// Whether the glob fits the whole text or one of its lines.
    pub(super) fn fits_whole_or_line(&self, text: &str) -> Result<bool, PatternError> {
        match self {
            Self::Plain(regex) => Ok(regex.is_match(text) || text.lines().any(|line| regex.is_match(line))),
            Self::Negating(parts) => {
                // One budget for all lines: many lines that are cheap alone add up.
                let mut budget = Budget::full();
                let mut fits = |text| fits(parts, text, &mut budget);
                if text.len() <= MAX_TEXT && fits(text)? {
                    return Ok(true);
                }
                for line in text.lines() {
                    if fits(line)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

fn has_not(parts: &[Wild]) -> bool {
    parts.iter().any(|part| match part {
        Wild::Not { .. } => true,
        Wild::Either(choices) => choices.iter().any(|choice| has_not(choice)),
        _ => false,
    })
}

fn write_all(parts: &[Wild], out: &mut String) {
    for part in parts {
        match part {
            Wild::Text(text) => out.push_str(&regex::escape(text)),
            Wild::One => out.push_str("[^/]"),
            Wild::Star => out.push_str("[^/]*"),
            Wild::Deep => out.push_str(".*"),
            Wild::Segments => out.push_str("(?:.*/)?"),
            Wild::Class(class) => write_class(class, out),
            Wild::Either(choices) => {
                out.push_str("(?:");
                for (at, choice) in choices.iter().enumerate() {
                    if at > 0 {
                        out.push('|');
                    }
                    write_all(choice, out);
                }
                out.push(')');
            }
            Wild::Not { .. } => {}
        }
    }
}

fn write_class(class: &Class, out: &mut String) {
    out.push_str(if class.is_negated { "[^/" } else { "[" });
    for (low, high) in &class.ranges {
        out.push_str(&regex::escape(&low.to_string()));
        out.push('-');
        out.push_str(&regex::escape(&high.to_string()));
    }
    out.push_str(if class.is_negated { "]" } else { "&&[^/]]" });
}

// Matching of globs with `!(…)`: which positions of a text each part can end at.

/// The longest text that is matched, in bytes.
pub(super) const MAX_TEXT: usize = 8192;

/// How many positions may be looked at, for one path or for all lines of one body.
const MAX_WORK: usize = 20_000_000;

/// The work that is left for one path or body.
pub(super) struct Budget(usize);

impl Budget {
    /// All of it.
    pub(super) const fn full() -> Self {
        Self(MAX_WORK)
    }
}

/// Whether the parts fit the whole text.
pub(super) fn fits(parts: &[Wild], whole: &str, budget: &mut Budget) -> Result<bool, PatternError> {
    if whole.len() > MAX_TEXT {
        return Err(PatternError::too_costly("glob", format!("`!(…)` reads at most {MAX_TEXT} bytes")));
    }
    let chars: Vec<char> = whole.chars().collect();
    let mut matcher = Matcher { text: &chars, budget };
    let mut starts = vec![false; chars.len() + 1];
    starts[0] = true;
    let ends = matcher.ends(parts, starts)?;
    Ok(ends[chars.len()])
}

struct Matcher<'a> {
    text: &'a [char],
    budget: &'a mut Budget,
}

/// One flag for each position between two characters.
type Positions = Vec<bool>;

impl Matcher<'_> {
    /// Where the parts can end when they begin at one of `starts`.
    fn ends(&mut self, parts: &[Wild], starts: Positions) -> Result<Positions, PatternError> {
        let mut now = starts;
        for part in parts {
            self.spend(now.len())?;
            now = self.after(part, &now)?;
        }
        Ok(now)
    }

    fn spend(&mut self, work: usize) -> Result<(), PatternError> {
        let left = self.budget.0.checked_sub(work);
        self.budget.0 = left.unwrap_or(0);
        left.map(drop).ok_or_else(|| PatternError::too_costly("glob", "its negations multiply"))
    }

    fn after(&mut self, part: &Wild, starts: &Positions) -> Result<Positions, PatternError> {
        Ok(match part {
            Wild::Text(text) => self.after_text(text, starts),
            Wild::One => self.after_one(starts, |c| c != '/'),
            Wild::Class(class) => self.after_one(starts, |c| class.accepts(c)),
            Wild::Star => self.spread(starts, |c| c != '/'),
            Wild::Deep => self.spread(starts, |_| true),
            Wild::Segments => {
                let deep = self.spread(starts, |_| true);
                let ends_segment = |at: usize| at > 0 && deep[at - 1] && self.text[at - 1] == '/';
                (0..starts.len()).map(|at| starts[at] || ends_segment(at)).collect()
            }
            Wild::Either(choices) => self.after_choices(choices, starts)?,
            Wild::Not { choices, is_deep } => self.after_not(choices, *is_deep, starts)?,
        })
    }

    fn after_text(&self, text: &str, starts: &Positions) -> Positions {
        let wanted: Vec<char> = text.chars().collect();
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            if self.text[at..].starts_with(&wanted) {
                ends[at + wanted.len()] = true;
            }
        }
        ends
    }

    fn after_one(&self, starts: &Positions, accepts: impl Fn(char) -> bool) -> Positions {
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            if self.text.get(at).is_some_and(|c| accepts(*c)) {
                ends[at + 1] = true;
            }
        }
        ends
    }

    /// Every position that can be reached over accepted characters, also over none.
    fn spread(&self, starts: &Positions, accepts: impl Fn(char) -> bool) -> Positions {
        let mut ends = starts.clone();
        for at in 0..self.text.len() {
            if ends[at] && accepts(self.text[at]) {
                ends[at + 1] = true;
            }
        }
        ends
    }

    fn after_choices(
        &mut self,
        choices: &[Vec<Wild>],
        starts: &Positions,
    ) -> Result<Positions, PatternError> {
        let mut ends = vec![false; starts.len()];
        for choice in choices {
            for at in positions(&self.ends(choice, starts.clone())?) {
                ends[at] = true;
            }
        }
        Ok(ends)
    }

    /// Every end in reach that none of the choices has.
    fn after_not(
        &mut self,
        choices: &[Vec<Wild>],
        is_deep: bool,
        starts: &Positions,
    ) -> Result<Positions, PatternError> {
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            self.spend(starts.len())?;
            let mut only = vec![false; starts.len()];
            only[at] = true;
            let reach = self.spread(&only, |c| is_deep || c != '/');
            let taken = self.after_choices(choices, &only)?;
            for end in positions(&reach) {
                ends[end] |= !taken[end];
            }
        }
        Ok(ends)
    }
}

fn positions(flags: &Positions) -> Vec<usize> {
    flags.iter().enumerate().filter_map(|(at, is_set)| is_set.then_some(at)).collect()
}

// The parts of a glob, and their parser.

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

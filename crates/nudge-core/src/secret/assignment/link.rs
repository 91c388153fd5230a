//! What can stand between a name and its value.

use super::super::token::find;
use super::super::value::Setting;

/// A place where the value of a name may begin.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub at: usize,
    pub setting: Setting,
    /// Marks that end a value without quotes.
    pub until: &'static [u8],
}

/// Ends a value in code, JSON or an address.
const MARKS: &[u8] = b",;\"'`<>|&()[]{}";
/// Ends the value of a parameter in an address.
const PARAMETER: &[u8] = b",;\"'`<>|&()[]{}#";
/// Ends a value behind a colon: `&` belongs to it there.
const MEMBER: &[u8] = b",;\"'`<>|()[]{}";
/// Ends a value that takes the rest of its line.
const QUOTES: &[u8] = b"\"'`";
/// Ends a value in a sentence or on a command line.
const SHELL: &[u8] = b"\"'`<>|;";

/// Every reading of what follows the name between `start` and `end`, the likeliest first.
pub(super) fn links(text: &[u8], start: usize, end: usize) -> [Option<Link>; 3] {
    let assigned = operator(text, start, end);
    // To pass something is not to say a password, and parameters are not sentences.
    let silent =
        assigned.is_some() || is_parameter(text, start) || text[start..end].eq_ignore_ascii_case(b"pass");
    let prose = if silent { None } else { sentence(text, end) };
    [
        assigned.or_else(|| element(text, start, end)).or_else(|| beside(text, start, end)),
        pair(text, end),
        prose,
    ]
}

/// Whether the name is a parameter of an address.
pub(super) fn is_parameter(text: &[u8], start: usize) -> bool {
    start > 0 && b"?&#".contains(&text[start - 1])
        || start >= 3 && matches!(&text[start - 3..start], b"%26" | b"%3F" | b"%3f")
        || text[..start].ends_with(b"&amp;")
}

/// `name = value` with any of the operators in use.
fn operator(text: &[u8], start: usize, end: usize) -> Option<Link> {
    const OPERATORS: [&[u8]; 13] =
        [b"===", b"==", b"=>", b":=", b"?=", b"!=", b"||=", b":-", b"=", b": ", b":", b"%3D", b"%3d"];
    let closed = skip(text, end, b"\"'`]\\)", 4);
    let spaced = skip(text, closed, b" \t", 8);
    if text[spaced..].starts_with(b"::") {
        return None;
    }
    let operator = OPERATORS.iter().find(|operator| text[spaced..].starts_with(operator))?;
    let mut at = skip(text, spaced + operator.len(), b" \t", 8);
    let tight = spaced == closed && at == spaced + operator.len() && !operator.starts_with(b":");
    if operator.starts_with(b":") {
        at = behind_type(text, at).unwrap_or(at);
    }
    if is_parameter(text, start) {
        return Some(Link { at, setting: Setting::Literal, until: PARAMETER });
    }
    let told = operator.starts_with(b":") && is_sentence(text, start);
    let first = begins_line(text, start) || told;
    let value = has_digit_or_mark(text, at) || operator.starts_with(b":") && is_word(text, at);
    let rest_of_line = first && (tight || value && ends_line(text, at));
    Some(match (rest_of_line, tight) {
        (true, _) => Link { at, setting: Setting::Literal, until: QUOTES },
        (false, true) => Link { at, setting: Setting::Literal, until: MARKS },
        (false, false) if operator.starts_with(b":") => Link { at, setting: Setting::Bare, until: MEMBER },
        (false, false) => Link { at, setting: Setting::Bare, until: MARKS },
    })
}

/// `<name>value</name>`.
fn element(text: &[u8], start: usize, end: usize) -> Option<Link> {
    /// Longer than a password.
    const REACH: usize = 512;
    let opened = start > 0 && matches!(text[start - 1], b'<' | b':') && text.get(end) == Some(&b'>');
    // `<entry key="db.password">value</entry>`
    let keyed = text[end..].starts_with(b"\">");
    if !opened && !keyed {
        return None;
    }
    let end = if keyed { end + 1 } else { end };
    let close = find(&text[..text.len().min(end + REACH)], b"</", end)?;
    let plain = !text[end..close].contains(&b'<');
    plain.then_some(Link { at: end + 1, setting: Setting::Literal, until: b"<\"'" })
}

/// `--name value`, `Bearer value`, `ENV NAME value`, `login x password value`, `PASSWORD 'value'`.
fn beside(text: &[u8], start: usize, end: usize) -> Option<Link> {
    let at = skip(text, end, b" \t", 4);
    if at == end {
        return None;
    }
    let name = &text[start..end];
    let flag =
        name.starts_with(b"-") || name.eq_ignore_ascii_case(b"bearer") || text[..start].ends_with(b"ENV ");
    let netrc = name == b"password" && find(&text[start.saturating_sub(160)..start], b"login ", 0).is_some();
    let quoted = matches!(text.get(at), Some(b'\'' | b'"'));
    // A table of two columns.
    let flag = flag || at >= end + 2 && begins_line(text, start) && ends_line(text, at);
    let dash = text.get(at) == Some(&b'-');
    ((flag || netrc || quoted) && !dash).then_some(Link { at, setting: Setting::Literal, until: SHELL })
}

/// A name and a value as two members or arguments: `"name": "TOKEN", "value": "…"`, `("TOKEN", "…")`.
fn pair(text: &[u8], end: usize) -> Option<Link> {
    let at = skip(text, end, b"\"'\\, \t\r\n", 32);
    let at = sibling(text, at).unwrap_or(at);
    let rest = &text[at..];
    if rest.len() > 6 && rest[..5].eq_ignore_ascii_case(b"value") {
        let closed = skip(text, at + 5, b"\"'\\", 4);
        let operator = skip(text, closed, b" :=", 4);
        return (operator > closed).then_some(Link { at: operator, setting: Setting::Literal, until: MARKS });
    }
    let closed = skip(text, end, b"\"'\\", 4);
    let argument = closed > end && text.get(closed) == Some(&b',');
    let value = skip(text, closed + usize::from(argument), b" ", 24);
    // A constant and its value; names of fields follow each other too.
    let constant = text[..end].iter().rev().take(3).all(|b| b.is_ascii_uppercase());
    (argument && matches!(text.get(value), Some(b'"' | b'\''))).then_some(Link {
        at: value,
        setting: if constant { Setting::Literal } else { Setting::Prose },
        until: MARKS,
    })
}

/// Where the member `value` of the same object begins, behind others.
fn sibling(text: &[u8], at: usize) -> Option<usize> {
    /// A few short members.
    const REACH: usize = 100;
    let rest = &text[at..text.len().min(at + REACH)];
    let rest = &rest[..rest.iter().position(|b| b"{}".contains(b)).unwrap_or(rest.len())];
    (text[at..].first().is_some_and(u8::is_ascii_alphabetic))
        .then(|| find(rest, b"\"value\"", 0).map(|found| at + found + 1))?
}

/// "the password is …", "token for staging: …", "api key …".
fn sentence(text: &[u8], end: usize) -> Option<Link> {
    /// How far a sentence may go on between the name and its value.
    const REACH: usize = 48;
    const CONNECTIVES: [&[u8]; 7] = [b": ", b" = ", b" is ", b" was ", b" to ", b" -> ", b" are "];
    let line = &text[end..text.len().min(end + REACH)];
    let line = &line[..line.iter().position(|b| b"\n\r={}<>;@\"".contains(b)).unwrap_or(line.len())];
    let connective = CONNECTIVES.iter().filter_map(|c| find(line, c, 0).map(|at| (at, c.len()))).min();
    let (at, setting) = match connective {
        Some((at, length)) => (skip(text, end + at + length, b" \t", 4), Setting::Prose),
        None => (skip(text, end, b" ", 1), Setting::Adjacent),
    };
    (at > end).then_some(Link { at, setting, until: SHELL })
}

/// Steps over a type between name and value: `password: &str = "…"`.
fn behind_type(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..]
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_:<>&'[]|?. ".contains(b))
        .count();
    let operator = at + length;
    let is_type = text[at..].first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'&');
    (is_type && text.get(operator) == Some(&b'=')).then(|| skip(text, operator + 1, b" \t", 4))
}

/// Whether only white space, `export` and their like stand between the line's beginning and `start`.
fn begins_line(text: &[u8], start: usize) -> bool {
    const LEADS: [&[u8]; 8] = [b"export", b"set", b"ENV", b"ARG", b"-e", b"--env", b"-", b"+"];
    /// Deeper than people indent; it bounds the work on long lines.
    const REACH: usize = 64;
    let from = start.saturating_sub(REACH);
    let line = &text[from..start];
    let Some(begin) = line.iter().rposition(|&b| b == b'\n').map(|at| at + 1).or((from == 0).then_some(0))
    else {
        return false;
    };
    let lead = line[begin..].trim_ascii();
    lead.is_empty() || LEADS.contains(&lead)
}

/// Whether only words stand between the line's beginning and `start`, as in "wifi password: …".
fn is_sentence(text: &[u8], start: usize) -> bool {
    /// Longer than what people write before a name.
    const REACH: usize = 64;
    let line = text[start.saturating_sub(REACH)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    !line.is_empty() && line.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ' || *b >= 0x80)
}

/// Whether the value at `at` is the last thing on its line.
fn ends_line(text: &[u8], at: usize) -> bool {
    /// Longer than a password; it bounds the work on long lines.
    const REACH: usize = 256;
    let line = &text[at..text.len().min(at + REACH)];
    let line = &line[..line.iter().position(|&b| b == b'\n').unwrap_or(line.len())];
    let value = line.trim_ascii();
    !value.is_empty()
        && !value.iter().any(u8::is_ascii_whitespace)
        && !matches!(value.last(), Some(b',' | b';' | b'{' | b'(' | b')'))
}

fn has_digit_or_mark(text: &[u8], at: usize) -> bool {
    let value = || text[at..].iter().take(256).take_while(|b| !b.is_ascii_whitespace());
    value().any(|b| b.is_ascii_digit() || b"!@#$%^&*+=?~".contains(b))
        && !value().any(|b| b"_.([:".contains(b))
}

/// A word as a dictionary has it; names of types have capitals inside.
fn is_word(text: &[u8], at: usize) -> bool {
    text[at..].iter().skip(1).take(256).take_while(|b| !b.is_ascii_whitespace()).all(u8::is_ascii_lowercase)
}

/// Position behind at most `most` of the given characters.
fn skip(text: &[u8], at: usize, these: &[u8], most: usize) -> usize {
    at + text.get(at..).unwrap_or_default().iter().take(most).take_while(|b| these.contains(b)).count()
}

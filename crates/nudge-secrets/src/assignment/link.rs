//! What can be between a name and its value.

use super::super::finding::Notation;
use super::super::surprise::surprise;
use super::super::token::find;

/// A place where the value of a name may begin.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub at: usize,
    pub setting: Notation,
    /// Characters that end an unquoted value.
    pub until: &'static [u8],
}

/// Ends a value in code, JSON or an address.
const VALUE_ENDS: &[u8] = b",;\"'`<>|&()[]{}";
/// Ends the value of a parameter in an address.
const PARAMETER_ENDS: &[u8] = b",;\"'`<>|&()[]{}#";
/// Ends a value after a colon: `&` belongs to the value there.
const MEMBER_ENDS: &[u8] = b",;\"'`<>|()[]{}";
/// Ends a value that extends to the end of its line.
pub(super) const QUOTE_ENDS: &[u8] = b"\"'`";
/// Ends a value in a sentence or on a command line.
const SHELL_ENDS: &[u8] = b"\"'`<>|;";

/// Every reading of the text after the name between `start` and `end`, the likeliest first.
pub(super) fn links(text: &[u8], start: usize, end: usize) -> [Option<Link>; 3] {
    let assigned = operator(text, start, end);
    // "To pass" something does not state a password, and parameters are not sentences.
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
    // Alone in quotes a `#` begins the selector of an element of a page.
    let selector = text[..start].ends_with(b"\"#") || text[..start].ends_with(b"'#");
    start > 0 && b"?&#".contains(&text[start - 1]) && !selector
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
    let operator = *OPERATORS.iter().find(|operator| text[spaced..].starts_with(operator))?;
    let mut at = skip(text, spaced + operator.len(), b" \t", 8);
    if operator.starts_with(b":") && is_part_of_urn(text, start) {
        return None;
    }
    if operator == b":" && spaced > end && closed == end && is_quoted_name(text, at) {
        return None;
    }
    let tight = spaced == closed && at == spaced + operator.len() && !operator.starts_with(b":");
    if operator.starts_with(b":") {
        at = behind_type(text, at).unwrap_or(at);
    }
    if is_parameter(text, start) {
        if is_badge(text, start) {
            return None;
        }
        return Some(Link { at, setting: Notation::Literal, until: PARAMETER_ENDS });
    }
    if operator.starts_with(b":") && is_header_argument(text, start) {
        return Some(Link { at, setting: Notation::Literal, until: QUOTE_ENDS });
    }
    let stated = operator.starts_with(b":") && is_sentence(text, start);
    let first = begins_line(text, start) || stated;
    let value = has_digit_or_mark(text, at) || operator.starts_with(b":") && is_word(text, at);
    // Members as Go prints them: `{Host:db Password:…}`.
    let printed = operator == b":"
        && at == spaced + 1
        && text[start].is_ascii_uppercase()
        && start > 0
        && matches!(text[start - 1], b' ' | b'{')
        && has_letter_and_digit(text, at);
    if printed {
        return Some(Link { at, setting: Notation::Literal, until: VALUE_ENDS });
    }
    let rest_of_line = first && (tight || value && ends_line(text, at));
    Some(match (rest_of_line, tight) {
        (true, _) => Link { at, setting: Notation::Literal, until: QUOTE_ENDS },
        (false, true) => Link { at, setting: Notation::Literal, until: VALUE_ENDS },
        (false, false) if operator.starts_with(b":") => {
            Link { at, setting: Notation::Bare, until: MEMBER_ENDS }
        }
        (false, false) => Link { at, setting: Notation::Bare, until: VALUE_ENDS },
    })
}

/// Whether the name of a variable in quotes begins at `at`, as in `PASSWORD :'app_password'`.
fn is_quoted_name(text: &[u8], at: usize) -> bool {
    let Some((quote @ (b'\'' | b'"'), rest)) = text[at..].split_first() else { return false };
    let length = rest
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'_')
        .count();
    length > 0 && rest.get(length) == Some(quote) && rest[..length].contains(&b'_')
}

/// Whether the name is part of a resource name: `arn:aws:secretsmanager:…:secret:prod/db`.
fn is_part_of_urn(text: &[u8], start: usize) -> bool {
    /// Longer than the parts before the one that names the resource type, in bytes.
    const MAX_BYTES: usize = 96;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`()[]{}<>,;=".contains(b);
    let word = &before[before.iter().rposition(ends).map_or(0, |at| at + 1)..];
    word.starts_with(b"arn:") || word.starts_with(b"urn:")
}

/// Whether the address is that of a badge, which every reader of the page sees.
fn is_badge(text: &[u8], start: usize) -> bool {
    /// Longer than such an address, in bytes.
    const MAX_BYTES: usize = 128;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    let word = &before[before
        .iter()
        .rposition(|b| b.is_ascii_whitespace() || b"\"'()<>".contains(b))
        .map_or(0, |at| at + 1)..];
    find(word, b"/badge", 0).is_some() || find(word, b"img.shields.io", 0).is_some()
}

/// Whether the name begins a header on a command line: `-H 'X-Auth: …'`.
fn is_header_argument(text: &[u8], start: usize) -> bool {
    let Some((b'"' | b'\'', before)) = text[..start].split_last() else { return false };
    let before = before.strip_suffix(b"\\").unwrap_or(before).trim_ascii_end();
    before.ends_with(b"-H") || before.ends_with(b"--header") || before.ends_with(b"--header=")
}

/// Whether the string around the name ends after it, so that nothing is assigned:
/// `input("Password: ")`.
pub(super) fn is_prompt(text: &[u8], start: usize, end: usize) -> bool {
    /// About a line, in bytes.
    const MAX_BYTES: usize = 120;
    let at = skip(text, end, b":", 1);
    let at = skip(text, at, b" ", 2);
    let Some(&quote @ (b'"' | b'\'')) = text.get(at).filter(|_| at > end) else { return false };
    let from = start.saturating_sub(MAX_BYTES);
    let line = &text[from..start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)..];
    // An apostrophe between letters is not a quote, nor is an escaped one.
    let letter = |at: usize| line.get(at).is_some_and(u8::is_ascii_alphabetic);
    let is_quote = |at: usize| at == 0 || line[at - 1] != b'\\' && !(letter(at - 1) && letter(at + 1));
    let quotes = line.iter().enumerate().filter(|(at, b)| **b == quote && is_quote(*at)).count();
    quotes % 2 == 1
}

/// `<name>value</name>`.
fn element(text: &[u8], start: usize, end: usize) -> Option<Link> {
    /// Longer than a password, in bytes.
    const MAX_BYTES: usize = 512;
    let opened = start > 0 && matches!(text[start - 1], b'<' | b':') && text.get(end) == Some(&b'>');
    // `<entry key="db.password">value</entry>`
    let keyed = text[end..].starts_with(b"\">");
    if !opened && !keyed {
        return None;
    }
    let end = if keyed { end + 1 } else { end };
    let close = find(&text[..text.len().min(end + MAX_BYTES)], b"</", end)?;
    let plain = !text[end..close].contains(&b'<');
    // A text for people: `<string name="password">Kennwort</string>`.
    let content = &text[end + 1..close];
    let label = text[..start].ends_with(b"<string name=\"")
        && (content.contains(&b' ')
            || content.iter().all(|b| b.is_ascii_alphabetic() || b":?*.-'".contains(b) || *b >= 0x80)
                && surprise(content) < 8.0);
    (plain && !label).then_some(Link { at: end + 1, setting: Notation::Literal, until: b"<\"'" })
}

/// `--name value`, `Bearer value`, `ENV NAME value`, `login x password value`, `PASSWORD 'value'`.
fn beside(text: &[u8], start: usize, end: usize) -> Option<Link> {
    let at = skip(text, end, b" \t", 4);
    if at == end {
        return None;
    }
    // Routers number the format of the password: `password 7 …`.
    let kind = text.get(at).is_some_and(u8::is_ascii_digit) && text.get(at + 1) == Some(&b' ');
    let at = if kind { at + 2 } else { at };
    let name = &text[start..end];
    let flag =
        name.starts_with(b"-") || name.eq_ignore_ascii_case(b"bearer") || text[..start].ends_with(b"ENV ");
    let netrc = name == b"password" && find(&text[start.saturating_sub(160)..start], b"login ", 0).is_some();
    let quoted = matches!(text.get(at), Some(b'\'' | b'"'));
    // A table of two columns.
    let column = at >= end + 2 || has_letter_and_digit(text, at);
    let flag = flag || kind || column && begins_line(text, start) && ends_line(text, at);
    let dash = text.get(at) == Some(&b'-');
    ((flag || netrc || quoted) && !dash).then_some(Link { at, setting: Notation::Literal, until: SHELL_ENDS })
}

/// A name and a value as two members or arguments: `"name": "TOKEN", "value": "…"`,
/// `("TOKEN", "…")`.
fn pair(text: &[u8], end: usize) -> Option<Link> {
    if let Some(at) = serialised(text, end) {
        return Some(Link { at, setting: Notation::Literal, until: VALUE_ENDS });
    }
    let at = skip(text, end, b"\"'\\, \t\r\n", 32);
    let at = sibling(text, at).unwrap_or(at);
    let rest = &text[at..];
    if rest.len() > 6 && rest[..5].eq_ignore_ascii_case(b"value") {
        let closed = skip(text, at + 5, b"\"'\\", 4);
        let operator = skip(text, closed, b" :=", 4);
        return (operator > closed).then_some(Link {
            at: operator,
            setting: Notation::Literal,
            until: VALUE_ENDS,
        });
    }
    let closed = skip(text, end, b"\"'\\", 4);
    let comma = closed > end && text.get(closed) == Some(&b',');
    // Some languages write arguments without commas: `writeText "password" "…"`.
    let argument = comma || text[end..].starts_with(b"\" \"");
    let value = skip(text, closed + usize::from(comma), b" ", 24);
    // A constant and its value; but names of fields also follow each other.
    let constant = text[..end].iter().rev().take(3).all(|b| b.is_ascii_uppercase());
    (argument && matches!(text.get(value), Some(b'"' | b'\''))).then_some(Link {
        at: value,
        setting: if constant { Notation::Literal } else { Notation::Prose },
        until: VALUE_ENDS,
    })
}

/// Where the value of a member begins as PHP stores it: `s:8:"password";s:9:"…"`.
fn serialised(text: &[u8], end: usize) -> Option<usize> {
    let closed = skip(text, end, b"\"\\", 4);
    let digits = closed + 3;
    text[closed..].starts_with(b";s:").then_some(())?;
    let colon = skip(text, digits, b"0123456789", 4);
    (closed > end && colon > digits && text.get(colon) == Some(&b':')).then_some(colon + 1)
}

/// Whether the name is the first of two strings in brackets that no name is before, as in the rows
/// of a statement: `('smtp_pass', '…'),`.
pub(super) fn is_row(text: &[u8], start: usize, end: usize) -> bool {
    let Some(before) = text[..start].strip_suffix(b"'").and_then(|rest| rest.strip_suffix(b"(")) else {
        return false;
    };
    let free = before.last().is_none_or(|b| b.is_ascii_whitespace() || *b == b',');
    let value = skip(text, end + 1, b", ", 3);
    let opened =
        text.get(end) == Some(&b'\'') && text[end + 1..].starts_with(b",") && text.get(value) == Some(&b'\'');
    let close = text[(value + 1).min(text.len())..].iter().take(256).position(|b| *b == b'\'');
    free && opened && close.is_some_and(|length| text.get(value + length + 2) == Some(&b')'))
}

/// Where the member `value` of the same object begins, after others.
fn sibling(text: &[u8], at: usize) -> Option<usize> {
    /// A few short members, in bytes.
    const MAX_BYTES: usize = 100;
    let rest = &text[at..text.len().min(at + MAX_BYTES)];
    let rest = &rest[..rest.iter().position(|b| b"{}".contains(b)).unwrap_or(rest.len())];
    (text[at..].first().is_some_and(u8::is_ascii_alphabetic))
        .then(|| find(rest, b"\"value\"", 0).map(|found| at + found + 1))?
}

/// "the password is …", "token for staging: …", "api key …".
fn sentence(text: &[u8], end: usize) -> Option<Link> {
    /// How long a sentence may continue between the name and its value, in bytes.
    const MAX_BYTES: usize = 48;
    const CONNECTIVES: [&[u8]; 7] = [b": ", b" = ", b" is ", b" was ", b" to ", b" -> ", b" are "];
    let line = &text[end..text.len().min(end + MAX_BYTES)];
    // An arrow introduces the value; any other `>` is code.
    let stops =
        |(at, b): (usize, &u8)| b"\n\r={}<>;@\"".contains(b) && !(*b == b'>' && line[..at].ends_with(b" -"));
    let line = &line[..line.iter().enumerate().position(stops).unwrap_or(line.len())];
    // The next sentence is about something else.
    let over = line.windows(3).position(|b| b[0] == b'.' && b[1] == b' ' && b[2].is_ascii_uppercase());
    let line = &line[..over.unwrap_or(line.len())];
    let connective = CONNECTIVES.iter().filter_map(|c| find(line, c, 0).map(|at| (at, c.len()))).min();
    // "Wrong secret. Trace ID: …": what follows identifies something else.
    if connective.is_some_and(|(at, _)| names_id(&line[..at])) {
        return None;
    }
    let (at, setting) = match connective {
        Some((at, length)) => (skip(text, end + at + length, b" \t", 4), Notation::Prose),
        None => (skip(text, end, b" ", 1), Notation::Adjacent),
    };
    (at > end).then_some(Link { at, setting, until: SHELL_ENDS })
}

/// Whether the last of these words is "id".
fn names_id(words: &[u8]) -> bool {
    let length = words.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = &words[words.len() - length..];
    [&b"id"[..], b"requestid", b"traceid", b"correlationid"].iter().any(|id| word.eq_ignore_ascii_case(id))
}

/// Skips a type between name and value: `password: &str = "…"`.
fn behind_type(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..]
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_:<>&'[]|?. ".contains(b))
        .count();
    let operator = at + length;
    // A value and the next setting look like a type and its value, except for the digits.
    let first = text[at..at + length].split(|b| *b == b' ').next().unwrap_or_default();
    let value = first.len() >= 12 && first.iter().filter(|b| b.is_ascii_digit()).count() >= 2;
    let is_type = !value && text[at..].first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'&');
    (is_type && text.get(operator) == Some(&b'=')).then(|| skip(text, operator + 1, b" \t", 4))
}

/// Whether only white space, `export` and the like are between the start of the line and `start`.
fn begins_line(text: &[u8], start: usize) -> bool {
    const LEADS: [&[u8]; 8] = [b"export", b"set", b"ENV", b"ARG", b"-e", b"--env", b"-", b"+"];
    /// Deeper than people indent, in bytes; it bounds the work on long lines.
    const MAX_BYTES: usize = 64;
    let from = start.saturating_sub(MAX_BYTES);
    let line = &text[from..start];
    let Some(begin) = line.iter().rposition(|&b| b == b'\n').map(|at| at + 1).or((from == 0).then_some(0))
    else {
        return false;
    };
    let lead = line[begin..].trim_ascii();
    lead.is_empty() || LEADS.contains(&lead)
}

/// Whether only words are between the start of the line and `start`, as in "wifi password: …".
fn is_sentence(text: &[u8], start: usize) -> bool {
    /// Longer than what people write before a name, in bytes.
    const MAX_BYTES: usize = 64;
    let line =
        text[start.saturating_sub(MAX_BYTES)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    !line.is_empty() && line.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ' || *b >= 0x80)
}

/// Whether the value at `at` is the last thing on its line.
fn ends_line(text: &[u8], at: usize) -> bool {
    /// Longer than a password, in bytes; it bounds the work on long lines.
    const MAX_BYTES: usize = 256;
    let line = &text[at..text.len().min(at + MAX_BYTES)];
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

fn has_letter_and_digit(text: &[u8], at: usize) -> bool {
    let value = || text[at..].iter().take(256).take_while(|b| !b.is_ascii_whitespace());
    value().any(u8::is_ascii_digit) && value().filter(|b| b.is_ascii_alphabetic()).count() >= 3
}

/// A dictionary word; names of types have capitals inside.
fn is_word(text: &[u8], at: usize) -> bool {
    text[at..].iter().skip(1).take(256).take_while(|b| !b.is_ascii_whitespace()).all(u8::is_ascii_lowercase)
}

/// The offset after at most `most` of the given characters.
fn skip(text: &[u8], at: usize, these: &[u8], most: usize) -> usize {
    at + text.get(at..).unwrap_or_default().iter().take(most).take_while(|b| these.contains(b)).count()
}

//! Values separated from their names: on the next line, in another member, in another column.
//!
//! `password` and the value below it; `- name: DB_PASSWORD` and `value: …`;
//! `variable "db_password"` and `default = …`; `<key>password</key><string>…`; a table with a
//! column `password`.

use super::finding::{Finding, Notation};
use super::keyword::Index;
use super::name::CredentialKind;
use super::name::credential_kind;
use super::placeholder::is_placeholder;
use super::random::is_identifier_of_thing;
use super::strength::is_mixture;
use super::strength::names_password;
use super::strength::{Strength, is_technical, strength};
use super::token::Classes;
use super::value::{is_secret, read};

/// Members with the value of the name next to them.
const VALUE_MEMBERS: [&[u8]; 8] = [
    b"value",
    b"default",
    b"defaultvalue",
    b"plaintext",
    b"stringvalue",
    b"string",
    b"val",
    b"current_value",
];

/// Members that begin the next item: everything after them belongs to another name.
const NEXT_ITEM_MEMBERS: [&[u8]; 4] = [b"name", b"key", b"variable", b"id"];

/// How far after a name its value is searched, in bytes.
const MAX_DISTANCE: usize = 320;

/// The value of the name between `start` and `end`, if it is separated from it.
pub(super) fn of_name(text: &[u8], start: usize, end: usize, weight: CredentialKind) -> Option<Finding> {
    if weight == CredentialKind::Vague {
        return None;
    }
    below(text, start, end, weight)
        .or_else(|| typed(text, end, weight))
        .or_else(|| element(text, start, end, weight))
        .or_else(|| member(text, end, weight))
        .or_else(|| member_before(text, start, weight))
        .or_else(|| result(text, start, end))
}

/// The password that a resource of Terraform generated, in its state:
/// `"type": "random_password", …, "result": "…"`.
fn result(text: &[u8], start: usize, end: usize) -> Option<Finding> {
    /// The members before the result, in bytes.
    const MAX_BYTES: usize = 640;
    if !text[start..end].starts_with(b"random_password") {
        return None;
    }
    let limit = text.len().min(end + MAX_BYTES);
    let name = end + super::token::find(&text[end..limit], b"result", 0)? + b"result".len();
    let at = behind(text, name)?;
    let span = read(text, at, b",\"'").filter(|span| span.quoted)?;
    let value = &text[span.start..span.end];
    (value.len() >= 8 && !is_placeholder(value)).then_some(())?;
    finding(span.start, span.end)
}

fn finding(start: usize, end: usize) -> Option<Finding> {
    Some(Finding { rule: "apart", start, end })
}

/// What a test types into a field: `getByLabel('Password').fill('…')`,
/// `fill in "password" with "…"`.
fn typed(text: &[u8], end: usize, weight: CredentialKind) -> Option<Finding> {
    const VERBS: [&[u8]; 10] = [
        b"fill(",
        b"type(",
        b"send_keys(",
        b"sendkeys(",
        b" with ",
        b"setvalue(",
        b"set_value(",
        b"entertext(",
        b"typetext(",
        // The call of a tool that types: `{"selector": "#password", "text": "…"}`.
        b"\"text\":",
    ];
    if !weight.is_chosen() {
        return None;
    }
    let line = &text[end..text.len().min(end + 80)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let lower = line.to_ascii_lowercase();
    let at = VERBS
        .iter()
        .filter_map(|verb| super::token::find(&lower, verb, 0).map(|at| at + verb.len()))
        .min()?;
    let at = at + line[at..].iter().take_while(|b| **b == b' ').count();
    let start = end + at + 1;
    let quote = *line.get(at).filter(|b| b"\"'`".contains(b))?;
    let length = text[start..].iter().take(80).position(|b| *b == quote)?;
    let value = &text[start..start + length];
    let odd = strength(value) > Strength::Plain
        || is_mixture(value)
        || Classes::of(value).digits > 0 && value.len() >= 8;
    if odd && is_secret(weight, value, Notation::Literal) { finding(start, start + length) } else { None }
}

/// A name alone on its line, and a value alone on the next line that is not empty.
fn below(text: &[u8], start: usize, end: usize, weight: CredentialKind) -> Option<Finding> {
    /// The length of words allowed before the name on its line: "the new".
    const BEFORE: usize = 40;
    let line = text[start.saturating_sub(BEFORE)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    if !line.iter().all(|b| b.is_ascii_alphanumeric() || b" \t*#->$_:./\"'(".contains(b) || *b >= 0x80) {
        return None;
    }
    let rest = &text[end..text.len().min(end + 60)];
    let marks = rest.iter().take_while(|b| b" \t:*\"'=)-|>`\r(".contains(b)).count();
    if rest.get(marks) != Some(&b'\n') {
        return None;
    }
    let colon = rest[..marks].iter().any(|b| b":=".contains(b));
    let at = end + marks;
    let blanks = text[at..].iter().take(40).take_while(|b| b.is_ascii_whitespace()).count();
    let from = at + blanks;
    let length =
        text[from..].iter().take(512).position(|b| *b == b'\n').unwrap_or(text.len().min(from + 512) - from);
    let line = &text[from..from + length];
    let opening = line.iter().take_while(|b| b" \t\"'`*".contains(b)).count();
    let closing = line.iter().rev().take_while(|b| b" \t\r\"'`*,;)".contains(b)).count();
    let value = line.get(opening..line.len().checked_sub(closing)?)?;
    let quoted = line.get(..opening).is_some_and(|mark| mark.iter().any(|b| b"\"'".contains(b)));
    let single = !value.iter().any(|b| b.is_ascii_whitespace());
    let (start, end) = (from + opening, from + line.len() - closing);
    let fits = single && is_alone(value, weight)
        || colon && quoted && single && is_secret(weight, value, Notation::Literal);
    if fits { finding(start, end) } else { None }
}

/// Whether a value alone on its line looks like a credential.
fn is_alone(value: &[u8], weight: CredentialKind) -> bool {
    let classes = Classes::of(value);
    let plain = !value.iter().any(|b| b"(){}<>[];,\\".contains(b))
        && value.first().is_some_and(|b| !b"-/.".contains(b));
    let named = value.iter().position(|b| *b == b':' || *b == b'=').is_some_and(|at| at + 4 < value.len());
    if !plain || named || is_placeholder(value) || is_identifier_of_thing(value) {
        return false;
    }
    match weight {
        CredentialKind::Pin => (4..=12).contains(&value.len()) && classes.digits == value.len(),
        CredentialKind::Phrase | CredentialKind::Vague => false,
        _ if weight.is_chosen() => {
            let chosen = is_mixture(value) && value.len() >= 8 && !is_technical(value);
            strength(value) > Strength::Plain || chosen || is_long_key(value)
        }
        _ => is_long_key(value),
    }
}

fn is_long_key(value: &[u8]) -> bool {
    value.len() >= 12
        && is_secret(CredentialKind::Key, value, Notation::Literal)
        && Classes::of(value).digits > 0
        && !is_technical_key(value)
}

fn is_technical_key(value: &[u8]) -> bool {
    value.iter().any(|b| b".:/@".contains(b)) && is_technical(value) && !value.ends_with(b"=")
}

/// `<key>password</key> <string>…</string>`, `<td>password</td><td>…</td>`.
fn element(text: &[u8], start: usize, end: usize, weight: CredentialKind) -> Option<Finding> {
    let rest = &text[end..text.len().min(end + 320)];
    let marks = rest.iter().take(8).take_while(|b| b"\"' \t/:".contains(b)).count();
    // More attributes may follow the one that names it.
    let opened = start > 0 && matches!(text[start - 1], b'<' | b':');
    let inner = opened && marks > 0 || rest[..marks].iter().any(|b| b"\"'".contains(b));
    let attributes = rest[marks..].iter().position(|b| b"<>\n".contains(b)).filter(|_| inner).unwrap_or(0);
    let marks = if rest.get(marks + attributes) == Some(&b'>') { marks + attributes } else { marks };
    let rest = rest.get(marks..)?.strip_prefix(b"<").or_else(|| rest.get(marks..)?.strip_prefix(b">"))?;
    let closed = rest.starts_with(b"/");
    let mut at = 0;
    if closed {
        at = rest.iter().take(48).position(|b| *b == b'>')? + 1;
    }
    // Other tags may be between: a cell, a row, a value.
    let mut tags = 0;
    for _ in 0..4 {
        at += rest.get(at..)?.iter().take(24).take_while(|b| b.is_ascii_whitespace()).count();
        if rest.get(at) != Some(&b'<') {
            break;
        }
        at += rest[at..].iter().take(64).position(|b| *b == b'>')? + 1;
        tags += 1;
    }
    let from = text[end..].len().checked_sub(rest.len()).map(|_| end + marks + 1 + at)?;
    let length = text[from..].iter().take(512).position(|b| *b == b'<' || *b == b'\n')?;
    let value = text[from..from + length].trim_ascii_end();
    // With attributes between: `<Password Type="…">…</Password>`.
    let own = opened && attributes > 0 && text[from + length..].starts_with(b"</");
    let fits = (tags > 0 || own)
        && text.get(from + length) == Some(&b'<')
        && is_secret(weight, value, Notation::Literal);
    if fits && looks_like_credential(value, weight) { finding(from, from + value.len()) } else { None }
}

/// In markup any word is possible: it must look like a credential.
fn looks_like_credential(value: &[u8], weight: CredentialKind) -> bool {
    strength(value) > Strength::Plain
        || !weight.is_chosen()
        || is_mixture(value)
        || Classes::of(value).digits > 0
}

/// A member of the same object with the value: `value: …`, `default = …`, `"value": …`.
fn member(text: &[u8], end: usize, weight: CredentialKind) -> Option<Finding> {
    let limit = text.len().min(end + MAX_DISTANCE);
    let mut at = end;
    let (mut depth, mut blank) = (0, false);
    while at < limit {
        let b = text[at];
        match b {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth < 0 {
                    return None;
                }
            }
            // A name in brackets is skipped; a list is different.
            b'[' => {
                let length = text[at..limit].iter().take(40).position(|b| *b == b']');
                at += length.filter(|length| text[at..at + length].iter().all(|b| !b"{\"'".contains(b)))?;
            }
            // The end of a selector: `input[name=password]"`.
            b']' if matches!(text.get(at + 1), Some(b'"' | b'\'')) => {}
            b']' => return None,
            b'\n' if blank => return None,
            b'\n' => blank = true,
            b if b.is_ascii_alphabetic() => {
                blank = false;
                let length =
                    text[at..limit].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                let word = &text[at..at + length];
                let begun = at == 0 || !text[at - 1].is_ascii_alphanumeric();
                let is =
                    |known: &[&[u8]]| begun && known.iter().any(|known| word.eq_ignore_ascii_case(known));
                let value = is(&VALUE_MEMBERS).then(|| behind(text, at + length)).flatten();
                if let Some(value) = value {
                    return find_value(text, value, weight);
                }
                if is(&NEXT_ITEM_MEMBERS) && behind(text, at + length).is_some() {
                    return None;
                }
                at += length;
                continue;
            }
            b if b.is_ascii_whitespace() => {}
            _ => blank = false,
        }
        at += 1;
    }
    None
}

/// The member before the name: `{"value": "…", "name": "DB_PASSWORD"}`.
fn member_before(text: &[u8], start: usize, weight: CredentialKind) -> Option<Finding> {
    const BACK: usize = 200;
    let from = start.saturating_sub(BACK);
    let before = &text[from..start];
    let named = before.iter().rev().take_while(|b| b"\"' :=\\\t".contains(b)).count();
    let rest = &before[..before.len() - named];
    let is_name = named > 0
        && NEXT_ITEM_MEMBERS.iter().any(|name| {
            rest.len() >= name.len() && rest[rest.len() - name.len()..].eq_ignore_ascii_case(name)
        });
    if !is_name {
        return None;
    }
    let open = rest.iter().rposition(|b| b"{}".contains(b)).filter(|at| rest[*at] == b'{')?;
    let inside = &rest[open..];
    let at = inside.windows(5).position(|word| word.eq_ignore_ascii_case(b"value"))?;
    find_value(text, behind(text, from + open + at + 5)?, weight)
}

/// Where the value of a member begins: after its quotes, its operator or its bracket.
fn behind(text: &[u8], end: usize) -> Option<usize> {
    let marks = text[end..].iter().take(24).take_while(|b| b"\"'\\ \t:=>".contains(b)).count();
    let operator = text[end..end + marks].iter().position(|b| b":=>".contains(b))?;
    // The opening quote belongs to the value.
    let quotes = text[end + operator..end + marks].iter().rev().take_while(|b| b"\"'\\".contains(b)).count();
    let mut at = end + marks - quotes;
    // The first member may be the value itself: `{"value": {"stringValue": …`.
    if text[at..].starts_with(b"\n") {
        at += text[at..].iter().take(40).take_while(|b| b.is_ascii_whitespace()).count();
    }
    Some(at)
}

fn find_value(text: &[u8], at: usize, weight: CredentialKind) -> Option<Finding> {
    let span = read(text, at, b",;\"'`<>|()[]{}")?;
    let value = &text[span.start..span.end];
    let code = !span.quoted && (value.contains(&b'.') && is_technical(value) || value.contains(&b'('));
    (!code && is_secret(weight, value, Notation::Literal)).then_some(())?;
    finding(span.start, span.end)
}

// Tables with a column of credentials, with values separated by commas, tabs, semicolons, bars or
// blanks.

/// How many rows are read after a header, and the longest line.
const MAX_ROWS: usize = 200;

const MAX_LINE_BYTES: usize = 2_000;

/// Finds values in columns that a header names.
pub(super) fn detect_tables(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    let mut header: Option<Header> = None;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.len() > MAX_LINE_BYTES {
            header = None;
            continue;
        }
        match &mut header {
            Some(header) if header.rows < MAX_ROWS && header.read(line, start, found) => header.rows += 1,
            _ => header = if may_be_header(line) { Header::of(line) } else { None },
        }
    }
}

/// Stems that names of credential columns have in common.
static STEMS: Index<12> = Index::folded([
    "pass", "pwd", "pw", "secret", "token", "key", "pin", "code", "auth", "cred", "senha", "contrase",
]);

/// Whether a line may be a header with such a column. Most lines are not, and cost no more than
/// this.
fn may_be_header(line: &[u8]) -> bool {
    let mut any = false;
    if line.len() <= 400 {
        STEMS.each(line, |_, _| any = true);
    }
    any
}

/// The columns that a header names as credentials.
struct Header {
    mark: u8,
    columns: usize,
    wanted: Vec<(usize, CredentialKind)>,
    rows: usize,
}

impl Header {
    fn of(line: &[u8]) -> Option<Self> {
        [b',', b'\t', b';', b'|', b' '].into_iter().find_map(|mark| {
            let names: Vec<&[u8]> = fields(line, mark).map(|(_, field)| field).collect();
            if names.len() < 2 || !names.iter().all(|name| is_header(name)) {
                return None;
            }
            let wanted: Vec<(usize, CredentialKind)> = names
                .iter()
                .enumerate()
                .filter_map(|(number, name)| {
                    let foreign = names_password(name).then_some(CredentialKind::Password);
                    Some((number, credential_kind(name).or(foreign)?))
                })
                .filter(|(_, weight)| !matches!(weight, CredentialKind::Vague | CredentialKind::Phrase))
                .collect();
            (!wanted.is_empty()).then_some(Self { mark, columns: names.len(), wanted, rows: 0 })
        })
    }

    /// Reads a row. Returns whether the line is a row of this table.
    fn read(&self, line: &[u8], start: usize, found: &mut Vec<Finding>) -> bool {
        if line.iter().all(|b| b"-+=| \t:".contains(b)) {
            return true;
        }
        let row: Vec<(usize, &[u8])> = fields(line, self.mark).collect();
        if row.len() != self.columns {
            return false;
        }
        for (number, weight) in &self.wanted {
            let (at, value) = row[*number];
            if is_value(value, *weight, self.mark) {
                found.push(Finding { rule: "apart", start: start + at, end: start + at + value.len() });
            }
        }
        true
    }
}

fn is_value(value: &[u8], weight: CredentialKind, mark: u8) -> bool {
    let classes = Classes::of(value);
    // Documentation has tables of fields and their types.
    let odd = is_mixture(value)
        || classes.digits > 0 && classes.letters() > 0 && !is_technical(value)
        || weight == CredentialKind::Pin;
    let single = !value.iter().any(u8::is_ascii_whitespace);
    // Columns separated by blanks may be columns by chance.
    let sure = mark != b' ' || is_mixture(value) && value.len() >= 8;
    single && odd && sure && !is_placeholder(value) && is_secret(weight, value, Notation::Literal)
}

/// A column name: short, and not a sentence.
fn is_header(name: &[u8]) -> bool {
    name.len() <= 40
        && name.iter().any(u8::is_ascii_alphabetic)
        && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_-. ".contains(b) || *b >= 0x80)
        && name.iter().filter(|b| **b == b' ').count() <= 2
}

/// The fields of a line without the blanks and quotes around them, and where they begin.
fn fields(line: &[u8], mark: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let inner = if mark == b'|' { line.trim_ascii().trim_ascii() } else { line };
    let offset = inner.as_ptr() as usize - line.as_ptr() as usize;
    let (inner, offset) = match inner.strip_prefix(b"|").filter(|_| mark == b'|') {
        Some(rest) => (rest.strip_suffix(b"|").unwrap_or(rest), offset + 1),
        None => (inner, offset),
    };
    let mut at = offset;
    inner.split(move |b| *b == mark).filter_map(move |field| {
        let from = at;
        at += field.len() + 1;
        if mark == b' ' && field.is_empty() {
            return None;
        }
        let lead = field.iter().take_while(|b| b" \t\"'`*".contains(b)).count();
        let tail = field[lead..].iter().rev().take_while(|b| b" \t\"'`*".contains(b)).count();
        Some((from + lead, &field[lead..field.len() - tail]))
    })
}

//! Tables with a column of credentials, with values separated by commas, tabs, semicolons, bars or
//! blanks.

use super::super::Finding;
use super::super::keyword::Index;
use super::super::looks::{is_mixture, names_password};
use super::super::name::{CredentialKind, credential_kind};
use super::super::placeholder::is_placeholder;
use super::super::setting::Notation;
use super::super::strength::is_technical;
use super::super::token::Classes;
use super::super::value::is_secret;

/// How many rows are read after a header, and the longest line.
const ROWS: usize = 200;
const LONGEST: usize = 2_000;

/// Finds values in columns that a header names.
pub(in super::super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    let mut header: Option<Header> = None;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.len() > LONGEST {
            header = None;
            continue;
        }
        match &mut header {
            Some(header) if header.rows < ROWS && header.read(line, start, found) => header.rows += 1,
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

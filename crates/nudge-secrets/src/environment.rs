//! Environment variables with a value that only a generator writes, whatever their name.

use super::finding::Finding;
use super::random::{decode, is_random};
use super::token::Classes;
use super::value::is_unmistakable;

/// Endings of names with values that look random but are not secret.
#[rustfmt::skip]
const INNOCENT_ENDINGS: [&[u8]; 22] = [
    b"ID", b"IDS", b"HASH", b"SHA", b"COMMIT", b"VERSION", b"DIGEST", b"REV", b"REVISION", b"FINGERPRINT", b"CHECKSUM", b"PUBLIC", b"PUBKEY", b"PATH", b"URL", b"UUID", b"PUBLIC_KEY",
    b"DSN", b"NAME", b"TAG", b"ARN", b"CERT",
];

/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 80;

/// Finds such values at the beginning of a line, after `export` and the like.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        if line.len() > 4 {
            found.extend(in_line(line).map(|(from, to)| Finding {
                rule: "environment",
                start: start + from,
                end: start + to,
            }));
        }
    }
}

fn in_line(line: &[u8]) -> Option<(usize, usize)> {
    const LEADS: [&[u8]; 9] = [
        b"export ",
        b"set -gx ",
        b"set -x ",
        b"set -Ux ",
        b"set -lx ",
        b"setx ",
        b"setenv ",
        b"ENV ",
        b"ARG ",
    ];
    let blanks = line.iter().take(24).take_while(|b| b" \t+$".contains(b)).count();
    let lead = LEADS.iter().find(|lead| line[blanks..].starts_with(lead)).map_or(0, |lead| lead.len());
    let from = blanks + lead;
    let length = line[from..]
        .iter()
        .take(MAX_NAME_BYTES)
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_')
        .count();
    let name = &line[from..from + length];
    if length < 3 || !name[0].is_ascii_uppercase() || INNOCENT_ENDINGS.iter().any(|end| name.ends_with(end)) {
        return None;
    }
    let mut at = from + length;
    match line.get(at) {
        Some(b'=') => at += 1,
        Some(b' ') if lead > 0 => at += 1,
        _ => return None,
    }
    let quote = usize::from(matches!(line.get(at), Some(b'"' | b'\'')));
    let start = at + quote;
    let end = start
        + line[start..]
            .iter()
            .take(400)
            .take_while(|b| !b.is_ascii_whitespace() && !b"\"';".contains(b))
            .count();
    let value = &line[start..end];
    let list = name.ends_with(b"KEYS") && !name.ends_with(b"PUBLIC_KEYS") && is_list_of_keys(value);
    (list || is_unmistakable(value) && Classes::of(value).others <= 2).then_some((start, end))
}

/// Random bytes in base 64, separated by commas. Public keys have their own names.
fn is_list_of_keys(value: &[u8]) -> bool {
    let is_key = |key: &[u8]| {
        let classes = Classes::of(key);
        key.len() >= 20
            && key.len().is_multiple_of(4)
            && classes.lower > 0
            && classes.upper > 0
            && classes.digits > 0
            && decode(key.strip_suffix(b"==").or_else(|| key.strip_suffix(b"=")).unwrap_or(key)).is_some()
            && is_random(key)
    };
    value.contains(&b',') && value.split(|b| *b == b',').all(is_key)
}

//! Finds credentials in text, so that none is stored.
//!
//! One detector serves every writer: an explicit write that contains a credential is rejected,
//! passive capture is redacted. It consists of small detectors, each linear in the text:
//!
//! | detector | finds |
//! |---|---|
//! | `pem` | whole private key blocks |
//! | `encoded` | private keys in base 64, and texts that contain a credential |
//! | `prefix` | tokens with a vendor's prefix |
//! | `shape` | credentials with a structure that takes a pattern to recognise |
//! | `url` | the password in `scheme://user:password@host`, the random part of a link |
//! | `header` | credentials in authorization headers, values of cookies |
//! | `assignment` | values assigned to a name such as `DB_PASSWORD`, in any notation |
//! | `stored_password` | passwords as systems store them: hashes, lines of fields, manifests |
//! | `command` | passwords given to well-known programs on their command line |
//! | `sql` | passwords in statements to a database |
//! | `nearby` | passwords that a sentence states without assigning them: "log in as admin / …" |
//! | `printed` | output of commands that print a credential |
//! | `codes` | lists of codes, grouped keys, the words that form the key of a wallet |
//! | `hex` | runs of hexadecimal digits that are not a digest |
//! | `random` | long tokens that only a random generator writes |
//! | `bare` | passwords without a name, by their four kinds of characters |
//!
//! A pattern is compiled only when one of its keywords occurs in the text, so that clean text costs
//! microseconds in a process that lives for two milliseconds.
//!
//! A [`Finding`] has a rule and a range, never the text it found: logs and messages about a
//! rejected write cannot leak it.

mod apart;
mod assignment;
mod bare;
mod calls;
mod clean;
mod codes;
mod command;
mod encoded;
mod environment;
mod finding;
mod foreign;
mod header;
mod hex;
mod json;
mod keyword;
mod name;
mod nearby;
mod pem;
mod phrase;
mod placeholder;
mod prefix;
mod printed;
mod random;
mod shape;
mod sql;
mod stored_password;
mod strength;
mod strict;
mod surprise;
mod token;
mod url;
mod value;
mod view;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use finding::{Finding, REDACTED};
pub use json::redact_json;
pub use strict::{redact_strictly, scan_strictly};

/// Finds every credential in a text.
///
/// Findings are ordered and do not overlap.
pub fn scan(text: &str) -> Vec<Finding> {
    merge_findings(text, detect(text.as_bytes()))
}

/// Finds every credential in a text that is stored under a name.
///
/// `key` is a hint key, a JSON key, a header or a variable. If it is a credential word, the text as
/// a whole may be the credential, as if it had been assigned to that name.
pub fn scan_keyed(key: &str, text: &str) -> Vec<Finding> {
    let mut found = detect(text.as_bytes());
    assignment::check_whole_text(key.as_bytes(), text.as_bytes(), &mut found);
    merge_findings(text, found)
}

/// Whether a name announces a credential, so that a text stored under it is scanned with
/// [`scan_keyed`].
pub fn is_name(name: &str) -> bool {
    name::credential_kind(name.as_bytes()).is_some()
}

/// The text with every credential replaced by [`REDACTED`]; borrowed when there is none.
///
/// Redacting twice is the same as redacting once: replacing a credential can uncover another one
/// next to it, so the scan is repeated until nothing is found. A text that still reveals one after
/// four rounds was made to do so and is redacted as a whole: the time stays linear.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let findings = scan(&clean);
        if findings.is_empty() {
            return clean;
        }
        clean = Cow::Owned(replace(&clean, &findings));
    }
    if scan(&clean).is_empty() { clean } else { Cow::Borrowed(REDACTED) }
}

/// The most scans of a text. No text in the corpus needs more than three.
const MAX_ROUNDS: usize = 4;

/// A credential in a form that may be shown: the first four characters, stars, the last four.
///
/// A credential of fewer than 32 characters becomes stars only, so that never more than a quarter
/// is shown. The stars do not reveal the length of a long one.
pub fn mask(text: &str) -> String {
    /// Enough to read as "something long"; a private key of a thousand lines does not become a
    /// thousand lines of stars.
    const MAX_STARS: usize = 32;
    /// The eight characters that are shown are a quarter of this.
    const MIN_SHOWN: usize = 32;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < MIN_SHOWN {
        return "*".repeat(chars.len());
    }
    let stars = "*".repeat((chars.len() - 8).min(MAX_STARS));
    chars[..4].iter().copied().chain(stars.chars()).chain(chars[chars.len() - 4..].iter().copied()).collect()
}

/// Runs every detector over the text and its decoded form, unless it was found clean before.
fn detect(text: &[u8]) -> Vec<Finding> {
    let seen = clean::TextHash::of(text);
    if seen.is_clean() {
        return Vec::new();
    }
    let found = detect_in_views(text);
    if found.is_empty() {
        seen.remember();
    }
    found
}

fn detect_in_views(text: &[u8]) -> Vec<Finding> {
    // A diff may be quoted, or be a part of a diff.
    let Some(unsigned) = view::View::without_line_signs(text) else { return detect_decoded(text) };
    let Some(inner) = view::View::without_line_signs(&unsigned.text) else {
        return original(&unsigned, detect_decoded(&unsigned.text));
    };
    original(&unsigned, original(&inner, detect_decoded(&inner.text)))
}

/// Maps findings in a view to the original text.
fn original(view: &view::View, found: Vec<Finding>) -> Vec<Finding> {
    found.into_iter().filter_map(|finding| view.original(finding)).collect()
}

fn detect_decoded(text: &[u8]) -> Vec<Finding> {
    let mut found = detect_in(text);
    if let Some(view) = view::View::decoded(text) {
        let decoded = original(&view, detect_in(&view.text));
        // Text that only looks random because it is encoded is judged by its decoded form.
        found.retain(|raw| {
            !matches!(raw.rule, "random-token" | "hex-key" | "private-key")
                || decoded.iter().any(|finding| finding.start < raw.end && raw.start < finding.end)
        });
        found.extend(decoded);
    }
    detect_literals(text, LITERALS_DEEP, &mut found);
    found
}

/// How many levels of strings within strings are followed.
const LITERALS_DEEP: usize = 3;

/// Runs every detector over each string of a text that contains a text itself. The start of a
/// string counts as the start of a line.
fn detect_literals(text: &[u8], deep: usize, found: &mut Vec<Finding>) {
    for view in view::literals(text) {
        let mut inner = detect_in(&view.text);
        if deep > 1 {
            detect_literals(&view.text, deep - 1, &mut inner);
        }
        found.extend(inner.into_iter().filter_map(|finding| view.original(finding)));
    }
}

/// Runs every detector over a text without decoding it, the most specific rule first.
fn detect_in(text: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    encoded::detect(text, &mut found);
    detect_without_decoding(text, &mut found);
    found
}

/// Runs every detector except the one that decodes, which calls this.
fn detect_without_decoding(text: &[u8], found: &mut Vec<Finding>) {
    pem::detect(text, found);
    pem::detect_inside(text, found);
    prefix::detect(text, found);
    shape::detect(text, found);
    url::detect(text, found);
    url::detect_in_path(text, found);
    stored_password::detect_manifest(text, found);
    header::detect_cookies(text, found);
    header::detect(text, found);
    stored_password::detect(text, found);
    stored_password::detect_fields(text, found);
    command::detect(text, found);
    sql::detect(text, found);
    sql::detect_inserted(text, found);
    assignment::detect(text, found);
    apart::detect_tables(text, found);
    environment::detect(text, found);
    foreign::detect(text, found);
    calls::detect(text, found);
    nearby::detect(text, found);
    codes::detect(text, found);
    printed::detect(text, found);
    codes::detect_mnemonic(text, found);
    hex::detect(text, found);
    random::detect(text, found);
    bare::detect(text, found);
}

/// Sorts findings, joins those that overlap and moves their ends to character boundaries.
///
/// A joined finding has the rule of the detector that ran first. A finding that contains the mark
/// of an earlier redaction is dropped: what it would hide is hidden already.
fn merge_findings(text: &str, found: Vec<Finding>) -> Vec<Finding> {
    let mut ranked: Vec<(usize, Finding)> = found.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, finding)| (finding.start, *rank));
    let mut settled: Vec<(usize, Finding)> = Vec::with_capacity(ranked.len());
    for (rank, finding) in ranked {
        let finding = Finding {
            start: text.floor_char_boundary(finding.start),
            end: text.ceil_char_boundary(finding.end),
            ..finding
        };
        if finding.start >= finding.end || text[finding.start..finding.end].contains(REDACTED) {
            continue;
        }
        match settled.last_mut() {
            Some((best, last)) if finding.start < last.end => {
                last.end = last.end.max(finding.end);
                if rank < *best {
                    (*best, last.rule) = (rank, finding.rule);
                }
            }
            _ => settled.push((rank, finding)),
        }
    }
    settled.into_iter().map(|(_, finding)| finding).collect()
}

/// The text with the given findings replaced by [`REDACTED`]. They must come from a scan of this
/// text.
pub fn replace(text: &str, findings: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for finding in findings {
        clean.push_str(&text[from..finding.start]);
        clean.push_str(REDACTED);
        from = finding.end;
    }
    clean.push_str(&text[from..]);
    clean
}

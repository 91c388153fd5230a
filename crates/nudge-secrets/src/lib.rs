//! Finding credentials in text, so that none is kept.
//!
//! One detector serves every writer: an explicit write that contains a credential is rejected,
//! passive capture is redacted. It is a handful of small detectors, each linear in the text:
//!
//! | detector | finds |
//! |---|---|
//! | `pem` | whole private key blocks |
//! | `prefix` | tokens that announce their vendor in the first characters |
//! | `shape` | credentials with a structure that takes a pattern to tell |
//! | `url` | the password in `scheme://user:password@host` |
//! | `link_secret` | the random part of a link that opens something |
//! | `cookie` | values of cookie headers |
//! | `assignment` | what is assigned to a name such as `DB_PASSWORD`, in any notation |
//! | `authorization` | what an authorization header carries |
//! | `crypt` | passwords as systems store them |
//! | `record` | passwords in files of fields |
//! | `command` | passwords given to well-known programs on their command line |
//! | `sql` | passwords in statements to a database |
//! | `nearby` | what a sentence tells without assigning it: "log in as admin / …" |
//! | `printed` | what commands print whose purpose is to print a credential |
//! | `codes` | lists of codes and keys in groups |
//! | `mnemonic` | the words that are the key of a wallet |
//! | `hex` | runs of hexadecimal digits that are no digest |
//! | `random` | long tokens that only a random generator writes |
//! | `bare` | passwords that nothing announces, by their four kinds of characters |
//!
//! No pattern is compiled unless one of its keywords occurs in the text, so that clean text costs
//! microseconds in a process that lives for two milliseconds.
//!
//! A [`Finding`] carries a rule and a range, never the text it found: what is logged or shown
//! about a rejected write cannot leak it.

mod apart;
mod assignment;
mod authorization;
mod bare;
mod budget;
mod calls;
mod clean;
mod codes;
mod command;
mod cookie;
mod crypt;
mod encoded;
mod environment;
mod foreign;
mod hex;
mod json;
mod keyword;
mod link_secret;
mod looks;
mod manifest;
mod mnemonic;
mod name;
mod nearby;
mod pem;
mod phrase;
mod placeholder;
mod prefix;
mod printed;
mod prose;
mod random;
mod record;
mod setting;
mod shape;
mod sql;
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

pub use json::redact_json;
pub use strict::{redact_strictly, scan_strictly};

/// What stands in the place of a credential.
pub const REDACTED: &str = "[REDACTED]";

/// Where a credential was found, and by which rule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's stable name, such as `github-token`.
    pub rule: &'static str,
    /// First byte of the credential itself, on a character boundary.
    pub start: usize,
    /// One past its last byte, on a character boundary.
    pub end: usize,
}

/// Finds every credential in a text.
///
/// Findings are ordered and do not overlap.
///
/// ```
/// # use nudge_secrets::scan;
/// let text = concat!("export DB_PASSWORD=", "tr0ub4dor-and-3");
/// assert_eq!(scan(text).iter().map(|f| (f.rule, f.start)).collect::<Vec<_>>(), [("assignment", 19)]);
/// assert!(scan("docker compose build router").is_empty());
/// ```
pub fn scan(text: &str) -> Vec<Finding> {
    settle(text, detect(text.as_bytes()))
}

/// Finds every credential in a text that is stored under a name.
///
/// `key` is a hint key, a JSON key, a header or a variable: where it is a credential word, the
/// text as a whole may be the credential, as if it had been assigned to that name.
pub fn scan_keyed(key: &str, text: &str) -> Vec<Finding> {
    let mut found = detect(text.as_bytes());
    assignment::whole(key.as_bytes(), text.as_bytes(), &mut found);
    settle(text, found)
}

/// Whether a name announces a credential, so that what is stored under it is scanned with [`scan_keyed`].
///
/// ```
/// # use nudge_secrets::is_name;
/// assert!(is_name("--db-password") && is_name("X-Api-Key"));
/// assert!(!is_name("build"));
/// ```
pub fn is_name(name: &str) -> bool {
    name::weigh(name.as_bytes()).is_some()
}

/// The text with every credential replaced by [`REDACTED`]; borrowed when there is none.
///
/// Redacting twice is the same as redacting once: replacing a credential can uncover another that
/// had run into it, so it is repeated until nothing is found. A text that still gives one away after
/// four rounds was made to do so, and goes whole: the time stays linear.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        let findings = scan(&clean);
        if findings.is_empty() {
            return clean;
        }
        clean = Cow::Owned(replace(&clean, &findings));
    }
    if scan(&clean).is_empty() { clean } else { Cow::Borrowed(REDACTED) }
}

/// How often a text is looked through at most. Of the texts in the corpus none needs more than three.
const ROUNDS: usize = 4;

/// A credential as it may be shown: the first four characters, stars, the last four.
///
/// Fewer than 32 characters become stars only, so that never more than a quarter is shown. The
/// stars do not tell the length of a long one.
pub fn mask(text: &str) -> String {
    /// Enough to read as "something long"; a private key of a thousand lines is not a thousand lines of stars.
    const MOST_STARS: usize = 32;
    /// The eight characters that are shown are a quarter of this.
    const SHORTEST_SHOWN: usize = 32;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < SHORTEST_SHOWN {
        return "*".repeat(chars.len());
    }
    let stars = "*".repeat((chars.len() - 8).min(MOST_STARS));
    chars[..4].iter().copied().chain(stars.chars()).chain(chars[chars.len() - 4..].iter().copied()).collect()
}

/// Every detector over the text, and over what it decodes to, unless it was found clean before.
fn detect(text: &[u8]) -> Vec<Finding> {
    let seen = clean::Seen::of(text);
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
    let Some(unsigned) = view::View::unsigned(text) else { return detect_decoded(text) };
    let Some(inner) = view::View::unsigned(&unsigned.text) else {
        return original(&unsigned, detect_decoded(&unsigned.text));
    };
    original(&unsigned, original(&inner, detect_decoded(&inner.text)))
}

/// Findings in a view, in the text that it is of.
fn original(view: &view::View, found: Vec<Finding>) -> Vec<Finding> {
    found.into_iter().filter_map(|finding| view.original(finding)).collect()
}

fn detect_decoded(text: &[u8]) -> Vec<Finding> {
    let mut found = detect_in(text);
    if let Some(view) = view::View::decoded(text) {
        let decoded = original(&view, detect_in(&view.text));
        // What only looks random because of what was done to the text is told by the decoded one.
        found.retain(|raw| {
            !matches!(raw.rule, "random-token" | "hex-key" | "private-key")
                || decoded.iter().any(|finding| finding.start < raw.end && raw.start < finding.end)
        });
        found.extend(decoded);
    }
    detect_literals(text, LITERALS_DEEP, &mut found);
    found
}

/// How deep texts are followed that are written as strings within each other.
const LITERALS_DEEP: usize = 3;

/// Every detector over the strings of a text that are texts themselves, each by itself: what begins a string begins a line.
fn detect_literals(text: &[u8], deep: usize, found: &mut Vec<Finding>) {
    for view in view::literals(text) {
        let mut inner = detect_in(&view.text);
        if deep > 1 {
            detect_literals(&view.text, deep - 1, &mut inner);
        }
        found.extend(inner.into_iter().filter_map(|finding| view.original(finding)));
    }
}

/// Every detector over a text as it stands, the most telling rule first.
fn detect_in(text: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    encoded::detect(text, &mut found);
    detect_plainly(text, &mut found);
    found
}

/// Every detector but the one that decodes, which comes back here.
fn detect_plainly(text: &[u8], found: &mut Vec<Finding>) {
    pem::detect(text, found);
    pem::detect_inside(text, found);
    prefix::detect(text, found);
    shape::detect(text, found);
    url::detect(text, found);
    link_secret::detect(text, found);
    manifest::detect(text, found);
    cookie::detect(text, found);
    authorization::detect(text, found);
    crypt::detect(text, found);
    record::detect(text, found);
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
    mnemonic::detect(text, found);
    hex::detect(text, found);
    random::detect(text, found);
    bare::detect(text, found);
}

/// Orders findings, joins those that overlap and moves their ends to character boundaries.
///
/// Of joined findings the rule of the detector that ran first is kept. A finding that contains a
/// mark of an earlier redaction is none: what it would hide is hidden already.
fn settle(text: &str, found: Vec<Finding>) -> Vec<Finding> {
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

/// The text with the given findings replaced by [`REDACTED`]. They must come from a scan of this text.
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

//! Tokens with a vendor's prefix.
//!
//! These are most of the credentials in the world, and the cheapest to find: a prefix at the
//! beginning of a word, and enough varied characters of one alphabet after it.

mod table;

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::token::{Classes, begins, distinct};
use table::{Alphabet, PREFIXES, Prefix};

/// Finds tokens by their prefix.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    // A prefix inside a run that was checked with the same prefix has been judged with it.
    let mut tried = (usize::MAX, 0);
    INDEX.each(text, |number, at| {
        let prefix = &PREFIXES[number];
        if !begins(text, at) || tried.0 == number && at < tried.1 {
            return;
        }
        let run = prefix.run(text, at);
        tried = (number, run);
        if let Some(end) = prefix.judge(text, at, run) {
            found.push(Finding { rule: prefix.rule, start: at, end });
        }
    });
}

/// The longest token of any vendor, with room to spare; it bounds the work on hostile text.
const LONGEST: usize = 2048;

impl Alphabet {
    fn has(self, b: u8) -> bool {
        match self {
            Self::Plain => b.is_ascii_alphanumeric(),
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Groups => b.is_ascii_hexdigit() || b == b'_' || b == b'-',
            Self::Url => b.is_ascii_alphanumeric() || b == b'_' || b == b'-',
            Self::Dotted => b.is_ascii_alphanumeric() || b"_-.".contains(&b),
            Self::Base64 => b.is_ascii_alphanumeric() || b"+/_-=".contains(&b),
        }
    }
}

impl Prefix {
    /// The end of the alphabet's characters after the prefix at `at`.
    fn run(&self, text: &[u8], at: usize) -> usize {
        let body = at + self.prefix.len();
        body + text[body..].iter().take(LONGEST).take_while(|&&b| self.alphabet.has(b)).count()
    }

    /// The end of the token from `at` to `run`, if it is one.
    fn judge(&self, text: &[u8], at: usize, run: usize) -> Option<usize> {
        let body = at + self.prefix.len();
        let closing = text[body..run].iter().rev().take_while(|b| b".-".contains(b)).count();
        let end = run - closing;
        let token = &text[body..end];
        (token.len() >= self.least && is_issued(token) && !is_placeholder(&text[at..end])).then_some(end)
    }
}

/// Whether a program issued this: not one character repeated, not words joined by dashes.
fn is_issued(token: &[u8]) -> bool {
    let classes = Classes::of(token);
    let cased = classes.lower >= 2 && classes.upper >= 2 && distinct(token) >= 10;
    let mixed = classes.digits >= 2 && classes.letters() > 0 || classes.digits >= 12;
    distinct(token) >= 6 && (mixed || cased || is_random(token))
}

const COUNT: usize = PREFIXES.len();

static INDEX: Index<COUNT> = Index::exact(keywords());

const fn keywords() -> [&'static str; COUNT] {
    let mut words = [""; COUNT];
    let mut number = 0;
    while number < COUNT {
        words[number] = PREFIXES[number].prefix;
        number += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::super::tests::generator;
    use super::{Alphabet, PREFIXES};

    /// A made-up value of the published form.
    fn value(prefix: &str, alphabet: Alphabet, least: usize, seed: u64) -> String {
        let tail = match alphabet {
            Alphabet::Hex | Alphabet::Groups => generator::hex(seed, least.max(24)),
            _ => generator::base62(seed, least.max(24)),
        };
        format!("{prefix}{tail}")
    }

    #[test]
    fn every_format_has_a_source_and_a_value_of_it_is_found() {
        for (number, prefix) in PREFIXES.iter().enumerate() {
            assert!(!prefix.source.is_empty(), "{} has no source", prefix.rule);
            let value = value(prefix.prefix, prefix.alphabet, prefix.least, number as u64 + 1);
            let text = format!("use {value} now");
            let found = scan(&text);
            let whole = found.iter().any(|finding| finding.start <= 4 && finding.end >= 4 + value.len());
            assert!(whole, "{} is not found in {text:?}: {found:?}", prefix.rule);
        }
    }
}

//! The ten groups of outputs. Each file in `cases` holds outputs between `=== name` lines.

use nudge_grammar::{TagLimits, parse_tags};

use super::show::show;

/// How many outputs a group holds at least.
const MIN_CASES: usize = 40;

/// The outputs of a group: name and text.
///
/// `\xNN` and `\u{N}` are characters, `@repeat COUNT TEXT` as a line is the text so many times.
pub fn cases(file: &str) -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> = Vec::new();
    for line in file.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = cases.last_mut() {
            text.push_str(&expand(line));
        }
    }
    for (_, text) in &mut cases {
        text.truncate(text.trim_end_matches('\n').len());
        *text = unescape(text);
    }
    cases
}

fn expand(line: &str) -> String {
    let Some((count, text)) = line.strip_prefix("@repeat ").and_then(|rest| rest.split_once(' ')) else {
        return line.to_owned();
    };
    text.trim_end_matches('\n').repeat(count.parse().expect("a count"))
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let hex = rest.strip_prefix("\\x").and_then(|tail| tail.get(..2)).map(|digits| (digits, 4));
        let wide = rest.strip_prefix("\\u{").and_then(|tail| tail.split_once('}'));
        let escape = hex.or(wide.map(|(digits, _)| (digits, digits.len() + 4)));
        let code = escape.and_then(|(digits, length)| Some((u32::from_str_radix(digits, 16).ok()?, length)));
        match code.and_then(|(code, length)| Some((char::from_u32(code)?, length))) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push('\\');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn check(group: &str, file: &str) {
    let cases = cases(file);
    assert!(cases.len() >= MIN_CASES, "{group} has {} outputs", cases.len());
    let shown = cases.iter().map(|(name, output)| {
        let parsed = parse_tags(output, TagLimits::default());
        super::properties::check_invariants(output, &parsed);
        show(name, output, &parsed)
    });
    insta::assert_snapshot!(group, shown.collect::<Vec<_>>().join("\n"));
}

/// @tags_attribute_or_body
#[test]
fn well_formed() {
    check("well_formed", include_str!("cases/well_formed.txt"));
}

/// @tags_empty_body
#[test]
fn unclosed() {
    check("unclosed", include_str!("cases/unclosed.txt"));
}

/// @tags_mismatched_close
#[test]
fn mismatched() {
    check("mismatched", include_str!("cases/mismatched.txt"));
}

/// @tags_opaque_bodies
#[test]
fn nested() {
    check("nested", include_str!("cases/nested.txt"));
}

/// @tags_quotes
#[test]
fn quoted() {
    check("quoted", include_str!("cases/quoted.txt"));
}

/// @tags_code_spans
#[test]
fn back_ticks() {
    check("back_ticks", include_str!("cases/back_ticks.txt"));
}

/// @tags_native_formats
#[test]
fn mixed_formats() {
    check("mixed_formats", include_str!("cases/mixed_formats.txt"));
}

/// @tags_never_throw
#[test]
fn truncated() {
    check("truncated", include_str!("cases/truncated.txt"));
}

/// @tags_code_spans
#[test]
fn prose_around() {
    check("prose_around", include_str!("cases/prose_around.txt"));
}

/// @tags_never_throw
#[test]
fn hostile() {
    check("hostile", include_str!("cases/hostile.txt"));
}

//! ruff: `check` and `format --check`.

use super::super::reading::{NAMES, Reading, THAT, found, is_position};

const CANONICAL: &[&str] = &["Found 2 errors.", "1 file would be reformatted"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        match remaining(line).or_else(|| unformatted(line)) {
            Some(0) => passed(&mut reading, at, line),
            Some(_) => reading.fail(THAT, line),
            None if *line == "All checks passed!" => passed(&mut reading, at, line),
            None if line.starts_with("error: Failed to ") => reading.suspect(at, THAT, line),
            None if is_placed(line) => reading.suspect(at, NAMES, line),
            None if is_rule(line) => reading.hint(NAMES, line),
            None => {}
        }
    }
    reading
}

/// Each run has a line of its own.
fn passed(reading: &mut Reading, at: usize, line: &str) {
    reading.built(at, line);
    reading.results += 1;
}

/// The errors left: `Found 2 errors.`, `Found 3 errors (1 fixed, 2 remaining).`
fn remaining(line: &str) -> Option<u32> {
    let (count, rest) = found(line)?;
    match rest.strip_prefix("errors").or_else(|| rest.strip_prefix("error"))? {
        "." => Some(count),
        fixed => {
            let (_, left) = fixed.strip_suffix(" remaining).")?.rsplit_once(", ")?;
            left.parse().ok()
        }
    }
}

/// `1 file would be reformatted, 2 files already formatted`, `3 files already formatted`.
fn unformatted(line: &str) -> Option<u32> {
    let (count, rest) = line.split_once(" file")?;
    let count: u32 = count.parse().ok()?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    if rest.starts_with(" would be reformatted") {
        return Some(count);
    }
    (rest == " already formatted").then_some(0)
}

/// `src/a.py:1:8: F401 [*] …`
fn is_placed(line: &str) -> bool {
    let message = line.split_once(".py:").and_then(|(_, place)| place.split_once(": "));
    message.is_some_and(|(position, message)| is_position(position) && is_rule(message))
}

/// ``F401 [*] `os` imported but unused``
fn is_rule(line: &str) -> bool {
    let rule = line.split(' ').next().unwrap_or_default();
    let digits = rule.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    digits.len() >= 3 && digits.len() < rule.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_closing_line_tells() {
        check(
            read,
            &[
                ("All checks passed!", "passed - - All checks passed!"),
                (
                    "F401 [*] `os` imported but unused\n --> a.py:1:8\n\nFound 1 error.",
                    "failed - - F401 [*] `os` imported but unused",
                ),
                ("a.py:1:8: F401 unused\nFound 1 error.", "failed - - a.py:1:8: F401 unused"),
                (
                    "Found 3 errors (3 fixed, 0 remaining).",
                    "passed - - Found 3 errors (3 fixed, 0 remaining).",
                ),
                (
                    "Found 3 errors (1 fixed, 2 remaining).",
                    "failed - - Found 3 errors (1 fixed, 2 remaining).",
                ),
                (
                    "Would reformat: a.py\n1 file would be reformatted, 2 files already formatted",
                    "failed - - 1 file would be reformatted, 2 files already formatted",
                ),
                ("3 files already formatted", "passed - - 3 files already formatted"),
                ("Found 2 errors in 1 file (checked 3 source files)", "unknown - - -"),
            ],
        );
    }
}

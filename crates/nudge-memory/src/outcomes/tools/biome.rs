//! biome: `check`, `lint` and `ci`.

use super::super::reading::{Reading, THAT, found};

const CANONICAL: &[&str] = &["Found 2 errors."];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let mut checked = None;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("Checked ") && line.contains(" file") && line.contains(" in ") {
            checked = Some((at, line));
        } else if checked.is_some() && has_errors(line) {
            reading.fail(THAT, line);
        }
    }
    if let Some((at, line)) = checked.filter(|_| !reading.sure) {
        reading.built(at, line);
    }
    reading
}

/// `Found 2 errors.`, after the line that says what was checked.
fn has_errors(line: &str) -> bool {
    found(line).is_some_and(|(count, rest)| count > 0 && matches!(rest, "error." | "errors."))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_closing_lines_tell() {
        check(
            read,
            &[
                (
                    "Checked 3 files in 5ms. No fixes applied.",
                    "passed - - Checked 3 files in 5ms. No fixes applied.",
                ),
                (
                    "Checked 3 files in 5ms. No fixes applied.\nFound 2 errors.\nFound 1 warning.",
                    "failed - - Found 2 errors.",
                ),
                (
                    "Checked 3 files in 5ms. No fixes applied.\nFound 1 warning.",
                    "passed - - Checked 3 files in 5ms. No fixes applied.",
                ),
                ("Found 2 errors.", "unknown - - -"),
            ],
        );
    }
}

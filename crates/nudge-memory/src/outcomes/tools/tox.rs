//! tox, which runs pytest in several environments.

use super::super::reading::{Reading, WHERE};
use super::pytest;

const CANONICAL: &[&str] = &["  evaluation failed :( (1.23 seconds)", "  py39: FAIL code 1 (0.52 seconds)"];

/// A success in one environment says nothing about the others; only the closing line covers all.
pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = pytest::read(lines, usize::MAX);
    reading.forget_tests();
    reading.canonical = CANONICAL;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.starts_with("evaluation failed :(") || is_failed(text) {
            reading.fail(WHERE, line);
        } else if text.starts_with("congratulations :)") {
            reading.tests_passed(at, line, true);
        }
    }
    reading
}

/// `py39: FAIL code 1 (0.52 seconds)`, `py39: FAIL ✖ in 1.2 seconds`, `ERROR:   py39: commands
/// failed`.
fn is_failed(line: &str) -> bool {
    let line = line.strip_prefix("ERROR:").map_or(line, str::trim_start);
    let Some((name, rest)) = line.split_once(": ") else { return false };
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name && (rest == "FAIL" || rest.starts_with("FAIL ") || rest == "commands failed")
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
                (
                    "1 failed in 0.1s\n41 passed in 0.2s\n  py39: FAIL code 1 (0.5=setup[0.1]+cmd[0.4] seconds)\n  evaluation failed :( (1.10 seconds)",
                    "failed 41 1 py39: FAIL code 1 (0.5=setup[0.1]+cmd[0.4] seconds)",
                ),
                ("41 passed in 0.2s", "unknown 41 0 41 passed in 0.2s"),
                ("  py39: FAIL code 1 (0.52 seconds)", "failed - - py39: FAIL code 1 (0.52 seconds)"),
                (
                    "41 passed in 0.2s\n  congratulations :) (1.10 seconds)",
                    "passed 41 0 congratulations :) (1.10 seconds)",
                ),
            ],
        );
    }
}

//! vitest.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, stated, sum, tally};
use super::jest::json;

const CANONICAL: &[&str] =
    &[" Test Files  1 failed | 3 passed (4)", "      Tests  1 failed | 41 passed (42)"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let (mut files, mut errors) = (0, 0);
    let mut has_files = false;
    for (at, line) in lines.iter().enumerate() {
        match labeled(line, at) {
            Some(("Test Files", counts)) => {
                has_files = true;
                files = totals(counts).map_or(0, |counts| sum(&counts, &["failed"]));
                if files > 0 {
                    reading.fail(THAT, line);
                }
            }
            Some(("Tests", counts)) => {
                tests(&mut reading, at, line, counts);
                // Files that could not run are only reported above it.
                if !std::mem::take(&mut has_files) {
                    reading.open_above();
                }
            }
            Some(("Errors", counts)) => {
                errors = tally(counts).map_or(0, |counts| sum(&counts, &["error"]));
                if errors > 0 {
                    reading.fail(THAT, line);
                }
            }
            _ => read_line(&mut reading, at, line),
        }
    }
    if reading.failed.unwrap_or(0) == 0 && files.max(errors) > 0 {
        // Files that did not run have no tests to count.
        reading.failed = Some(files.max(errors));
    }
    reading
}

/// A label, right-aligned in eleven columns as vitest prints it, and the text after it. The first
/// line may have lost leading whitespace.
fn labeled(line: &str, at: usize) -> Option<(&str, &str)> {
    let (label, rest) = line.trim_start().split_once("  ")?;
    let column = line.len() - line.trim_start().len() + label.len();
    (column == 11 || (at == 0 && column == label.len())).then_some((label, rest))
}

fn tests(reading: &mut Reading, at: usize, line: &str, counts: &str) {
    let Some(counts) = totals(counts) else { return };
    let (passed, failed) = (stated(&counts, &["passed"]), stated(&counts, &["failed"]));
    reading.count_stated(passed, failed);
    if failed > Some(0) {
        reading.fail(THAT, line);
    } else if passed > Some(0) {
        // Errors outside tests come after it.
        reading.tests_passed(at, line, false);
    }
}

fn read_line(reading: &mut Reading, at: usize, line: &str) {
    let trimmed = line.trim_start();
    if line.starts_with(" FAIL  ") {
        reading.suspect(at, NAMES, line);
    } else if line.starts_with("ERROR: Coverage for ") && line.contains(" does not meet ") {
        reading.fail(WHY, line);
    } else if trimmed.starts_with("❯ ") && trimmed.contains(" tests | ") && trimmed.contains(" failed") {
        reading.suspect(at, WHERE, line);
    } else if line.starts_with("{\"num") {
        json(reading, at, line);
    }
}

/// The counts of `1 failed | 41 passed (42)`.
fn totals(rest: &str) -> Option<Vec<(u32, &str)>> {
    let counts = rest.trim_end().strip_suffix(')')?;
    let (counts, total) = counts.rsplit_once(" (")?;
    total.parse::<u32>().ok()?;
    tally(counts)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn totals_tell() {
        check(
            read,
            &[
                (
                    " Test Files  3 passed (3)\n      Tests  41 passed (41)",
                    "passed 41 0 Tests  41 passed (41)",
                ),
                (
                    " FAIL  src/a.test.ts > sum > adds\n Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 41 passed | 2 skipped (44)",
                    "failed 41 1 FAIL  src/a.test.ts > sum > adds",
                ),
                (" Test Files  1 failed (1)\n      Tests  no tests", "failed - 1 Test Files  1 failed (1)"),
                ("ok\n Tests  1 failed | 3 passed (4)", "unknown - - -"),
                (
                    " ❯ src/a.test.ts (5 tests | 1 failed) 12ms",
                    "likely - - ❯ src/a.test.ts (5 tests | 1 failed) 12ms",
                ),
                ("      Tests  41 passed (41)\n     Errors  1 error", "failed 41 1 Errors  1 error"),
            ],
        );
    }
}

//! jest.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, stated, sum, tally};
use super::super::runner::Task;

const CANONICAL: &[&str] = &["Tests:       1 failed, 41 passed, 42 total"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    // Output filtered by a search lacks the indented lines.
    let is_picked = !lines.iter().any(|line| line.starts_with("  "));
    let mut suites = 0;
    let mut suites_at = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(counts) = line.strip_prefix("Tests:       ").and_then(totals) {
            let (passed, failed) = (stated(&counts, &["passed"]), stated(&counts, &["failed"]));
            // Suites that did not run have no tests to count.
            let failed = failed.or(Some(std::mem::take(&mut suites)).filter(|suites| *suites > 0));
            reading.count_stated(passed, failed);
            if failed > Some(0) {
                reading.fail(THAT, line);
            } else if passed > Some(0) {
                reading.tests_passed(at, line, true);
                // Suites that could not run are only reported above it.
                if suites_at.take().is_none() {
                    reading.open_above();
                }
            }
        } else if let Some(counts) = line.strip_prefix("Test Suites: ").and_then(totals) {
            suites_at = Some(at);
            suites = sum(&counts, &["failed"]);
            if suites > 0 {
                reading.fail(THAT, line);
            }
        } else if line.strip_prefix("FAIL ").is_some_and(is_suite) {
            let next = lines.get(at + 1).copied().unwrap_or_default();
            if is_picked || next.is_empty() || next.starts_with("  ") {
                reading.suspect(at, WHERE, line);
            }
        } else if let Some(test) = line.strip_prefix("  ● ").filter(|test| *test != "Console") {
            let rank = if test.contains(" › ") { NAMES } else { WHY };
            reading.hint(rank, line);
        } else if line.starts_with("Jest: ") && line.contains(" coverage threshold for ") {
            reading.fail(WHY, line);
        } else if line.starts_with("{\"num") {
            json(&mut reading, at, line);
        }
    }
    if reading.success(Task::Test).is_some() {
        // The totals cover all suites, whatever a test printed.
        reading.likely = None;
    }
    reading
}

/// The output of `--json` and of vitest's `json` reporter, on one line.
pub(super) fn json(reading: &mut Reading, at: usize, line: &str) {
    let number = |name: &str| -> Option<u32> {
        let (_, rest) = line.split_once(name)?;
        rest.split([',', '}']).next()?.parse().ok()
    };
    let (Some(passed), Some(failed)) = (number("\"numPassedTests\":"), number("\"numFailedTests\":")) else {
        return;
    };
    reading.count(passed, failed);
    if failed > 0 || line.contains("\"success\":false") {
        reading.fail(THAT, line);
    } else if passed > 0 {
        reading.tests_passed(at, line, true);
    }
}

fn totals(rest: &str) -> Option<Vec<(u32, &str)>> {
    tally(rest.trim()).filter(|counts| counts.iter().any(|(_, word)| word.ends_with("total")))
}

/// The path of a suite after `FAIL`, possibly with a project name before it and a time after it.
fn is_suite(rest: &str) -> bool {
    rest.split(' ').any(|word| {
        let ending = word.rsplit('.').next().unwrap_or_default();
        word.contains('.')
            && matches!(ending, "js" | "ts" | "jsx" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue")
    })
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
                ("Tests:       41 passed, 41 total", "passed 41 0 Tests:       41 passed, 41 total"),
                (
                    "FAIL src/a.test.js\n  ● sum › adds\nTests:       1 failed, 1 skipped, 41 passed, 43 total",
                    "failed 41 1 ● sum › adds",
                ),
                (
                    "Test Suites: 1 failed, 1 total\nTests:       0 total",
                    "failed - 1 Test Suites: 1 failed, 1 total",
                ),
                ("FAIL src/b.test.js\nPASS src/a.test.js\n  ✓ adds", "unknown - - -"),
                (
                    "Tests: 1 failed, 2 total\nTests:       2 passed, 2 total",
                    "passed 2 0 Tests:       2 passed, 2 total",
                ),
                (
                    "{\"numPassedTests\":2,\"numFailedTests\":1}",
                    "failed 2 1 {\"numPassedTests\":2,\"numFailedTests\":1}",
                ),
                ("Tests: all good\nFAIL to see\n1 failed", "unknown - - -"),
                ("FAIL src/a.test.js (5.1 s)", "likely - - FAIL src/a.test.js (5.1 s)"),
            ],
        );
    }
}

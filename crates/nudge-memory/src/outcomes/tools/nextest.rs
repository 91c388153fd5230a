//! cargo nextest.

use super::super::reading::{NAMES, Reading, THAT, sum, tally};

const CANONICAL: &[&str] = &["     Summary [   0.012s] 5 tests run: 4 passed, 1 failed, 1 skipped"];

/// Prefixes of the lines for failed tests.
const ENDS: [&str; 6] = ["FAIL", "TIMEOUT", "ABORT", "SIGABRT", "SIGSEGV", "LEAK-FAIL"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some((is_whole, counts)) = trimmed.strip_prefix("Summary [").and_then(summary) {
            let failed = sum(&counts, &["failed", "exec failed", "timed out"]);
            let passed = sum(&counts, &["passed"]);
            reading.count(passed, failed);
            if failed > 0 {
                reading.fail(THAT, line);
            } else if passed > 0 && is_whole {
                reading.tests_passed(at, line, true);
            }
        } else if ENDS.iter().any(|end| trimmed.strip_prefix(end).is_some_and(|rest| rest.starts_with(" [")))
        {
            reading.suspect(at, NAMES, line);
        } else if matches!(*line, "error: test run failed" | "error: creating test list failed") {
            reading.fail(THAT, line);
        } else if *line == "error: no tests to run" {
            reading.hint(THAT, line);
        }
    }
    reading
}

/// The counts after `0.012s] 5 tests run: `, and whether all tests ran: `5/10` means they did not.
fn summary(rest: &str) -> Option<(bool, Vec<(u32, &str)>)> {
    let (_, rest) = rest.split_once("] ")?;
    let (run, counts) = rest.split_once(" run: ")?;
    let number = run.strip_suffix(" tests").or(run.strip_suffix(" test"))?;
    let is_whole = number.split_once('/').is_none_or(|(run, all)| run == all);
    Some((is_whole, tally(counts)?))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_summary_tells() {
        check(
            read,
            &[
                (
                    "     Summary [   0.2s] 45 tests run: 45 passed, 1 skipped",
                    "passed 45 0 Summary [   0.2s] 45 tests run: 45 passed, 1 skipped",
                ),
                (
                    "     Summary [   0.2s] 1 test run: 1 passed (1 flaky), 5 skipped",
                    "passed 1 0 Summary [   0.2s] 1 test run: 1 passed (1 flaky), 5 skipped",
                ),
                (
                    "     Summary [   2.0s] 5/6 tests run: 1 passed, 3 failed, 1 timed out, 1 skipped\n        FAIL [   0.010s] (2/5) slow tests::a\nerror: test run failed",
                    "failed 1 4 FAIL [   0.010s] (2/5) slow tests::a",
                ),
                (
                    "     Summary [   0.0s] 0 tests run: 0 passed, 46 skipped\nerror: no tests to run",
                    "unknown 0 0 error: no tests to run",
                ),
                ("     Summary [   0.2s] 5/10 tests run: 5 passed, 0 skipped", "unknown 5 0 -"),
                ("        PASS [   0.008s] (1/4) calc tests::a", "unknown - - -"),
            ],
        );
    }
}

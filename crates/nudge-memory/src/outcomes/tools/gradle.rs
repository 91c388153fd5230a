//! Gradle.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, sum, tally};

const CANONICAL: &[&str] = &["BUILD FAILED in 3s"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let (mut passed, mut failed) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("BUILD SUCCESSFUL") && is_closing(line) {
            reading.built(at, line);
        } else if line.starts_with("BUILD FAILED") && is_closing(line) {
            reading.fail(THAT, line);
        } else if let Some(counts) = completed(line) {
            let bad = sum(&counts, &["failed"]);
            reading.count(
                sum(&counts, &["test"]).saturating_sub(bad).saturating_sub(sum(&counts, &["skipped"])),
                bad,
            );
            if bad > 0 {
                reading.fail(THAT, line);
            }
        } else if line.starts_with("> Task ") {
            if line.ends_with(" FAILED") {
                reading.suspect(at, WHERE, line);
            }
        } else if line.contains(" > ") && line.ends_with(" FAILED") {
            failed += 1;
            reading.suspect(at, NAMES, line);
        } else if line.contains(" > ") && line.ends_with(" PASSED") {
            passed += 1;
        } else if line.starts_with("FAILURE: Build failed with an exception") {
            reading.fail(THAT, line);
        } else if line.starts_with("e: ") || line.contains(".java:") && line.contains(": error: ") {
            reading.hint(NAMES, line);
        } else if line.starts_with("Execution failed for task ") {
            reading.hint(WHY, line);
        }
    }
    if reading.passed.is_none() && passed + failed > 0 {
        reading.count(passed, failed);
    }
    reading
}

/// `BUILD SUCCESSFUL in 3s`
fn is_closing(line: &str) -> bool {
    line.split(' ').nth(2).is_none_or(|word| word == "in")
}

/// The counts of `5 tests completed, 1 failed, 1 skipped`.
fn completed(line: &str) -> Option<Vec<(u32, &str)>> {
    tally(line).filter(|counts| {
        counts.first().is_some_and(|(_, word)| matches!(*word, "tests completed" | "test completed"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn builds_tell() {
        check(
            read,
            &[
                (
                    "BUILD SUCCESSFUL in 3s\n5 actionable tasks: 5 executed",
                    "passed - - BUILD SUCCESSFUL in 3s",
                ),
                (
                    "> Task :test FAILED\nAppTest > adds FAILED\n5 tests completed, 1 failed, 1 skipped\nFAILURE: Build failed with an exception.\nBUILD FAILED in 3s",
                    "failed 3 1 AppTest > adds FAILED",
                ),
                ("AppTest > adds PASSED\nBUILD SUCCESSFUL in 3s", "passed 1 0 BUILD SUCCESSFUL in 3s"),
                ("BUILD FAILED once, retrying", "unknown - - -"),
            ],
        );
    }
}

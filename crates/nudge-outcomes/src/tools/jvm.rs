//! Maven and Gradle.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, sum, tally};

// Maven with surefire and failsafe.

const MAVEN_CANONICAL: &[&str] = &["[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0"];

pub(super) fn read_maven(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(MAVEN_CANONICAL);
    let mut classes = (0, 0);
    let mut totals = None;
    let mut has_ended = false;
    for (at, line) in lines.iter().enumerate() {
        let (level, text) = maven_level(line);
        if let Some(counts) = text.strip_prefix("Tests run: ").and_then(MavenCounts::read) {
            if counts.failed > 0 {
                reading.fail(THAT, line);
            }
            if counts.is_of_class {
                classes = (classes.0 + counts.passed, classes.1 + counts.failed);
            } else {
                reading.count(counts.passed, counts.failed);
                totals = Some((at, line, counts));
            }
        } else if level == "ERROR" {
            maven_error(&mut reading, at, line, text);
        } else if text == "BUILD FAILURE" {
            reading.fail(THAT, line);
        } else if text == "BUILD SUCCESS" {
            has_ended = true;
            reading.built(at, line);
        }
    }
    if reading.passed.is_none() && classes != (0, 0) {
        reading.count(classes.0, classes.1);
    }
    // The end of the build follows the totals, unless a search selected only the totals.
    let is_ended = has_ended || lines.iter().all(|line| line.contains("Tests run"));
    let totals = totals.filter(|(_, _, counts)| counts.failed == 0 && counts.passed > 0);
    if let Some((at, line, _)) = totals.filter(|_| is_ended) {
        reading.tests_passed(at, line, false);
    }
    reading
}

/// `[INFO] text`, or a text without a level.
fn maven_level(line: &str) -> (&str, &str) {
    let parts = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    parts.filter(|(level, _)| matches!(*level, "INFO" | "ERROR" | "WARNING")).unwrap_or(("", line))
}

fn maven_error(reading: &mut Reading, at: usize, line: &str, text: &str) {
    if text == "BUILD FAILURE" || text.starts_with("Failed to execute goal ") {
        reading.fail(THAT, line);
    } else if text.starts_with("COMPILATION ERROR") {
        reading.fail(WHERE, line);
    } else if text.contains(".java:[") || text.contains(".kt:[") {
        reading.suspect(at, NAMES, line);
    } else if text.ends_with("<<< FAILURE!") || text.ends_with("<<< ERROR!") {
        reading.fail(NAMES, line);
    } else if text.starts_with("  ") && text.contains(':') {
        // `  AppTest.adds:12 expected: <1> but was: <2>`
        reading.hint(WHY, line);
    }
}

struct MavenCounts {
    passed: u32,
    failed: u32,
    /// The counts of one class; the totals follow.
    is_of_class: bool,
}

impl MavenCounts {
    /// Reads `5, Failures: 1, Errors: 0, Skipped: 0`.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(", ");
        let run: u32 = parts.next()?.trim().parse().ok()?;
        let mut named = |name: &str| -> Option<u32> {
            let value = parts.next()?.strip_prefix(name)?.strip_prefix(": ")?;
            value.split(' ').next()?.parse().ok()
        };
        let (failures, errors, skipped) = (named("Failures")?, named("Errors")?, named("Skipped")?);
        let failed = failures.saturating_add(errors);
        let passed = run.saturating_sub(failed).saturating_sub(skipped);
        Some(Self { passed, failed, is_of_class: text.contains("Time elapsed") })
    }
}

// Gradle.

const GRADLE_CANONICAL: &[&str] = &["BUILD FAILED in 3s"];

pub(super) fn read_gradle(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(GRADLE_CANONICAL);
    let (mut passed, mut failed) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("BUILD SUCCESSFUL") && is_gradle_end(line) {
            reading.built(at, line);
        } else if line.starts_with("BUILD FAILED") && is_gradle_end(line) {
            reading.fail(THAT, line);
        } else if let Some(counts) = read_gradle_totals(line) {
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
fn is_gradle_end(line: &str) -> bool {
    line.split(' ').nth(2).is_none_or(|word| word == "in")
}

/// The counts of `5 tests completed, 1 failed, 1 skipped`.
fn read_gradle_totals(line: &str) -> Option<Vec<(u32, &str)>> {
    tally(line).filter(|counts| {
        counts.first().is_some_and(|(_, word)| matches!(*word, "tests completed" | "test completed"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn totals_of_maven_are_counted_once() {
        check(
            read_maven,
            &[
                (
                    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in a.B\n[INFO] Results:\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS",
                    "passed 4 0 [INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1",
                ),
                (
                    "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in a.B\n[ERROR] a.B.adds -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0\n[INFO] BUILD FAILURE",
                    "failed 3 2 [ERROR] a.B.adds -- Time elapsed: 0.01 s <<< FAILURE!",
                ),
                (
                    "[ERROR] COMPILATION ERROR : \n[ERROR] /x/A.java:[3,5] cannot find symbol",
                    "failed - - [ERROR] /x/A.java:[3,5] cannot find symbol",
                ),
                ("[INFO] BUILD SUCCESS", "passed - - [INFO] BUILD SUCCESS"),
                (
                    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s - in B",
                    "unknown 5 0 -",
                ),
                ("BUILD FAILURE is expected here", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn builds_tell() {
        check(
            read_gradle,
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

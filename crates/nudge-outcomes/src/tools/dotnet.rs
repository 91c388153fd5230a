//! dotnet: `test` and `build`.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &[
    "Failed!  - Failed:     1, Passed:    41, Skipped:     0, Total:    42, Duration: 12 ms - Shop.dll (net8.0)",
    "Test summary: total: 42, failed: 1, succeeded: 41, skipped: 0, duration: 1.2s",
    "Build FAILED.",
];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let mut passed_at = None;
    let mut old = Old::default();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some((passed, failed)) = summary(trimmed) {
            reading.count(passed, failed);
            if failed > 0 {
                reading.fail(THAT, line);
            } else if passed > 0 {
                passed_at = Some((at, line));
            }
        } else if is_build_failed(trimmed) || trimmed == "Test Run Failed." || trimmed == "Test Run Aborted."
        {
            reading.fail(THAT, line);
        } else if trimmed == "Test Run Successful." {
            passed_at = Some((at, line));
        } else if trimmed == "Build succeeded."
            || trimmed.starts_with("Build succeeded in ")
            || trimmed.starts_with("Build succeeded with ")
        {
            reading.built(at, line);
        } else if is_error(trimmed) {
            reading.suspect(at, NAMES, line);
        } else if line.strip_prefix("  Failed ").is_some_and(|test| test.ends_with(']')) {
            reading.hint(NAMES, line);
        } else {
            old.line(line);
        }
    }
    if reading.passed.is_none() && old.total {
        reading.count(old.passed, old.failed);
    }
    if let Some((at, line)) = passed_at {
        reading.tests_passed(at, line, false);
        if line.starts_with("Passed!") {
            // Each project has such a line.
            reading.open_above();
        }
    }
    reading
}

/// The counts of `Passed!  - Failed: 0, Passed: 41, …` and of `Test summary: total: 42, …`.
fn summary(line: &str) -> Option<(u32, u32)> {
    let after = |name: &str, text: &str| -> Option<u32> {
        let (_, rest) = text.split_once(name)?;
        rest.trim_start().split([',', ' ']).next()?.parse().ok()
    };
    if line.starts_with("Passed!  - ") || line.starts_with("Failed!  - ") {
        let (_, counts) = line.split_once(" - ")?;
        return Some((after("Passed:", counts)?, after("Failed:", counts)?));
    }
    let counts = line.strip_prefix("Test summary: ")?;
    Some((after("succeeded:", counts)?, after("failed:", counts)?))
}

fn is_build_failed(line: &str) -> bool {
    line == "Build FAILED."
        || line.starts_with("Build failed with ")
        || line.starts_with("MSBUILD : error MSB")
}

/// `A.cs(3,5): error CS1002: ; expected [/x/A.csproj]`
fn is_error(line: &str) -> bool {
    let code = line.split_once("): error ").map_or("", |(_, rest)| rest);
    let (letters, rest) = code.split_at(code.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(0));
    !letters.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// The counts that older versions print on separate lines.
#[derive(Default)]
struct Old {
    total: bool,
    passed: u32,
    failed: u32,
}

impl Old {
    fn line(&mut self, line: &str) {
        if let Some(count) = number(line, "Total tests: ") {
            self.total = count > 0;
        } else if let Some(count) = number(line, "     Passed: ") {
            self.passed = count;
        } else if let Some(count) = number(line, "     Failed: ") {
            self.failed = count;
        }
    }
}

fn number(line: &str, begin: &str) -> Option<u32> {
    line.strip_prefix(begin)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn summaries_tell() {
        check(
            read,
            &[
                (
                    "Passed!  - Failed:     0, Passed:    41, Skipped:     0, Total:    41, Duration: 12 ms - A.dll (net8.0)",
                    "passed 41 0 Passed!  - Failed:     0, Passed:    41, Skipped:     0, Total:    41, Duration: 12 ms - A.dll (net8.0)",
                ),
                (
                    "  Failed A.B.Adds [12 ms]\nFailed!  - Failed:     1, Passed:    41, Skipped:     0, Total:    42, Duration: 12 ms - A.dll (net8.0)",
                    "failed 41 1 Failed A.B.Adds [12 ms]",
                ),
                (
                    "Test summary: total: 42, failed: 1, succeeded: 41, skipped: 0, duration: 1.2s",
                    "failed 41 1 Test summary: total: 42, failed: 1, succeeded: 41, skipped: 0, duration: 1.2s",
                ),
                ("Build succeeded.\n    0 Warning(s)\n    0 Error(s)", "passed - - Build succeeded."),
                (
                    "/x/A.cs(3,5): error CS1002: ; expected [/x/A.csproj]\nBuild FAILED.",
                    "failed - - /x/A.cs(3,5): error CS1002: ; expected [/x/A.csproj]",
                ),
                (
                    "Total tests: 3\n     Passed: 2\n     Failed: 1\nTest Run Failed.",
                    "failed 2 1 Test Run Failed.",
                ),
            ],
        );
    }
}

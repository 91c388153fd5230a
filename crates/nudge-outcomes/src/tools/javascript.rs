//! Test runners of JavaScript: jest, vitest, mocha, playwright and bun.

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, stated, sum, tally};
use super::super::runner::Task;

// jest.

const JEST_CANONICAL: &[&str] = &["Tests:       1 failed, 41 passed, 42 total"];

pub(super) fn read_jest(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(JEST_CANONICAL);
    // Output filtered by a search lacks the indented lines.
    let is_picked = !lines.iter().any(|line| line.starts_with("  "));
    let mut suites = 0;
    let mut suites_at = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(counts) = line.strip_prefix("Tests:       ").and_then(read_jest_totals) {
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
        } else if let Some(counts) = line.strip_prefix("Test Suites: ").and_then(read_jest_totals) {
            suites_at = Some(at);
            suites = sum(&counts, &["failed"]);
            if suites > 0 {
                reading.fail(THAT, line);
            }
        } else if line.strip_prefix("FAIL ").is_some_and(is_jest_suite) {
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
            read_jest_json(&mut reading, at, line);
        }
    }
    if reading.success(Task::Test).is_some() {
        // The totals cover all suites, whatever a test printed.
        reading.likely = None;
    }
    reading
}

/// The output of `--json` and of vitest's `json` reporter, on one line.
fn read_jest_json(reading: &mut Reading, at: usize, line: &str) {
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

fn read_jest_totals(rest: &str) -> Option<Vec<(u32, &str)>> {
    tally(rest.trim()).filter(|counts| counts.iter().any(|(_, word)| word.ends_with("total")))
}

/// The path of a suite after `FAIL`, possibly with a project name before it and a time after it.
fn is_jest_suite(rest: &str) -> bool {
    rest.split(' ').any(|word| {
        let ending = word.rsplit('.').next().unwrap_or_default();
        word.contains('.')
            && matches!(ending, "js" | "ts" | "jsx" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue")
    })
}

// vitest.

const VITEST_CANONICAL: &[&str] =
    &[" Test Files  1 failed | 3 passed (4)", "      Tests  1 failed | 41 passed (42)"];

pub(super) fn read_vitest(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(VITEST_CANONICAL);
    let (mut files, mut errors) = (0, 0);
    let mut has_files = false;
    for (at, line) in lines.iter().enumerate() {
        match vitest_label(line, at) {
            Some(("Test Files", counts)) => {
                has_files = true;
                files = read_vitest_totals(counts).map_or(0, |counts| sum(&counts, &["failed"]));
                if files > 0 {
                    reading.fail(THAT, line);
                }
            }
            Some(("Tests", counts)) => {
                read_vitest_tests(&mut reading, at, line, counts);
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
            _ => read_vitest_line(&mut reading, at, line),
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
fn vitest_label(line: &str, at: usize) -> Option<(&str, &str)> {
    let (label, rest) = line.trim_start().split_once("  ")?;
    let column = line.len() - line.trim_start().len() + label.len();
    (column == 11 || (at == 0 && column == label.len())).then_some((label, rest))
}

fn read_vitest_tests(reading: &mut Reading, at: usize, line: &str, counts: &str) {
    let Some(counts) = read_vitest_totals(counts) else { return };
    let (passed, failed) = (stated(&counts, &["passed"]), stated(&counts, &["failed"]));
    reading.count_stated(passed, failed);
    if failed > Some(0) {
        reading.fail(THAT, line);
    } else if passed > Some(0) {
        // Errors outside tests come after it.
        reading.tests_passed(at, line, false);
    }
}

fn read_vitest_line(reading: &mut Reading, at: usize, line: &str) {
    let trimmed = line.trim_start();
    if line.starts_with(" FAIL  ") {
        reading.suspect(at, NAMES, line);
    } else if line.starts_with("ERROR: Coverage for ") && line.contains(" does not meet ") {
        reading.fail(WHY, line);
    } else if trimmed.starts_with("❯ ") && trimmed.contains(" tests | ") && trimmed.contains(" failed") {
        reading.suspect(at, WHERE, line);
    } else if line.starts_with("{\"num") {
        read_jest_json(reading, at, line);
    }
}

/// The counts of `1 failed | 41 passed (42)`.
fn read_vitest_totals(rest: &str) -> Option<Vec<(u32, &str)>> {
    let counts = rest.trim_end().strip_suffix(')')?;
    let (counts, total) = counts.rsplit_once(" (")?;
    total.parse::<u32>().ok()?;
    tally(counts)
}

// mocha, and `node --test`, which has its own counts.

const MOCHA_CANONICAL: &[&str] = &["  1 failing"];

/// The failure counts of `node --test`.
const NODE_CANONICAL: &[&str] = &["ℹ fail 1"];

const NODE_TAP_CANONICAL: &[&str] = &["# fail 1"];

pub(super) fn read_mocha(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(MOCHA_CANONICAL);
    // Both print what passed before what failed; a single such line may come from any program.
    let mut closes = false;
    for (at, line) in lines.iter().enumerate() {
        match mocha_count(line) {
            Some((count, "pass" | "passing")) => {
                closes = true;
                reading.count(count, 0);
                if count > 0 {
                    // The failures are counted after it.
                    reading.tests_passed(at, line, false);
                    reading.canonical = canonical_of_line(line);
                }
            }
            Some((count, _)) if closes => {
                reading.count(0, count);
                if count > 0 {
                    reading.fail(THAT, line);
                }
            }
            _ if names_mocha_failure(line, closes) => reading.hint(NAMES, line),
            _ => {}
        }
    }
    reading
}

/// The failure lines of the tool that prints such a line.
fn canonical_of_line(line: &str) -> &'static [&'static str] {
    match line.chars().next() {
        Some('ℹ') => NODE_CANONICAL,
        Some('#') => NODE_TAP_CANONICAL,
        _ => MOCHA_CANONICAL,
    }
}

/// A count and its word.
fn mocha_count(line: &str) -> Option<(u32, &str)> {
    if let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
        let (word, count) = rest.split_once(' ')?;
        return Some((count.parse().ok()?, word)).filter(|(_, word)| matches!(*word, "pass" | "fail"));
    }
    let (count, rest) = line.strip_prefix("  ")?.split_once(' ')?;
    let word = match rest.split_once(" (") {
        Some((word @ "passing", time)) if time.ends_with("s)") => word,
        None if rest == "failing" => rest,
        _ => return None,
    };
    Some((count.parse().ok()?, word))
}

/// `  1) suite` after the counts of mocha, `✖ test (1ms)` of node.
fn names_mocha_failure(line: &str, closes: bool) -> bool {
    let number =
        line.strip_prefix("  ").and_then(|rest| rest.split_once(") ")).map(|(number, _)| number.trim());
    let is_numbered = number.is_some_and(|number| number.parse::<u32>().is_ok());
    (closes && is_numbered) || (line.starts_with("✖ ") && line.ends_with("ms)"))
}

// playwright.

const PLAYWRIGHT_CANONICAL: &[&str] = &["  1 failed"];

pub(super) fn read_playwright(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(PLAYWRIGHT_CANONICAL);
    // Failures are listed above what passed, up to the line where the run began.
    let mut begun = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        begun |= line.starts_with("Running ") && line.contains(" using ") && line.contains(" worker");
        let Some((count, rest)) = line.strip_prefix("  ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let Ok(count) = count.parse::<u32>() else { continue };
        if rest == "failed" && next.starts_with("    [") {
            reading.count(0, count);
            reading.fail(THAT, line);
            reading.hint(NAMES, next.trim_end_matches(['─', ' ']));
        } else if matches!(rest, "interrupted" | "did not run") && count > 0 {
            reading.suspect(usize::MAX, THAT, line);
        } else if rest
            .strip_prefix("passed (")
            .is_some_and(|time| time.ends_with("s)") || time.ends_with("m)"))
        {
            reading.count(count, 0);
            reading.tests_passed(at, line, false);
            if !begun {
                reading.open_above();
            }
        }
    }
    reading
}

// bun test.

const BUN_CANONICAL: &[&str] = &[" 1 fail"];

pub(super) fn read_bun(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(BUN_CANONICAL);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let block: Vec<(u32, &str)> = lines.iter().skip(at).map_while(|line| bun_count(line)).collect();
        let behind = lines.get(at + block.len()).copied().unwrap_or_default();
        // The counts are together, and the first one is what passed.
        let is_summary = block.first().is_some_and(|(_, word)| *word == "pass") || behind.starts_with("Ran ");
        if !block.is_empty() && is_summary {
            read_bun_summary(&mut reading, at, &block);
        } else if line.starts_with("(fail) ") || line.starts_with("✗ ") {
            reading.suspect(at, NAMES, line);
        }
        at += block.len().max(1);
    }
    reading
}

fn read_bun_summary(reading: &mut Reading, at: usize, block: &[(u32, &str)]) {
    let count = |name: &str| block.iter().find(|(_, word)| *word == name).map(|(count, _)| *count);
    let (passed, failed) = (count("pass"), count("fail"));
    let line = format!("{} pass, {} fail", passed.unwrap_or(0), failed.unwrap_or(0));
    reading.count_stated(passed, failed);
    if failed > Some(0) || count("error").or(count("errors")) > Some(0) {
        reading.fail(THAT, &line);
    } else if passed > Some(0) && failed == Some(0) {
        reading.tests_passed(at, &line, true);
    }
}

/// ` 41 pass`: one space, a number, a word.
fn bun_count(line: &str) -> Option<(u32, &str)> {
    let (count, word) = line.strip_prefix(' ')?.split_once(' ')?;
    Some((count.parse().ok()?, word))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn totals_of_jest_tell() {
        check(
            read_jest,
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

    #[test]
    fn totals_of_vitest_tell() {
        check(
            read_vitest,
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

    #[test]
    fn counts_of_mocha_tell() {
        check(
            read_mocha,
            &[
                ("  41 passing (1s)", "passed 41 0 41 passing (1s)"),
                ("  41 passing (12ms)\n  1 failing\n\n  1) sum\n       adds:", "failed 41 1 1) sum"),
                ("  1 failing", "unknown - - -"),
                ("  0 passing (1ms)", "unknown 0 0 -"),
                ("ℹ tests 3\nℹ pass 3\nℹ fail 0", "passed 3 0 ℹ pass 3"),
                ("# tests 3\n# pass 2\n# fail 1", "failed 2 1 # fail 1"),
            ],
        );
    }

    #[test]
    fn counts_of_playwright_tell() {
        check(
            read_playwright,
            &[
                ("  4 passed (3.2s)", "passed 4 0 4 passed (3.2s)"),
                (
                    "  1 failed\n    [chromium] › a.spec.ts:3:1 › b ───\n  4 passed (3.2s)",
                    "failed 4 1 [chromium] › a.spec.ts:3:1 › b",
                ),
                ("  1 failed\nlogin", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn counts_of_bun_tell() {
        check(
            read_bun,
            &[
                (" 41 pass\n 0 fail\nRan 41 tests across 3 files. [12.00ms]", "passed 41 0 41 pass, 0 fail"),
                ("(fail) sum > adds [0.1ms]\n\n 41 pass\n 1 fail", "failed 41 1 (fail) sum > adds [0.1ms]"),
                (" 0 pass\n 0 fail", "unknown 0 0 -"),
                (" 3 fail\n(pass) noisy\n\n 11 pass\n 1 skip\n 0 fail", "passed 11 0 11 pass, 0 fail"),
                (" 1 fail\n 10 expect() calls\nRan 2 tests across 1 file.", "failed - 1 0 pass, 1 fail"),
                ("41 pass\n1 fail", "unknown - - -"),
                ("(fail) sum > adds", "likely - - (fail) sum > adds"),
            ],
        );
    }
}

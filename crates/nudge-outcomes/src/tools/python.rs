//! Test runners of Python: pytest, unittest and tox.

use std::path::Path;

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, stated, tally};

// pytest.

const PYTEST_CANONICAL: &[&str] =
    &["=================== 1 failed, 41 passed, 1 warning in 0.12s ==================="];

/// With `-q` there is no frame.
const PYTEST_PLAIN: &[&str] = &["1 failed, 41 passed in 0.12s"];

/// The words of the closing line.
const PYTEST_WORDS: [&str; 10] = [
    "passed",
    "failed",
    "error",
    "skipped",
    "deselected",
    "xfailed",
    "xpassed",
    "warning",
    "rerun",
    "subtests",
];

/// A test may print a closing line too. Only as many as there were runs count, from the end.
pub(super) fn read_pytest(lines: &[&str], most: usize) -> Reading {
    let mut reading = Reading::of(PYTEST_CANONICAL);
    let mut summaries = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match read_pytest_totals(line) {
            Some(counts) => summaries.push((at, counts)),
            None => read_pytest_line(&mut reading, at, line),
        }
    }
    for (at, counts) in summaries.iter().rev().take(most) {
        let line = lines.get(*at).copied().unwrap_or_default();
        let (passed, failed) = (stated(counts, &["passed"]), stated(counts, &["failed", "error"]));
        reading.count_stated(passed, failed);
        reading.hint(THAT, line);
        if failed > Some(0) {
            reading.fail(THAT, line);
        } else if passed > Some(0) {
            reading.tests_passed(*at, line, true);
            reading.canonical = if line.starts_with('=') { PYTEST_CANONICAL } else { PYTEST_PLAIN };
        }
    }
    reading
}

fn read_pytest_line(reading: &mut Reading, at: usize, line: &str) {
    if let Some(test) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        // A test's log line has more than a test after the word.
        if test.split(' ').next().is_some_and(|path| path.contains("::") || is_python(path)) {
            reading.suspect(at, NAMES, line);
        }
    } else if line.starts_with("E  ") || line.starts_with("pytest: error: ") {
        reading.hint(WHY, line);
    } else if is_pytest_heading(line) || line.starts_with("INTERNALERROR> ") {
        reading.suspect(at, THAT, line);
    } else if is_of_setup(line) {
        reading.fail(WHERE, line);
    } else if is_pytest_failure_progress(line) {
        reading.doubt(at, THAT, line);
    }
}

fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "py")
}

/// The counts of `== 1 failed, 41 passed in 0.12s ==`, with or without its frame.
fn read_pytest_totals(line: &str) -> Option<Vec<(u32, &str)>> {
    let text = line.trim_matches('=').trim();
    let (counts, time) = text.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(Vec::new());
    }
    let counts = tally(counts)?;
    counts.iter().all(|(_, word)| PYTEST_WORDS.iter().any(|known| word.starts_with(known))).then_some(counts)
}

/// `=== FAILURES ===`, `=== ERRORS ===` and `!!! Interrupted: 1 error during collection !!!`.
fn is_pytest_heading(line: &str) -> bool {
    let framed = line.starts_with("===") && matches!(line.trim_matches('=').trim(), "FAILURES" | "ERRORS");
    let text = line.trim_matches('!').trim();
    framed || (line.starts_with("!!!") && text.starts_with("Interrupted: ") && text.contains(" error"))
}

/// Messages of pytest and its plugins when the run itself is wrong.
fn is_of_setup(line: &str) -> bool {
    line.starts_with("ERROR: file or directory not found:")
        || line.starts_with("ERROR: not found: ")
        || line.starts_with("ERROR: usage: ")
        || line.starts_with("ERROR: Coverage failure: ")
        || line.starts_with("FAIL Required test coverage of ")
        || line.starts_with("ImportError while loading conftest ")
}

/// `tests/a.py ..F. [ 40%]` or `tests/a.py::b FAILED [ 40%]`.
fn is_pytest_failure_progress(line: &str) -> bool {
    let Some(rest) = line.trim_end().strip_suffix("%]") else { return false };
    let Some((rest, _)) = rest.rsplit_once('[') else { return false };
    let (path, marks) = rest.trim_end().rsplit_once(' ').unwrap_or(("", rest.trim()));
    if path.contains("::") {
        return matches!(marks, "FAILED" | "ERROR");
    }
    let is_of_file = path.is_empty() || is_python(path.trim());
    is_of_file && marks.chars().all(|mark| ".FEsxXR".contains(mark)) && marks.contains(['F', 'E'])
}

// unittest of Python, and Django, which runs its tests with it.

const UNITTEST_CANONICAL: &[&str] = &["FAILED (failures=1)"];

/// How many lines after `Ran 3 tests in 0.001s` the result is.
const MAX_LINES_AFTER: usize = 2;

pub(super) fn read_unittest(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(UNITTEST_CANONICAL);
    let mut ran: Option<(usize, u32)> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(count) = unittest_count(line) {
            ran = Some((at, count));
        } else if let Some((_, count)) = ran.filter(|(begun, _)| at - begun <= MAX_LINES_AFTER)
            && let Some(read_unittest_result) = read_unittest_result(line)
        {
            let passed = count
                .saturating_sub(read_unittest_result.failed.saturating_add(read_unittest_result.left_out));
            reading.count(passed, read_unittest_result.failed);
            reading.nothing_ran = count == 0;
            if read_unittest_result.is_failure {
                reading.fail(THAT, line);
            } else if passed > 0 {
                reading.tests_passed(at, line, true);
            }
            ran = None;
        } else if is_unittest_name(line) {
            reading.suspect(at, NAMES, line);
        }
    }
    reading
}

/// `Ran 3 tests in 0.001s`
fn unittest_count(line: &str) -> Option<u32> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ").or_else(|| rest.strip_prefix("test in "))?;
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    count.parse().ok()
}

/// The closing line.
struct Closing {
    is_failure: bool,
    failed: u32,
    /// Skipped, or expected to fail.
    left_out: u32,
}

/// `OK`, `OK (skipped=1)`, `FAILED (failures=1, errors=2)`, `NO TESTS RAN`.
fn read_unittest_result(line: &str) -> Option<Closing> {
    let (word, counts) = match line.split_once(" (") {
        Some((word, counts)) => (word, counts.strip_suffix(')')?),
        None => (line, ""),
    };
    let is_failure = match word {
        "OK" | "NO TESTS RAN" => false,
        "FAILED" => true,
        _ => return None,
    };
    let (mut failed, mut left_out) = (0_u32, 0_u32);
    for (name, count) in counts.split(", ").filter_map(|part| part.split_once('=')) {
        let count: u32 = count.parse().ok()?;
        match name {
            "failures" | "errors" | "unexpected successes" => failed = failed.saturating_add(count),
            _ => left_out = left_out.saturating_add(count),
        }
    }
    Some(Closing { is_failure, failed, left_out })
}

/// `FAIL: test_adds (tests.test_cart.CartTest.test_adds)`
fn is_unittest_name(line: &str) -> bool {
    let test = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
    test.is_some_and(|test| {
        let place = test.split_once(" (").map(|(_, place)| place.split(')').next().unwrap_or_default());
        place.is_some_and(|place| place.contains('.') && !place.contains(' '))
    })
}

// tox, which runs pytest in several environments.

const TOX_CANONICAL: &[&str] =
    &["  evaluation failed :( (1.23 seconds)", "  py39: FAIL code 1 (0.52 seconds)"];

/// A success in one environment says nothing about the others; only the closing line covers all.
pub(super) fn read_tox(lines: &[&str]) -> Reading {
    let mut reading = read_pytest(lines, usize::MAX);
    reading.forget_tests();
    reading.canonical = TOX_CANONICAL;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.starts_with("evaluation failed :(") || is_tox_failure(text) {
            reading.fail(WHERE, line);
        } else if text.starts_with("congratulations :)") {
            reading.tests_passed(at, line, true);
        }
    }
    reading
}

/// `py39: FAIL code 1 (0.52 seconds)`, `py39: FAIL ✖ in 1.2 seconds`, `ERROR:   py39: commands
/// failed`.
fn is_tox_failure(line: &str) -> bool {
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
    fn the_closing_line_of_pytest_tells() {
        check(
            |lines| read_pytest(lines, 1),
            &[
                ("41 passed in 0.12s", "passed 41 0 41 passed in 0.12s"),
                (
                    "===== 41 passed, 2 warnings in 63.12s (0:01:03) =====",
                    "passed 41 0 ===== 41 passed, 2 warnings in 63.12s (0:01:03) =====",
                ),
                (
                    "E   assert 1 == 2\nFAILED tests/a.py::b - assert 1 == 2\n=== 1 failed, 41 passed, 2 errors in 0.12s ===",
                    "failed 41 3 FAILED tests/a.py::b - assert 1 == 2",
                ),
                ("E   ModuleNotFoundError: x\n1 error in 0.12s", "failed - 1 E   ModuleNotFoundError: x"),
                ("no tests ran in 0.01s", "unknown - - no tests ran in 0.01s"),
                ("3 skipped in 0.01s", "unknown - - 3 skipped in 0.01s"),
                ("=== 1 failed, 2 passed in 0.1s ===\n..\n3 passed in 0.1s", "passed 3 0 3 passed in 0.1s"),
                ("5 passed in total", "unknown - - -"),
                ("we had 1 failed in 3s", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn failures_of_pytest_show_before_the_end() {
        check(
            |lines| read_pytest(lines, 1),
            &[
                ("tests/a.py ..F.   [ 40%]", "likely - - tests/a.py ..F.   [ 40%]"),
                ("tests/a.py ....   [ 40%]", "unknown - - -"),
                ("tests/a.py::b FAILED   [ 40%]", "likely - - tests/a.py::b FAILED   [ 40%]"),
                ("=== FAILURES ===", "likely - - === FAILURES ==="),
                ("ERROR: file or directory not found: x", "failed - - ERROR: file or directory not found: x"),
                ("ERROR something failed: 3 errors\nFAILED (expected)", "unknown - - -"),
                ("ERROR    root:test_log.py:7 FAILED tests/a.py::b - boom", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_line_of_unittest_tells() {
        check(
            read_unittest,
            &[
                ("...\n-----\nRan 3 tests in 0.001s\n\nOK", "passed 3 0 OK"),
                ("Ran 4 tests in 0.001s\n\nOK (skipped=1)", "passed 3 0 OK (skipped=1)"),
                (
                    "FAIL: test_a (tests.T.test_a)\nRan 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)",
                    "failed 1 2 FAIL: test_a (tests.T.test_a)",
                ),
                ("Ran 0 tests in 0.000s\n\nNO TESTS RAN", "unknown 0 0 -"),
                ("Ran 1 test in 0.000s\n\nOK (skipped=1)", "unknown 0 0 -"),
                ("OK", "unknown - - -"),
                ("FAIL: it (does) not", "unknown - - -"),
            ],
        );
    }

    #[test]
    fn the_closing_line_of_tox_tells() {
        check(
            read_tox,
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

//! pytest.

use std::path::Path;

use super::super::reading::{NAMES, Reading, THAT, WHERE, WHY, stated, tally};

const CANONICAL: &[&str] =
    &["=================== 1 failed, 41 passed, 1 warning in 0.12s ==================="];

/// With `-q` there is no frame.
const PLAIN: &[&str] = &["1 failed, 41 passed in 0.12s"];

/// The words of the closing line.
const WORDS: [&str; 10] = [
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
pub(super) fn read(lines: &[&str], most: usize) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    let mut summaries = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match closing(line) {
            Some(counts) => summaries.push((at, counts)),
            None => read_line(&mut reading, at, line),
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
            reading.canonical = if line.starts_with('=') { CANONICAL } else { PLAIN };
        }
    }
    reading
}

fn read_line(reading: &mut Reading, at: usize, line: &str) {
    if let Some(test) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        // A test's log line has more than a test after the word.
        if test.split(' ').next().is_some_and(|path| path.contains("::") || is_python(path)) {
            reading.suspect(at, NAMES, line);
        }
    } else if line.starts_with("E  ") || line.starts_with("pytest: error: ") {
        reading.hint(WHY, line);
    } else if is_heading(line) || line.starts_with("INTERNALERROR> ") {
        reading.suspect(at, THAT, line);
    } else if is_of_setup(line) {
        reading.fail(WHERE, line);
    } else if is_failing_progress(line) {
        reading.doubt(at, THAT, line);
    }
}

fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "py")
}

/// The counts of `== 1 failed, 41 passed in 0.12s ==`, with or without its frame.
fn closing(line: &str) -> Option<Vec<(u32, &str)>> {
    let text = line.trim_matches('=').trim();
    let (counts, time) = text.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(Vec::new());
    }
    let counts = tally(counts)?;
    counts.iter().all(|(_, word)| WORDS.iter().any(|known| word.starts_with(known))).then_some(counts)
}

/// `=== FAILURES ===`, `=== ERRORS ===` and `!!! Interrupted: 1 error during collection !!!`.
fn is_heading(line: &str) -> bool {
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
fn is_failing_progress(line: &str) -> bool {
    let Some(rest) = line.trim_end().strip_suffix("%]") else { return false };
    let Some((rest, _)) = rest.rsplit_once('[') else { return false };
    let (path, marks) = rest.trim_end().rsplit_once(' ').unwrap_or(("", rest.trim()));
    if path.contains("::") {
        return matches!(marks, "FAILED" | "ERROR");
    }
    let is_of_file = path.is_empty() || is_python(path.trim());
    is_of_file && marks.chars().all(|mark| ".FEsxXR".contains(mark)) && marks.contains(['F', 'E'])
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_closing_line_tells() {
        check(
            |lines| read(lines, 1),
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
    fn failures_show_before_the_end() {
        check(
            |lines| read(lines, 1),
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
}
